//! How often agents cited the entries of knowledge files.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::import::imported::Refusal;
use crate::import::time::parse_row_time;
use text::fit::quoted;

/// How often an entry was cited, and when it last was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) cites: i64,
    pub(super) last: Option<Timestamp>,
}

/// The entries, or why they cannot be read. Another version would count otherwise.
pub(super) fn parse_usages(text: &str) -> Result<Map<String, Value>, Refusal> {
    let value: Value = serde_json::from_str(text).map_err(|fault| format!("is not JSON: {fault}"))?;
    if value.get("version").and_then(Value::as_i64) != Some(1) {
        return Err("is not of version 1".to_owned());
    }
    match value.get("entries") {
        Some(Value::Object(entries)) => Ok(entries.clone()),
        _ => Err("holds no object `entries`".to_owned()),
    }
}

impl Usage {
    /// Reads an entry.
    pub(super) fn parse(value: &Value) -> Result<Self, Refusal> {
        let cites = value.get("cites").and_then(Value::as_i64).filter(|cites| *cites >= 0).ok_or("`cites` is not a count")?;
        let last = match value.get("last_cited") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(parse_row_time(text)?),
            Some(other) => return Err(format!("`last_cited` is {}, not a time", quoted(&other.to_string()))),
        };
        Ok(Self { cites, last })
    }
}
