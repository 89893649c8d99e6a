//! The sample ratio: whether as many units were shown as the logged coin says. Lost rows show here before they bias a lift.

use std::collections::BTreeMap;

use crate::rounding::real;

/// Evidence from which on the ratio counts as broken: the natural logarithm of 1000.
pub const ALARM: f64 = 6.907_755_278_982_137;

/// How strongly the alternative believes in the logged coin.
const STRENGTH: f64 = 200.0;

/// The logarithm of a beta-binomial e-value against the logged coins. Takes units shown and withheld by chance in millionths.
#[must_use]
pub fn ratio_mismatch(arms: &BTreeMap<u32, (u64, u64)>) -> f64 {
    let term = |(level, (shown, withheld)): (&u32, &(u64, u64))| {
        let chance = f64::from(*level) / 1e6;
        let (shown, withheld) = (real(*shown), real(*withheld));
        let (heads, tails) = (STRENGTH * chance, STRENGTH * (1.0 - chance));
        let gamma = libm::lgamma;
        gamma(heads + shown) + gamma(tails + withheld) - gamma(STRENGTH + shown + withheld) - gamma(heads) - gamma(tails)
            + gamma(STRENGTH)
            - shown * libm::log(chance)
            - withheld * libm::log1p(-chance)
    };
    arms.iter().filter(|(level, _)| (1..1_000_000).contains(*level)).map(term).sum()
}
