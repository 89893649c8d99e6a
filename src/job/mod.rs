//! Jobs: `jobs/*.toml` name their steps; the runner holds the lock, runs the steps and writes down how it went.

mod definition;
mod lock;
mod runner;

pub use definition::{Job, Step, builtin_jobs, find_job};
pub use lock::{Lock, ReaderLock, join_readers, take_lock, without_readers};
pub use runner::{RunOptions, RunReport, StepReport, run_job};
