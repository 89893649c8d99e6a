//! What the last runs changed, one JSON object a line.

use learn::policy::GraphEvent;
use text::diagnostic::{Diagnostic, Outcome};

/// Renders events, each on a line of its own.
pub fn render_graph(events: &[GraphEvent]) -> Outcome<Vec<u8>> {
    let mut text = Vec::new();
    for event in events {
        serde_json::to_writer(&mut text, event).map_err(|error| Diagnostic::bug(format!("an event cannot be written: {error}")))?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Reads such events back. Lines that cannot be read are passed over.
#[must_use]
pub fn parse_graph(bytes: &[u8]) -> Vec<GraphEvent> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}
