//! What a command is asked: to turn texts into vectors.

use serde_json::json;

/// The version of what is spoken with a command.
pub const PROTOCOL: u32 = 1;

/// The request for some texts, as JSON.
#[must_use]
pub fn render_request(texts: &[&str]) -> String {
    json!({"protocol": PROTOCOL, "texts": texts}).to_string()
}
