//! One row of the log: an observation with what the other system has counted of it.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::path::parse_place;
use crate::import::imported::{Notes, Refusal};
use crate::import::time::parse_row_time;
use text::fit::quoted;
use text::{fit, limit};

const TYPES: [&str; 4] = ["workflow", "procedural", "decision", "pitfall"];
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
        let object = match serde_json::from_str(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Err("is not an object".to_owned()),
            Err(fault) => return Err(format!("is not JSON: {fault}")),
        };
        let mut members = Members { object, notes };
        let id = match members.text("id")? {
            Some(id) if !id.trim().is_empty() => id,
            _ => return Err("names no `id`".to_owned()),
        };
        if !id.starts_with(PREFIX) {
            return Err(format!("the id {} does not begin with `{PREFIX}`", quoted(&id)));
        }
        let id = fit::name(&id).filter(|name| *name == id).ok_or_else(|| format!("the id {} is not a valid name", quoted(&id)))?;
        let kind = members.word("type", &TYPES)?.ok_or("names no `type`")?;
        let pattern = members.text("pattern")?.filter(|pattern| !pattern.trim().is_empty()).ok_or("names no `pattern`")?;
        let status = members.word("status", &STATUSES)?;
        let (first, last) = (members.time("first_seen"), members.time("last_seen"));
        let time = last.or(first).ok_or("has no time of the first or last sighting")?;
        let mut fields = Map::new();
        fields.insert("type".to_owned(), kind.into());
        fields.insert("pattern".to_owned(), members.cut(&pattern, "pattern").into());
        let evidence = members.evidence();
        if !evidence.is_empty() {
            fields.insert("evidence".to_owned(), evidence.into());
        }
        if let Some(details) = members.text("details")?.filter(|details| !details.trim().is_empty()) {
            fields.insert("details".to_owned(), members.cut(&details, "details").into());
        }
        let quality = members.take("quality_ok");
        fields.insert("quality_ok".to_owned(), (quality == Some(Value::Bool(true))).into());
        let mut prior = Map::new();
        let mut set = |name: &str, value: Option<Value>| prior.extend(value.map(|value| (name.to_owned(), value)));
        set("observations", members.count("observations").map(Value::from));
        set("confidence", members.part("confidence").map(Value::from));
        set("status", status.clone().map(Value::from));
        set("first_seen", first.or(last).map(|time| time.to_string().into()));
        set("last_seen", Some(time.to_string().into()));
        let place = members.place("artifact_path", roots);
        set("artifact_path", place.as_ref().map(|place| place.path.clone().into()));
        let anchor = place.and_then(|place| place.anchor).and_then(|anchor| fit::name(&anchor));
        set("anchor", anchor.clone().map(Value::from));
        set("deprecated_at", members.time("deprecated_at").map(|time| time.to_string().into()));
        members.flags().into_iter().for_each(|(name, value)| set(name, Some(value)));
        set("other", members.rest());
        Ok(Self { id, time, status, anchor, fields, prior })
    }
}

/// The members of a row that were not read yet.
struct Members<'m> {
    object: Map<String, Value>,
    notes: &'m mut Notes,
}

impl Members<'_> {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.object.shift_remove(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{name}` is {}, not a text", quoted(&other.to_string()))),
        }
    }

    fn word(&mut self, name: &str, known: &[&str]) -> Result<Option<String>, Refusal> {
        let word = self.text(name)?;
        match word {
            Some(word) if !known.contains(&&*word) => {
                Err(format!("`{name}` is {}, not one of {}", quoted(&word), known.join(", ")))
            }
            word => Ok(word),
        }
    }

    /// A time; one that cannot be read is noted and counts as missing.
    fn time(&mut self, name: &str) -> Option<Timestamp> {
        let parsed = match self.take(name)? {
            Value::String(text) => parse_row_time(&text),
            other => Err(format!("{} is not a time", quoted(&other.to_string()))),
        };
        parsed.map_err(|reason| self.notes.add(format!("`{name}` was ignored: {reason}"))).ok()
    }

    fn count(&mut self, name: &str) -> Option<i64> {
        let value = self.take(name)?;
        let count = value.as_i64().filter(|count| *count >= 0);
        if count.is_none() {
            self.notes.add(format!("`{name}` is {}, not a count, and was ignored", quoted(&value.to_string())));
        }
        count
    }

    fn part(&mut self, name: &str) -> Option<f64> {
        let value = self.take(name)?;
        let part = value.as_f64().filter(|part| (0.0..=1.0).contains(part));
        if part.is_none() {
            self.notes.add(format!("`{name}` is {}, not a number from 0 to 1, and was ignored", quoted(&value.to_string())));
        }
        part
    }

    /// What was quoted. A single text is one quotation, and not one of each of its letters.
    fn evidence(&mut self) -> Vec<String> {
        let items = match self.take("evidence") {
            None => return Vec::new(),
            Some(Value::Array(items)) => items,
            Some(single) => {
                self.notes.add("`evidence` is not a list and became a list of one item");
                vec![single]
            }
        };
        if items.len() > limit::LIST_ITEMS {
            self.notes.add(format!("`evidence` has {} items and was cut to {}", items.len(), limit::LIST_ITEMS));
        }
        let texts = items.into_iter().take(limit::LIST_ITEMS).map(|item| match item {
            Value::String(text) => text,
            other => other.to_string(),
        });
        let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
        if texts.iter().any(|text| text.len() > limit::ITEM_BYTES) {
            self.notes.add(format!("`evidence` was cut to {} bytes an item", limit::ITEM_BYTES));
        }
        texts.iter().map(|text| fit::cut(text, limit::ITEM_BYTES).to_owned()).collect()
    }

    fn cut(&mut self, text: &str, name: &str) -> String {
        if text.len() > limit::TEXT_BYTES {
            self.notes.add(format!("`{name}` has {} bytes and was cut to {}", text.len(), limit::TEXT_BYTES));
        }
        fit::cut(text, limit::TEXT_BYTES).to_owned()
    }

    fn place(&mut self, name: &str, roots: &[&str]) -> Option<super::path::Place> {
        let value = self.take(name)?;
        let place = value.as_str().and_then(|text| parse_place(text, roots));
        if place.is_none() {
            self.notes.add(format!("`{name}` {} is outside the project and was ignored", quoted(&value.to_string())));
        }
        place
    }

    /// Why a person should look at it.
    fn flags(&mut self) -> Vec<(&'static str, Value)> {
        let is_set = |value: Option<Value>| value == Some(Value::Bool(true));
        let reason = self.take("staleReason").and_then(|reason| reason.as_str().map(str::to_owned));
        let reason = reason.map_or_else(|| "a file".to_owned(), |text| text.strip_prefix(MISSING).unwrap_or(&text).to_owned());
        let stale = is_set(self.take("mayBeStale")).then(|| ("stale_reason", Value::from(reason)));
        let review = is_set(self.take("needsReview")).then_some(("needs_review", Value::Bool(true)));
        let blocked = is_set(self.take("softCapExceeded")).then_some(("is_blocked", Value::Bool(true)));
        stale.into_iter().chain(review).chain(blocked).collect()
    }

    /// Unknown members are kept.
    fn rest(&mut self) -> Option<Value> {
        let rest = std::mem::take(&mut self.object);
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}
