//! How a job went, and the figures of the last run of every job, for monitoring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::intake::Prunings;
use crate::retention::Pruned;
use agent::artifact;
use agent::classify::Classified;
use agent::embed::Embedded;
use agent::intake::Captures;
use agent::observe::Observed;
use engine::cycle::{Cycle, Verification};
use learn::Flag;
use render::{Metric, render_metrics};
use setting::{POLICY_METRICS_FILE, Settings};
use store::durable;
use store::job::{Record, Step, StepRecord, load_history};
use store::lake::{Compaction, Rewrite};
use store::publish::{Manifest, find_current};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How a job went.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    pub job: String,
    pub started: Timestamp,
    pub ended: Timestamp,
    pub steps: Vec<StepRun>,
    /// Why the history or the figures for monitoring could not be written. What the steps did stands all the same.
    pub unwritten: Option<Diagnostic>,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRun {
    pub step: Step,
    pub outcome: StepOutcome,
    /// How often it was tried.
    pub attempts: u32,
    /// How long it took.
    pub elapsed: SignedDuration,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StepOutcome {
    Done(StepReport),
    Failed(Diagnostic),
    /// It was not run, because a step before it failed.
    Skipped,
}

#[derive(Debug, Clone, PartialEq)]
pub enum StepReport {
    Captured(Captures),
    Observed(Observed),
    Classified(Classified),
    Pruned(Prunings),
    /// The inbox was taken.
    Compacted(Compaction),
    /// Small files were merged.
    Rewritten(Rewrite),
    /// A generation was published.
    Learned(Box<Cycle>),
    /// The published generation was worked out anew.
    Verified(Verification),
    Rendered(Box<artifact::Report>),
    /// Texts were turned into vectors.
    Embedded(Embedded),
}

impl RunReport {
    /// How the run ended, as an exit code: that of the first failure, else what someone must look at.
    pub fn exit(&self) -> Exit {
        match self.failure() {
            Some((_, fault)) => fault.exit,
            None if self.steps.iter().any(StepRun::has_problems) => Exit::Edit,
            None => self.unwritten.as_ref().map_or(Exit::Done, |fault| fault.exit),
        }
    }

    /// The first step that failed, and why.
    pub fn failure(&self) -> Option<(Step, &Diagnostic)> {
        self.steps.iter().find_map(|run| match &run.outcome {
            StepOutcome::Failed(fault) => Some((run.step, fault)),
            _ => None,
        })
    }

    pub fn generation(&self) -> Option<String> {
        self.manifest().map(|manifest| manifest.generation.clone())
    }

    pub fn manifest(&self) -> Option<&Manifest> {
        self.steps.iter().find_map(|run| match &run.outcome {
            StepOutcome::Done(StepReport::Learned(cycle)) => Some(&cycle.published.generation.manifest),
            _ => None,
        })
    }
}

impl StepRun {
    pub const fn skipped(step: Step) -> Self {
        Self { step, outcome: StepOutcome::Skipped, attempts: 0, elapsed: SignedDuration::ZERO }
    }

    fn has_problems(&self) -> bool {
        match &self.outcome {
            StepOutcome::Done(StepReport::Captured(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Pruned(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Compacted(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Learned(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Rendered(done)) => !done.problems.is_empty(),
            _ => false,
        }
    }

    /// The step as the history keeps it.
    pub fn record(&self) -> StepRecord {
        let (outcome, numbers) = match &self.outcome {
            StepOutcome::Done(report) => ("done", report.numbers()),
            StepOutcome::Failed(_) => ("failed", BTreeMap::new()),
            StepOutcome::Skipped => ("skipped", BTreeMap::new()),
        };
        StepRecord {
            step: self.step.name().to_owned(),
            outcome: outcome.to_owned(),
            seconds: self.elapsed.as_secs_f64(),
            attempts: self.attempts,
            numbers,
        }
    }
}

impl StepReport {
    pub fn numbers(&self) -> BTreeMap<String, i64> {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let large = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let numbers: Vec<(String, i64)> = match self {
            Self::Compacted(Compaction { counts, bytes, batches, .. }) => [
                ("lines", counts.lines),
                ("taken", counts.taken),
                ("duplicates", counts.duplicates),
                ("quarantined", counts.quarantined),
                ("blank", counts.blank),
                ("redacted", counts.redacted),
                ("bytes", *bytes),
                ("batches", *batches),
            ]
            .map(|(name, number)| (name.to_owned(), large(number)))
            .to_vec(),
            Self::Rewritten(Rewrite { partitions, files_before, files_after, busy }) => {
                [("partitions", partitions), ("files_before", files_before), ("files_after", files_after), ("busy", busy)]
                    .map(|(name, number)| (name.to_owned(), count(*number)))
                    .to_vec()
            }
            Self::Learned(cycle) => {
                let mut numbers = vec![
                    ("patterns".to_owned(), count(cycle.patterns)),
                    ("in_file".to_owned(), count(cycle.in_file)),
                    ("applications".to_owned(), cycle.applications),
                    ("unattributed".to_owned(), cycle.unattributed),
                    ("observations".to_owned(), count(cycle.observations)),
                    ("ready_observations".to_owned(), count(cycle.ready)),
                    ("runs".to_owned(), cycle.runs),
                    ("adapters".to_owned(), count(cycle.adapters)),
                    ("approvals".to_owned(), count(cycle.approvals)),
                    ("changes".to_owned(), count(cycle.changes)),
                    ("policy_changes".to_owned(), count(cycle.policy_changes)),
                    ("copies".to_owned(), count(cycle.copies)),
                    ("removed_generations".to_owned(), count(cycle.removed)),
                ];
                let named = cycle.flags.iter().filter(|(flag, _)| *flag != Flag::None);
                numbers.extend(named.map(|(flag, patterns)| (format!("flag_{}", flag.name().to_lowercase()), count(*patterns))));
                numbers
            }
            Self::Captured(Captures { capture, problems }) => [
                ("files", capture.files),
                ("lessons", capture.lessons),
                ("nothing_learned", capture.nothing_learned),
                ("rescued", capture.rescued),
                ("refused", capture.refused.len()),
                ("problems", problems.len()),
            ]
            .map(|(name, number)| (name.to_owned(), count(number)))
            .to_vec(),
            Self::Classified(done) => [
                ("approved", done.approved),
                ("reworded", done.reworded),
                ("rejected", done.rejected),
                ("left", done.left),
                ("calls", done.calls as usize),
            ]
            .map(|(name, number)| (name.to_owned(), count(number)))
            .to_vec(),
            Self::Observed(done) => observe_numbers(done),
            Self::Pruned(done) => prune_numbers(done),
            Self::Rendered(done) => render_numbers(done),
            Self::Embedded(Embedded { vectors, left, calls, .. }) => {
                [("vectors", *vectors), ("left", *left), ("calls", *calls as usize)]
                    .map(|(name, number)| (name.to_owned(), count(number)))
                    .to_vec()
            }
            Self::Verified(verification) => vec![("files".to_owned(), count(verification.files))],
        };
        numbers.into_iter().collect()
    }
}

fn render_numbers(done: &artifact::Report) -> Vec<(String, i64)> {
    [
        ("rendered", done.rendered.len()),
        ("linked", done.linked.len()),
        ("restated", done.restated),
        ("skipped", done.skipped),
        ("blocked", done.blocked),
        ("deletions", done.deletions),
        ("edits", done.edits),
        ("unchanged", done.unchanged),
        ("healed", done.healed),
        ("stale", done.stale),
        ("fresh", done.fresh),
        ("problems", done.problems.len()),
    ]
    .map(|(name, number)| (name.to_owned(), i64::try_from(number).unwrap_or(i64::MAX)))
    .to_vec()
}

fn observe_numbers(done: &Observed) -> Vec<(String, i64)> {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    [
        ("sessions", done.sessions),
        ("shallow", done.shallow),
        ("missing", done.missing),
        ("waiting", done.waiting),
        ("calls", done.calls as usize),
        ("failures", done.failures as usize),
        ("seen", done.seen.len()),
        ("landed", done.landed),
        ("refused", done.refused),
    ]
    .map(|(name, number)| (name.to_owned(), count(number)))
    .to_vec()
}

fn prune_numbers(done: &Prunings) -> Vec<(String, i64)> {
    let large = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let sum = |of: fn(&Pruned) -> u64| done.workdirs.iter().map(|(_, pruned)| of(pruned)).sum::<u64>();
    [
        ("sessions", large(sum(|pruned| pruned.sessions_removed))),
        ("log_lines", large(sum(|pruned| pruned.rotated.iter().map(|rotated| rotated.dropped_lines).sum()))),
        ("archived", large(sum(|pruned| pruned.archived_removed))),
        ("inbox_files", large(done.inbox.files)),
        ("lake_events", done.lake.events),
        ("lake_files", large(done.lake.files)),
        ("problems", large(done.problems.len() as u64)),
    ]
    .map(|(name, number)| (name.to_owned(), number))
    .to_vec()
}

/// Writes the figures where monitoring looks for them, in one step.
pub(super) fn write_metrics(workspace: &Workspace, settings: &Settings) -> Outcome<()> {
    let history = load_history(workspace)?;
    // The last line of each job counts, so that one file can speak for all of them.
    let last: BTreeMap<&str, &Record> = history.iter().map(|record| (&*record.job, record)).collect();
    // What was learned stands in the generation, where it can be worked out anew.
    let learned = find_current(workspace)?.and_then(|generation| generation.read(POLICY_METRICS_FILE).ok()).unwrap_or_default();
    let text = render_metrics(&metrics(&last)) + &String::from_utf8_lossy(&learned);
    durable::replace(&metrics_file(workspace, settings), text.as_bytes())
}

fn metrics_file(workspace: &Workspace, settings: &Settings) -> PathBuf {
    settings.metrics.file.as_ref().map_or_else(|| workspace.metrics(), |file| workspace.root().join(file))
}

fn metrics(last: &BTreeMap<&str, &Record>) -> Vec<Metric> {
    let each = |name: &'static str, help: &'static str, value: fn(&Record) -> f64| {
        last.iter().map(move |(job, record)| Metric { name, help, labels: vec![("job", (*job).to_owned())], value: value(record) })
    };
    let mut metrics: Vec<Metric> = Vec::new();
    metrics.extend(each("job_last_end_timestamp_seconds", "When the job's last run ended.", |record| {
        record.ended.as_duration().as_secs_f64()
    }));
    metrics.extend(each("job_last_duration_seconds", "How long the job's last run took.", |record| {
        record.ended.duration_since(record.started).as_secs_f64()
    }));
    metrics.extend(each("job_last_exit_code", "The exit code of the job's last run: 0 is done.", |record| f64::from(record.exit)));
    // A job may have a step twice; one series speaks for both.
    let summed: Vec<(&str, StepRecord)> =
        last.iter().flat_map(|(job, record)| sum_steps(&record.steps).into_iter().map(move |step| (*job, step))).collect();
    let steps = || summed.iter().map(|(job, step)| (*job, step));
    metrics.extend(steps().map(|(job, step)| Metric {
        name: "step_last_duration_seconds",
        help: "How long the step took in the job's last run.",
        labels: vec![("job", job.to_owned()), ("step", step.step.clone())],
        value: step.seconds,
    }));
    metrics.extend(steps().filter(|(_, step)| step.step == "learn").map(|(job, step)| Metric {
        name: "learning_cycle_seconds",
        help: "How long the learning cycle took in the job's last run.",
        labels: vec![("job", job.to_owned())],
        value: step.seconds,
    }));
    metrics.extend(steps().flat_map(|(job, step)| {
        step.numbers.iter().map(move |(what, number)| Metric {
            name: "step_last_count",
            help: "Numbers reported by the step in the job's last run.",
            labels: vec![("job", job.to_owned()), ("step", step.step.clone()), ("what", what.clone())],
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
            value: *number as f64,
        })
    }));
    metrics
}

/// The steps of a run, those of one name added up.
fn sum_steps(steps: &[StepRecord]) -> Vec<StepRecord> {
    let mut summed: Vec<StepRecord> = Vec::with_capacity(steps.len());
    for step in steps {
        match summed.iter_mut().find(|known| known.step == step.step) {
            Some(known) => {
                known.seconds += step.seconds;
                for (what, number) in &step.numbers {
                    *known.numbers.entry(what.clone()).or_default() += number;
                }
            }
            None => summed.push(step.clone()),
        }
    }
    summed
}
