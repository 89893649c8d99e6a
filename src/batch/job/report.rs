//! How a job went.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::intake::Prunings;
use crate::retention::Pruned;
use agent::artifact;
use agent::classify::Classified;
use agent::embed::Embedded;
use agent::intake::Captures;
use agent::observe::Observed;
use engine::cycle::{Cycle, PolicyCycle, Standing, Verification};
use learn::Flag;
use store::job::{Step, StepRecord};
use store::lake::{Compaction, Rewrite};
use store::publish::Manifest;
use text::diagnostic::{Diagnostic, Exit};

/// How a job went.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// The job.
    pub job: String,
    pub started: Timestamp,
    pub ended: Timestamp,
    /// How its steps went.
    pub steps: Vec<StepRun>,
    /// Why the history or the figures for monitoring could not be written. What the steps did stands all the same.
    pub unwritten: Option<Diagnostic>,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRun {
    /// The step.
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
    /// Lessons were captured.
    Captured(Captures),
    /// Sessions were observed.
    Observed(Observed),
    /// Lessons were classified.
    Classified(Classified),
    Pruned(Prunings),
    /// The inbox was taken.
    Compacted(Compaction),
    /// Small files were merged.
    Rewritten(Rewrite),
    /// A generation was published.
    Learned(Box<Cycle>),
    /// Nothing changed since the published generation, so it stands.
    Stood(Box<Standing>),
    /// Policies alone were published.
    Governed(PolicyCycle),
    /// The published generation was worked out anew.
    Verified(Verification),
    /// Artifacts were looked at and rendered.
    Rendered(Box<artifact::Report>),
    /// Texts were turned into vectors.
    Embedded(Embedded),
}

impl RunReport {
    /// How the run ended, as an exit code: that of the first failure, else what someone must look at.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self.failure() {
            Some((_, fault)) => fault.exit,
            None if self.steps.iter().any(StepRun::has_problems) => Exit::Edit,
            None => self.unwritten.as_ref().map_or(Exit::Done, |fault| fault.exit),
        }
    }

    /// The first step that failed, and why.
    #[must_use]
    pub fn failure(&self) -> Option<(Step, &Diagnostic)> {
        self.steps.iter().find_map(|run| match &run.outcome {
            StepOutcome::Failed(fault) => Some((run.step, fault)),
            _ => None,
        })
    }

    /// The generation that was published.
    #[must_use]
    pub fn generation(&self) -> Option<String> {
        self.manifest().map(|manifest| manifest.generation.clone())
    }

    /// The manifest of that generation.
    #[must_use]
    pub fn manifest(&self) -> Option<&Manifest> {
        self.steps.iter().find_map(|run| match &run.outcome {
            StepOutcome::Done(StepReport::Learned(cycle)) => Some(&cycle.published.generation.manifest),
            _ => None,
        })
    }
}

impl StepRun {
    #[must_use]
    pub const fn skipped(step: Step) -> Self {
        Self { step, outcome: StepOutcome::Skipped, attempts: 0, elapsed: SignedDuration::ZERO }
    }

    fn has_problems(&self) -> bool {
        match &self.outcome {
            StepOutcome::Done(StepReport::Captured(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Pruned(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Compacted(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Learned(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Stood(done)) => !done.problems.is_empty(),
            StepOutcome::Done(StepReport::Rendered(done)) => !done.problems.is_empty(),
            _ => false,
        }
    }

    /// The step as the history keeps it.
    #[must_use]
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
    /// What the step counted.
    #[must_use]
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
            Self::Stood(standing) => vec![("copies".to_owned(), count(standing.copies))],
            Self::Governed(PolicyCycle { runs, adapters, approvals }) => vec![
                ("runs".to_owned(), *runs),
                ("adapters".to_owned(), count(*adapters)),
                ("approvals".to_owned(), count(*approvals)),
            ],
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
