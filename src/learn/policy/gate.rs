//! What a gate answers: may an adapter run by itself, at which risk, with how many retries.

use serde::Serialize;

use super::number::plain;
use super::overlay::{Basis, Overlay, Trigger};
use setting::{GateSettings, OverlaySettings, RiskLevel};

#[derive(Debug, Clone, Copy)]
pub struct GateQuestion<'q> {
    /// The adapter.
    pub adapter: &'q str,
    /// How much could go wrong.
    pub risk: Option<BaseRisk>,
    /// The retries that the caller would allow.
    pub base_retries: Option<u32>,
    /// Whether the caller wants approval anyway.
    pub base_approval: bool,
    /// Whether an adapter of which nothing is known needs approval.
    pub requires_known: bool,
    /// The instant, in microseconds since 1970.
    pub now_micros: i64,
}

/// The risk of a run before the overlay is applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BaseRisk {
    /// One of the levels, whose values the settings give.
    Level(RiskLevel),
    Value(f64),
}

impl BaseRisk {
    /// The risk as a number.
    #[must_use]
    pub const fn value(self, settings: &GateSettings) -> f64 {
        match self {
            Self::Level(level) => settings.risk(level),
            Self::Value(value) => value,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GateAnswer {
    /// The adapter.
    pub adapter: String,
    /// Whether a person must approve.
    pub approval: bool,
    /// What the risk is multiplied by.
    #[serde(serialize_with = "plain")]
    pub multiplier: f64,
    /// The risk, multiplied; none was given, none comes back.
    pub risk: Option<f64>,
    /// How many retries there may be after the first try.
    pub retries: u32,
    /// How many tries there may be in all.
    pub attempts: u32,
    pub reason: String,
    /// What made it so strict.
    pub triggers: Vec<Trigger>,
    /// Whether anything is known of the adapter.
    pub known: bool,
    /// Whether what is known is old.
    pub stale: bool,
    /// What is known: the score, and its bounds over refused runs.
    #[serde(flatten)]
    pub basis: Basis,
}

/// Answers a question from an adapter's overlay. Of an unknown adapter nothing is held against it.
#[must_use]
pub fn decide_gate(
    question: GateQuestion<'_>,
    overlay: Option<&Overlay>,
    settings: &GateSettings,
    staleness: &OverlaySettings,
) -> GateAnswer {
    let base = question.base_retries.unwrap_or(settings.base_retries);
    let multiplier = overlay.map_or(1.0, |overlay| overlay.risk_multiplier);
    let retries = overlay.map_or(base, |overlay| base.min(overlay.suggested_max_retries));
    // An annotation may have relaxed the rules; once it has expired, the rules without it are unknown.
    let is_expired = overlay.is_some_and(|overlay| overlay.is_expired(question.now_micros));
    let is_unknown = question.requires_known && overlay.is_none_or(|overlay| overlay.basis.runs == 0);
    let is_asked_for = is_expired || overlay.is_some_and(|overlay| overlay.require_approval);
    GateAnswer {
        adapter: question.adapter.to_owned(),
        approval: question.base_approval || is_asked_for || is_unknown,
        multiplier,
        risk: question.risk.map(|risk| (risk.value(settings) * multiplier).min(settings.most_risk)),
        retries,
        attempts: retries.saturating_add(1),
        reason: match overlay {
            None if is_unknown => "unknown adapter, and only known ones are allowed".to_owned(),
            None => "unknown adapter".to_owned(),
            Some(overlay) if is_expired => {
                format!("{}; the annotation has expired, and the next run recomputes the rules", overlay.reason)
            }
            Some(overlay) => overlay.reason.clone(),
        },
        triggers: overlay.map(|overlay| overlay.triggers.clone()).unwrap_or_default(),
        known: overlay.is_some(),
        stale: overlay.is_some_and(|overlay| overlay.is_stale(question.now_micros, staleness)),
        basis: overlay.map(|overlay| overlay.basis).unwrap_or_default(),
    }
}
