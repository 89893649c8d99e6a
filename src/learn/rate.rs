//! How far a rate can be trusted, and the bins of rates.

use crate::rounding::real;

event::words! {
    /// The bin that a rate falls into.
    pub enum Confidence {
        /// It mostly works.
        High = "high",
        /// It often works.
        Medium = "medium",
        /// It rarely works.
        Low = "low",
    }
}

/// Where a rate lies with a certainty of nine in ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub lower: f64,
    pub upper: f64,
}

/// Wilson's interval at 90 percent: it stays within 0 and 1, and says something sensible about three sightings.
#[must_use]
pub fn interval(rate: f64, seen: i64) -> Interval {
    interval_of(rate, real(seen))
}

/// The same for a number of sightings of which some count in part, or several no more than one. Nothing is known from none.
#[must_use]
pub fn interval_of(rate: f64, count: f64) -> Interval {
    /// Nine tenths of a normal distribution lie within this many deviations.
    const DEVIATIONS: f64 = 1.644_853_626_951_472_2;
    if count <= 0.0 {
        return Interval { lower: 0.0, upper: 1.0 };
    }
    let square = DEVIATIONS * DEVIATIONS;
    let scale = 1.0 + square / count;
    let middle = rate + square / (2.0 * count);
    let reach = DEVIATIONS * (rate * (1.0 - rate) / count + square / (4.0 * count * count)).sqrt();
    Interval { lower: ((middle - reach) / scale).clamp(0.0, 1.0), upper: ((middle + reach) / scale).clamp(0.0, 1.0) }
}
