//! Patterns, each a lesson with what the original made of it: the rows of `org-patterns.toon`, and `merge-result.json`, which is
//! what a model merged and nobody has checked so far.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::import::imported::{Imported, Notes, Record, Refusal, decode_file};
use crate::import::value::{fit_file_time, fit_label, fit_labels, fit_name, fit_project, fit_text, trim};
use event::Draft;
use learn::pattern::pattern_number;
use render::toon::{Located, Row};
use text::fit::{quoted, single_spaced};

const CATEGORIES: [&str; 4] = ["mistake", "pattern", "convention", "insight"];
const CONFIDENCES: [&str; 3] = ["high", "medium", "low"];
const FLAGS: [&str; 5] = ["", "[UNTESTED]", "[REVIEW]", "[STALE]", "[PRUNE]"];

/// Imports the rows of `org-patterns.toon`: a `learning` event a row, at the time at which the file was written.
///
/// Rows whose id is no number, or that repeat an earlier row's id, come last and without it: they get numbers of their own, which
/// must not be those that the other rows have.
pub fn import_patterns(rows: &[Located], modified: Timestamp, project: &str) -> Imported {
    import_patterns_beside(rows, modified, project, &[])
}

/// The same for a second file: lessons that the first one holds are duplicates, and its ids are given.
pub fn import_patterns_beside(rows: &[Located], modified: Timestamp, project: &str, first: &[Located]) -> Imported {
    let project = fit_project(project);
    let mut imported = Imported::default();
    let said: HashSet<String> = first.iter().map(|located| normalised(&located.row.summary)).collect();
    let mut given: HashSet<u32> = first.iter().filter_map(|located| pattern_number(&located.row.id)).collect();
    let (again, rows): (Vec<&Located>, Vec<&Located>) =
        rows.iter().partition(|located| said.contains(&normalised(&located.row.summary)));
    for Located { line, row } in again {
        imported.book(*line, &row.summary, Notes::default(), Ok(Record::Duplicate));
    }
    let (own, others): (Vec<&Located>, Vec<&Located>) =
        rows.into_iter().partition(|located| pattern_number(&located.row.id).is_some_and(|number| given.insert(number)));
    for Located { line, row } in own {
        let mut notes = Notes::default();
        let outcome = read_row(row, modified, &project, &mut notes);
        imported.book(*line, &row.summary, notes, outcome);
    }
    for Located { line, row } in others {
        let mut notes = Notes::default();
        if pattern_number(&row.id).is_some() {
            notes.add(format!("the id {} belongs to another row; this one gets a number of its own", quoted(&row.id)));
        }
        let outcome = read_row(&Row { id: String::new(), ..row.clone() }, modified, &project, &mut notes);
        imported.book(*line, &row.summary, notes, outcome);
    }
    imported
}

fn normalised(summary: &str) -> String {
    single_spaced(summary).to_lowercase()
}

fn read_row(row: &Row, modified: Timestamp, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
    if row.summary.trim().is_empty() {
        return Err("the summary is empty".to_owned());
    }
    let event = Draft::new("learning", fit_file_time(modified, notes), project)
        .with_some("pattern_id", fit_name(&row.id, "pattern_id", notes))
        .with_some("category", fit_label(&row.category, "category", notes))
        .with("summary", fit_text(&row.summary, "summary", notes))
        .with_some("confidence", fit_label(&row.confidence, "confidence", notes))
        .with("seen_count", fit_seen_count(row.seen_count, notes))
        .with_some("success_rate", row.success_rate.and_then(|rate| fit_rate(rate, notes)))
        .with_items("applies_to", fit_labels(row.applies_to.split('|'), "applies_to", notes))
        .with_items("tags", fit_labels(row.context.split('|'), "tags", notes))
        .with_some("repo", fit_label(&row.repo, "repo", notes))
        .with_some("flags", Some(&*row.flags).filter(|flags| !flags.is_empty()).map(|flags| fit_text(flags, "flags", notes)))
        .with("origin", "org-patterns.toon");
    Ok(Record::Events(vec![event.finish()?]))
}

fn fit_seen_count(seen_count: u64, notes: &mut Notes) -> i64 {
    i64::try_from(seen_count).unwrap_or_else(|_| {
        notes.add(format!("`seen_count` {seen_count} is too large and was clamped"));
        i64::MAX
    })
}

fn fit_rate(rate: f64, notes: &mut Notes) -> Option<f64> {
    if !rate.is_finite() {
        notes.add(format!("`success_rate` {rate} is not a finite number"));
        return None;
    }
    if !(0.0..=1.0).contains(&rate) {
        notes.add(format!("`success_rate` {rate} is outside 0 to 1 and was clamped"));
    }
    Some(rate.clamp(0.0, 1.0))
}

/// Imports `merge-result.json`: a `learning` event a pattern, at the time at which the file was written. Every fault of every
/// pattern is listed, and with one fault anywhere nothing is imported: half a merge would lose what it merged.
pub fn import_merged(text: &[u8], modified: Timestamp, project: &str) -> Imported {
    let mut imported = Imported::default();
    let mut notes = Notes::default();
    let text = decode_file(text, &mut notes);
    let patterns = match parse_patterns(trim(&text)) {
        Ok(patterns) => patterns,
        Err(reason) => {
            imported.book(0, trim(&text), notes, Err(reason));
            return imported;
        }
    };
    let mut ids = HashSet::new();
    let rows: Vec<Result<Row, String>> = patterns
        .iter()
        .enumerate()
        .map(|(place, pattern)| check(pattern, &mut ids).map_err(|faults| format!("pattern {}: {}", place + 1, faults.join("; "))))
        .collect();
    let is_whole = rows.iter().all(Result::is_ok);
    let project = fit_project(project);
    for (row, pattern) in rows.into_iter().zip(&patterns) {
        let mut notes = Notes::default();
        let outcome = match row {
            Ok(row) if is_whole => read_row(&row, modified, &project, &mut notes),
            Ok(_) => Err("another pattern of the same merge is malformed".to_owned()),
            Err(faults) => Err(faults),
        };
        imported.book(0, &pattern.to_string(), notes, outcome);
    }
    imported
}

fn parse_patterns(text: &str) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_str(text).map_err(|fault| format!("is not JSON: {fault}"))?;
    let Value::Object(mut object) = value else { return Err("is not an object".to_owned()) };
    match object.remove("patterns") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(patterns)) => Ok(patterns),
        Some(_) => Err("`patterns` is not a list".to_owned()),
    }
}

/// A row of the pattern file, or everything that is wrong with it.
fn check(pattern: &Value, ids: &mut HashSet<u32>) -> Result<Row, Vec<String>> {
    let Value::Object(members) = pattern else { return Err(vec!["is not an object".to_owned()]) };
    let mut faults = Vec::new();
    let id = text_of(members, "id", &mut faults);
    match pattern_number(&id) {
        _ if !members.contains_key("id") => {}
        None => faults.push(format!("the id {} is not `P-` and at least three digits", quoted(&id))),
        Some(number) if !ids.insert(number) => faults.push(format!("the id {} is given twice", quoted(&id))),
        Some(_) => {}
    }
    let word_of = |name: &str, known: &[&str], faults: &mut Vec<String>| {
        let word = text_of(members, name, faults);
        if members.contains_key(name) && !known.contains(&&*word) {
            faults.push(format!("`{name}` is {}, not one of {}", quoted(&word), known.join(", ")));
        }
        word
    };
    let category = word_of("category", &CATEGORIES, &mut faults);
    let confidence = word_of("confidence", &CONFIDENCES, &mut faults);
    let flags = word_of("flags", &FLAGS, &mut faults);
    let summary = single_spaced(&text_of(members, "summary", &mut faults));
    if members.contains_key("summary") && summary.is_empty() {
        faults.push("the summary is empty".to_owned());
    }
    let row = Row {
        id,
        category,
        summary,
        confidence,
        seen_count: count_of(members, &mut faults),
        success_rate: rate_of(members, &mut faults),
        flags,
        applies_to: list_of(members, "applies_to", &mut faults),
        context: list_of(members, "context", &mut faults),
        repo: single_spaced(&text_of(members, "repo", &mut faults)),
    };
    if faults.is_empty() { Ok(row) } else { Err(faults) }
}

fn text_of(members: &Map<String, Value>, name: &str, faults: &mut Vec<String>) -> String {
    match members.get(name) {
        None => {
            faults.push(format!("`{name}` is missing"));
            String::new()
        }
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            faults.push(format!("`{name}` is {}, not a text", quoted(&other.to_string())));
            String::new()
        }
    }
}

/// A list, or the text that the pattern file makes of one: joined by `|`.
fn list_of(members: &Map<String, Value>, name: &str, faults: &mut Vec<String>) -> String {
    match members.get(name) {
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            single_spaced(&items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"))
        }
        _ => single_spaced(&text_of(members, name, faults)),
    }
}

fn count_of(members: &Map<String, Value>, faults: &mut Vec<String>) -> u64 {
    let count = match members.get("seen_count") {
        None => {
            faults.push("`seen_count` is missing".to_owned());
            return 0;
        }
        Some(Value::String(text)) => trim(text).parse().ok(),
        Some(number) => number.as_u64(),
    };
    count.unwrap_or_else(|| {
        faults.push("`seen_count` is not an integer of at least 0".to_owned());
        0
    })
}

fn rate_of(members: &Map<String, Value>, faults: &mut Vec<String>) -> Option<f64> {
    let rate = match members.get("success_rate") {
        None => {
            faults.push("`success_rate` is missing".to_owned());
            return None;
        }
        Some(Value::String(text)) if trim(text).is_empty() => return None,
        Some(Value::String(text)) => trim(text).parse().ok(),
        Some(number) => number.as_f64(),
    };
    let rate = rate.filter(|rate| (0.0..=1.0).contains(rate));
    if rate.is_none() {
        faults.push("`success_rate` is neither empty nor a number from 0 to 1".to_owned());
    }
    rate
}
