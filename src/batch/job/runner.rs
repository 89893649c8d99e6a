//! Running a job: one at a time, step by step, each run leaving one line of history.

use std::thread;

use jiff::{SignedDuration, Timestamp};

use super::intake::{self, PruneTask};
use super::metrics::write_metrics;
use super::report::{RunReport, StepOutcome, StepReport, StepRun};
use crate::program;
use agent::artifact::Report;
use agent::hook;
use agent::intake::{capture_all, observe_waiting, own_workdirs, render_ready, workdirs};
use engine::cycle::{CycleOptions, Phase};
use engine::{Horizon, cycle};
use setting::Settings;
use store::deadline::Deadline;
use store::job::{Job, OnFailure, Record, Step, Task, landed_by, load_history, write_history};
use store::lake::{Checkpoint, RewritePolicy};
use store::lock::{take_lock, without_readers};
use store::workspace::{Workspace, keep_from_git};
use store::{clock, lake};
use text::day::Day;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How a job is to be run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'o> {
    pub settings: &'o Settings,
    /// The first step to run; those before it are left out.
    pub from: Option<Step>,
    /// The instant that is learned for, if not the present.
    pub as_of: Option<Timestamp>,
    /// Whether only policies are learned.
    pub only_policy: bool,
    /// Whether a generation is published also where nothing changed.
    pub is_full: bool,
}

/// How far a step is.
#[derive(Debug, Clone, Copy)]
pub enum Progress {
    Bytes(lake::Progress),
    /// A phase of the learning cycle.
    Phase(Phase),
    Lessons {
        done: usize,
        all: usize,
    },
    Sessions {
        done: usize,
        all: usize,
    },
    /// A temporary failure; the step is retried after a while.
    Waiting(std::time::Duration),
}

/// Runs a job's steps in order. A second run of any job exits at once.
pub fn run_job(
    workspace: &Workspace,
    job: &Job,
    options: RunOptions<'_>,
    mut report: impl FnMut(Step, Progress),
) -> Outcome<RunReport> {
    let started = clock::now();
    let first = first_task(job, options.from)?;
    check_instant(options.as_of, started)?;
    let _lock = take_lock(workspace, &started.to_string())?;
    // Workspaces of earlier versions lack it. A folder that cannot be written to fails a step, which says so better.
    if let Err(fault) = keep_from_git(workspace.root()) {
        tracing::debug!("{}", fault.in_a_line());
    }
    let mut steps: Vec<StepRun> = Vec::new();
    let mut is_stopped = false;
    for &task in &job.tasks[first..] {
        if is_stopped {
            steps.push(StepRun::skipped(task.step));
            continue;
        }
        let span = tracing::info_span!("step", job = %job.name, step = task.step.name());
        let done = span.in_scope(|| run_task(workspace, task, options, &mut report));
        is_stopped = matches!(done.outcome, StepOutcome::Failed(_)) && task.on_failure == OnFailure::Stop;
        steps.push(done);
    }
    let mut run = RunReport { job: job.name.clone(), started, ended: clock::now(), steps, unwritten: None };
    let written = write_history(workspace, &record(workspace, &run)).and_then(|()| write_metrics(workspace, options.settings));
    run.unwritten = written.err();
    Ok(run)
}

fn first_task(job: &Job, from: Option<Step>) -> Outcome<usize> {
    let Some(from) = from else { return Ok(0) };
    job.tasks.iter().position(|task| task.step == from).ok_or_else(|| {
        let steps: Vec<&str> = job.tasks.iter().map(|task| task.step.name()).collect();
        Diagnostic::edit(
            format!("the job `{}` has no step `{}`", job.name, from.name()),
            format!("its steps are: {}", steps.join(", ")),
        )
    })
}

/// What is learned for the future would become the current generation, and no run until then could take its place.
fn check_instant(as_of: Option<Timestamp>, now: Timestamp) -> Outcome<()> {
    match as_of {
        Some(as_of) if as_of > now => {
            Err(Diagnostic::edit(format!("{as_of} is in the future"), "give a past instant with --as-of"))
        }
        _ => Ok(()),
    }
}

/// Runs a step, and retries it on temporary failure. A step that took too long is not retried.
fn run_task(workspace: &Workspace, task: Task, options: RunOptions<'_>, report: &mut impl FnMut(Step, Progress)) -> StepRun {
    let begun = clock::now();
    let deadline = task.timeout.map_or(Deadline::NEVER, Deadline::after);
    let mut attempts = 0;
    let outcome = loop {
        attempts += 1;
        match run_step(workspace, task.step, options, deadline, &mut |progress| report(task.step, progress)) {
            Ok(done) => break StepOutcome::Done(done),
            Err(fault) if fault.exit == Exit::Machine && attempts <= task.retries && !deadline.is_over() => {
                tracing::warn!(step = task.step.name(), attempts, error = %fault.what, "temporary failure; retrying");
                let pause = task.backoff.saturating_mul(1 << (attempts - 1).min(10));
                let pause = deadline.remaining().map_or(pause, |remaining| pause.min(remaining));
                report(task.step, Progress::Waiting(pause));
                thread::sleep(pause);
            }
            Err(fault) => break StepOutcome::Failed(fault),
        }
    };
    let elapsed = clock::now().duration_since(begun);
    tracing::info!(step = task.step.name(), seconds = elapsed.as_secs_f64(), attempts, "step ended");
    StepRun { step: task.step, outcome, attempts, elapsed }
}

fn run_step(
    workspace: &Workspace,
    step: Step,
    options: RunOptions<'_>,
    deadline: Deadline,
    report: &mut dyn FnMut(Progress),
) -> Outcome<StepReport> {
    deadline.check()?;
    let settings = options.settings;
    match step {
        Step::Compact => {
            let compacted = lake::compact(workspace, intake::limits(settings), |progress| {
                report(Progress::Bytes(progress));
                deadline.check()
            });
            compacted.map(StepReport::Compacted)
        }
        Step::Rewrite => {
            let swap = |work: &mut dyn FnMut() -> Outcome<()>| {
                deadline.check()?;
                without_readers(workspace, work)
            };
            lake::rewrite(workspace, rewrite_policy(settings, clock::now()), swap).map(StepReport::Rewritten)
        }
        Step::Capture => {
            // What the hooks of a session remember that never ended is as good as said.
            for fault in hook::sweep(workspace, settings, clock::now()).faults {
                tracing::warn!("{}", fault.in_a_line());
            }
            let folders = workdirs(workspace, settings);
            let mut captures = capture_all(workspace, settings, &own_workdirs(workspace, settings), None)?;
            // A folder that cannot be followed keeps no other from it.
            for work in folders.iter().filter(|work| settings.capture.follow && work.is_dir()) {
                if let Err(problem) = cli::import::follow_folder(workspace, settings, work) {
                    captures.problems.push(problem);
                }
            }
            Ok(StepReport::Captured(captures))
        }
        Step::Render => render_unless_past(workspace, options).map(Box::new).map(StepReport::Rendered),
        Step::Embed => {
            let mut report = |done, all| report(Progress::Lessons { done, all });
            intake::embed_waiting(workspace, settings, deadline, &mut report).map(StepReport::Embedded)
        }
        Step::Observe => {
            let mut report = |done, all| report(Progress::Sessions { done, all });
            observe_waiting(workspace, settings, deadline, &mut report).map(StepReport::Observed)
        }
        Step::Classify => {
            let mut report = |done, all| report(Progress::Lessons { done, all });
            intake::classify_waiting(workspace, settings, deadline, &mut report).map(StepReport::Classified)
        }
        Step::Prune => {
            let workdirs = own_workdirs(workspace, settings);
            let task = PruneTask { workdirs: &workdirs, keep_run: None, is_dry: false, deadline };
            intake::prune_all(workspace, settings, task).map(StepReport::Pruned)
        }
        Step::Verify => cycle::verify(workspace, settings, program(), deadline, |phase| report(Progress::Phase(phase)))
            .map(StepReport::Verified),
        Step::Learn => {
            let RunOptions { only_policy, is_full, as_of, .. } = options;
            let options = CycleOptions { settings, horizon: horizon(workspace, as_of)?, deadline, program: program() };
            if only_policy {
                report(Progress::Phase(Phase::Policy));
                return cycle::run_policy_cycle(workspace, options).map(StepReport::Governed);
            }
            let standing = if is_full || as_of.is_some() { None } else { cycle::find_standing(workspace, options)? };
            let done = match standing {
                Some(standing) => StepReport::Stood(Box::new(standing)),
                None => {
                    StepReport::Learned(Box::new(cycle::run_cycle(workspace, options, |phase| report(Progress::Phase(phase)))?))
                }
            };
            if settings.capture.shadow && as_of.is_none() {
                compare_beside(workspace, settings, deadline)?;
            }
            Ok(done)
        }
    }
}

/// Compares the figures of another tool with those that were published. What was learned stands without it.
fn compare_beside(workspace: &Workspace, settings: &Settings, deadline: Deadline) -> Outcome<()> {
    for work in workdirs(workspace, settings) {
        deadline.check()?;
        match cli::shadow::compare(workspace, settings, &work) {
            Ok(comparison) if comparison.is_explained() => {}
            Ok(_) => tracing::warn!(
                "figures differ from ClosedLoop's for no known reason: `outerloop closedloop shadow --history --json`"
            ),
            Err(problem) => tracing::warn!("{}", problem.in_a_line()),
        }
    }
    Ok(())
}

/// What is learned for a past instant renders nothing.
fn render_unless_past(workspace: &Workspace, options: RunOptions<'_>) -> Outcome<Report> {
    if options.as_of.is_some() { Ok(Report::default()) } else { render_ready(workspace, options.settings) }
}

/// Up to where the log is seen. What is learned for a past instant is learned from what had happened by then; where the
/// history reaches back so far, also only from what had landed by then.
pub(crate) fn horizon(workspace: &Workspace, as_of: Option<Timestamp>) -> Outcome<Horizon> {
    let now = clock::now();
    let as_of = as_of.unwrap_or(now);
    let through = if as_of < now { landed_by(&load_history(workspace)?, as_of) } else { last_landed(workspace)? };
    Ok(Horizon { as_of_micros: as_of.as_microsecond(), through })
}

/// The last event in the order of landing.
fn last_landed(workspace: &Workspace) -> Outcome<Option<i64>> {
    Ok(Checkpoint::load(workspace)?.map(|checkpoint| checkpoint.next_sequence - 1))
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

fn record(workspace: &Workspace, run: &RunReport) -> Record {
    let failure = run.failure();
    Record {
        job: run.job.clone(),
        started: run.started,
        ended: run.ended,
        outcome: if failure.is_some() { "failed" } else { "done" }.to_owned(),
        exit: run.exit() as u8,
        through: last_landed(workspace).ok().flatten(),
        generation: run.generation(),
        as_of: run.manifest().and_then(|manifest| Timestamp::from_microsecond(manifest.as_of_micros).ok()),
        steps: run.steps.iter().map(StepRun::record).collect(),
        error: failure.map(|(step, fault)| format!("{}: {}", step.name(), fault.what)),
    }
}
