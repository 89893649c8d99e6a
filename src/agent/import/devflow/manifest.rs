//! The manifest: what was rendered from which observation, and when.

use jiff::Timestamp;
use serde_json::Value;

use super::path::{Place, parse_place};
use crate::import::imported::Refusal;
use crate::import::time::parse_row_time;
use event::Draft;
use text::fit;
use text::fit::quoted;

/// An artifact that was rendered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The observation that it was rendered from.
    pub(super) id: String,
    /// Where it stands, and under which heading.
    pub(super) place: Place,
    time: Timestamp,
    observation_type: Option<String>,
}

/// The entries of a manifest, or why there are none.
pub(super) fn parse_entries(text: &str) -> Result<Vec<Value>, Refusal> {
    let value: Value = serde_json::from_str(text).map_err(|fault| format!("is not JSON: {fault}"))?;
    match value.get("entries") {
        Some(Value::Array(entries)) => Ok(entries.clone()),
        _ => Err("holds no list `entries`".to_owned()),
    }
}

impl Entry {
    /// Reads an entry.
    pub(super) fn parse(value: &Value, roots: &[&str]) -> Result<Self, Refusal> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let id = text("observationId").ok_or("names no `observationId`")?;
        let path = text("path").ok_or("names no `path`")?;
        let mut place = parse_place(path, roots).ok_or_else(|| format!("the path {} is outside the project", quoted(path)))?;
        place.anchor = text("anchorId").and_then(fit::name).or(place.anchor);
        let time = parse_row_time(text("renderedAt").ok_or("names no `renderedAt`")?)?;
        Ok(Self { id: id.to_owned(), place, time, observation_type: text("type").map(str::to_owned) })
    }

    /// The entry as an event. The hash is not taken over: it is none that we could compare.
    pub(super) fn event(&self, project: &str) -> Result<String, Refusal> {
        Draft::new("artifact", self.time, project)
            .with("action", "rendered")
            .with("observation_id", &*self.id)
            .with_some("type", self.observation_type.as_deref())
            .with("path", &*self.place.path)
            .with_some("anchor", self.place.anchor.as_deref())
            .finish()
    }
}
