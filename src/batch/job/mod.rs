//! Running jobs: the runner holds the lock, runs the steps and writes down how it went.

mod intake;
mod metrics;
mod report;
mod runner;

pub use intake::{PruneTask, Prunings, classify_waiting, embed_waiting, prune_all};
pub use report::{RunReport, StepOutcome, StepReport, StepRun};
pub(crate) use runner::horizon;
pub use runner::{Progress, RunOptions, run_job};
