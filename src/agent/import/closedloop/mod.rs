//! The files of ClosedLoop as JSONL events: its logs, its timings, its captured lessons and its patterns.
//!
//! Each function reads one file and accounts for every record of it. What is repaired or left out is listed as [`Odd`]; what
//! is imported passes the door of `event`, unless its time lies ahead of the reader's clock.

mod acknowledgment;
mod log;
mod member;
mod merged;
mod number;
mod outcome;
mod pattern;
mod pending;
mod perf;
mod repair;
mod run;
mod tail;
mod tool;
mod turn;

pub use super::imported::{Counts, Imported, Odd};
pub use acknowledgment::import_acknowledgments;
pub use merged::import_merged;
pub use outcome::import_outcomes;
pub use pattern::import_patterns;
pub use pending::import_pending;
pub use perf::import_perf;
pub use run::import_runs;
pub use tool::import_tool_lessons;
