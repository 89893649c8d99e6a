//! The success rate of a pattern, how far it can be trusted, and the bin that it falls into.

use super::evidence::Evidence;
use crate::rounding::real;
use setting::{ConfidenceSettings, RateSettings};

/// How many of a pattern's sightings count as successes, in parts of one where a goal was missed.
///
/// The sums are whole numbers, so the order in which events were added cannot show in the last digit.
#[must_use]
pub fn credited_weight(evidence: &Evidence, settings: &RateSettings) -> f64 {
    let all = Credit {
        full: evidence.met + evidence.unjudged,
        missed_rated: evidence.missed_rated,
        missed_unrated: evidence.missed_unrated,
        relevance_millionths: evidence.missed_relevance_millionths,
    };
    let failed = Credit {
        full: evidence.failed_met + evidence.failed_unjudged,
        missed_rated: evidence.failed_missed_rated,
        missed_unrated: evidence.failed_missed_unrated,
        relevance_millionths: evidence.failed_missed_relevance_millionths,
    };
    all.weight(settings) - (1.0 - settings.failed_build) * failed.weight(settings)
}

/// Applications that are credited, by how the goal was met.
struct Credit {
    full: i64,
    missed_rated: i64,
    missed_unrated: i64,
    relevance_millionths: i64,
}

impl Credit {
    fn weight(&self, settings: &RateSettings) -> f64 {
        if !settings.goal_weighted {
            return real(self.full + self.missed_rated + self.missed_unrated);
        }
        let relevance = real(self.relevance_millionths) / 1e6 + settings.unrated_relevance * real(self.missed_unrated);
        real(self.full) + settings.missed_goal * relevance
    }
}

/// The part of a pattern's sightings that count as successes. A pattern that was never seen has no rate.
#[must_use]
pub fn success_rate(weight: f64, seen: i64) -> Option<f64> {
    (seen > 0).then(|| (weight / real(seen)).clamp(0.0, 1.0))
}

/// Where a rate lies with a certainty of nine in ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// Wilson's interval at 90 percent: it stays within 0 and 1, and says something sensible about three sightings.
#[must_use]
pub fn interval(rate: f64, seen: i64) -> Interval {
    /// Nine tenths of a normal distribution lie within this many deviations.
    const DEVIATIONS: f64 = 1.644_853_626_951_472_2;
    let count = real(seen);
    let square = DEVIATIONS * DEVIATIONS;
    let scale = 1.0 + square / count;
    let middle = rate + square / (2.0 * count);
    let reach = DEVIATIONS * (rate * (1.0 - rate) / count + square / (4.0 * count * count)).sqrt();
    Interval { lower: ((middle - reach) / scale).clamp(0.0, 1.0), upper: ((middle + reach) / scale).clamp(0.0, 1.0) }
}

/// The bin that a rate falls into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// It mostly works.
    High,
    /// It often works.
    Medium,
    /// It rarely works.
    Low,
}

impl Confidence {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// Puts a rate into its bin, before it is rounded.
#[must_use]
pub fn bin_confidence(rate: f64, settings: &ConfidenceSettings) -> Confidence {
    if rate >= settings.high {
        Confidence::High
    } else if rate >= settings.medium {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}
