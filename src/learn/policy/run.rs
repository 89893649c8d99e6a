//! Finished runs, one by one: what the recent past is told from.

use std::ops::Deref;

use arrow::datatypes::Field;

use event::cell::Cell;
use event::field::RunResult;
use event::row::{Part, Rows};
use setting::RiskLevel;
use text::diagnostic::Outcome;
use text::key::key;

/// The failure type of a run that a person did not let happen. It says nothing about the adapter: were it counted, strict
/// policies would make themselves stricter.
pub const DENIED: &str = "approval-denied";

event::row! {
    #[derive(Debug, Clone, PartialEq)]
    pub struct FinishedRun {
        /// Its place in the order of landing.
        pub sequence: i64 = "landing_seq",
        /// The project that it belongs to.
        pub project: String,
        /// Its name, within its project.
        pub run_id: String,
        /// When it ended, in microseconds since 1970.
        pub micros: i64 = "ts_us",
        /// How it ended, as it was reported.
        pub result: RunResult,
        /// Whether it succeeded, as far as is known.
        pub is_success: bool = "success",
        pub retries: i64,
        /// Its quality as it was reported.
        pub quality: Option<f64>,
        pub quality_millionths: i64,
        /// The adapters that it used, each once.
        pub adapters: Vec<String>,
        /// What failed.
        pub failure_type: Option<String>,
        /// How much could go wrong.
        pub risk: Option<RiskLevel>,
        pub is_rolled_back: bool = "rollback",
        /// Whether a person stepped in.
        pub is_overridden: bool = "human_override",
        /// How long it took.
        pub duration_millis: Option<i64> = "duration_ms",
        /// What went wrong, in words.
        pub issues: Vec<String>,
        /// The skills that it used, each once.
        pub skills: Vec<String>,
        /// What its agents decided.
        pub decisions: Decisions,
        /// A person's rating, from 1 to 5.
        pub rating: Option<f64>,
        /// What that person said.
        pub feedback: Option<String>,
        pub notes: Option<String>,
    }
}

/// What an agent decided in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDecision {
    /// The agent.
    pub agent: String,
    /// `approve`, `needs-review` or `reject`.
    pub decision: Option<String>,
    /// How sure it was.
    pub confidence: f64,
}

event::row! {
    /// A row of `sql/policy/recent_decision.sql`.
    struct DecisionRow {
        /// The run's place in the order of landing.
        sequence: i64 = "landing_seq",
        agent: String,
        decision: Option<String>,
        confidence: f64,
    }
}

impl FinishedRun {
    /// Whether it failed because a person did not approve.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.failure_type.as_deref().is_some_and(|kind| key(kind) == DENIED)
    }
}

/// Reads the rows of `sql/policy/recent.sql`, which come in the order of landing.
pub fn parse_runs(rows: &Rows) -> Outcome<Vec<FinishedRun>> {
    let mut runs = rows.read::<FinishedRun>()?;
    for run in &mut runs {
        // Rows of an earlier version may hold numbers that no sum holds.
        run.retries = run.retries.min(i64::from(u32::MAX));
    }
    Ok(runs)
}

/// Puts the rows of `sql/policy/recent_decision.sql` into their runs, both in the order of landing.
pub fn put_decisions(runs: &mut [FinishedRun], rows: &Rows) -> Outcome<()> {
    for DecisionRow { sequence, agent, decision, confidence } in rows.read::<DecisionRow>()? {
        if let Ok(place) = runs.binary_search_by_key(&sequence, |run| run.sequence) {
            runs[place].decisions.0.push(AgentDecision { agent, decision, confidence });
        }
    }
    Ok(())
}

/// What the agents of a run decided. A query yields it as rows of their own, so a run's row has no column of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions(pub Vec<AgentDecision>);

impl Deref for Decisions {
    type Target = [AgentDecision];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'r> Cell<'r> for Decisions {
    type Column = ();

    fn describe(_: &str, _: &mut Vec<Field>) {}

    fn find(_: Part<'r>, _: &str) -> Outcome<Self::Column> {
        Ok(())
    }

    fn read((): &Self::Column, _: usize) -> Outcome<Self> {
        Ok(Self::default())
    }
}
