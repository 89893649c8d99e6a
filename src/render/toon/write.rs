//! Writing the file: what a conforming TOON encoder may emit, without anything that ClosedLoop's readers take differently.

use super::cell::needs_quotes;
use super::row::{Row, header, rate_text};
use text::fit::cell_text;

/// The file: valid TOON v4 encoder output that ClosedLoop's readers read alike.
#[must_use]
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
