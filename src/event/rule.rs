//! What the fields of one event must agree on among themselves.

use super::field::{Adapters, EvidenceLevel, Flag, Labels, RunResult, Sayings, Verdict};
use super::kind::{
    Aftermath, Application, Artifact, Assignment, Build, Change, Citation, Classification, Curation, Deliberation, Embedding, Gate,
    Goal, Kind, Learning, Observation, Relevance, Run, Summary, Timing, Touch, VerdictGiven,
};
use super::member::Unknown;
use super::rejection::{Code, Rejection};
use setting::RunSettings;
use text::review;

/// An event whose fields agree.
pub(super) trait Consistent: Sized {
    /// The event with derived fields filled in, or why its fields contradict each other.
    fn reconciled(self) -> Result<Self, Rejection>;
}

macro_rules! nothing_to_reconcile {
    ($($kind:ident)*) => {$(
        impl Consistent for $kind<'_> {
            fn reconciled(self) -> Result<Self, Rejection> { Ok(self) }
        }
    )*};
}

nothing_to_reconcile! { Assignment Touch Goal Build Classification Change Timing Observation Artifact VerdictGiven Aftermath Gate Summary Embedding }

impl Consistent for Application<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.pattern_id.is_some() || self.trigger.is_some(), Kind::Application)?;
        Ok(self)
    }
}

impl Consistent for Relevance<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.application_id.is_some() || self.run_id.is_some(), Kind::Relevance)?;
        Ok(self)
    }
}

impl Consistent for Citation<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.application_id.is_some() || self.run_id.is_some(), Kind::Citation)?;
        Ok(self)
    }
}

impl Consistent for Curation<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.pattern_id.is_some() || self.target.is_some(), Kind::Curation)?;
        Ok(self)
    }
}

impl Consistent for Learning<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        let nothing_learned = self.no_learnings.is_some_and(|flag| flag.get());
        one_of(nothing_learned || self.summary.is_some() || self.what.is_some(), Kind::Learning)?;
        Ok(self)
    }
}

impl Consistent for Deliberation<'_> {
    /// What a role's text says is read once, here: cycles look at what was said and never at the texts again.
    fn reconciled(mut self) -> Result<Self, Rejection> {
        let text = self.text.get();
        if self.patterns.is_none() {
            self.patterns = Some(Sayings::found(review::accumulated_patterns(text))).filter(|found| !found.is_empty());
        }
        if self.verdict.is_none() {
            self.verdict = review::find_verdict(text).map(|block| if block.passes() { Verdict::Pass } else { Verdict::Fail });
        }
        if self.evidence_level.is_none() {
            let files: Vec<_> = self.files.iter().flat_map(Labels::iter).collect();
            self.evidence_level = Some(EvidenceLevel::shown(review::evidence_level(text, &files)));
        }
        Ok(self)
    }
}

impl Consistent for Run<'_> {
    /// Two systems report how a run ended, one as a word and one as a flag. Both are kept filled, and must agree.
    fn reconciled(mut self) -> Result<Self, Rejection> {
        let result = match (self.result, self.success) {
            (None, None) => return Err(Rejection::new(Code::MissingField, "`result` is missing", "add `result`")),
            (Some(result), Some(success)) if success.get() != (result == RunResult::Success) => {
                return Err(Rejection::new(Code::Contradiction, "`result` and `success` differ", "send `result` only"));
            }
            (Some(result), _) => result,
            (None, Some(success)) if success.get() => RunResult::Success,
            (None, Some(_)) => RunResult::Failure,
        };
        self.result = Some(result);
        self.success = Some(Flag::from(result == RunResult::Success));
        Ok(self)
    }
}

/// What shows that a run comes from ClosedLoop's log, which knows neither adapters nor types of failures: its importer writes
/// this into each, and nobody else does. A command or a number of iterations may stand in anybody's runs.
const CLOSEDLOOP_MARK: &str = "status_text";

/// Where a run comes from, as far as it matters for what must be known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// It names its adapters, or should.
    Adapters,
    /// It tells of skills, issues and agents' decisions, and of no adapters.
    Governance,
    /// It is a row of ClosedLoop's log.
    ClosedLoop,
}

impl Origin {
    /// A writer that lists adapters knows them, whatever other fields exist.
    fn of(run: &Run<'_>, unknown: &Unknown) -> Self {
        if run.adapters.is_some() {
            Self::Adapters
        } else if unknown.holds(CLOSEDLOOP_MARK) {
            Self::ClosedLoop
        } else if run.issues.is_some() || run.skills.is_some() || run.agent_decisions.is_some() {
            Self::Governance
        } else {
            Self::Adapters
        }
    }
}

/// Checks that what is learned from a run can be learned from this one. A failure that is dropped without a word raises
/// scores, and one that lands without its type hides a pattern: both are the writer's to mend.
pub(super) fn check_run(run: &Run<'_>, unknown: &Unknown, rules: RunSettings) -> Result<(), Rejection> {
    if rules.lenient || Origin::of(run, unknown) != Origin::Adapters {
        return Ok(());
    }
    if run.adapters.as_ref().is_none_or(Adapters::is_empty) {
        let what = if run.adapters.is_some() { "empty" } else { "missing" };
        return Err(Rejection::new(
            Code::MissingField,
            format!("`adapters` is {what}"),
            "add what the run worked with, such as \"adapters\":[\"terminal\"], or set `run.lenient`",
        ));
    }
    if run.result == Some(RunResult::Failure) && run.failure_type.is_none() {
        return Err(Rejection::new(
            Code::MissingField,
            "`failure_type` is missing from a run that failed",
            "add what failed, such as \"failure_type\":\"timeout\", or set `run.lenient`; a whole line: \
             {\"kind\":\"run\",\"run_id\":\"r-1\",\"adapters\":[\"terminal\"],\"result\":\"failure\",\"failure_type\":\"timeout\"}",
        ));
    }
    Ok(())
}

/// Whether a run counts once, however often it is reported. ClosedLoop's log has several rows for a run that is resumed.
pub(super) fn counts_once(run: &Run<'_>, unknown: &Unknown) -> bool {
    Origin::of(run, unknown) != Origin::ClosedLoop
}

/// What a run without an id is called. Neither name holds a separator, so no two pairs make the same id.
pub(super) fn name_run(project: &str, run_id: &str) -> String {
    format!("{project}/{run_id}")
}

fn one_of(present: bool, kind: Kind) -> Result<(), Rejection> {
    let Some((first, second)) = kind.either().filter(|_| !present) else { return Ok(()) };
    Err(Rejection::new(
        Code::MissingField,
        format!("`{first}` and `{second}` are both missing"),
        format!("add `{first}` or `{second}`"),
    ))
}
