//! What all rows of the logs have in common: when and in which run and iteration they were written.

use jiff::Timestamp;

use super::imported::{Notes, Refusal};
use super::number::parse_count;
use super::repair::{fit_aside, fit_needed_name};
use crate::event::{limit, parse_time, quoted};

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
    notes.add(format!("the iteration {} is not a whole number, zero or more", quoted(text)));
    (None, Some(fit_aside(text, "iteration_text", notes)))
}

/// The time of a row. What the door would refuse as too early is refused here.
pub(super) fn parse_row_time(text: &str) -> Result<Timestamp, Refusal> {
    let micros = parse_time(text).ok_or_else(|| format!("the time {} is not RFC 3339", quoted(text)))?;
    if micros < limit::EARLIEST_MICROS {
        return Err(format!("the time {} lies before 2000", quoted(text)));
    }
    Timestamp::from_microsecond(micros).map_err(|_| format!("the time {} lies too far ahead", quoted(text)))
}

/// The time of a file. A file may have lost its own: one from before 2000 is moved there.
pub(super) fn fit_file_time(modified: Timestamp, notes: &mut Notes) -> Timestamp {
    let micros = modified.as_microsecond();
    if micros < limit::EARLIEST_MICROS {
        notes.add(format!("the file's time {modified} lies before 2000 and was moved there"));
    }
    Timestamp::from_microsecond(micros.max(limit::EARLIEST_MICROS)).unwrap_or(modified)
}
