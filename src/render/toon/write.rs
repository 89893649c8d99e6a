//! Writing the file: what a conforming TOON encoder may emit, without anything that ClosedLoop's readers take differently.

use text::fit::cell_text;

/// The file: valid TOON v4 encoder output that ClosedLoop's readers read alike.
pub fn render_toon(rows: &[Row]) -> String {
    // Encoders prefer `patterns: []`, but ClosedLoop does not know that line and would write its rows below it without a header.
    if rows.is_empty() {
        return "patterns[0]:".to_owned();
    }
    let mut text = header(rows.len());
    for row in rows {
        text.push_str("\n  ");
        text.push_str(&render_cells(row).join(","));
    }
    text
}

fn render_cells(row: &Row) -> [String; 10] {
    [
        quote_if_needed(&row.id),
        quote_if_needed(&row.category),
        // Quotes are allowed where they are not needed, and ClosedLoop always puts them here.
        quote(&cell_text(&row.summary)),
        quote_if_needed(&row.confidence),
        row.seen_count.to_string(),
        render_rate(row.success_rate),
        quote_if_needed(&row.flags),
        quote_if_needed(&row.applies_to),
        quote_if_needed(&row.context),
        quote_if_needed(&row.repo),
    ]
}

/// An unknown rate is the empty text: one of ClosedLoop's readers fails on `null`.
fn render_rate(rate: Option<f64>) -> String {
    match rate_text(rate) {
        Some(text) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => quote(""),
    }
}

fn quote_if_needed(text: &str) -> String {
    let text = cell_text(text);
    if needs_quotes(&text) { quote(&text) } else { text }
}

/// The text holds nothing to escape: `cell_text` has seen to that.
fn quote(text: &str) -> String {
    format!("\"{text}\"")
}

/// Whether a TOON encoder must quote the text in a row whose cells are separated by commas.
pub(super) fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || is_keyword(text)
        || is_numeric(text)
        || text.starts_with(['-', '#', ' ', '\t'])
        || text.ends_with([' ', '\t'])
        || text.contains([',', ':', '[', ']', '{', '}', '"', '\\'])
        || text.contains(|character| character <= '\u{1f}')
}

/// Whether a TOON encoder can have written the text as a cell without quotes.
pub(super) fn may_be_bare(text: &str) -> bool {
    !needs_quotes(text) || is_keyword(text) || is_canonical_number(text)
}

fn is_keyword(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// Whether the text looks like a number to anyone, with leading zeros and a plus sign as well.
fn is_numeric(text: &str) -> bool {
    let unsigned = without_sign(text);
    let (mantissa, exponent) = split_at(unsigned, &['e', 'E']);
    let (whole, fraction) = split_at(mantissa, &['.']);
    [Some(whole), fraction, exponent.map(without_sign)].into_iter().flatten().all(is_digits)
}

/// Whether the text is a number as an encoder spells it: `0.6`, never `0.60`, `+1`, `05` or `6e-1`.
fn is_canonical_number(text: &str) -> bool {
    let (whole, fraction) = split_at(text.strip_prefix('-').unwrap_or(text), &['.']);
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|digits| is_digits(digits) && !digits.ends_with('0'))
        && text != "-0"
}

fn split_at<'a>(text: &'a str, marks: &[char]) -> (&'a str, Option<&'a str>) {
    text.split_once(marks).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

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
