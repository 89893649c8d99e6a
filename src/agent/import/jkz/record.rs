//! `state/deliberations/<issue>-<role>-<iteration>.json`, what one role said; and rows of the table `patterns`, exported as JSON:
//! what that store counts for each pattern.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::import::imported::{Imported, Notes, Odd, Record, Refusal, decode_file, split_lines};
use crate::import::member::Members;
use crate::import::value::fit_file_time;
use event::cell::Word as _;
use event::{Draft, Kind as EventKind, Utterance, name_event};
use learn::role::Stage;
use text::review::{Kind, Level, evidence_level, is_saying, normalise, plain_saying};
use text::{fit, limit};

/// The roles of the original: where a record does not name its role, its file's name ends in one of them.
const ROLES: [&str; 14] = [
    "auditor",
    "judge",
    "sentinel",
    "research-auditor",
    "curator",
    "inspector",
    "lens",
    "research-reviewer",
    "architect",
    "builder",
    "doctor",
    "analyst",
    "librarian",
    "classifier",
];

/// The members that stand first behind what was said, in this order; other fields follow. An event that is imported again must have
/// the same bytes.
const ORDER: [&str; 6] = ["status", "model", "endpoint", "command", "duration_ms", "tokens"];

/// What is read from the text itself, whatever a record says of it.
const FROM_TEXT: [&str; 4] = ["evidence_level", "verdict", "patterns", "prior"];

/// Where records come from.
#[derive(Debug, Clone, Copy)]
pub struct RecordSource<'s> {
    pub project: &'s str,
    /// Up to when rows of patterns that are imported beside the records count what was said.
    pub counted_through: Option<Timestamp>,
}

/// What became of one record.
#[derive(Debug)]
pub struct ImportedRecord {
    /// Its event, or why there is none.
    pub imported: Imported,
    pub time: Timestamp,
}

/// Imports one record: a `deliberation` event. What it leaves out, its file's name says.
pub fn import_record(file_name: &str, bytes: &[u8], modified: Timestamp, source: RecordSource<'_>) -> ImportedRecord {
    let mut notes = Notes::default();
    let mut imported = Imported::default();
    let text = decode_file(bytes, &mut notes);
    if text.trim().is_empty() {
        imported.book_blank();
        return ImportedRecord { imported, time: modified };
    }
    let read = read_record(file_name, &text, modified, source, &mut notes);
    let time = read.as_ref().map_or(modified, |(time, _)| *time);
    imported.book(0, &text, notes, read.map(|(_, event)| Record::Events(vec![event])));
    ImportedRecord { imported, time }
}

fn read_record(
    file_name: &str,
    text: &str,
    modified: Timestamp,
    source: RecordSource<'_>,
    notes: &mut Notes,
) -> Result<(Timestamp, String), Refusal> {
    let mut members = Members::parse(EventKind::Deliberation, text)?;
    let response = match members.take("text") {
        Some(Value::String(response)) if !response.trim().is_empty() => response,
        None => return Err("holds no `response`".to_owned()),
        Some(Value::String(_)) => return Err("its `response` is empty".to_owned()),
        Some(_) => return Err("its `response` is not a text".to_owned()),
    };
    let told_role = members.name("role", notes);
    let named = parse_name(file_name, told_role.as_deref());
    let role = told_role.or(named.role).ok_or("neither the record nor its file name gives the role")?;
    let time = members.time("ts")?.unwrap_or_else(|| fit_file_time(modified, notes));
    let run = members.name("run_id", notes).or_else(|| members.name("run", notes));
    let (phase, request) = (members.label("phase", notes), members.label("pull_request", notes));
    let issue = members.label("issue", notes).or(named.issue);
    let (labels, files) = (members.labels("labels", notes), members.labels("files", notes));
    let project = fit::name(source.project).unwrap_or_else(|| "unknown".to_owned());
    let utterance = Utterance {
        project: &project,
        role: &role,
        time,
        run: run.as_deref(),
        iteration: members.count("iteration", notes).or(named.iteration),
        issue: issue.as_deref(),
        pull_request: request.as_deref(),
        phase: phase.as_deref(),
        labels: &labels,
        files: &files,
        level: evidence_level(&response, &files),
        text: &response,
    };
    if response.len() > limit::TEXT_BYTES {
        notes.add(format!("`response` has {} bytes: all of it is read, a part is kept", response.len()));
    }
    // What the rows of patterns count must not count again.
    let is_counted = source.counted_through.is_some_and(|through| time <= through);
    let draft = if is_counted { utterance.draft_with(Vec::new()) } else { utterance.draft() };
    let mut others = members.fields_but(&FROM_TEXT, notes);
    others.extend(members.label("endpoint", notes).map(|endpoint| ("endpoint".to_owned(), endpoint.into())));
    let first: Map<String, Value> = ORDER.into_iter().filter_map(|name| others.shift_remove_entry(name)).collect();
    Ok((time, draft.with_all(first).with_all(others).finish()?))
}

/// What a file's name says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    issue: Option<String>,
    role: Option<String>,
    iteration: Option<i64>,
}

/// Reads `<issue>-<role>-<iteration>.json`. Issues and roles may hold dashes: a known role, or the one that the record names, parts them.
fn parse_name(file_name: &str, role: Option<&str>) -> Named {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let (rest, iteration) = match stem.rsplit_once('-') {
        Some((rest, digits)) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (rest, digits.parse().ok())
        }
        _ => return Named::default(),
    };
    let known = role.into_iter().chain(ROLES).filter(|known| rest == *known || rest.ends_with(&format!("-{known}")));
    let parted = match known.max_by_key(|known| known.len()) {
        Some(known) => (rest[..rest.len() - known.len()].trim_end_matches('-'), known),
        None => rest.split_once('-').unwrap_or((rest, "")),
    };
    Named { issue: fit::label(parted.0), role: fit::name(parted.1), iteration }
}

/// What became of rows.
#[derive(Debug)]
pub struct ImportedRows {
    /// Their events, or why there are none.
    pub imported: Imported,
    /// The last use that they know of: what was said up to then is counted in them.
    pub through: Option<Timestamp>,
}

/// Imports rows, from a JSON array, an object that holds one as `patterns`, or a line each: a `deliberation` event for each.
pub fn import_rows(bytes: &[u8], modified: Timestamp, project: &str) -> ImportedRows {
    let mut file_notes = Notes::default();
    let text = decode_file(bytes, &mut file_notes);
    let rows = split_rows(bytes, &text);
    let apart = count_projects(&rows) > 1;
    let mut reading = Reading {
        imported: Imported::default(),
        known: HashSet::new(),
        through: None,
        modified,
        project: fit::name(project).unwrap_or_else(|| "unknown".to_owned()),
        is_apart: apart,
    };
    if apart {
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
    let listed = |items: Vec<Value>| {
        let row = |(place, item): (usize, Value)| Row { line: 0, text: format!("row {}: {item}", place + 1), value: Ok(item) };
        items.into_iter().enumerate().map(row).collect()
    };
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

fn count_projects(rows: &[Row]) -> usize {
    let named = rows.iter().filter_map(|row| row.value.as_ref().ok()?.get("project_id").filter(|id| !id.is_null()));
    named.map(ToString::to_string).collect::<HashSet<_>>().len()
}

struct Reading {
    imported: Imported,
    /// The project, the role and the words of patterns that were read.
    known: HashSet<[String; 3]>,
    through: Option<Timestamp>,
    modified: Timestamp,
    project: String,
    is_apart: bool,
}

impl Reading {
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
        let own = members.name("project", notes).filter(|_| self.is_apart);
        let project = own.unwrap_or_else(|| self.project.clone());
        let wording = normalise(&text);
        if !self.known.insert([project.clone(), role.to_lowercase(), wording.clone()]) {
            return Ok(Record::Duplicate);
        }
        let used = members.time("last_used")?.or(members.time("lastUsed")?);
        let time = members.time("ts")?.or(used).unwrap_or_else(|| fit_file_time(self.modified, notes));
        self.through = self.through.max(used);
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
