//! One row of the pattern file: its columns and what they may hold.

/// The columns in the order of the file.
pub(super) const COLUMNS: [&str; 10] =
    ["id", "category", "summary", "confidence", "seen_count", "success_rate", "flags", "applies_to", "context", "repo"];

/// Rows of older files end before the repository.
pub(super) const LEGACY_COLUMNS: usize = COLUMNS.len() - 1;

pub(super) const CATEGORIES: [&str; 4] = ["mistake", "pattern", "convention", "insight"];

pub(super) const CONFIDENCES: [&str; 3] = ["high", "medium", "low"];

/// The texts of a row's cells, in the order of [`COLUMNS`].
pub(super) type Cells = [String; COLUMNS.len()];

/// One row of `org-patterns.toon`, as text and numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The name of the pattern: `P-` and three or more digits.
    pub id: String,
    /// `mistake`, `pattern`, `convention` or `insight`.
    pub category: String,
    /// What was learned, in one sentence.
    pub summary: String,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// How many outcomes spoke about the pattern.
    pub seen_count: u64,
    /// The share of successes, from 0 to 1, or nothing while it is unknown.
    pub success_rate: Option<f64>,
    /// One flag in brackets, or nothing.
    pub flags: String,
    /// The agents that are told, separated by `|`; `*` for all.
    pub applies_to: String,
    /// Tags that say where the pattern matters, separated by `|`.
    pub context: String,
    /// The repository that the pattern belongs to; `*` for all.
    pub repo: String,
}

/// The header of a table with so many rows.
pub(super) fn header(count: usize) -> String {
    format!("patterns[{count}]{{{}}}:", COLUMNS.join(","))
}

/// A rate with two decimals. A rate that is still outside 0 to 1 after rounding is as good as unknown.
pub(super) fn rate_text(rate: Option<f64>) -> Option<String> {
    let text = format!("{:.2}", rate?);
    match text.as_str() {
        "-0.00" => Some("0.00".to_owned()),
        "1.00" => Some(text),
        _ => text.starts_with("0.").then_some(text),
    }
}
