//! Jobs as files: `jobs/*.toml` name their steps, `history/runs.jsonl` tells how they went, systemd and cron start them.

mod definition;
mod history;
mod schedule;

pub use definition::{Job, OnFailure, Step, Task, find_job, list_jobs, scheduled_jobs};
pub use history::{Record, StepRecord, landed_by, load_history, write_history};
pub use schedule::{
    Place, Schedule, Unit, is_timer, render_block, render_units, unit_marker, unit_stem, with_block, without_block,
};
