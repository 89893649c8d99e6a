//! The logs of ClosedLoop, read line by line, and what their rows have in common.

use jiff::Timestamp;

use crate::import::imported::{Imported, Notes, Record, Refusal, split_lines};
use crate::import::value::{fit_aside, fit_needed_name, parse_count, parse_row_time, trim};
use text::fit::quoted;

/// Reads a log line by line. The reader is handed each line that holds something, without the white space around it.
pub(super) fn import_log(text: &[u8], mut read: impl FnMut(&str, &mut Notes) -> Result<Record, Refusal>) -> Imported {
    let mut imported = Imported::default();
    for line in split_lines(text) {
        let row = trim(&line.text);
        let mut notes = Notes::default();
        line.note_repairs(&mut notes);
        if row.is_empty() {
            imported.book_blank();
            continue;
        }
        let outcome = read(row, &mut notes);
        imported.book(line.number, row, notes, outcome);
    }
    imported
}

/// When and in which run and iteration a row was written.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) time: Timestamp,
    pub(super) run_id: String,
    pub(super) iteration: Option<i64>,
    /// What stands in place of an iteration that cannot be read.
    pub(super) iteration_text: Option<String>,
}

impl Turn {
    /// Reads the fields of a row, which stand in this order in the logs of agents.
    pub(super) fn parse(time: &str, run_id: &str, iteration: &str, notes: &mut Notes) -> Result<Self, Refusal> {
        let time = parse_row_time(time)?;
        let run_id = fit_needed_name(run_id, "run_id", notes);
        let (iteration, iteration_text) = fit_iteration(iteration, notes);
        Ok(Self { time, run_id, iteration, iteration_text })
    }

    /// The instant that many microseconds later: what is later in a row must also be later in time.
    pub(super) fn time_after(&self, micros: usize) -> Timestamp {
        let later = i64::try_from(micros).ok().and_then(|micros| self.time.as_microsecond().checked_add(micros));
        later.and_then(|micros| Timestamp::from_microsecond(micros).ok()).unwrap_or(self.time)
    }
}

/// The number of an iteration, or the text that stands in its place.
pub(super) fn fit_iteration(text: &str, notes: &mut Notes) -> (Option<i64>, Option<String>) {
    let iteration = parse_count(text);
    if iteration.is_some() {
        return (iteration, None);
    }
    notes.add(format!("the iteration {} is not an integer of at least 0", quoted(text)));
    (None, Some(fit_aside(text, "iteration_text", notes)))
}
