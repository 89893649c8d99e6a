//! Rows of the table `patterns`, read from the database or exported as JSON: what that store counts for each pattern.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::import::imported::{Imported, Notes, Odd, Record, Refusal};
use crate::import::imported::{decode_file, split_lines};
use crate::import::member::Members;
use crate::import::value::fit_file_time;
use event::cell::Word as _;
use event::{Draft, Kind as EventKind, name_event};
use learn::role::Stage;
use text::fit;
use text::review::{Kind, Level, is_saying, normalise, plain_saying};

/// What became of rows.
#[derive(Debug)]
pub struct ImportedRows {
    /// Their events, or why there are none.
    pub imported: Imported,
    /// The last use that they know of, by project: what was said up to then is counted in them.
    pub through: Counted,
}

/// Up to when rows of patterns count what was said, by project.
pub type Counted = BTreeMap<String, Timestamp>;

/// The project of what is imported.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'o> {
    /// The project of whatever names none.
    pub project: &'o str,
    /// Whether there are several projects, so that each record and row stays in its own.
    pub is_apart: bool,
}

impl Owner<'_> {
    /// The project of a record that may name its own.
    pub(super) fn of(&self, own: Option<String>) -> String {
        own.filter(|_| self.is_apart).or_else(|| fit::name(self.project)).unwrap_or_else(|| "unknown".to_owned())
    }
}

/// The projects that the records or rows of a file name.
#[must_use]
pub fn projects_in(bytes: &[u8]) -> BTreeSet<String> {
    let text = decode_file(bytes, &mut Notes::default());
    match serde_json::from_str::<Value>(&text) {
        Ok(value @ Value::Object(_)) if value.get("patterns").is_none_or(|rows| !rows.is_array()) => projects_of(&[value]),
        _ => projects_of(&split_rows(bytes, &text).into_iter().filter_map(|row| row.value.ok()).collect::<Vec<_>>()),
    }
}

/// The projects that records or rows name.
#[must_use]
pub fn projects_of(values: &[Value]) -> BTreeSet<String> {
    let named = |value: &Value| {
        let named =
            ["project", "project_id", "projectId"].into_iter().find_map(|name| value.get(name).filter(|id| !id.is_null()))?;
        Some(named.as_str().map_or_else(|| named.to_string(), str::to_owned)).filter(|name| !name.trim().is_empty())
    };
    values.iter().filter_map(named).collect()
}

/// Imports rows, from a JSON array, an object that holds one as `patterns`, or a line each: a `deliberation` event for each.
#[must_use]
pub fn import_rows(bytes: &[u8], modified: Timestamp, owner: Owner<'_>) -> ImportedRows {
    let mut file_notes = Notes::default();
    let text = decode_file(bytes, &mut file_notes);
    import_all(split_rows(bytes, &text), file_notes, modified, owner)
}

/// Imports the rows of a table.
#[must_use]
pub fn import_table(rows: Vec<Value>, modified: Timestamp, owner: Owner<'_>) -> ImportedRows {
    import_all(listed(rows), Notes::default(), modified, owner)
}

fn import_all(rows: Vec<Row>, mut file_notes: Notes, modified: Timestamp, owner: Owner<'_>) -> ImportedRows {
    let values: Vec<Value> = rows.iter().filter_map(|row| row.value.as_ref().ok().cloned()).collect();
    let is_apart = owner.is_apart || projects_of(&values).len() > 1;
    let mut reading = Reading {
        imported: Imported::default(),
        known: HashSet::new(),
        through: Counted::new(),
        modified,
        owner: Owner { is_apart, ..owner },
    };
    if is_apart {
        file_notes.add("contains rows of several projects, separated by `project_id`");
    }
    for reason in file_notes.into_reasons() {
        reading.imported.odd.push(Odd { line: 0, text: String::new(), reason, taken: true });
    }
    for row in rows {
        reading.take(row);
    }
    ImportedRows { imported: reading.imported, through: reading.through }
}

/// A row as it stands in its file.
struct Row {
    line: usize,
    text: String,
    value: Result<Value, Refusal>,
}

fn split_rows(bytes: &[u8], text: &str) -> Vec<Row> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) => return listed(items),
        Ok(Value::Object(mut members)) if members.get("patterns").is_some_and(Value::is_array) => {
            if let Some(Value::Array(items)) = members.remove("patterns") {
                return listed(items);
            }
        }
        Err(fault) if text.trim_start().starts_with('[') => {
            return vec![Row { line: 0, text: text.to_owned(), value: Err(format!("is not JSON: {fault}")) }];
        }
        _ => {}
    }
    let read = |text: &str| serde_json::from_str(text).map_err(|fault| format!("is not JSON: {fault}"));
    let row = |line: crate::import::imported::Line<'_>| Row {
        line: line.number,
        text: line.text.to_string(),
        value: read(line.text.trim()),
    };
    split_lines(bytes).map(row).collect()
}

fn listed(items: Vec<Value>) -> Vec<Row> {
    let row = |(place, item): (usize, Value)| Row { line: 0, text: format!("row {}: {item}", place + 1), value: Ok(item) };
    items.into_iter().enumerate().map(row).collect()
}

struct Reading<'o> {
    imported: Imported,
    /// The project, the role and the words of patterns that were read.
    known: HashSet<[String; 3]>,
    through: Counted,
    modified: Timestamp,
    owner: Owner<'o>,
}

impl Reading<'_> {
    fn take(&mut self, row: Row) {
        if row.text.trim().is_empty() {
            return self.imported.book_blank();
        }
        let mut notes = Notes::default();
        let outcome = row.value.and_then(|value| self.read(value, &mut notes));
        self.imported.book(row.line, &row.text, notes, outcome);
    }

    fn read(&mut self, value: Value, notes: &mut Notes) -> Result<Record, Refusal> {
        let mut members = Members::new(EventKind::Deliberation, value)?;
        let text = members.text("text").ok_or("holds no `text`")?;
        let text = fit::single_spaced(&text);
        if !is_saying(&text) {
            return Err("its `text` is too short or too long for a pattern: 12 to 400 characters".to_owned());
        }
        let role = members.name("role", notes).ok_or("holds no `role`")?;
        let project = self.owner.of(members.name("project", notes));
        let wording = normalise(&text);
        if !self.known.insert([project.clone(), role.to_lowercase(), wording.clone()]) {
            return Ok(Record::Duplicate);
        }
        let used = members.time("last_used")?.or(members.time("lastUsed")?);
        let time = members.time("ts")?.or(used).unwrap_or_else(|| fit_file_time(self.modified, notes));
        if let Some(used) = used {
            let through = self.through.entry(project.clone()).or_insert(used);
            *through = used.max(*through);
        }
        let event = Draft::new("deliberation", time, &project)
            .with("id", name_event(&json!(["pattern", project, role.to_lowercase(), wording])))
            .with("role", &*role)
            .with("evidence_level", Level::Reasoning.number())
            .with("patterns", json!([saying(&text, &mut members, notes)]))
            .with("prior", inheritance(&mut members, used, notes))
            .with("text", text);
        Ok(Record::Events(vec![event.finish()?]))
    }
}

/// The saying with the tag of its kind, where the row names one.
fn saying(text: &str, members: &mut Members, notes: &mut Notes) -> String {
    let Some(name) = ["category", "kind", "type"].into_iter().find_map(|name| members.text(name)) else { return text.to_owned() };
    let kind = Kind::from_name(&name.trim().to_lowercase());
    if kind.is_none() {
        notes.add("its `category` is unknown: derived from its words");
    }
    kind.map_or_else(|| text.to_owned(), |kind| format!("[{}] {}", kind.name(), plain_saying(text)))
}

/// What that store knew of a pattern, as the fold of patterns reads it.
fn inheritance(members: &mut Members, used: Option<Timestamp>, notes: &mut Notes) -> Value {
    let mut prior = Map::new();
    for name in ["success_count", "ignore_count", "reinforce_count", "seen_count"] {
        prior.extend(members.count(name, notes).map(|count| (name.to_owned(), count.into())));
    }
    // Rows of old hold nothing or 0 here although the pattern was rejected; whoever reads it knows.
    prior.extend(members.number("ignore_weight_score", notes).map(|weight| ("ignore_weight_score".to_owned(), weight.into())));
    prior.insert("was_validated".to_owned(), members.truth("was_validated").into());
    if let Some(state) = members.text("lifecycle_state") {
        match Stage::from_word(&state.trim().to_lowercase()) {
            Some(stage) => drop(prior.insert("lifecycle_state".to_owned(), stage.name().into())),
            None => notes.add("its `lifecycle_state` is unknown: it starts as observed"),
        }
    }
    prior.extend(used.map(|used| ("last_used".to_owned(), used.to_string().into())));
    Value::Object(prior)
}
