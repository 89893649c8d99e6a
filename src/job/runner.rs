//! Running a job: one at a time, step by step, each run leaving one line of history.

use std::io::Write as _;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::definition::{Job, Step};
use super::lock::{take_lock, without_readers};
use crate::clock;
use crate::day::Day;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::durable;
use crate::lake::{self, Compaction, Limits, Progress, Rewrite, RewritePolicy};
use crate::setting::{CompactSettings, Settings};
use crate::workspace::Workspace;

/// How a job is to be run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'o> {
    /// The settings of the workspace.
    pub settings: &'o Settings,
    /// The first step to run; those before it are left out.
    pub from: Option<Step>,
}

/// How a job went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The job.
    pub job: String,
    /// When it started.
    pub started: Timestamp,
    /// How long it took.
    pub elapsed: SignedDuration,
    /// What each step did.
    pub steps: Vec<StepReport>,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepReport {
    /// The inbox was taken.
    Compacted(Compaction),
    /// Small files were merged.
    Rewritten(Rewrite),
}

impl RunReport {
    /// How the run ended, as an exit code: inbox files that could not be read must be looked at by someone.
    #[must_use]
    pub fn exit(&self) -> Exit {
        let has_problems = self.steps.iter().any(|step| matches!(step, StepReport::Compacted(done) if !done.problems.is_empty()));
        if has_problems { Exit::Edit } else { Exit::Done }
    }
}

/// Runs a job's steps in order. A second run of any job exits at once.
pub fn run_job(
    workspace: &Workspace,
    job: &Job,
    options: RunOptions<'_>,
    mut report: impl FnMut(Step, Progress),
) -> Outcome<RunReport> {
    let started = clock::now();
    let _lock = take_lock(workspace, &started.to_string())?;
    let first = match options.from {
        None => 0,
        Some(from) => job.steps.iter().position(|step| *step == from).ok_or_else(|| {
            let steps: Vec<&str> = job.steps.iter().map(|step| step.name()).collect();
            Diagnostic::edit(
                format!("the job `{}` has no step `{}`", job.name, from.name()),
                format!("its steps are: {}", steps.join(", ")),
            )
        })?,
    };
    let mut steps = Vec::new();
    for &step in &job.steps[first..] {
        let done = run_step(workspace, step, options.settings, |progress| report(step, progress));
        match done {
            Ok(done) => steps.push(done),
            Err(diagnostic) => {
                // The history is for people; a full disk must not hide the error that filled it.
                let _ = write_history(workspace, job, started, &steps, Some((step, &diagnostic)));
                return Err(diagnostic);
            }
        }
    }
    write_history(workspace, job, started, &steps, None)?;
    Ok(RunReport { job: job.name.clone(), started, elapsed: clock::now().duration_since(started), steps })
}

fn run_step(workspace: &Workspace, step: Step, settings: &Settings, report: impl FnMut(Progress)) -> Outcome<StepReport> {
    match step {
        Step::Compact => {
            let CompactSettings { batch_kib, held_ids } = settings.compact;
            let limits = Limits { batch_bytes: u64::from(batch_kib) << 10, held_ids };
            lake::compact(workspace, limits, report).map(StepReport::Compacted)
        }
        Step::Rewrite => {
            let policy = rewrite_policy(settings, clock::now());
            lake::rewrite(workspace, policy, |work| without_readers(workspace, work)).map(StepReport::Rewritten)
        }
    }
}

fn rewrite_policy(settings: &Settings, now: Timestamp) -> RewritePolicy {
    let age = SignedDuration::from_hours(24 * i64::from(settings.rewrite.after_days.max(1) - 1));
    let since = now.checked_sub(age).unwrap_or(now);
    RewritePolicy {
        growing_since: Day::of_micros(since.as_microsecond()),
        small_bytes: settings.rewrite.small_mib.saturating_mul(1 << 20),
        least_files: settings.rewrite.least_files,
    }
}

/// One line of the history.
#[derive(Serialize)]
struct HistoryLine<'h> {
    job: &'h str,
    started: String,
    ended: String,
    outcome: &'static str,
    steps: Vec<HistoryStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct HistoryStep {
    step: &'static str,
    lines: u64,
    taken: u64,
    duplicates: u64,
    quarantined: u64,
    partitions: usize,
}

fn write_history(
    workspace: &Workspace,
    job: &Job,
    started: Timestamp,
    steps: &[StepReport],
    failed: Option<(Step, &Diagnostic)>,
) -> Outcome<()> {
    let line = HistoryLine {
        job: &job.name,
        started: started.to_string(),
        ended: clock::now().to_string(),
        outcome: if failed.is_some() { "failed" } else { "done" },
        steps: steps.iter().map(history_step).collect(),
        error: failed.map(|(step, diagnostic)| format!("{}: {}", step.name(), diagnostic.what)),
    };
    let mut text = serde_json::to_vec(&line).map_err(|error| Diagnostic::bug(format!("cannot encode the history: {error}")))?;
    text.push(b'\n');
    durable::create_folder(&workspace.history())?;
    let path = workspace.history().join("runs.jsonl");
    let (mut file, _) =
        durable::open_for_append(&path).map_err(|error| Diagnostic::io("cannot open the history", &path, &error))?;
    file.write_all(&text).map_err(|error| Diagnostic::io("cannot write the history", &path, &error))
}

fn history_step(step: &StepReport) -> HistoryStep {
    match step {
        StepReport::Compacted(Compaction { counts, .. }) => HistoryStep {
            step: Step::Compact.name(),
            lines: counts.lines,
            taken: counts.taken,
            duplicates: counts.duplicates,
            quarantined: counts.quarantined,
            partitions: 0,
        },
        StepReport::Rewritten(Rewrite { partitions, .. }) => {
            HistoryStep { step: Step::Rewrite.name(), lines: 0, taken: 0, duplicates: 0, quarantined: 0, partitions: *partitions }
        }
    }
}
