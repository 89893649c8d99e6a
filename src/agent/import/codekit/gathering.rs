//! All outcomes of one project, read file by file.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::document::{End, each_item, has_list};
use super::record::Record;
use crate::import::imported::{Imported, Notes, Odd, Refusal, decode_file, split_lines};
use crate::import::value::{fit_file_time, parse_row_time};
use event::redact::redact;
use event::{Draft, Latest, Parser};
use setting::RunSettings;
use text::fit;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// One governance outcome.
    Governance,
    /// The store of adapter learning, with its list of outcomes.
    Store,
    /// A log with an outcome a line.
    Log,
    /// A file that was named without its layout: a store where it has a list of outcomes, else one outcome.
    Named,
}

/// What counts where one store tells twice of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The first record; others that differ are left out.
    First,
    /// The last record.
    Last,
}

/// The outcomes of one project, as they are gathered.
#[derive(Debug)]
pub struct Gathering {
    project: String,
    pub(super) repeats: Repeats,
    door: Parser,
    times: RecordTimes,
    pub(super) files: Vec<Account>,
    pub(super) entries: Vec<Entry>,
}

/// A file that was read, and what became of its records.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) imported: Imported,
    /// How many records had to take the file's own time.
    pub(super) untimed: usize,
}

/// A record that the door would take.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) file: usize,
    pub(super) line: usize,
    pub(super) time: Timestamp,
    /// Whether the record itself says its time.
    pub(super) is_timed: bool,
    pub(super) run_id: Box<str>,
    /// The event. A tree of its values would take many times its size.
    pub(super) event: String,
    pub(super) fate: Fated,
}

/// What an entry becomes.
#[derive(Debug, Default)]
pub(super) enum Fated {
    #[default]
    Event,
    /// An event, about which something had to be decided.
    Noted(String),
    /// A part of another event.
    Part,
    /// Nothing: another record says the same, or takes its place.
    Duplicate,
    /// Nothing, for a reason.
    LeftOut(Refusal),
}

impl Gathering {
    /// A gathering for a project. Events that lie behind `latest` are left out.
    pub fn new(project: &str, latest: Latest, repeats: Repeats) -> Self {
        Self {
            project: fit::name(project).unwrap_or_else(|| "unknown".to_owned()),
            repeats,
            // Whether a run needs adapters, or a failure its type, depends on the workspace and on other records of the run.
            door: Parser::with_rules(latest, RunSettings { lenient: true, ..RunSettings::default() }),
            times: RecordTimes::default(),
            files: Vec::new(),
            entries: Vec::new(),
        }
    }

    /// Reads the log of the memory graph, from which records that follow take their times.
    pub fn read_graph(&mut self, text: &[u8]) {
        self.times.read(text);
    }

    /// Reads a file. Its name breaks ties of time among governance outcomes.
    pub fn read(&mut self, source: Source, name: &str, bytes: &[u8], modified: Timestamp) {
        let mut notes = Notes::default();
        let text = decode_file(bytes, &mut notes);
        let source = match source {
            Source::Named if has_list(&text, "outcomes") => Source::Store,
            Source::Named => Source::Governance,
            source => source,
        };
        let mut file_time_notes = Notes::default();
        let file_time = fit_file_time(modified, &mut file_time_notes);
        self.files.push(Account { name: name.to_owned(), source, imported: Imported::default(), untimed: 0 });
        match source {
            Source::Store => self.read_store(&text, file_time),
            Source::Log => self.read_log(bytes, file_time),
            Source::Governance | Source::Named => self.take(1, &text, None, file_time),
        }
        self.note_file(notes.into_reasons());
        if self.files.last().is_some_and(|file| file.untimed > 0) {
            self.note_file(file_time_notes.into_reasons());
        }
    }

    fn read_store(&mut self, text: &str, file_time: Timestamp) {
        let mut number = 0;
        let end = each_item(text, "outcomes", |item| {
            number += 1;
            self.take(item.line, item.text, Some(number), file_time);
        });
        let last_line = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
        match end {
            End::Whole => {}
            End::NoList => self.leave_out(1, text, "holds no list `outcomes`".to_owned()),
            End::InList => {
                self.leave_out(last_line, "", "the list of outcomes is truncated; its end is lost".to_owned());
            }
            End::BehindList => self.note_file(vec!["the document is truncated after its outcomes, which are complete".to_owned()]),
        }
    }

    fn read_log(&mut self, bytes: &[u8], file_time: Timestamp) {
        for line in split_lines(bytes) {
            let row = line.text.trim();
            if row.is_empty() {
                self.with_file(Imported::book_blank);
            } else {
                self.take(line.number, row, None, file_time);
            }
        }
    }

    /// Takes one record of the last file.
    fn take(&mut self, line: usize, text: &str, number: Option<usize>, file_time: Timestamp) {
        // A reason may quote a part of the record, so its secrets leave it first.
        let text = &*redact(text).text;
        match self.read_record(line, text, file_time) {
            Ok(entry) => self.entries.push(entry),
            Err(reason) => {
                let reason = number.map_or_else(|| reason.clone(), |number| format!("outcome {number}: {reason}"));
                self.leave_out(line, text, reason);
            }
        }
    }

    fn read_record(&mut self, line: usize, text: &str, file_time: Timestamp) -> Result<Entry, Refusal> {
        let record = Record::parse(text)?;
        let known_time = record.time.or_else(|| self.times.find(&record.run_id));
        let time = known_time.unwrap_or(file_time);
        let event = self.draft(time, &record.run_id, record.fields)?;
        let file = self.files.len() - 1;
        self.files[file].untimed += usize::from(known_time.is_none());
        let is_timed = record.time.is_some();
        Ok(Entry { file, line, time, is_timed, run_id: record.run_id.into(), event, fate: Fated::default() })
    }

    /// The event of a run, if the door takes it. Its id is the one that the door gives to a run that is recorded, so that what is
    /// imported again, or was recorded before, counts once.
    pub(super) fn draft(&mut self, time: Timestamp, run_id: &str, fields: Map<String, Value>) -> Result<String, Refusal> {
        let id = format!("{}/{run_id}", self.project);
        let line = Draft::new("run", time, &self.project).with("id", id).with("run_id", run_id).with_all(fields).finish()?;
        self.door.parse(&line).map_err(|rejection| rejection.to_string())?;
        Ok(line)
    }

    fn leave_out(&mut self, line: usize, text: &str, reason: Refusal) {
        self.with_file(|imported| imported.book(line, text, Notes::default(), Err(reason)));
    }

    /// Notes something about the last file as a whole.
    fn note_file(&mut self, reasons: Vec<String>) {
        let note = |reason| Odd { line: 0, text: String::new(), reason, taken: true };
        self.with_file(|imported| imported.odd.extend(reasons.into_iter().map(note)));
    }

    fn with_file(&mut self, act: impl FnOnce(&mut Imported)) {
        if let Some(file) = self.files.last_mut() {
            act(&mut file.imported);
        }
    }
}

/// When runs were recorded, by their ids: only the log of the memory graph says so of governance outcomes.
#[derive(Debug, Default)]
struct RecordTimes(HashMap<String, Timestamp>);

/// What matters of a line of the log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    timestamp: String,
    run_id: String,
    r#type: String,
}

impl RecordTimes {
    /// Adds what a log says. A run may be recorded again, which replaces its file: the last line counts. Lines that cannot be
    /// read say nothing about any run, whose file then has to tell its time.
    fn read(&mut self, text: &[u8]) {
        for line in split_lines(text) {
            let Ok(entry) = serde_json::from_str::<Recorded>(&line.text) else { continue };
            if entry.r#type != "outcome_recorded" {
                continue;
            }
            if let Ok(time) = parse_row_time(&entry.timestamp) {
                self.0.insert(entry.run_id, time);
            }
        }
    }

    fn find(&self, run_id: &str) -> Option<Timestamp> {
        self.0.get(run_id).copied()
    }
}
