//! What a pattern is worth at the instant it is asked for: how often it held, how long ago, and how well it fits the task.

use super::entry::{Entry, items};
use setting::RecallSettings;
use text::time::days_between;

/// The task that patterns are wanted for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    labels: Vec<String>,
    files: Vec<String>,
    phase: Option<String>,
}

impl Context {
    /// A task with its labels, its files and its phase. Labels about the process say nothing.
    #[must_use]
    pub fn new(labels: &[String], files: &[String], phase: Option<&str>, process_label: &str) -> Self {
        let lowered = labels.iter().map(|label| label.trim().to_lowercase());
        let is_process = |label: &str| !process_label.is_empty() && label.starts_with(&process_label.to_lowercase());
        Self {
            labels: lowered.filter(|label| !label.is_empty() && !is_process(label)).collect(),
            files: files.iter().map(|file| plain_path(file).to_owned()).collect(),
            phase: phase.map(str::trim).filter(|phase| !phase.is_empty()).map(str::to_lowercase),
        }
    }

    /// Whether a pattern was learned at a file of the task.
    pub(super) fn shares_file(&self, entry: &Entry<'_>) -> bool {
        !self.files.is_empty() && items(&entry.files).any(|file| self.files.iter().any(|own| own == plain_path(file)))
    }

    /// What a pattern gains that was learned in such a task. Ten shared labels count as one, so that a pattern cannot buy its
    /// rank with a long list.
    fn factor(&self, entry: &Entry<'_>, settings: &RecallSettings) -> f64 {
        let mut factor = 1.0;
        if !self.labels.is_empty() && items(&entry.tags).any(|tag| self.labels.contains(&tag.trim().to_lowercase())) {
            factor += settings.label;
        }
        if self.shares_file(entry) {
            factor += settings.file;
        }
        if let Some(phase) = &self.phase
            && items(&entry.phases).any(|known| known.trim().to_lowercase() == *phase)
        {
            factor += settings.phase;
        }
        factor
    }
}

/// The score of a pattern. A figure that is not a number counts as 0.
#[must_use]
pub fn score_entry(entry: &Entry<'_>, context: &Context, now_micros: i64, settings: &RecallSettings) -> f64 {
    let Entry { successes, failures, reinforced, used_micros, .. } = *entry;
    let record = Record { successes, failures, reinforced, used_micros };
    record.score(weight(&entry.category, settings), context.factor(entry, settings), now_micros, settings)
}

/// What is known of a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// What counts for it.
    pub successes: f64,
    /// What counts against it.
    pub failures: f64,
    /// How often it was confirmed.
    pub reinforced: i64,
    /// When it was last used, in microseconds since 1970.
    pub used_micros: i64,
}

impl Record {
    /// What a pattern is worth: its rate, faded since its last use, weighed by what it is and how well it fits.
    #[must_use]
    pub fn score(&self, weight: f64, factor: f64, now_micros: i64, settings: &RecallSettings) -> f64 {
        let score = self.rate() * self.decay(now_micros, settings) * weight * factor;
        if score.is_finite() { score } else { 0.0 }
    }

    /// Share of the weight that supports the pattern.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let all = self.successes + self.failures;
        if all > 0.0 { self.successes / all } else { 0.0 }
    }

    /// What was confirmed often enough stays as it is; everything else fades by the time since it was last used. Being shown is no
    /// use: what is shown again and again would stay fresh for ever.
    #[must_use]
    pub fn decay(&self, now_micros: i64, settings: &RecallSettings) -> f64 {
        if self.reinforced >= settings.immune_from {
            return 1.0;
        }
        let days = days_between(self.used_micros, now_micros);
        (-days / settings.decay_days).exp()
    }
}

/// What a pattern of a category weighs.
#[must_use]
pub fn weight(category: &str, settings: &RecallSettings) -> f64 {
    match category {
        "rule" => settings.rule,
        "causal" => settings.causal,
        _ => 1.0,
    }
}

/// A path as it is compared: without `./` before it.
#[must_use]
pub fn plain_path(path: &str) -> &str {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path)
}
