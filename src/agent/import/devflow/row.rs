//! One row of the log: an observation with what the other system has counted of it.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::manifest::parse_place;
use crate::import::imported::{Notes, Refusal};
use crate::import::member::Members;
use crate::import::value::{fit_text, parse_row_time};
use event::Kind;
use event::field::ObservationType;
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
    /// The observation.
    pub(super) id: String,
    /// When it was last seen.
    pub(super) time: Timestamp,
    /// How far it had come.
    pub(super) status: Option<String>,
    /// The entry of a knowledge file that was made from it.
    pub(super) anchor: Option<String>,
    /// What is said of it again and again: the fields of the event.
    pub(super) fields: Map<String, Value>,
    /// What was counted of it.
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
