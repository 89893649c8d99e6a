//! What gates and agents ask for, in one small file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use learn::policy::{AgentProfile, Division, Figures, Overlay, Policies, Policy, Thresholds, iso, plain};
use setting::{ProfileSettings, RiskLevel};

/// The policies of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyDocument {
    /// The instant that they hold for, in microseconds since 1970. Earlier versions did not say.
    #[serde(default, rename = "asOfMicros")]
    pub as_of_micros: i64,
    /// The last event that they count, by its place in the order of landing, where no manifest says so.
    #[serde(default, rename = "throughSequence", skip_serializing_if = "Option::is_none")]
    pub through: Option<i64>,
    /// The project whose rules these are. None where all projects share them, where each has its own, and in earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Of all projects together.
    #[serde(flatten)]
    pub whole: Rules,
    /// The rules of each project, where there are several.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub projects: BTreeMap<String, Rules>,
}

/// What gates and agents follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// How much agreement a run needs.
    pub thresholds: ThresholdEntry,
    /// What is known of the agents.
    pub agents: Vec<AgentEntry>,
    /// The rules for each adapter's next run.
    pub overlays: Vec<Overlay>,
}

impl PolicyDocument {
    /// The rules of a project; none of one that nothing is known of.
    #[must_use]
    pub fn rules_of(&self, project: &str) -> Option<&Rules> {
        match &self.project {
            _ if !self.projects.is_empty() => self.projects.get(project),
            Some(only) if only != project => None,
            _ => Some(&self.whole),
        }
    }

    /// The rules that are followed, each with its project where there are several.
    #[must_use]
    pub fn parts(&self) -> Vec<(Option<&str>, &Rules)> {
        if self.projects.is_empty() {
            return vec![(None, &self.whole)];
        }
        self.projects.iter().map(|(project, rules)| (Some(&**project), rules)).collect()
    }

    /// The projects whose rules these are. None where all share them, whatever they are called.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.project.as_deref().into_iter().chain(self.projects.keys().map(String::as_str)).collect()
    }
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
    pub(super) fn new(profile: &AgentProfile) -> Self {
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
pub fn make_document(policies: &Policies, as_of_micros: i64) -> PolicyDocument {
    let (project, projects) = match &policies.division {
        Division::Shared => (None, BTreeMap::new()),
        Division::One(project) => (project.clone(), BTreeMap::new()),
        Division::Apart(projects) => {
            (None, projects.iter().map(|(project, policy)| (project.clone(), make_rules(policy))).collect())
        }
    };
    PolicyDocument { as_of_micros, through: None, project, whole: make_rules(&policies.whole), projects }
}

/// What gates and agents follow.
#[must_use]
pub fn make_rules(policy: &Policy) -> Rules {
    let Thresholds { low, medium, high, last_micros } = policy.thresholds;
    Rules {
        thresholds: ThresholdEntry { low, medium, high, last_updated_at: iso(last_micros.unwrap_or_default()) },
        agents: policy.agents.iter().map(AgentEntry::new).collect(),
        overlays: policy.overlays.clone(),
    }
}
