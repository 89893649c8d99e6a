//! The log of the memory graph: the only place that says when a governance outcome was recorded.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Deserialize;

use crate::import::line::split_lines;
use crate::import::time::parse_row_time;

/// When runs were recorded, by their ids.
#[derive(Debug, Default)]
pub(super) struct RecordTimes(HashMap<String, Timestamp>);

/// What matters of a line of the log.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    timestamp: String,
    run_id: String,
    r#type: String,
}

impl RecordTimes {
    /// Adds what a log says. A run may be recorded again, which replaces its file: the last line counts. Lines that cannot be
    /// read say nothing about any run, whose file then has to tell its time.
    pub(super) fn read(&mut self, text: &[u8]) {
        for line in split_lines(text) {
            let Ok(entry) = serde_json::from_str::<Entry>(&line.text) else { continue };
            if entry.r#type != "outcome_recorded" {
                continue;
            }
            if let Ok(time) = parse_row_time(&entry.timestamp) {
                self.0.insert(entry.run_id, time);
            }
        }
    }

    /// When a run was recorded.
    pub(super) fn find(&self, run_id: &str) -> Option<Timestamp> {
        self.0.get(run_id).copied()
    }
}
