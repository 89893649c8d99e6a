//! The members of an object: those that an event knows, by their spellings, and how each is made to fit.

use serde_json::{Map, Value};

use super::number::{parse_count, parse_float};
use super::repair::{fit_label, fit_labels, fit_name, fit_text, fit_texts};
use crate::import::imported::Notes;
use text::fit::quoted;
use text::limit;

/// What a member may hold.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Text,
    Label,
    Name,
    Labels,
    Texts,
    Count,
    Number,
    Unit,
    Flag,
    Structure,
    /// The door reads this name as something that the importer says itself.
    Reserved,
}

/// A member that our door reads: field, spellings, shape.
pub(super) type Known = (&'static str, &'static [&'static str], Shape);

/// The members that our door reads in a `learning`.
pub(super) const LESSON: [Known; 30] = [
    ("what", &["what", "what_happened", "whatHappened"], Shape::Text),
    ("why", &["why"], Shape::Text),
    ("fix", &["fix", "fix_applied", "fixApplied"], Shape::Text),
    ("summary", &["summary", "pattern_to_remember", "patternToRemember"], Shape::Text),
    ("detail", &["detail"], Shape::Text),
    ("trigger", &["trigger"], Shape::Text),
    ("reason", &["reason"], Shape::Text),
    ("category", &["category"], Shape::Label),
    ("scope", &["scope"], Shape::Label),
    ("repo", &["repo", "repo_scope", "repoScope"], Shape::Label),
    ("confidence", &["confidence"], Shape::Label),
    ("run_id", &["run_id", "runId"], Shape::Name),
    ("agent", &["agent", "agentName", "agent_name"], Shape::Name),
    ("session", &["session", "session_id", "sessionId"], Shape::Name),
    ("pattern_id", &["pattern_id", "patternId"], Shape::Name),
    ("applies_to", &["applies_to", "appliesTo"], Shape::Labels),
    ("tags", &["tags"], Shape::Labels),
    ("citations", &["citations"], Shape::Texts),
    ("iteration", &["iteration", "iter"], Shape::Count),
    ("seen_count", &["seen_count", "seenCount"], Shape::Count),
    ("success_rate", &["success_rate", "successRate"], Shape::Unit),
    ("no_learnings", &["no_learnings", "noLearnings"], Shape::Flag),
    ("pending", &["pending"], Shape::Flag),
    ("source_project", &["source_project", "sourceProject"], Shape::Label),
    ("source_id", &["source_id", "sourceId"], Shape::Label),
    ("shared_id", &["shared_id", "sharedId"], Shape::Label),
    ("context", &["context"], Shape::Structure),
    ("id", &["id", "event_id", "eventId", "kind"], Shape::Reserved),
    ("project", &["project", "project_id", "projectId"], Shape::Reserved),
    ("ts", &["ts", "timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"], Shape::Reserved),
];

/// The members of an object, sorted out.
#[derive(Debug)]
pub(super) struct Members {
    /// The fields of the event.
    pub(super) fields: Map<String, Value>,
    /// What is kept beside them.
    aside: Map<String, Value>,
    /// What the event knows.
    table: &'static [Known],
}

impl Members {
    /// Sorts out the members of an object. What does not fit its field, or contradicts one that is given, is kept under
    /// `source_<name>`.
    pub(super) fn parse(table: &'static [Known], object: Map<String, Value>, given: Map<String, Value>, notes: &mut Notes) -> Self {
        let mut members = Self { fields: given, aside: Map::new(), table };
        for (name, value) in object {
            match find_known(table, &name) {
                _ if value.is_null() => {}
                Some((field, _, shape)) => members.fill(field, *shape, &name, value, notes),
                None => members.keep(name, value, notes),
            }
        }
        members
    }

    /// The text of a field.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// Everything, as members of one event.
    pub(super) fn into_all(self, notes: &mut Notes) -> Map<String, Value> {
        let Self { mut fields, aside, table } = self;
        let most_aside = limit::FIELDS.saturating_sub(2 * table.len());
        if aside.len() > most_aside {
            notes.add(format!("has {} unknown members, which were collected in `members`", aside.len()));
            fields.insert("members".to_owned(), Value::Object(aside));
        } else {
            fields.extend(aside);
        }
        fields
    }

    fn fill(&mut self, field: &str, shape: Shape, name: &str, value: Value, notes: &mut Notes) {
        match (self.fields.get(field), fit(shape, field, &value, notes)) {
            (Some(earlier), Some(fitting)) if *earlier == fitting => return,
            (None, Some(fitting)) => {
                self.fields.insert(field.to_owned(), fitting);
                return;
            }
            _ => {}
        }
        let source = format!("source_{name}");
        // Empty values are common, mean nothing and are worth no remark.
        if value.as_str().is_none_or(|text| !text.is_empty()) {
            notes.add(format!("{} does not fit the event and is kept as {}", quoted(name), quoted(&source)));
            match find_known(self.table, &source) {
                Some((field, _, shape)) => self.fill(field, *shape, &source, value, notes),
                None => self.keep(source, value, notes),
            }
        }
    }

    fn keep(&mut self, mut name: String, value: Value, notes: &mut Notes) {
        // A name that the door knows would be read there as something else.
        while self.aside.contains_key(&name) || find_known(self.table, &name).is_some() {
            name.insert_str(0, "source_");
        }
        // One level is left for the object in which many members are put together.
        let value = if depth(&value) < limit::DEPTH {
            value
        } else {
            notes.add(format!("{} is nested too deeply and is kept as text", quoted(&name)));
            Value::String(value.to_string())
        };
        self.aside.insert(name, value);
    }
}

fn find_known(table: &'static [Known], name: &str) -> Option<&'static Known> {
    table.iter().find(|(_, spellings, _)| spellings.contains(&name))
}

/// The value as its field takes it.
fn fit(shape: Shape, field: &str, value: &Value, notes: &mut Notes) -> Option<Value> {
    match shape {
        Shape::Text => Some(fit_text(value.as_str()?, field, notes).into()),
        Shape::Label => fit_label(value.as_str()?, field, notes).map(Value::from),
        Shape::Name => fit_name(value.as_str()?, field, notes).map(Value::from),
        Shape::Labels => Some(fit_labels(items(value)?, field, notes).into()),
        Shape::Texts => Some(fit_texts(items(value)?, field, notes).into()),
        Shape::Count => match value {
            Value::String(text) => parse_count(text).map(Value::from),
            _ => value.as_i64().filter(|count| *count >= 0).map(Value::from),
        },
        Shape::Number => match value {
            Value::String(text) => parse_float(text).filter(|number| number.is_finite()).map(Value::from),
            _ => Some(value).filter(|value| value.is_number()).cloned(),
        },
        Shape::Unit => value.as_f64().filter(|number| (0.0..=1.0).contains(number)).map(Value::from),
        Shape::Flag => value.as_bool().map(Value::from),
        Shape::Structure => {
            Some(value).filter(|value| (value.is_object() || value.is_array()) && depth(value) <= limit::DEPTH).cloned()
        }
        Shape::Reserved => None,
    }
}

/// The texts of a list; a single text counts as a list of one. None where anything else stands in it.
fn items(value: &Value) -> Option<impl Iterator<Item = &str>> {
    let items = match value {
        Value::Array(items) => &**items,
        Value::String(_) => std::slice::from_ref(value),
        _ => return None,
    };
    items.iter().all(Value::is_string).then(|| items.iter().filter_map(Value::as_str))
}

/// How deeply a value is nested. Its parser bounds the depth, and so this recursion.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
