//! What is said of an observation: the longer words stay, with the first and the latest quotations.

use super::divergence::diverge;
use super::evidence::Quotations;
use super::life::Sighting;
use setting::ObservationSettings;
use text::fit::one_line;

/// What is said of an observation.
#[derive(Debug, Clone, Default)]
pub struct Wording {
    /// What recurs, on one line.
    pub pattern: String,
    /// The rest of it.
    pub details: String,
    /// Whether its sightings say different things.
    pub needs_review: bool,
    quotations: Quotations,
}

impl Wording {
    /// What was quoted for it.
    #[must_use]
    pub fn evidence(&self) -> Vec<String> {
        self.quotations.list()
    }

    /// Takes in what a sighting says. Texts are compared before one replaces the other, and nothing is appended: details would
    /// otherwise grow with every sighting.
    pub(super) fn read(&mut self, seen: Sighting<'_>, settings: &ObservationSettings) {
        for quotation in seen.evidence {
            self.quotations.add(quotation, settings.most_evidence);
        }
        let pattern = one_line(seen.pattern);
        // Of rewordings the first stays: what is longer says no more.
        let is_better = !seen.is_reworded && length(&pattern) > length(&self.pattern) * settings.longer_pattern;
        if self.pattern.is_empty() || is_better {
            self.pattern = pattern;
        }
        let details = seen.details.trim();
        // What was recognised in other words differs in its words.
        self.needs_review |= !seen.is_reworded && diverge(&self.details, details, settings.diverging_below);
        if length(details) > length(&self.details) {
            details.clone_into(&mut self.details);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no text is so long")]
fn length(text: &str) -> f64 {
    text.chars().count() as f64
}
