//! The files of ClosedLoop as JSONL events: its logs, its timings, its captured lessons and its patterns.
//!
//! Each function reads one file and accounts for every record of it. What is repaired or left out is listed as [`Odd`]; what
//! is imported passes the door of `event`, unless its time lies ahead of the reader's clock.

mod acknowledgment;
mod lesson;
mod log;
mod outcome;
mod pattern;
mod perf;
mod run;

pub use super::imported::{Counts, Imported, Odd};
pub use acknowledgment::import_acknowledgments;
pub use lesson::{import_pending, import_tool_lessons};
pub use outcome::import_outcomes;
pub use pattern::{import_merged, import_patterns, import_patterns_beside};
pub use perf::import_perf;
pub use run::import_runs;
