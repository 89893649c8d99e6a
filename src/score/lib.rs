//! Figures of all patterns at once, on polars frames. Nothing is read or written here.
//!
//! A crate of its own, because the program that runs inside of an agent's turn must not depend on polars.

mod cluster;
mod figure;
mod frame;
mod history;
mod pattern;
mod ranking;
mod truth;

pub use cluster::count_tasks;
pub use figure::{Figures, figure};
pub use history::trace_patterns;
pub use pattern::score_patterns;
pub use truth::{Verdicts, weigh_truth};
