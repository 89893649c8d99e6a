//! What of a pattern is shared: one shape for what is sent and for what is received.

use serde_json::json;

use learn::Score;
use learn::pattern::Category;
use text::digest::sha256;
use text::fit::printable;
use text::limit;

/// The scope of lessons about the tool itself, which nobody else can use.
const TOOL_SCOPE: &str = "closedloop";
/// The most sightings that are read: beyond this, a number in JSON is not the same for every reader.
pub(super) const MOST_SEEN: i64 = 8_999_999_999_999_999;
/// The most sightings that anybody believes, and so the most that are shared.
pub(super) const MOST_PLAUSIBLE_SEEN: i64 = 1_000_000;
const CONFIDENCES: [&str; 3] = ["high", "medium", "low"];
const FLAGS: [&str; 5] = ["", "[UNTESTED]", "[REVIEW]", "[STALE]", "[PRUNE]"];

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SharedPattern {
    pub id: String,
    /// `mistake`, `pattern`, `convention` or `insight`.
    pub category: String,
    /// The lesson in a sentence.
    pub summary: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    pub seen_count: i64,
    /// Its rate of success, from 0 to 1, in hundredths.
    pub success_rate: Option<f64>,
    pub flags: String,
    pub applies_to: Vec<String>,
    pub context: Vec<String>,
    /// The repository it holds for; `*` for all.
    pub repo: String,
    pub trigger: Option<String>,
    pub scope: Option<String>,
    /// Whether its project has never seen it at work. Whoever shares it then passes on what its source says.
    pub is_untried: bool,
    /// Where it came from: the project that shared it, or the store that was imported.
    pub source: Option<String>,
}

impl From<&Score> for SharedPattern {
    fn from(score: &Score) -> Self {
        Self {
            id: score.id.clone(),
            category: score.category.to_string(),
            summary: score.summary.clone(),
            confidence: score.confidence.to_string(),
            seen_count: score.known_seen(),
            success_rate: score.known_rate(),
            flags: score.flag.tag(),
            applies_to: score.applies_to.clone(),
            context: score.tags.clone(),
            repo: score.repo.clone(),
            trigger: score.trigger.clone(),
            scope: score.scope.clone(),
            is_untried: score.seen == 0,
            source: score.prior_source.clone(),
        }
        .tidied()
    }
}

impl SharedPattern {
    /// The same pattern with every value inside its domain and its bounds. Doing it twice changes nothing more.
    #[must_use]
    pub fn tidied(self) -> Self {
        Self {
            id: label(&self.id).unwrap_or_default(),
            category: Category::from_name(&self.category).unwrap_or(Category::Pattern).family().name().to_owned(),
            summary: printable(&self.summary, limit::TEXT_BYTES),
            confidence: known(&self.confidence, &CONFIDENCES).unwrap_or("medium").to_owned(),
            seen_count: self.seen_count.clamp(0, MOST_SEEN),
            success_rate: self.success_rate.and_then(hundredths),
            flags: known(&self.flags, &FLAGS)
                .or_else(|| known(&format!("[{}]", self.flags.trim()), &FLAGS))
                .unwrap_or_default()
                .to_owned(),
            applies_to: labels(&self.applies_to),
            context: labels(&self.context),
            repo: label(&self.repo).unwrap_or_else(|| "*".to_owned()),
            trigger: self.trigger.map(|trigger| printable(&trigger, limit::TEXT_BYTES)).filter(|trigger| !trigger.is_empty()),
            scope: self.scope.as_deref().and_then(label),
            is_untried: self.is_untried,
            source: self.source.as_deref().and_then(label),
        }
    }

    /// What makes two patterns the same lesson: the hash of the summary, whatever its case and white space.
    pub fn identity(&self) -> String {
        sha256(normalised(&self.summary).as_bytes())
    }

    /// What makes two patterns answers to the same question: the trigger, whatever its case and white space, and the repository.
    pub fn question(&self) -> Option<(String, &str)> {
        let trigger = normalised(self.trigger.as_deref()?);
        (!trigger.is_empty()).then_some((trigger, &*self.repo))
    }

    /// Whether it is flagged as not worth keeping.
    pub fn is_flagged_for_removal(&self) -> bool {
        self.flags == "[PRUNE]"
    }

    /// Whether it is a lesson about the tool itself.
    pub fn is_about_the_tool(&self) -> bool {
        self.scope.as_deref().is_some_and(|scope| scope.eq_ignore_ascii_case(TOOL_SCOPE))
    }

    /// The hash of everything that is shared of it, apart from its id and time.
    pub fn digest(&self) -> String {
        // A list has one spelling only, where the members of an object could be ordered in many ways.
        let content = json!([
            self.category,
            self.summary,
            self.confidence,
            self.seen_count,
            self.success_rate.map(|rate| format!("{rate:.2}")),
            self.flags,
            self.applies_to,
            self.context,
            self.repo,
            self.trigger,
            self.scope
        ]);
        sha256(content.to_string().as_bytes())
    }
}

/// Whether an id is `P-` and digits, few enough to be a number.
pub(super) fn is_pattern_id(id: &str) -> bool {
    id_number(id).is_some()
}

pub(super) fn id_number(id: &str) -> Option<u64> {
    let digits = id.strip_prefix("P-")?;
    let is_number = (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// A short text on one line. None if nothing is left of it.
pub(super) fn label(text: &str) -> Option<String> {
    Some(printable(text, limit::LABEL_BYTES)).filter(|label| !label.is_empty())
}

/// The word of a vocabulary that is meant, whatever its case.
fn known(word: &str, vocabulary: &[&'static str]) -> Option<&'static str> {
    vocabulary.iter().copied().find(|known| known.eq_ignore_ascii_case(word.trim()))
}

fn labels(items: &[String]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for item in items.iter().filter_map(|item| label(item)) {
        if labels.len() < limit::LIST_ITEMS && seen.insert(item.clone()) {
            labels.push(item);
        }
    }
    labels
}

fn hundredths(rate: f64) -> Option<f64> {
    // The addition makes a negative zero an ordinary one.
    (0.0..=1.0).contains(&rate).then(|| (rate * 100.0).round() / 100.0 + 0.0)
}

fn normalised(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
