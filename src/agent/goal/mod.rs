//! Goals: what a run is to reach, and whether it did.
//!
//! The goals are read from a file, one of them is chosen, and a run is judged by it. Whatever cannot be measured is an outcome
//! that says so, not an error: a run has a result either way.

mod answer;
mod config;
mod coverage;
mod criterion;
mod definition;
mod evaluate;
mod evaluator;
mod iteration;
mod line;
mod outcome;
mod report;
mod session;
mod situation;
mod start;
mod test_run;
mod token;
mod yaml;

pub use answer::{Answer, parse_answer};
pub use config::{Goals, load_goals, parse_goals};
pub use coverage::{Coverage, read_coverage};
pub use criterion::{Criterion, Direction, Threshold, rounded_score};
pub use definition::{Goal, WELL_KNOWN};
pub use evaluate::evaluate;
pub use iteration::read_highest_iteration;
pub use outcome::GoalOutcome;
pub use situation::Situation;
pub use start::{find_start, parse_run_time, read_first_time};
pub use test_run::{TestCounts, count_tests};
pub use token::{TokenCounts, count_tokens};
pub use yaml::Fault;
