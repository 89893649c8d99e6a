//! How sure an observation is: by its sessions, by the time since, and after its artifact was taken away.

use event::field::ObservationType;
use setting::{ObservationSettings, PromotionSettings};
use text::time::DAY_MICROS;

/// The most that confidence can be: whatever recurs may still be chance.
pub const MOST_CONFIDENCE: f64 = 0.95;

/// The rule for observations of a type.
#[must_use]
pub const fn promotion_of(settings: &ObservationSettings, observation_type: ObservationType) -> &PromotionSettings {
    match observation_type {
        ObservationType::Workflow => &settings.workflow,
        ObservationType::Procedural => &settings.procedural,
        ObservationType::Decision => &settings.decision,
        ObservationType::Pitfall => &settings.pitfall,
    }
}

/// How sure an observation is that was made in so many sessions. The first one is worth the same for all types.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "at most 95")]
pub fn confidence(sessions: i64, observation_type: ObservationType, settings: &ObservationSettings) -> f64 {
    let required = i64::from(promotion_of(settings, observation_type).required.max(1));
    match sessions {
        ..=0 => 0.0,
        1 => settings.first_confidence,
        _ => (sessions.saturating_mul(100) / required).min(95) as f64 / 100.0,
    }
}

/// What is left of a confidence when the artifact is taken away.
#[must_use]
pub fn penalised(base: f64, settings: &ObservationSettings) -> f64 {
    rounded(base * settings.deleted)
}

/// What time has left of a confidence.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Decay {
    /// How many whole days nobody has seen or used it.
    pub days: i64,
    /// How many steps that makes.
    pub steps: i64,
    /// What is left after so many steps.
    pub factor: f64,
}

impl Decay {
    /// What time has left since an instant. Of the future nothing is lost.
    #[must_use]
    pub fn since(from_micros: i64, now_micros: i64, settings: &ObservationSettings) -> Self {
        let days = now_micros.saturating_sub(from_micros).max(0) / DAY_MICROS;
        let steps = days / i64::from(settings.decay_days.max(1));
        let place = usize::try_from(steps).unwrap_or(usize::MAX).min(settings.decay.len().saturating_sub(1));
        Self { days, steps, factor: settings.decay.get(place).copied().unwrap_or(1.0) }
    }

    /// What it leaves of a confidence.
    #[must_use]
    pub fn of(self, base: f64) -> f64 {
        if self.steps == 0 { base } else { rounded(base * self.factor) }
    }
}

/// Two decimals: times a hundred, half up, by a hundred, in this order.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
