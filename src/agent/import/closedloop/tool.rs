//! `closedloop-learnings.json` and `pending-closedloop.json`: lessons about the tool itself.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::member::{LESSON, Members};
use super::number::trim;
use super::repair::fit_project;
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::line::decode_file;
use crate::import::time::{fit_file_time, parse_row_time};
use event::Draft;

/// Imports lessons about the tool: a `learning` event each, under the number that it has.
#[must_use]
pub fn import_tool_lessons(text: &[u8], modified: Timestamp, project: &str) -> Imported {
    let mut imported = Imported::default();
    let mut notes = Notes::default();
    let text = decode_file(text, &mut notes);
    let text = trim(&text);
    let lessons = match serde_json::from_str(text) {
        Ok(Value::Object(mut document)) => document.remove("learnings"),
        Ok(_) => None,
        Err(fault) => return refuse(imported, text, notes, format!("is not JSON: {fault}")),
    };
    let Some(Value::Array(lessons)) = lessons else {
        return refuse(imported, text, notes, "holds no list `learnings`".to_owned());
    };
    for lesson in lessons {
        let shown = lesson.to_string();
        let mut notes = Notes::default();
        let outcome = read(lesson, modified, project, &mut notes);
        imported.book(0, &shown, notes, outcome);
    }
    imported
}

fn refuse(mut imported: Imported, text: &str, notes: Notes, reason: String) -> Imported {
    imported.book(0, text, notes, Err(reason));
    imported
}

fn read(lesson: Value, modified: Timestamp, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
    let Value::Object(mut object) = lesson else { return Err("is not an object".to_owned()) };
    let mut text = |name: &str| match object.get(name) {
        Some(Value::String(_)) => object.remove(name).and_then(|value| value.as_str().map(str::to_owned)),
        _ => None,
    };
    let (id, source, captured) = (text("id"), text("source_project"), text("captured_at"));
    let mut given: Map<String, Value> = Map::new();
    given.insert("scope".to_owned(), "closedloop".into());
    if let Some(id) = id.filter(|id| id.starts_with("SL-")) {
        given.insert("pattern_id".to_owned(), id.into());
    }
    let members = Members::parse(&LESSON, object, given, notes);
    if members.text("summary").is_none_or(|summary| trim(summary).is_empty()) {
        return Err("the summary is empty".to_owned());
    }
    let time = captured.and_then(|captured| parse_row_time(&captured).ok()).unwrap_or_else(|| fit_file_time(modified, notes));
    let project = fit_project(source.as_deref().unwrap_or(project));
    Ok(Record::Events(vec![Draft::new("learning", time, &project).with_all(members.into_all(notes)).finish()?]))
}
