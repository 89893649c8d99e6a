//! An event under construction.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::{Map, Value};

use text::limit;

/// An event under construction: its line without the closing brace. A log has many rows, and a map for each costs more than
/// everything else.
#[derive(Debug, Clone)]
pub struct Draft(String);

impl Draft {
    /// An event of a kind. The kind stands first, where the door looks for it.
    #[must_use]
    pub fn new(kind: &'static str, time: Timestamp, project: &str) -> Self {
        Self(format!("{{\"kind\":\"{kind}\"")).with("ts", time.to_string()).with("project", project)
    }

    /// The event with one more member, whose name needs no escapes.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, ",\"{name}\":{}", value.into());
        self
    }

    /// The event with one more member, if there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The event with one more list, if there is anything in it.
    #[must_use]
    pub fn with_items(self, name: &'static str, items: Vec<String>) -> Self {
        if items.is_empty() { self } else { self.with(name, items) }
    }

    /// The event with all members of an object.
    #[must_use]
    pub fn with_all(mut self, members: Map<String, Value>) -> Self {
        for (name, value) in members {
            let _ = write!(self.0, ",{}:{value}", Value::from(name));
        }
        self
    }

    /// The event with its run and, if it has one, its iteration.
    #[must_use]
    pub fn of_turn(self, run_id: &str, iteration: Option<i64>) -> Self {
        self.with("run_id", run_id).with_some("iteration", iteration)
    }

    /// The line, or why it would be refused. Fields may each keep to their limits and still be too much together.
    pub fn finish(self) -> Result<String, String> {
        let line = self.0 + "}";
        if line.len() > limit::LINE_BYTES {
            return Err(format!("its event would have {} bytes, more than the {} of a line", line.len(), limit::LINE_BYTES));
        }
        Ok(line)
    }
}
