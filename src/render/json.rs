//! The report as JSON.

use super::report::Report;
use text::diagnostic::{Diagnostic, Outcome};

/// Renders the report, indented, with a line end.
pub fn render_json(report: &Report<'_>) -> Outcome<String> {
    let mut text = serde_json::to_string_pretty(report)
        .map_err(|error| Diagnostic::bug(format!("the report cannot be written as JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}
