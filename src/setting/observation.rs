//! The settings of what is learned from transcripts.

use serde::{Deserialize, Serialize};

use text::diagnostic::{Diagnostic, Outcome};

/// What is learned from transcripts.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ObservationSettings {
    /// How sure an observation is after its first session.
    pub first_confidence: f64,
    /// What is left of its confidence when its artifact is taken away.
    pub deleted: f64,
    /// How many quotations are kept: the first and the latest.
    pub most_evidence: usize,
    /// A pattern in other words takes the place of the one before if it is so many times as long.
    pub longer_pattern: f64,
    /// Details that share less than this part of the shorter one's words say different things.
    pub diverging_below: f64,
    /// After so many days each, confidence decays to the next of these parts; the last one stays.
    pub decay: Vec<f64>,
    /// How many days a step of the decay takes.
    pub decay_days: u32,
    /// Below this confidence an observation that is neither ready nor an artifact has faded.
    pub faded_below: f64,
    /// When a sequence of steps is ready.
    pub workflow: PromotionSettings,
    /// When a way of doing something is ready.
    pub procedural: PromotionSettings,
    /// When a choice is ready.
    pub decision: PromotionSettings,
    /// When something that goes wrong is ready.
    pub pitfall: PromotionSettings,
}

impl Default for ObservationSettings {
    fn default() -> Self {
        let choice = PromotionSettings { required: 2, spread_days: 0.0, confidence: 0.65, fresh: 2 };
        Self {
            first_confidence: 0.33,
            deleted: 0.3,
            most_evidence: 10,
            longer_pattern: 1.2,
            diverging_below: 0.6,
            decay: vec![1.00, 0.90, 0.81, 0.73, 0.66, 0.59, 0.53],
            decay_days: 30,
            faded_below: 0.10,
            workflow: PromotionSettings { required: 3, spread_days: 3.0, confidence: 0.60, fresh: 3 },
            procedural: PromotionSettings { required: 4, spread_days: 5.0, confidence: 0.70, fresh: 4 },
            decision: choice,
            pitfall: choice,
        }
    }
}

/// When observations of a type are ready to become an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PromotionSettings {
    /// How many sessions make full confidence.
    pub required: u32,
    /// How many days must have passed since the first of them.
    pub spread_days: f64,
    /// From this confidence on.
    pub confidence: f64,
    /// After how many fresh sessions what was taken out of use begins anew.
    pub fresh: u32,
}

/// What is divided by or compared with must be a number that makes sense.
pub(super) fn check(settings: &ObservationSettings) -> Outcome<()> {
    let types = [
        ("workflow", &settings.workflow),
        ("procedural", &settings.procedural),
        ("decision", &settings.decision),
        ("pitfall", &settings.pitfall),
    ];
    let parts =
        [("deleted", settings.deleted), ("diverging_below", settings.diverging_below), ("faded_below", settings.faded_below)];
    let decay = settings.decay.iter().map(|part| ("decay".to_owned(), *part));
    let promotions = types.iter().map(|(name, rule)| (format!("{name}.confidence"), rule.confidence));
    let mut parts = parts.map(|(name, part)| (name.to_owned(), part)).into_iter().chain(decay).chain(promotions);
    if let Some((name, value)) = parts.find(|(_, value)| !(0.0..=1.0).contains(value)) {
        return Err(unfit(&name, value, "write a number from 0 to 1"));
    }
    if !(0.0..=0.95).contains(&settings.first_confidence) {
        return Err(unfit(
            "first_confidence",
            settings.first_confidence,
            "write a number from 0 to 0.95, which is full confidence",
        ));
    }
    if !(1.0..=1000.0).contains(&settings.longer_pattern) {
        return Err(unfit("longer_pattern", settings.longer_pattern, "write a number from 1 to 1000"));
    }
    if settings.decay.is_empty() || !settings.decay.is_sorted_by(|one, next| one >= next) {
        let what = format!("the setting `observation.decay` is {:?}", settings.decay);
        return Err(Diagnostic::edit(what, "write at least one number, and none that is larger than the one before"));
    }
    if settings.decay_days == 0 {
        return Err(unfit("decay_days", 0, "write at least 1"));
    }
    if !(2..=1000).contains(&settings.most_evidence) {
        return Err(unfit("most_evidence", settings.most_evidence, "write a number from 2 to 1000"));
    }
    types.into_iter().try_for_each(|(name, rule)| check_promotion(name, rule))
}

fn check_promotion(name: &str, rule: &PromotionSettings) -> Outcome<()> {
    if rule.required == 0 || rule.fresh == 0 {
        let what = if rule.required == 0 { "required" } else { "fresh" };
        return Err(unfit(&format!("{name}.{what}"), 0, "write at least 1"));
    }
    if !(0.0..=1000.0).contains(&rule.spread_days) {
        return Err(unfit(&format!("{name}.spread_days"), rule.spread_days, "write a number from 0 to 1000"));
    }
    Ok(())
}

fn unfit(name: &str, value: impl std::fmt::Display, remedy: &str) -> Diagnostic {
    Diagnostic::edit(format!("the setting `observation.{name}` is {value}"), remedy)
}
