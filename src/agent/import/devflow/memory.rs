//! The three files together: which row counts for an observation, and what the other two add to it.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::row::{Entry, Row, Usage, parse_entries, parse_usages};
use crate::import::imported::{Imported, Notes, Record, Refusal, decode_file, split_lines};
use event::Draft;
use event::redact::redact;
use text::fit;
use text::fit::quoted;

/// The files of a project's memory, as far as they are there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory<'m> {
    /// `learning-log.jsonl`.
    pub log: Option<&'m [u8]>,
    /// `.learning-manifest.json`.
    pub manifest: Option<&'m [u8]>,
    /// `.knowledge-usage.json`.
    pub usage: Option<&'m [u8]>,
}

/// What became of each file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub log: Option<Imported>,
    pub manifest: Option<Imported>,
    pub usage: Option<Imported>,
}

/// Imports a project's memory. `roots` are the paths under which the project's folder was known.
pub fn import_memory(memory: Memory<'_>, roots: &[&str], project: &str) -> Account {
    let project = fit::name(project).unwrap_or_else(|| "default".to_owned());
    let mut lines = memory.log.map(|log| read_lines(log, roots)).unwrap_or_default();
    let chosen = choose(&lines);
    let mut manifest = memory.manifest.map(|text| read_manifest(text, roots));
    let anchors = claim_anchors(&lines, &chosen, manifest.as_ref());
    let usage = memory.usage.map(|text| import_usage(text, &anchors, &mut lines));
    let statuses: HashMap<String, Option<String>> =
        chosen.values().filter_map(|place| lines[*place].row()).map(|row| (row.id.clone(), row.status.clone())).collect();
    let manifest = manifest.take().map(|manifest| import_manifest(manifest, &statuses, &project));
    let log = memory.log.map(|_| import_lines(lines, &chosen, &project));
    Account { log, manifest, usage }
}

/// A line of the log.
struct Line {
    number: usize,
    text: String,
    notes: Notes,
    /// What it holds; none if it is blank.
    row: Option<Result<Row, Refusal>>,
}

impl Line {
    fn row(&self) -> Option<&Row> {
        self.row.as_ref()?.as_ref().ok()
    }
}

fn read_lines(log: &[u8], roots: &[&str]) -> Vec<Line> {
    let read = |line: crate::import::imported::Line<'_>| {
        let mut notes = Notes::default();
        line.note_repairs(&mut notes);
        // A reason may quote a part of the row, so its secrets leave it first.
        let text = redact(line.text.trim()).text.into_owned();
        let row = (!text.is_empty()).then(|| Row::parse(&text, roots, &mut notes));
        Line { number: line.number, text, notes, row }
    };
    split_lines(log).map(read).collect()
}

/// The line that counts for each observation: its last one that can be read.
fn choose(lines: &[Line]) -> BTreeMap<String, usize> {
    lines.iter().enumerate().filter_map(|(place, line)| Some((line.row()?.id.clone(), place))).collect()
}

fn import_lines(lines: Vec<Line>, chosen: &BTreeMap<String, usize>, project: &str) -> Imported {
    let mut imported = Imported::default();
    // A row that is told twice in the same words is one row; others have to be named.
    let counts: HashMap<usize, (usize, bool)> = lines
        .iter()
        .enumerate()
        .filter_map(|(place, line)| {
            let counting = *chosen.get(&line.row()?.id)?;
            let is_same = lines[counting].text == line.text;
            (counting != place).then_some((place, (lines[counting].number, is_same)))
        })
        .collect();
    for (place, Line { number, text, mut notes, row }) in lines.into_iter().enumerate() {
        let outcome = match row {
            None => {
                imported.book_blank();
                continue;
            }
            Some(Err(refusal)) => Err(refusal),
            Some(Ok(row)) => match counts.get(&place) {
                Some((counting, is_same)) => {
                    if !is_same {
                        notes.add(format!("line {counting} has another value for {}, which is used", quoted(&row.id)));
                    }
                    Ok(Record::Duplicate)
                }
                None => event_of(row, project).map(|event| Record::Events(vec![event])),
            },
        };
        imported.book(number, &text, notes, outcome);
    }
    imported
}

fn event_of(row: Row, project: &str) -> Result<String, Refusal> {
    let draft = Draft::new("observation", row.time, project).with("observation_id", &*row.id).with_all(row.fields);
    draft.with("prior", Value::Object(row.prior)).finish()
}

/// An entry of a manifest as written, and what it says.
type Read = (String, Result<Entry, Refusal>);

/// A manifest that was read, or as it was written where it cannot be.
struct Manifest {
    notes: Notes,
    entries: Result<Vec<Read>, (String, Refusal)>,
}

fn read_manifest(text: &[u8], roots: &[&str]) -> Manifest {
    let mut notes = Notes::default();
    let text = redact(&decode_file(text, &mut notes)).text.into_owned();
    let read = |value: Value| (value.to_string(), Entry::parse(value, roots));
    let entries = parse_entries(&text).map(|entries| entries.into_iter().map(read).collect());
    Manifest { notes, entries: entries.map_err(|refusal| (text, refusal)) }
}

/// The line of the log that stands behind each entry of a knowledge file. Numbers of entries were given twice: where several rows
/// name the same one, it belongs to the one that the manifest names, else to the last.
fn claim_anchors(lines: &[Line], chosen: &BTreeMap<String, usize>, manifest: Option<&Manifest>) -> HashMap<String, usize> {
    let mut places: Vec<usize> = chosen.values().copied().collect();
    places.sort_unstable();
    let by_row = places.into_iter().filter_map(|place| Some((lines[place].row()?.anchor.clone()?, place)));
    let entries =
        manifest.into_iter().flat_map(|manifest| manifest.entries.iter().flatten()).filter_map(|(_, entry)| entry.as_ref().ok());
    let by_manifest = entries.filter_map(|entry| Some((entry.place.anchor.clone()?, *chosen.get(&entry.id)?)));
    by_row.chain(by_manifest).collect()
}

fn import_manifest(manifest: Manifest, statuses: &HashMap<String, Option<String>>, project: &str) -> Imported {
    let mut imported = Imported::default();
    let entries = match manifest.entries {
        Ok(entries) => entries,
        Err((text, refusal)) => {
            imported.book(0, &text, manifest.notes, Err(refusal));
            return imported;
        }
    };
    let last: HashMap<String, usize> =
        entries.iter().enumerate().filter_map(|(place, (_, entry))| Some((entry.as_ref().ok()?.id.clone(), place))).collect();
    // What was repaired in the file as a whole is noted once, with its first entry.
    let mut file_notes = Some(manifest.notes);
    for (place, (text, entry)) in entries.into_iter().enumerate() {
        let mut notes = file_notes.take().unwrap_or_default();
        let outcome = entry.and_then(|entry| match statuses.get(&entry.id) {
            _ if last.get(&entry.id).is_some_and(|counts| *counts != place) => {
                notes.add(format!("a later entry has another value for {}, which is used", quoted(&entry.id)));
                Ok(Record::Duplicate)
            }
            None => Err(format!("the log has no row {}", quoted(&entry.id))),
            // What a person has taken out of use since must not come back.
            Some(Some(status)) if status == "deprecated" => Ok(Record::Part),
            Some(_) => entry.event(project).map(|event| Record::Events(vec![event])),
        });
        let outcome = outcome.map_err(|refusal| format!("entry {}: {refusal}", place + 1));
        imported.book(0, &text, notes, outcome);
    }
    imported
}

/// Adds citations to the rows that they are about.
fn import_usage(text: &[u8], anchors: &HashMap<String, usize>, lines: &mut [Line]) -> Imported {
    let mut imported = Imported::default();
    let mut notes = Notes::default();
    let text = redact(&decode_file(text, &mut notes)).text.into_owned();
    let entries = match parse_usages(&text) {
        Ok(entries) => entries,
        Err(refusal) => {
            imported.book(0, &text, notes, Err(refusal));
            return imported;
        }
    };
    let mut file_notes = Some(notes);
    for (anchor, value) in entries {
        let notes = file_notes.take().unwrap_or_default();
        let row = anchors.get(&anchor).and_then(|place| lines[*place].row.as_mut()).and_then(|row| row.as_mut().ok());
        let outcome = match (Usage::parse(&value), row) {
            (Err(refusal), _) => Err(refusal),
            (Ok(usage), Some(row)) => {
                row.prior.insert("cites".to_owned(), usage.cites.into());
                row.prior.extend(usage.last.map(|last| ("last_cited".to_owned(), last.to_string().into())));
                Ok(Record::Part)
            }
            (Ok(Usage { cites: 0, last: None }), None) => {
                imported.book_blank();
                continue;
            }
            (Ok(_), None) => Err("this entry has no row in the log".to_owned()),
        };
        let outcome = outcome.map_err(|refusal| format!("{}: {refusal}", quoted(&anchor)));
        imported.book(0, &value.to_string(), notes, outcome);
    }
    imported
}
