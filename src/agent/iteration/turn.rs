//! Which iteration of which run something is found out about.

use jiff::Timestamp;

use event::Draft;

/// An iteration of a run, and the instant at which it is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The project that the run belongs to.
    pub project: String,
    /// The run.
    pub run_id: String,
    /// The iteration, where one is meant.
    pub iteration: Option<i64>,
    /// The instant that the events carry.
    pub time: Timestamp,
}

impl Turn {
    /// An event of this iteration.
    #[must_use]
    pub fn draft(&self, kind: &'static str) -> Draft {
        Draft::new(kind, self.time, &self.project).of_turn(&self.run_id, self.iteration)
    }
}
