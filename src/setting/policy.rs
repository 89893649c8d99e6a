//! The settings of how runs become reliability, overlays, profiles and thresholds.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::parse::Conflict;
use crate::root::{Compat, Settings};
use crate::section::{POSITIVE, REDUCING, SHARE, at_least, between, kinds, settings};

settings! {
    /// Reliability of adapters: a score from 0 to 1 over all runs that used them, and their recurring failures.
    pub struct ReliabilitySettings {
        /// Weight of the success rate in the score.
        success_weight: f64 = 0.6, in SHARE;
        /// Weight of the retry component in the score.
        retry_weight: f64 = 0.2, in SHARE;
        /// Weight of the quality of results in the score.
        quality_weight: f64 = 0.2, in SHARE;
        /// Average number of retries from which the retry component is 0.
        most_retries: f64 = 3.0, in POSITIVE;
        /// Whether a later result (`outerloop outcome`) takes the place of the result that a run reported.
        late_results: bool = true;
        /// Whether a run that was rolled back counts as failed.
        rollback_fails: bool = false;
        /// Whether a run in which a person stepped in counts as failed.
        override_fails: bool = false;
        /// Confidence in a failure pattern that was seen once.
        first_confidence: f64 = 0.55, in SHARE;
        /// Added to the confidence by each further sighting.
        confidence_step: f64 = 0.05, in SHARE;
        /// Highest confidence.
        most_confidence: f64 = 0.95, in SHARE;
        /// Days without a sighting after which reports show half of the confidence gained since the first. Stored values stay as they
        /// are.
        confidence_half_life_days: Option<f64>, in POSITIVE, example "30.0";
        /// What to do about failures: by failure pattern, by adapter, or "*" for all others. {type} stands for the failure type.
        fixes: BTreeMap<String, String>, example r#"{ "github::auth" = "Renew the token.", "*" = "Ask the team about {type}." }"#;
    }

    /// What the score of an adapter means for its next run. Scores are rounded to three decimals before they are compared. A lower score
    /// never makes milder rules.
    pub struct OverlaySettings {
        /// An adapter below this score is risky. At most `trusted_above`.
        risky_below: f64 = 0.70, in SHARE;
        /// A person must approve the runs of an adapter below this score.
        approve_below: f64 = 0.75, in SHARE;
        /// An adapter above this score is trusted.
        trusted_above: f64 = 0.90, in SHARE;
        /// Runs that an adapter needs before it is trusted.
        least_runs: u32 = 5;
        /// Whether refused runs count as failed runs until they are recorded properly. Rules follow that lower bound of the score; the
        /// score itself leaves refused runs out.
        count_refused: bool = true;
        /// Whether runs that a gate let through (`outerloop gate --record`) and that never reported count as failed runs, like refused ones.
        count_unreported: bool = true;
        /// Hours after which a run that a gate let through and that has not reported is missing.
        settle_hours: u32 = 24;
        /// Factor on the risk of a risky adapter.
        risky_multiplier: f64 = 1.4, in at_least(1.0);
        /// Factor on the risk of a trusted adapter.
        trusted_multiplier: f64 = 0.9, in REDUCING;
        /// Retries of an adapter that needs approval. At most `retries`.
        few_retries: u32 = 1;
        /// Retries of all other adapters.
        retries: u32 = 2;
        /// A failure of one adapter and type that was seen this often requires approval too, until a person clears it.
        repeats: u64 = 3, in at_least(1.0);
        /// Whether overlays only tighten until a person clears them: the strictest one computed after any run counts.
        ratchet: bool = false;
        /// Number of later successes of the adapter after which a repeated failure no longer requires approval. A new sighting requires
        /// it again.
        release_after_successes: Option<u64>, example "5";
        /// An overlay whose adapter was not used for more than this many days is reported as stale.
        stale_days: u32 = 30;
        /// Whether each project has reliability, rules, agents and thresholds of its own. Otherwise all projects of the workspace share
        /// them, as they do with `compat`.
        by_project: bool = true;
    }

    /// Reliability of agents, which moves with the runs that they decided about. The changes are those at full confidence. Its bounds and
    /// starting values have at most four decimals, as it is rounded to four after each run.
    pub struct AgentSettings {
        /// Gain for a success.
        success: f64 = 0.02, in SHARE;
        /// Loss for a failure.
        failure: f64 = 0.05, in SHARE;
        /// Loss for a partial result.
        partial: f64 = 0.01, in SHARE;
        /// Loss for a rollback.
        rollback: f64 = 0.02, in SHARE;
        /// Loss when a person stepped in.
        human_override: f64 = 0.015, in SHARE;
        /// Largest change by one run.
        most_change: f64 = 0.05, in SHARE;
        /// Lowest reliability.
        least: f64 = 0.30, in SHARE;
        /// Highest reliability.
        most: f64 = 0.95, in SHARE;
        /// Whether the agent's decision counts: rejecting a run that then failed was right.
        decision_aware: bool = false;
        /// The agents whose decisions count: the weight of their vote, their reliability before their first run, and the risk levels at
        /// which their rejection alone decides. A list given here replaces the built-in
        /// one; what an entry leaves out comes from the built-in entry of that agent.
        profiles: Vec<ProfileSettings> = vec![
            ProfileSettings::new("planner", 1.0, 0.82, Vec::new()),
            ProfileSettings::new("builder", 1.0, 0.84, Vec::new()),
            ProfileSettings::new("reviewer", 1.1, 0.88, vec![RiskLevel::Medium, RiskLevel::High]),
            ProfileSettings::new("security", 1.2, 0.92, vec![RiskLevel::High]),
        ];
    }

    /// How much agreement of the agents a run needs, by its risk level. Failures and rollbacks raise it, clean successes lower it. All
    /// thresholds have at most four decimals.
    #[derive(Copy)]
    pub struct ThresholdSettings {
        /// First threshold for low risk, within `least` and `most`.
        low: f64 = 0.55, in SHARE;
        /// First threshold for medium risk, within `least` and `most`.
        medium: f64 = 0.65, in SHARE;
        /// First threshold for high risk, within `least` and `most`.
        high: f64 = 0.75, in SHARE;
        /// Largest change by one run.
        most_shift: f64 = 0.05, in SHARE;
        /// Lowest threshold.
        least: f64 = 0.40, in SHARE;
        /// Highest threshold.
        most: f64 = 0.90, in SHARE;
        /// Whether successes lower thresholds again. The one for high risk is never lowered.
        auto_relax: bool = true;
    }

    /// What `outerloop gate` assumes of a run before it applies the overlay of its adapter.
    #[derive(Copy)]
    pub struct GateSettings {
        /// Retries of a run whose caller gives none.
        base_retries: u32 = 2;
        /// Risk value of the level low.
        low: f64 = 0.25, in at_least(0.0);
        /// Risk value of the level medium.
        medium: f64 = 0.5, in at_least(0.0);
        /// Risk value of the level high.
        high: f64 = 0.75, in at_least(0.0);
        /// Highest risk value, whatever the factors.
        most_risk: f64 = 1.0, in POSITIVE;
    }

    /// How much of the recent past is published.
    #[derive(Copy, Eq)]
    pub struct RecentSettings {
        /// How many of the latest runs `learning-store.json` lists and `graph-events.jsonl` describes.
        runs: usize = 1000;
        /// How many of the latest runs to read for figures that depend on their order. If these do not settle them, all runs are read.
        folded_runs: u32 = 100_000;
    }
}

/// An agent whose decisions count.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "PartialProfile")]
pub struct ProfileSettings {
    /// Its name.
    pub agent: String,
    /// The weight of its vote.
    pub weight: f64,
    /// Its reliability before its first run.
    pub reliability: f64,
    /// The risk levels at which its rejection alone decides.
    pub vetoes: Vec<RiskLevel>,
}

/// A profile as a person writes it: what it leaves out comes from the built-in profile of that agent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartialProfile {
    agent: String,
    weight: Option<f64>,
    reliability: Option<f64>,
    vetoes: Option<Vec<RiskLevel>>,
}

impl TryFrom<PartialProfile> for ProfileSettings {
    type Error = String;

    fn try_from(given: PartialProfile) -> Result<Self, String> {
        let built_in = AgentSettings::default().profiles.into_iter().find(|profile| profile.agent == given.agent);
        let missing = |field: &str| format!("missing field `{field}`");
        let weight = given.weight.or(built_in.as_ref().map(|profile| profile.weight)).ok_or_else(|| missing("weight"))?;
        let reliability = given.reliability.or(built_in.as_ref().map(|profile| profile.reliability));
        let reliability = reliability.ok_or_else(|| missing("reliability"))?;
        let vetoes = given.vetoes.or(built_in.map(|profile| profile.vetoes)).unwrap_or_default();
        Ok(Self { agent: given.agent, weight, reliability, vetoes })
    }
}

impl Settings {
    /// Whether each project has policies of its own. Where the originals are reproduced, all share them.
    #[must_use]
    pub fn divides_policies(&self) -> bool {
        self.compat == Compat::None && self.overlay.by_project
    }
}

kinds! { ProfileSettings => "a table with `agent`, `weight`, `reliability` and `vetoes`"; }

impl ProfileSettings {
    fn new(agent: &str, weight: f64, reliability: f64, vetoes: Vec<RiskLevel>) -> Self {
        Self { agent: agent.to_owned(), weight, reliability, vetoes }
    }
}

/// How much could go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    Low,
    Medium,
    High,
}

impl RiskLevel {
    /// Every level, the lowest first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Its name in settings, events and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The level of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl ThresholdSettings {
    /// The first threshold for a risk level.
    #[must_use]
    pub const fn of(&self, risk: RiskLevel) -> f64 {
        match risk {
            RiskLevel::Low => self.low,
            RiskLevel::Medium => self.medium,
            RiskLevel::High => self.high,
        }
    }
}

impl GateSettings {
    /// The risk of a level.
    #[must_use]
    pub const fn risk(&self, level: RiskLevel) -> f64 {
        match level {
            RiskLevel::Low => self.low,
            RiskLevel::Medium => self.medium,
            RiskLevel::High => self.high,
        }
    }
}

/// A value and the bounds that other settings give it.
type Bounded = (&'static [&'static str], f64, f64, f64);

pub(crate) fn check(settings: &Settings) -> Result<(), Conflict> {
    let Settings { overlay, agent, threshold, .. } = settings;
    let (lowest, highest) = (threshold.least, threshold.most);
    let bounded: [Bounded; 4] = [
        (&["overlay.risky_below", "overlay.trusted_above"], overlay.risky_below, 0.0, overlay.trusted_above),
        (&["threshold.low", "threshold.least", "threshold.most"], threshold.low, lowest, highest),
        (&["threshold.medium", "threshold.least", "threshold.most"], threshold.medium, lowest, highest),
        (&["threshold.high", "threshold.least", "threshold.most"], threshold.high, lowest, highest),
    ];
    for (keys, value, least, most) in bounded {
        Conflict::unless((least..=most).contains(&value), keys, || {
            let others = keys[1..].iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
            (format!("`{}` is {value}", keys[0]), format!("write a number from {least} to {most}, or change {others}"))
        })?;
    }
    let (few, all) = (overlay.few_retries, overlay.retries);
    Conflict::unless(few <= all, &["overlay.few_retries", "overlay.retries"], || {
        (format!("`overlay.few_retries` is {few}, more than `overlay.retries`"), format!("write a whole number from 0 to {all}"))
    })?;
    check_profiles(agent)?;
    check_decimals(agent, threshold)
}

fn check_profiles(agent: &AgentSettings) -> Result<(), Conflict> {
    let (least, most) = (agent.least, agent.most);
    for profile in &agent.profiles {
        let numbers = [("weight", profile.weight, POSITIVE), ("reliability", profile.reliability, between(least, most))];
        for (name, value, limits) in numbers {
            Conflict::unless(limits.contains(value), &["agent.profiles", "agent.least", "agent.most"], || {
                let what = format!("the {name} of `{}` in `agent.profiles` is {value}", profile.agent.escape_default());
                (what, format!("write a number {limits}"))
            })?;
        }
    }
    let names: BTreeSet<&str> = agent.profiles.iter().map(|profile| &*profile.agent).collect();
    Conflict::unless(names.len() == agent.profiles.len(), &["agent.profiles"], || {
        ("`agent.profiles` names an agent twice".to_owned(), "name each agent once".to_owned())
    })
}

/// Values are rounded to four decimals after each run, and would overstep bounds that lie between two such values.
fn check_decimals(agent: &AgentSettings, threshold: &ThresholdSettings) -> Result<(), Conflict> {
    let single: [(&'static [&'static str], f64); 7] = [
        (&["agent.least"], agent.least),
        (&["agent.most"], agent.most),
        (&["threshold.least"], threshold.least),
        (&["threshold.most"], threshold.most),
        (&["threshold.low"], threshold.low),
        (&["threshold.medium"], threshold.medium),
        (&["threshold.high"], threshold.high),
    ];
    let profiles = agent.profiles.iter().map(|profile| (&["agent.profiles"][..], profile.reliability));
    for (keys, value) in single.into_iter().chain(profiles) {
        Conflict::unless(format!("{value:.4}").parse() == Ok(value), keys, || {
            (format!("`{}` has the value {value}", keys[0]), "write at most four decimals".to_owned())
        })?;
    }
    Ok(())
}
