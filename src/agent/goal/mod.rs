//! Goals: what a run is to reach, and whether it did.
//!
//! The goals are read from a file, one of them is chosen, and a run is judged by it. Whatever cannot be measured is an outcome
//! that says so, not an error: a run has a result either way.

mod config;
mod definition;
mod evaluate;
mod evaluator;
mod outcome;
mod report;
mod session;
mod start;
mod test_run;

pub use config::{Fault, Goals, load_goals, parse_goals};
pub use definition::{Goal, WELL_KNOWN};
pub use evaluate::{Criterion, Direction, Situation, Threshold, evaluate, rounded_score};
pub use evaluator::{Answer, parse_answer};
pub use outcome::GoalOutcome;
pub use report::{Coverage, read_coverage};
pub use session::{TokenCounts, count_tokens};
pub use start::{find_start, parse_run_time, read_first_time, read_highest_iteration};
pub use test_run::{TestCounts, count_tests};
