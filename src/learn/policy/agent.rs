//! How reliable agents are: every run that they decided about moves it a little.

use std::collections::BTreeMap;

use crate::rounding::round_half_away;
use event::field::RunResult;
use event::row::Rows;
use setting::{AgentSettings, ProfileSettings};
use text::diagnostic::Outcome;

#[derive(Debug, Clone, PartialEq)]
pub struct AgentProfile {
    /// Its name, weight and vetoes, and where it started.
    pub start: ProfileSettings,
    /// How reliable it is.
    pub reliability: f64,
    /// What it took part in.
    pub figures: Figures,
}

event::row! {
    /// What an agent took part in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Figures {
        /// Runs that it decided about.
        pub runs: i64,
        /// Those that succeeded.
        pub successes: i64,
        /// Those that failed; those that ended in between are neither.
        pub failures: i64,
        /// When the last one ended, in microseconds since 1970.
        pub last_micros: Option<i64> = "last_us",
    }
}

event::row! {
    /// What a run says about an agent: a row of `sql/policy/agent_step.sql`.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct AgentStep<'r> {
        /// Its place in the order of landing.
        pub sequence: i64 = "landing_seq",
        /// The agent.
        pub agent: &'r str,
        /// `approve`, `needs-review` or `reject`.
        pub decision: Option<&'r str>,
        /// How sure the agent was.
        pub confidence: f64,
        /// How the run ended.
        pub result: RunResult,
        pub is_rolled_back: bool = "rollback",
        /// Whether a person stepped in.
        pub is_overridden: bool = "human_override",
    }
}

/// The reliability after a run. Monotone in the reliability before.
#[must_use]
pub fn step_agent(before: f64, step: &AgentStep<'_>, settings: &AgentSettings) -> f64 {
    let mut change = effect(step, settings) * step.confidence;
    if step.is_rolled_back {
        change -= settings.rollback;
    }
    if step.is_overridden {
        change -= settings.human_override;
    }
    let change = change.clamp(-settings.most_change, settings.most_change);
    round_half_away((before + change).clamp(settings.least, settings.most), 4)
}

/// What a run of full confidence counts for.
fn effect(step: &AgentStep<'_>, settings: &AgentSettings) -> f64 {
    let plain = match step.result {
        RunResult::Success => settings.success,
        RunResult::Failure => -settings.failure,
        RunResult::Partial => -settings.partial,
    };
    match step.decision {
        Some(decision) if settings.decision_aware => match (decision, step.result) {
            // Who warned of a failure was right, and who warned of a success was wrong.
            ("reject", RunResult::Failure) => settings.success,
            ("reject", RunResult::Success) => -settings.failure,
            ("needs-review", _) => plain / 2.0,
            _ => plain,
        },
        _ => plain,
    }
}

/// The profiles of all agents whose decisions count, in the order of the settings.
#[must_use]
pub fn profile_agents(settings: &AgentSettings, reliability: &[f64], figures: &BTreeMap<String, Figures>) -> Vec<AgentProfile> {
    let profiles = settings.profiles.iter().zip(reliability).map(|(start, &reliability)| AgentProfile {
        start: start.clone(),
        reliability,
        figures: figures.get(&start.agent).copied().unwrap_or_default(),
    });
    profiles.collect()
}

event::row! {
    struct AgentRow {
        agent: String,
        figures: Figures,
    }
}

/// Reads the rows of `sql/policy/agent.sql`.
pub fn parse_agents(rows: &Rows) -> Outcome<BTreeMap<String, Figures>> {
    Ok(rows.read::<AgentRow>()?.into_iter().map(|row| (row.agent, row.figures)).collect())
}
