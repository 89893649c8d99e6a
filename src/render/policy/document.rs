//! What gates and agents ask for, in one small file.

use serde::{Deserialize, Serialize};

use learn::policy::{AgentProfile, Figures, Overlay, Policy, Thresholds, iso, plain};
use setting::{ProfileSettings, RiskLevel};

/// The policies of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyDocument {
    /// The instant that they hold for, in microseconds since 1970. Earlier versions did not say.
    #[serde(default, rename = "asOfMicros")]
    pub as_of_micros: i64,
    /// How much agreement a run needs.
    pub thresholds: ThresholdEntry,
    /// What is known of the agents.
    pub agents: Vec<AgentEntry>,
    /// The rules for each adapter's next run.
    pub overlays: Vec<Overlay>,
}

/// The thresholds of all risks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThresholdEntry {
    /// Of low risk.
    #[serde(serialize_with = "plain")]
    pub low: f64,
    /// Of medium risk.
    #[serde(serialize_with = "plain")]
    pub medium: f64,
    /// Of high risk.
    #[serde(serialize_with = "plain")]
    pub high: f64,
    /// When a run last ended that could have moved one.
    pub last_updated_at: String,
}

/// An agent, in the original's shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// Its name.
    pub agent: String,
    /// What its word weighs.
    #[serde(serialize_with = "plain")]
    pub base_weight: f64,
    /// How reliable it is.
    #[serde(serialize_with = "plain")]
    pub reliability: f64,
    /// Whether its rejection alone can decide.
    pub can_veto: bool,
    /// Runs that it decided about.
    pub total_runs: i64,
    /// Those that succeeded.
    pub successes: i64,
    /// Those that failed.
    pub failures: i64,
    /// When the last one ended.
    pub last_updated_at: String,
    /// At which risks its rejection alone decides.
    pub vetoes: Vec<RiskLevel>,
}

impl AgentEntry {
    fn new(profile: &AgentProfile) -> Self {
        Self {
            agent: profile.start.agent.clone(),
            base_weight: profile.start.weight,
            reliability: profile.reliability,
            can_veto: !profile.start.vetoes.is_empty(),
            total_runs: profile.figures.runs,
            successes: profile.figures.successes,
            failures: profile.figures.failures,
            last_updated_at: iso(profile.figures.last_micros.unwrap_or_default()),
            vetoes: profile.start.vetoes.clone(),
        }
    }

    /// The profile that it was made from, as far as a decision needs it.
    #[must_use]
    pub fn profile(&self) -> AgentProfile {
        AgentProfile {
            start: ProfileSettings {
                agent: self.agent.clone(),
                weight: self.base_weight,
                reliability: self.reliability,
                vetoes: self.vetoes.clone(),
            },
            reliability: self.reliability,
            figures: Figures { runs: self.total_runs, successes: self.successes, failures: self.failures, last_micros: None },
        }
    }
}

impl ThresholdEntry {
    /// The thresholds.
    #[must_use]
    pub const fn thresholds(&self) -> Thresholds {
        Thresholds { low: self.low, medium: self.medium, high: self.high, last_micros: None }
    }
}

/// The policies that a generation publishes.
#[must_use]
pub fn make_document(policy: &Policy, as_of_micros: i64) -> PolicyDocument {
    let Thresholds { low, medium, high, last_micros } = policy.thresholds;
    PolicyDocument {
        as_of_micros,
        thresholds: ThresholdEntry { low, medium, high, last_updated_at: iso(last_micros.unwrap_or_default()) },
        agents: policy.agents.iter().map(AgentEntry::new).collect(),
        overlays: policy.overlays.clone(),
    }
}
