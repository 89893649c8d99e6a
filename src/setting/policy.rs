//! The settings of how runs become reliability, overlays, profiles and thresholds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Settings;
use text::diagnostic::{Diagnostic, Outcome};

/// How reliable an adapter is, and what its failures say.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReliabilitySettings {
    /// What the success rate counts for.
    pub success_weight: f64,
    /// What doing without retries counts for.
    pub retry_weight: f64,
    /// What the quality of the results counts for.
    pub quality_weight: f64,
    /// From this many retries on average, doing without them counts for nothing.
    pub most_retries: f64,
    /// The confidence in a failure pattern that was seen once.
    pub first_confidence: f64,
    /// By how much each further sighting raises it.
    pub confidence_step: f64,
    /// How high it gets.
    pub most_confidence: f64,
    /// After so many days without a sighting, half of what was gained above the first confidence is shown.
    pub confidence_half_life_days: Option<f64>,
    /// What to do about failures: by failure pattern (`github::auth`), by adapter, or `*` for all others.
    pub fixes: BTreeMap<String, String>,
}

impl Default for ReliabilitySettings {
    fn default() -> Self {
        Self {
            success_weight: 0.6,
            retry_weight: 0.2,
            quality_weight: 0.2,
            most_retries: 3.0,
            first_confidence: 0.55,
            confidence_step: 0.05,
            most_confidence: 0.95,
            confidence_half_life_days: None,
            fixes: BTreeMap::new(),
        }
    }
}

/// What an adapter's reliability means for its next run.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct OverlaySettings {
    /// Below this score an adapter is risky.
    pub risky_below: f64,
    /// Below this score a person must approve.
    pub approve_below: f64,
    /// Above this score an adapter is trusted.
    pub trusted_above: f64,
    /// What the risk of a risky adapter is multiplied by.
    pub risky_multiplier: f64,
    /// What the risk of a trusted adapter is multiplied by.
    pub trusted_multiplier: f64,
    /// The retries of an adapter that needs approval.
    pub few_retries: u32,
    /// The retries of all others.
    pub retries: u32,
    /// A failure that was seen this often asks for approval, whatever the score.
    pub repeats: u64,
    /// Whether overlays only tighten, until a person clears them.
    pub ratchet: bool,
    /// After so many successes of the adapter, a repeated failure asks for approval no longer.
    pub release_after_successes: Option<u64>,
    /// An overlay whose adapter was not used for longer than this is stale.
    pub stale_days: u32,
}

impl Default for OverlaySettings {
    fn default() -> Self {
        Self {
            risky_below: 0.70,
            approve_below: 0.75,
            trusted_above: 0.90,
            risky_multiplier: 1.4,
            trusted_multiplier: 0.9,
            few_retries: 1,
            retries: 2,
            repeats: 3,
            ratchet: false,
            release_after_successes: None,
            stale_days: 30,
        }
    }
}

/// How the reliability of agents moves.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    /// What a success is worth, at full confidence.
    pub success: f64,
    /// What a failure costs, at full confidence.
    pub failure: f64,
    /// What a partial result costs, at full confidence.
    pub partial: f64,
    /// What a rollback costs.
    pub rollback: f64,
    /// What it costs that a person stepped in.
    pub human_override: f64,
    /// How far one run can move it.
    pub most_change: f64,
    /// How low it gets.
    pub least: f64,
    /// How high it gets.
    pub most: f64,
    /// Whether it counts what an agent decided: who rejected a run that failed was right.
    pub decision_aware: bool,
    /// The agents whose decisions count, and where they start.
    pub profiles: Vec<ProfileSettings>,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            success: 0.02,
            failure: 0.05,
            partial: 0.01,
            rollback: 0.02,
            human_override: 0.015,
            most_change: 0.05,
            least: 0.30,
            most: 0.95,
            decision_aware: false,
            profiles: vec![
                ProfileSettings::new("planner", 1.0, 0.82, Vec::new()),
                ProfileSettings::new("builder", 1.0, 0.84, Vec::new()),
                ProfileSettings::new("reviewer", 1.1, 0.88, vec![RiskLevel::Medium, RiskLevel::High]),
                ProfileSettings::new("security", 1.2, 0.92, vec![RiskLevel::High]),
            ],
        }
    }
}

/// An agent whose decisions count.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileSettings {
    /// Its name.
    pub agent: String,
    /// What its word weighs.
    pub weight: f64,
    /// How reliable it is before its first run.
    pub reliability: f64,
    /// At which risks its rejection alone decides.
    #[serde(default)]
    pub vetoes: Vec<RiskLevel>,
}

impl ProfileSettings {
    fn new(agent: &str, weight: f64, reliability: f64, vetoes: Vec<RiskLevel>) -> Self {
        Self { agent: agent.to_owned(), weight, reliability, vetoes }
    }
}

/// How much could go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl RiskLevel {
    /// Every level, the least first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// Its name.
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

/// How much agreement of the agents a run needs, and how that moves.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ThresholdSettings {
    /// Where the threshold of low risk starts.
    pub low: f64,
    /// Where the threshold of medium risk starts.
    pub medium: f64,
    /// Where the threshold of high risk starts.
    pub high: f64,
    /// How far one run can move a threshold.
    pub most_shift: f64,
    /// How low thresholds get.
    pub least: f64,
    /// How high thresholds get.
    pub most: f64,
    /// Whether clean successes lower thresholds again.
    pub auto_relax: bool,
}

impl Default for ThresholdSettings {
    fn default() -> Self {
        Self { low: 0.55, medium: 0.65, high: 0.75, most_shift: 0.05, least: 0.40, most: 0.90, auto_relax: true }
    }
}

impl ThresholdSettings {
    /// Where the threshold of a risk starts.
    #[must_use]
    pub const fn of(&self, risk: RiskLevel) -> f64 {
        match risk {
            RiskLevel::Low => self.low,
            RiskLevel::Medium => self.medium,
            RiskLevel::High => self.high,
        }
    }
}

/// What a gate assumes of an adapter before it looks at its overlay.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct GateSettings {
    /// The retries of a run whose caller gives none.
    pub base_retries: u32,
    /// The risk of a run of low risk.
    pub low: f64,
    /// The risk of a run of medium risk.
    pub medium: f64,
    /// The risk of a run of high risk.
    pub high: f64,
    /// The most that a risk can be, whatever it is multiplied by.
    pub most_risk: f64,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { base_retries: 2, low: 0.25, medium: 0.5, high: 0.75, most_risk: 1.0 }
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

/// How much of the recent past is published beside the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecentSettings {
    /// So many of the last runs are listed in `learning-store.json`, and have their events in `graph-events.jsonl`.
    pub runs: usize,
    /// So many of the last runs are looked at for what depends on their order, before all of them are.
    pub folded_runs: u32,
}

impl Default for RecentSettings {
    fn default() -> Self {
        Self { runs: 1000, folded_runs: 100_000 }
    }
}

/// What must hold between these settings; the first that does not is named.
pub(super) fn check(settings: &Settings) -> Outcome<()> {
    let (reliability, overlay, agent, threshold) = (&settings.reliability, &settings.overlay, &settings.agent, &settings.threshold);
    let is_above_nought = |value: f64| value > 0.0 && value.is_finite();
    let mut numbers = vec![
        ("reliability.most_retries", reliability.most_retries),
        ("reliability.confidence_half_life_days", reliability.confidence_half_life_days.unwrap_or(1.0)),
        ("overlay.risky_multiplier", overlay.risky_multiplier),
        ("overlay.trusted_multiplier", overlay.trusted_multiplier),
        ("gate.most_risk", settings.gate.most_risk),
    ];
    numbers.extend(agent.profiles.iter().map(|profile| ("agent.profiles.weight", profile.weight)));
    if let Some((name, value)) = numbers.into_iter().find(|(_, value)| !is_above_nought(*value)) {
        return Err(Diagnostic::edit(format!("the setting `{name}` is {value}"), "write a number above 0"));
    }
    let mut within = vec![
        ("threshold.low", threshold.low, threshold.least, threshold.most),
        ("threshold.medium", threshold.medium, threshold.least, threshold.most),
        ("threshold.high", threshold.high, threshold.least, threshold.most),
        ("overlay.risky_below", overlay.risky_below, 0.0, overlay.trusted_above),
    ];
    within
        .extend(agent.profiles.iter().map(|profile| ("agent.profiles.reliability", profile.reliability, agent.least, agent.most)));
    let outside = within.into_iter().find(|(_, value, least, most)| !(least..=most).contains(&value));
    if let Some((name, value, least, most)) = outside {
        return Err(Diagnostic::edit(format!("the setting `{name}` is {value}"), format!("write a number from {least} to {most}")));
    }
    check_overlay(overlay)?;
    check_decimals(agent, threshold)?;
    let names: std::collections::BTreeSet<&str> = agent.profiles.iter().map(|profile| &*profile.agent).collect();
    if names.len() < agent.profiles.len() {
        return Err(Diagnostic::edit("the setting `agent.profiles` names an agent twice", "name each agent once"));
    }
    Ok(())
}

/// A lower score must never make milder rules: the ratchet rests on it.
fn check_overlay(overlay: &OverlaySettings) -> Outcome<()> {
    let faults = [
        ("overlay.risky_multiplier", overlay.risky_multiplier < 1.0, "write 1 or more"),
        ("overlay.trusted_multiplier", overlay.trusted_multiplier > 1.0, "write 1 or less"),
        ("overlay.few_retries", overlay.few_retries > overlay.retries, "write no more than `overlay.retries`"),
        ("overlay.repeats", overlay.repeats == 0, "write 1 or more"),
    ];
    match faults.into_iter().find(|(_, is_fault, _)| *is_fault) {
        Some((name, _, remedy)) => Err(Diagnostic::edit(format!("the setting `{name}` makes no sense"), remedy)),
        None => Ok(()),
    }
}

/// Values are rounded to four decimals after each run. Bounds between such values would be overstepped.
fn check_decimals(agent: &AgentSettings, threshold: &ThresholdSettings) -> Outcome<()> {
    let mut values = vec![
        ("agent.least", agent.least),
        ("agent.most", agent.most),
        ("threshold.least", threshold.least),
        ("threshold.most", threshold.most),
        ("threshold.low", threshold.low),
        ("threshold.medium", threshold.medium),
        ("threshold.high", threshold.high),
    ];
    values.extend(agent.profiles.iter().map(|profile| ("agent.profiles.reliability", profile.reliability)));
    let is_odd = |value: f64| format!("{value:.4}").parse() != Ok(value);
    match values.into_iter().find(|(_, value)| is_odd(*value)) {
        Some((name, value)) => Err(Diagnostic::edit(format!("the setting `{name}` is {value}"), "write at most four decimals")),
        None => Ok(()),
    }
}
