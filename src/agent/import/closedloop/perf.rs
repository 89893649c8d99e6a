//! `perf.jsonl`: how long iterations, phases, steps and agents took.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::log::import_log;
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::member::Sorted;
use crate::import::value::{fit_needed_name, fit_project, parse_row_time};
use event::{Draft, Kind};

/// What the original calls the exit code; the door knows no such spelling.
const EXIT_CODE: &str = "claude_exit_code";

/// Imports `perf.jsonl`: a `timing` event a line, at the time of its beginning, else of its end. Members that the kind does
/// not know are kept beside it.
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
    let mut members = Sorted::new((Kind::Timing, &[(EXIT_CODE, "exit_code")]), object, Map::new(), notes);
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
fn find_time(members: &Sorted, notes: &mut Notes) -> Result<Timestamp, Refusal> {
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
