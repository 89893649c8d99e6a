//! Whether the build of an iteration passed: what the build validator left behind, as an event.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::change::identify;
use super::turn::Turn;
use text::digest::sha256;

/// What a `build-result.json` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildResult {
    /// The run it belongs to, where it says so.
    pub run_id: Option<String>,
    /// The iteration it belongs to, where it says so.
    pub iteration: Option<i64>,
    /// Whether the build passed.
    pub passed: bool,
}

/// Reads a `build-result.json`. None for a status that is neither passed nor failed: there was no build to speak of.
pub fn parse_build_result(text: &[u8]) -> Result<Option<BuildResult>, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("is not JSON: {error}"))?;
    let object = value.as_object().ok_or("is not an object")?;
    let passed = match object.get("status").and_then(Value::as_str) {
        Some("passed") => true,
        Some("failed") => false,
        _ => return Ok(None),
    };
    let iteration = match object.get("iteration") {
        // The original writes the number as a text.
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(number) => number.as_i64(),
        None => None,
    };
    let run_id = object.get("run_id").and_then(Value::as_str).filter(|run| !run.is_empty()).map(str::to_owned);
    Ok(Some(BuildResult { run_id, iteration, passed }))
}

/// The event of a build.
pub fn build_line(turn: &Turn, passed: bool, details: Option<&str>) -> Result<String, String> {
    turn.draft("build").with("passed", passed).with_some("details", details).finish()
}

/// The event of a build that was read from a file. The same file gives the same event, however often it is read; a file that
/// was written later gives another one, even if it says the same.
pub fn build_file_line(turn: &Turn, result: &BuildResult, text: &[u8], modified: Timestamp) -> Result<String, String> {
    let turn = Turn {
        run_id: result.run_id.clone().unwrap_or_else(|| turn.run_id.clone()),
        iteration: result.iteration.or(turn.iteration),
        ..turn.clone()
    };
    let identity = json!([turn.project, turn.run_id, turn.iteration, modified.as_nanosecond().to_string(), sha256(text)]);
    turn.draft("build").with("id", identify("build", &identity)).with("passed", result.passed).finish()
}
