//! Jobs: `jobs/*.toml` name their steps; the runner holds the lock, runs the steps and writes down how it went.

mod artifact;
mod definition;
mod history;
mod intake;
mod lock;
mod metrics;
mod report;
mod runner;
mod schedule;

pub use artifact::{ArtifactOptions, cite_text, load_rows, reconcile_folder, render_folder};
pub use definition::{Job, OnFailure, Step, Task, find_job, list_jobs, scheduled_jobs};
pub use history::{Record, StepRecord, landed_by, load_history};
pub use intake::{
    Captures, PruneTask, Prunings, capture_all, classify_waiting, embed_waiting, known_observations, observe_waiting, prune_all,
    workdirs,
};
pub use lock::{Lock, ReaderLock, join_readers, take_lock, without_readers};
pub use report::{RunReport, StepOutcome, StepReport, StepRun};
pub use runner::{EngineStep, Progress, RunOptions, run_job, with_engine, without_engine};
pub use schedule::{
    Place, Schedule, Unit, is_timer, render_block, render_units, unit_marker, unit_stem, with_block, without_block,
};
