//! The manifest: what was rendered from which observation, where and when; and how often agents cited it since.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::import::imported::{Notes, Refusal};
use crate::import::member::Members;
use crate::import::value::parse_row_time;
use event::{Draft, Kind};
use text::fit;
use text::fit::quoted;

/// Where the other system renders to, inside of a project.
const PLACES: [&str; 3] = [".claude/commands/", ".claude/skills/", ".memory/knowledge/"];

/// An artifact that was rendered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// The observation that it was rendered from.
    pub(super) id: String,
    /// Where it stands, and under which heading.
    pub(super) place: Place,
    time: Timestamp,
    observation_type: Option<String>,
    /// Other fields of the event.
    fields: Map<String, Value>,
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
    pub(super) fn parse(value: Value, roots: &[&str]) -> Result<Self, Refusal> {
        let mut members = Members::new(Kind::Artifact, value).map_err(|_| "names no `observationId`")?;
        let mut text = |name: &str| {
            members.take(name).and_then(|value| value.as_str().map(str::to_owned)).filter(|text| !text.trim().is_empty())
        };
        let id = text("observation_id").ok_or("names no `observationId`")?;
        let path = text("path").ok_or("names no `path`")?;
        let mut place = parse_place(&path, roots).ok_or_else(|| format!("the path {} is outside the project", quoted(&path)))?;
        place.anchor = text("anchor").as_deref().and_then(fit::name).or(place.anchor);
        let time = parse_row_time(&text("renderedAt").ok_or("names no `renderedAt`")?)?;
        let observation_type = text("type");
        // The hash is not taken over: it is none that we could compare.
        let fields = members.fields_but(&["action", "content_hash"], &mut Notes::default());
        Ok(Self { id, place, time, observation_type, fields })
    }

    /// That a person took the artifact away. When is not known: behind everything that was written down, so that importing the same
    /// files again gives the same event.
    pub(super) fn deletion(&self, project: &str, seen: Timestamp) -> Result<String, Refusal> {
        let time = self.time.max(seen).saturating_add(SignedDuration::from_secs(1)).map_err(|error| error.to_string())?;
        Draft::new("artifact", time, project)
            .with("action", "deleted")
            .with("observation_id", &*self.id)
            .with_some("type", self.observation_type.clone())
            .with("path", &*self.place.path)
            .with_some("anchor", self.place.anchor.as_deref())
            .with("reason", "deleted before the import")
            .finish()
    }

    /// The entry as an event.
    pub(super) fn event(self, project: &str) -> Result<String, Refusal> {
        Draft::new("artifact", self.time, project)
            .with("action", "rendered")
            .with("observation_id", &*self.id)
            .with_some("type", self.observation_type)
            .with("path", &*self.place.path)
            .with_some("anchor", self.place.anchor.as_deref())
            .with_all(self.fields)
            .finish()
    }
}

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

/// A place inside of a project, and the entry that is meant there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) anchor: Option<String>,
}

/// Finds the place that a path means. A project may have been moved since: then the folders tell that the other system writes to.
pub(super) fn parse_place(text: &str, roots: &[&str]) -> Option<Place> {
    let (path, anchor) = match text.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.trim().to_owned()).filter(|anchor| !anchor.is_empty())),
        None => (text, None),
    };
    let path = path.replace('\\', "/");
    let below = |root: &&str| path.strip_prefix(*root)?.strip_prefix('/');
    let known = || PLACES.iter().filter_map(|place| path.rfind(place).map(|at| &path[at..])).max_by_key(|path| path.len());
    let is_relative = !path.starts_with('/') && path.get(1..2) != Some(":");
    let inside = roots.iter().find_map(below).or_else(|| is_relative.then_some(&*path)).or_else(known)?;
    let is_inside = !inside.is_empty() && inside.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_inside.then(|| Place { path: inside.to_owned(), anchor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<(String, Option<String>)> {
        parse_place(text, &["/home/ann/shop"]).map(|place| (place.path, place.anchor))
    }

    #[test]
    fn a_path_is_taken_from_the_project_on() {
        let command = Some((".claude/commands/self-learning/x.md".to_owned(), None));
        assert_eq!(place("/home/ann/shop/.claude/commands/self-learning/x.md"), command);
        assert_eq!(place("/old/place/shop/.claude/commands/self-learning/x.md"), command);
        assert_eq!(place(".claude/commands/self-learning/x.md"), command);
        let entry = Some((".memory/knowledge/decisions.md".to_owned(), Some("ADR-001".to_owned())));
        assert_eq!(place("/home/ann/shop/.memory/knowledge/decisions.md#ADR-001"), entry);
        for path in ["/etc/passwd", "../x", "/home/ann/shop/../x", "", "/home/ann/shopping/x", "C:/x/y"] {
            assert_eq!(place(path), None, "{path}");
        }
    }
}
