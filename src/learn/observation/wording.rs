//! What is said of an observation: the longer words stay, with the first and the latest quotations.

use super::detail::detail_fields;
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
        if seen.is_reworded && !self.details.is_empty() {
            // Of rewordings the one that tells more stays, with the title that goes with it; a longer one may only tell of its day.
            if fullness(details) > fullness(&self.details) {
                self.details = with_known_code(details, &self.details);
                self.pattern = one_line(seen.pattern);
            }
            return;
        }
        // What was recognised in other words differs in its words.
        self.needs_review |= !seen.is_reworded && diverge(&self.details, details, settings.diverging_below);
        if length(details) > length(&self.details) {
            details.clone_into(&mut self.details);
        }
    }
}

/// Steps with the code that the same steps had before.
fn with_known_code(details: &str, known: &str) -> String {
    let words = |step: &str| step.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.').trim().to_lowercase();
    let with_code = |step: &str| {
        let code = known.lines().find_map(|line| {
            let (told, code) = line.split_once(": `")?;
            (words(told) == words(step)).then_some(code)
        });
        code.map_or_else(|| step.to_owned(), |code| format!("{step}: `{code}"))
    };
    details.lines().map(with_code).collect::<Vec<_>>().join("\n")
}

/// How much details tell: steps, fields, and pieces of code.
fn fullness(details: &str) -> (usize, usize, usize) {
    let is_step = |line: &&str| line.starts_with(|letter: char| letter.is_ascii_digit());
    let steps = details.lines().filter(is_step).count();
    (steps, detail_fields(details).len(), details.matches('`').count())
}

#[expect(clippy::cast_precision_loss, reason = "no text is so long")]
fn length(text: &str) -> f64 {
    text.chars().count() as f64
}
