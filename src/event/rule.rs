//! What the fields of one event must agree on among themselves.

use super::field::{Flag, RunResult};
use super::kind::{
    Application, Build, Change, Citation, Classification, Curation, Deliberation, Gate, Goal, Learning, Observation, Relevance,
    Run, Timing, VerdictGiven,
};
use super::rejection::{Code, Rejection};

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

nothing_to_reconcile! { Goal Build Classification Change Timing Observation Deliberation VerdictGiven Gate }

impl Consistent for Application<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.pattern_id.is_some() || self.trigger.is_some(), "pattern_id", "trigger")?;
        Ok(self)
    }
}

impl Consistent for Relevance<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.application_id.is_some() || self.run_id.is_some(), "application_id", "run_id")?;
        Ok(self)
    }
}

impl Consistent for Citation<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.application_id.is_some() || self.run_id.is_some(), "application_id", "run_id")?;
        Ok(self)
    }
}

impl Consistent for Curation<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        one_of(self.pattern_id.is_some() || self.target.is_some(), "pattern_id", "target")?;
        Ok(self)
    }
}

impl Consistent for Learning<'_> {
    fn reconciled(self) -> Result<Self, Rejection> {
        let nothing_learned = self.no_learnings.is_some_and(|flag| flag.get());
        one_of(nothing_learned || self.summary.is_some() || self.what.is_some(), "summary", "what")?;
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

fn one_of(present: bool, first: &str, second: &str) -> Result<(), Rejection> {
    if present {
        return Ok(());
    }
    Err(Rejection::new(
        Code::MissingField,
        format!("`{first}` and `{second}` are both missing"),
        format!("add `{first}` or `{second}`"),
    ))
}
