//! Finished runs, one by one: what the recent past is told from.

use std::ops::Deref;

use arrow::datatypes::Field;
use serde::Deserialize;

use event::cell::Cell;
use event::field::RunResult;
use event::row::{Part, Rows};
use setting::RiskLevel;
use text::diagnostic::{Diagnostic, Outcome};
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
        pub decisions: Decisions = "decisions_json",
        /// A person's rating, from 1 to 5.
        pub rating: Option<f64>,
        /// What that person said.
        pub feedback: Option<String>,
        pub notes: Option<String>,
    }
}

/// What an agent decided in a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct AgentDecision {
    /// The agent.
    pub agent: String,
    /// `approve`, `needs-review` or `reject`.
    pub decision: Option<String>,
    /// How sure it was.
    pub confidence: f64,
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

/// What the agents of a run decided, which a query yields as JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions(pub Vec<AgentDecision>);

impl Deref for Decisions {
    type Target = [AgentDecision];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'r> Cell<'r> for Decisions {
    type Column = <&'r str as Cell<'r>>::Column;

    fn describe(name: &str, fields: &mut Vec<Field>) {
        Option::<&'r str>::describe(name, fields);
    }

    fn find(part: Part<'r>, name: &str) -> Outcome<Self::Column> {
        part.texts(name)
    }

    fn read(column: &Self::Column, row: usize) -> Outcome<Self> {
        let Some(json) = Option::<&str>::read(column, row)? else { return Ok(Self::default()) };
        serde_json::from_str::<Option<Vec<AgentDecision>>>(json)
            .map(|decisions| Self(decisions.unwrap_or_default()))
            .map_err(|error| Diagnostic::bug(format!("the decisions of a run cannot be read: {error}")))
    }
}
