//! `perf.jsonl`: how long iterations, phases, steps and agents took.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::log::import_log;
use super::member::{Known, Members, Shape};
use super::repair::{fit_needed_name, fit_project};
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::time::parse_row_time;
use event::Draft;

/// The members that our door reads in a `timing`, and how the original spells them.
const TIMING: [Known; 20] = [
    ("run_id", &["run_id", "runId"], Shape::Name),
    ("iteration", &["iteration", "iter"], Shape::Count),
    ("event", &["event"], Shape::Label),
    ("step", &["step"], Shape::Number),
    ("step_name", &["step_name", "parent_step_name"], Shape::Label),
    ("sub_step", &["sub_step"], Shape::Number),
    ("sub_step_name", &["sub_step_name"], Shape::Label),
    ("agent", &["agent", "agentName", "agent_name"], Shape::Name),
    ("phase", &["phase"], Shape::Label),
    ("status", &["status"], Shape::Label),
    ("started", &["started", "started_at"], Shape::Label),
    ("ended", &["ended", "ended_at"], Shape::Label),
    ("seconds", &["seconds", "duration_s"], Shape::Number),
    // The door knows the first spelling alone.
    ("exit_code", &["exit_code", "claude_exit_code"], Shape::Number),
    ("skipped", &["skipped"], Shape::Flag),
    ("command", &["command"], Shape::Label),
    ("kind", &["kind"], Shape::Reserved),
    ("id", &["id", "event_id", "eventId"], Shape::Reserved),
    ("project", &["project", "project_id", "projectId"], Shape::Reserved),
    ("ts", &["ts", "timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"], Shape::Reserved),
];

/// Imports `perf.jsonl`: a `timing` event a line, at the time of its beginning, else of its end. Members that the kind does
/// not know are kept beside it.
#[must_use]
pub fn import_perf(text: &[u8], project: &str) -> Imported {
    let project = fit_project(project);
    import_log(text, |row, notes| read_row(row, &project, notes))
}

fn read_row(row: &str, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
    let object = match serde_json::from_str(row) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err("is not an object".to_owned()),
        Err(fault) => return Err(format!("is not JSON: {fault}")),
    };
    let mut members = Members::parse(&TIMING, object, Map::new(), notes);
    if members.text("event").is_none() {
        return Err("names no event".to_owned());
    }
    let time = find_time(&members, notes)?;
    if members.text("run_id").is_none() {
        members.fields.insert("run_id".to_owned(), fit_needed_name("", "run_id", notes).into());
    }
    let event = Draft::new("timing", time, project).with_all(members.into_all(notes));
    Ok(Record::Events(vec![event.finish()?]))
}

/// When it happened. A beginning that cannot be read gives way to the end.
fn find_time(members: &Members, notes: &mut Notes) -> Result<Timestamp, Refusal> {
    match (members.text("started").map(parse_row_time), members.text("ended").map(parse_row_time)) {
        (Some(Ok(time)), _) | (None, Some(Ok(time))) => Ok(time),
        (Some(Err(refusal)), Some(Ok(time))) => {
            notes.add(format!("{refusal}; its end time is used"));
            Ok(time)
        }
        (Some(Err(refusal)), _) | (None, Some(Err(refusal))) => Err(refusal),
        (None, None) => Err("has neither a beginning nor an end".to_owned()),
    }
}
