//! How much agreement a run needs, by its risk: failures raise it, clean successes lower it.

use crate::rounding::round_half_away;
use event::field::RunResult;
use setting::{RiskLevel, ThresholdSettings};

/// The thresholds of all risks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Of low risk.
    pub low: f64,
    /// Of medium risk.
    pub medium: f64,
    /// Of high risk.
    pub high: f64,
    /// When a run of a known risk last ended, in microseconds since 1970.
    pub last_micros: Option<i64>,
}

impl Thresholds {
    #[must_use]
    pub const fn start(settings: &ThresholdSettings) -> Self {
        Self { low: settings.low, medium: settings.medium, high: settings.high, last_micros: None }
    }

    /// The threshold of a risk.
    #[must_use]
    pub const fn of(&self, risk: RiskLevel) -> f64 {
        match risk {
            RiskLevel::Low => self.low,
            RiskLevel::Medium => self.medium,
            RiskLevel::High => self.high,
        }
    }

    /// Sets the threshold of a risk.
    pub const fn set(&mut self, risk: RiskLevel, value: f64) {
        match risk {
            RiskLevel::Low => self.low = value,
            RiskLevel::Medium => self.medium = value,
            RiskLevel::High => self.high = value,
        }
    }
}

event::row! {
    /// What a run says about the threshold of its risk: a row of `sql/policy/threshold_step.sql`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ThresholdStep {
        /// Its place in the order of landing.
        pub sequence: i64 = "landing_seq",
        pub risk: RiskLevel,
        /// How it ended.
        pub result: RunResult,
        pub is_rolled_back: bool = "rollback",
        /// Whether a person stepped in.
        pub is_overridden: bool = "human_override",
    }
}

/// The threshold after a run. Monotone in the threshold before.
#[must_use]
#[expect(clippy::float_cmp, reason = "a threshold that a clamp kept is the same number")]
pub fn step_threshold(before: f64, step: &ThresholdStep, settings: &ThresholdSettings) -> f64 {
    let after = (before + shift(step, settings)).clamp(settings.least, settings.most);
    if after == before { before } else { round_half_away(after, 4) }
}

fn shift(step: &ThresholdStep, settings: &ThresholdSettings) -> f64 {
    let most = settings.most_shift;
    if step.result == RunResult::Failure || step.is_rolled_back {
        return match step.risk {
            RiskLevel::High => most,
            RiskLevel::Medium => most * 0.66,
            RiskLevel::Low => most * 0.5,
        };
    }
    if step.result == RunResult::Success && !step.is_overridden && settings.auto_relax {
        return match step.risk {
            // What could do much harm is trusted again by a person, not by itself.
            RiskLevel::High => 0.0,
            RiskLevel::Medium => -most * 0.33,
            RiskLevel::Low => -most * 0.25,
        };
    }
    0.0
}
