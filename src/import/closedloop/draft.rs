//! An event under construction: its members in the order in which they will stand.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::imported::{Notes, Refusal};
use super::number::parse_count;
use super::repair::{fit_aside, fit_needed_name};
use crate::event::{limit, parse_time, quoted};

/// An event under construction: its line without the closing brace. A log has many rows, and a map for each costs more than
/// everything else.
#[derive(Debug, Clone)]
pub(super) struct Draft(String);

impl Draft {
    /// An event of a kind. The kind stands first, where the door looks for it.
    pub(super) fn new(kind: &'static str, time: Timestamp, project: &str) -> Self {
        Self(format!("{{\"kind\":\"{kind}\"")).with("ts", time.to_string()).with("project", project)
    }

    /// The event with one more member, whose name needs no escapes.
    pub(super) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, ",\"{name}\":{}", value.into());
        self
    }

    /// The event with one more member, if there is a value.
    pub(super) fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The event with one more list, if there is anything in it.
    pub(super) fn with_items(self, name: &'static str, items: Vec<String>) -> Self {
        if items.is_empty() { self } else { self.with(name, items) }
    }

    /// The event with all members of an object.
    pub(super) fn with_all(mut self, members: Map<String, Value>) -> Self {
        for (name, value) in members {
            let _ = write!(self.0, ",{}:{value}", Value::from(name));
        }
        self
    }

    /// The event with the run and the iteration that a row names.
    pub(super) fn of_turn(self, turn: &Turn) -> Self {
        self.with("run_id", &*turn.run_id).with_some("iteration", turn.iteration)
    }

    /// The line. Fields may each keep to their limits and still be too much together.
    pub(super) fn finish(self) -> Result<String, Refusal> {
        let line = self.0 + "}";
        if line.len() > limit::LINE_BYTES {
            return Err(format!("its event would have {} bytes, more than the {} of a line", line.len(), limit::LINE_BYTES));
        }
        Ok(line)
    }
}

/// When and in which run and iteration a row was written.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) time: Timestamp,
    run_id: String,
    iteration: Option<i64>,
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
