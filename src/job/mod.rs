//! Jobs: `jobs/*.toml` name their steps; the runner holds the lock, runs the steps and writes down how it went.

mod definition;
mod lock;
mod runner;

pub use definition::{Job, Step, builtin_jobs, find_job};
pub use lock::{Lock, ReaderLock, exclusive_readers, take_lock, try_reading};
pub use runner::{RunOptions, RunReport, StepReport, run_job};
