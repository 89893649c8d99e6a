//! How long it takes: units until a true lift is told from 0 in four loops of five.

use super::lift::{ALPHA, radius};

/// A boundary may be crossed earlier than the last instant; calibrated on simulated loops.
const MARGIN: f64 = 0.6;

/// Units needed for a lift, by the chance of being shown and the variance of outcomes. None if no number of units is enough.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below 2^53")]
pub fn units_needed(lift: f64, chance: f64, outcome_variance: f64, steadiness: f64) -> Option<u64> {
    /// More units than any loop has.
    const MOST: f64 = 1e12;
    let overlap = chance * (1.0 - chance);
    let is_enough = |units: f64| {
        let variance = units * overlap * outcome_variance;
        units * overlap * lift - radius(variance, steadiness, ALPHA) - MARGIN * variance.sqrt() >= 0.0
    };
    let (mut low, mut high) = (1.0, 2.0);
    while !is_enough(high) {
        high *= 2.0;
        if high > MOST {
            return None;
        }
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_enough(middle) { high = middle } else { low = middle }
    }
    Some(high.ceil() as u64)
}
