//! One row of the log, an observation with what the other system has counted of it; and the manifest: what was rendered from which
//! observation, where and when, and how often agents cited it since.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::import::imported::{Notes, Refusal};
use crate::import::member::Members;
use crate::import::value::{fit_text, parse_row_time};
use event::field::ObservationType;
use event::{Draft, Kind};
use text::fit::quoted;
use text::{fit, limit};

const STATUSES: [&str; 4] = ["observing", "ready", "created", "deprecated"];
/// How the ids of observations begin.
const PREFIX: &str = "obs_";
/// What the other system writes before the name of a missing file.
const MISSING: &str = "code-ref-missing:";

/// A row in our words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) id: String,
    /// When it was last seen.
    pub(super) time: Timestamp,
    /// How far it had come.
    pub(super) status: Option<String>,
    /// The entry of a knowledge file that was made from it.
    pub(super) anchor: Option<String>,
    /// What is said of it again and again: the fields of the event.
    pub(super) fields: Map<String, Value>,
    pub(super) prior: Map<String, Value>,
}

impl Row {
    /// Reads a row. What the other system would have taken in another sense than it was written is noted.
    pub(super) fn parse(text: &str, roots: &[&str], notes: &mut Notes) -> Result<Self, Refusal> {
        let mut members = Members::parse(Kind::Observation, text)?;
        let id = match members.string("id")? {
            Some(id) if !id.trim().is_empty() => id,
            _ => return Err("names no `id`".to_owned()),
        };
        if !id.starts_with(PREFIX) {
            return Err(format!("the id {} does not begin with `{PREFIX}`", quoted(&id)));
        }
        let id = fit::name(&id).filter(|name| *name == id).ok_or_else(|| format!("the id {} is not a valid name", quoted(&id)))?;
        let types: Vec<&str> = ObservationType::ALL.iter().map(|kind| kind.name()).collect();
        let kind = members.word("type", &types)?.ok_or("names no `type`")?;
        let pattern = members.string("pattern")?.filter(|pattern| !pattern.trim().is_empty()).ok_or("names no `pattern`")?;
        let status = members.word("status", &STATUSES)?;
        let (first, last) = (take_time(&mut members, "first_seen", notes), take_time(&mut members, "last_seen", notes));
        let time = last.or(first).ok_or("has no time of the first or last sighting")?;
        let mut fields = Map::new();
        fields.insert("type".to_owned(), kind.into());
        fields.insert("pattern".to_owned(), fit_text(&pattern, "pattern", notes).into());
        let evidence = take_evidence(&mut members, notes);
        if !evidence.is_empty() {
            fields.insert("evidence".to_owned(), evidence.into());
        }
        if let Some(details) = members.string("details")?.filter(|details| !details.trim().is_empty()) {
            fields.insert("details".to_owned(), fit_text(&details, "details", notes).into());
        }
        let quality = members.take("quality_ok");
        fields.insert("quality_ok".to_owned(), (quality == Some(Value::Bool(true))).into());
        // These say something else in our events: a row's own are kept beside what was counted.
        fields.extend(members.fields_but(&["observation_id", "prior"], notes));
        let mut prior = Map::new();
        let mut set = |name: &str, value: Option<Value>| prior.extend(value.map(|value| (name.to_owned(), value)));
        set("observations", members.read("observations", "count", count, notes).map(Value::from));
        set("confidence", members.read("confidence", "number from 0 to 1", part, notes).map(Value::from));
        set("status", status.clone().map(Value::from));
        set("first_seen", first.or(last).map(|time| time.to_string().into()));
        set("last_seen", Some(time.to_string().into()));
        let place = members.take("artifact_path").and_then(|value| {
            let place = value.as_str().and_then(|text| parse_place(text, roots));
            if place.is_none() {
                notes.add(format!("`artifact_path` {} is outside the project and was ignored", quoted(&value.to_string())));
            }
            place
        });
        set("artifact_path", place.as_ref().map(|place| place.path.clone().into()));
        let anchor = place.and_then(|place| place.anchor).and_then(|anchor| fit::name(&anchor));
        set("anchor", anchor.clone().map(Value::from));
        set("deprecated_at", take_time(&mut members, "deprecated_at", notes).map(|time| time.to_string().into()));
        for (name, value) in take_flags(&mut members) {
            set(name, Some(value));
        }
        let rest = members.rest();
        set("other", (!rest.is_empty()).then_some(Value::Object(rest)));
        Ok(Self { id, time, status, anchor, fields, prior })
    }
}

fn count(value: &Value) -> Option<i64> {
    value.as_i64().filter(|count| *count >= 0)
}

fn part(value: &Value) -> Option<f64> {
    value.as_f64().filter(|part| (0.0..=1.0).contains(part))
}

/// A time; one that cannot be read is noted and counts as missing.
fn take_time(members: &mut Members, name: &str, notes: &mut Notes) -> Option<Timestamp> {
    let parsed = match members.take(name)? {
        Value::String(text) => parse_row_time(&text),
        other => Err(format!("{} is not a time", quoted(&other.to_string()))),
    };
    parsed.map_err(|reason| notes.add(format!("`{name}` was ignored: {reason}"))).ok()
}

/// What was quoted. A single text is one quotation, and not one of each of its letters.
fn take_evidence(members: &mut Members, notes: &mut Notes) -> Vec<String> {
    let items = match members.take("evidence") {
        None => return Vec::new(),
        Some(Value::Array(items)) => items,
        Some(single) => {
            notes.add("`evidence` is not a list and became a list of one item");
            vec![single]
        }
    };
    if items.len() > limit::LIST_ITEMS {
        notes.add(format!("`evidence` has {} items and was cut to {}", items.len(), limit::LIST_ITEMS));
    }
    let texts = items.into_iter().take(limit::LIST_ITEMS).map(|item| match item {
        Value::String(text) => text,
        other => other.to_string(),
    });
    let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
    if texts.iter().any(|text| text.len() > limit::ITEM_BYTES) {
        notes.add(format!("`evidence` was cut to {} bytes an item", limit::ITEM_BYTES));
    }
    texts.iter().map(|text| fit::cut(text, limit::ITEM_BYTES).to_owned()).collect()
}

/// Why a person should look at it.
fn take_flags(members: &mut Members) -> Vec<(&'static str, Value)> {
    let reason = members.take("staleReason").and_then(|reason| reason.as_str().map(str::to_owned));
    let reason = reason.map_or_else(|| "a file".to_owned(), |text| text.strip_prefix(MISSING).unwrap_or(&text).to_owned());
    let mut is_set = |name: &str| members.take(name) == Some(Value::Bool(true));
    let stale = is_set("mayBeStale").then(|| ("stale_reason", Value::from(reason)));
    let review = is_set("needsReview").then_some(("needs_review", Value::Bool(true)));
    let blocked = is_set("softCapExceeded").then_some(("is_blocked", Value::Bool(true)));
    stale.into_iter().chain(review).chain(blocked).collect()
}

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
