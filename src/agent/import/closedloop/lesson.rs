//! Lessons as objects: `pending/*.json`, which nobody has checked so far, and `closedloop-learnings.json` with
//! `pending-closedloop.json`, which are about the tool itself.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::import::imported::{Imported, Notes, Record, Refusal, decode_file};
use crate::import::member::Sorted;
use crate::import::value::{fit_file_time, fit_name, fit_project, fit_texts, parse_row_time, trim};
use event::{Draft, Kind};

/// Imports one file of `pending/`: a `learning` event for its object, or for each object of its list, at the time at which
/// the file was written. The agent is taken from the file's name, `<agent>-<agent id>.json`.
pub fn import_pending(file_name: &str, text: &[u8], modified: Timestamp, project: &str) -> Imported {
    let mut imported = Imported::default();
    let mut notes = Notes::default();
    let text = decode_file(text, &mut notes);
    let text = trim(&text);
    if text.is_empty() {
        imported.book_blank();
        return imported;
    }
    let source = Source { agent: parse_agent(file_name), modified, project: fit_project(project) };
    match serde_json::from_str(text) {
        Err(fault) => imported.book(0, text, notes, Err(format!("is not JSON: {fault}"))),
        Ok(Value::Array(items)) if items.is_empty() => imported.book(0, text, notes, Err("is an empty list".to_owned())),
        Ok(Value::Array(items)) => {
            // What was repaired in the file as a whole is noted once, with its first lesson.
            let mut file_notes = Some(notes);
            for (index, item) in items.into_iter().enumerate() {
                let shown = item.to_string();
                let mut notes = file_notes.take().unwrap_or_default();
                let outcome = source.read(item, &mut notes).map_err(|refusal| format!("item {}: {refusal}", index + 1));
                imported.book(0, &shown, notes, outcome);
            }
        }
        Ok(value) => {
            let outcome = source.read(value, &mut notes);
            imported.book(0, text, notes, outcome);
        }
    }
    imported
}

/// What is known about the lessons of one file without reading them.
#[derive(Debug)]
struct Source<'a> {
    agent: Option<&'a str>,
    modified: Timestamp,
    project: String,
}

impl Source<'_> {
    fn read(&self, value: Value, notes: &mut Notes) -> Result<Record, Refusal> {
        let Value::Object(object) = value else {
            return Err("is not an object".to_owned());
        };
        // The hook that asks for the file names it; what an agent calls itself inside of it counts less.
        let agent = self.agent.and_then(|agent| fit_name(agent, "agent", notes));
        let mut given: Map<String, Value> = agent.map(|agent| ("agent".to_owned(), agent.into())).into_iter().collect();
        // Nobody has looked at it yet, whatever it says of itself.
        given.insert("pending".to_owned(), true.into());
        let mut members = Sorted::new((Kind::Learning, &[]), object, given, notes);
        let learned_nothing = members.fields.get("no_learnings") == Some(&Value::Bool(true));
        let says_something = ["summary", "what"].iter().any(|field| members.text(field).is_some_and(|text| !trim(text).is_empty()));
        if !learned_nothing && !says_something {
            return Err("holds neither a lesson nor `no_learnings`".to_owned());
        }
        add_citation(&mut members.fields, notes);
        let event = Draft::new("learning", fit_file_time(self.modified, notes), &self.project).with_all(members.into_all(notes));
        Ok(Record::Events(vec![event.finish()?]))
    }
}

/// The agent in a file's name: what stands before the last dash.
fn parse_agent(file_name: &str) -> Option<&str> {
    let name = file_name.rsplit(['/', '\\']).next()?;
    let stem = name.strip_suffix(".json").unwrap_or(name);
    stem.rsplit_once('-').map(|(agent, _)| agent)
}

/// Cites the place that the context names, as `file:line`.
fn add_citation(fields: &mut Map<String, Value>, notes: &mut Notes) {
    let context = fields.get("context");
    let Some(file) = context.and_then(|context| context.get("file")).and_then(Value::as_str) else { return };
    let line = match context.and_then(|context| context.get("line")) {
        Some(Value::Number(line)) => line.to_string(),
        Some(Value::String(line)) => trim(line).to_owned(),
        _ => String::new(),
    };
    if trim(file).is_empty() {
        return;
    }
    let place = if line.is_empty() { file.to_owned() } else { format!("{file}:{line}") };
    let citations = fields.get("citations").and_then(Value::as_array);
    let cited = citations.into_iter().flatten().filter_map(Value::as_str);
    // The context is named first: a list that is cut must not lose it.
    let all = fit_texts(std::iter::once(&*place).chain(cited.filter(|cited| *cited != place)), "citations", notes);
    fields.insert("citations".to_owned(), all.into());
}

/// Imports lessons about the tool: a `learning` event each, under the number that it has.
pub fn import_tool_lessons(text: &[u8], modified: Timestamp, project: &str) -> Imported {
    let mut imported = Imported::default();
    let mut notes = Notes::default();
    let text = decode_file(text, &mut notes);
    let text = trim(&text);
    let lessons = match serde_json::from_str(text) {
        Ok(Value::Object(mut document)) => document.remove("learnings"),
        Ok(_) => None,
        Err(fault) => {
            imported.book(0, text, notes, Err(format!("is not JSON: {fault}")));
            return imported;
        }
    };
    let Some(Value::Array(lessons)) = lessons else {
        imported.book(0, text, notes, Err("holds no list `learnings`".to_owned()));
        return imported;
    };
    for lesson in lessons {
        let shown = lesson.to_string();
        let mut notes = Notes::default();
        let outcome = read_tool_lesson(lesson, modified, project, &mut notes);
        imported.book(0, &shown, notes, outcome);
    }
    imported
}

fn read_tool_lesson(lesson: Value, modified: Timestamp, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
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
    let members = Sorted::new((Kind::Learning, &[]), object, given, notes);
    if members.text("summary").is_none_or(|summary| trim(summary).is_empty()) {
        return Err("the summary is empty".to_owned());
    }
    let time = captured.and_then(|captured| parse_row_time(&captured).ok()).unwrap_or_else(|| fit_file_time(modified, notes));
    let project = fit_project(source.as_deref().unwrap_or(project));
    Ok(Record::Events(vec![Draft::new("learning", time, &project).with_all(members.into_all(notes)).finish()?]))
}
