//! The wager: if a pattern does nothing, the outcome cannot tell which way the coin fell. Bet on the coin given the outcome; what the
//! bets win is evidence. The chance that evidence ever reaches 1/a without an effect is at most a, however often one looks.

use super::cell::Cells;

/// Bets on the log-odds, each way.
const ODDS: [f64; 5] = [0.1, 0.2, 0.4, 0.8, 1.6];

/// The natural logarithm of both e-values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// That the pattern helps.
    pub helps: f64,
    /// That the pattern hurts.
    pub hurts: f64,
}

impl Evidence {
    /// Evidence for an effect in either direction.
    #[must_use]
    pub fn either(&self) -> f64 {
        log_mean_exp(&[self.helps, self.hurts])
    }
}

/// Bets on every unit's coin. `baseline` is the expected outcome: a wrong one costs power, never validity.
#[must_use]
pub fn wager(cells: &Cells, baseline: f64) -> Evidence {
    let side = |sign: f64| log_mean_exp(&ODDS.map(|odds| log_wealth(cells, sign * odds, baseline)));
    Evidence { helps: side(1.0), hurts: side(-1.0) }
}

/// What each bet makes of a stake of 1, as logarithms: the odds, then the gain. Their means, by direction, are the evidence.
#[must_use]
pub fn bets(cells: &Cells, baseline: f64) -> Vec<(f64, f64)> {
    let odds = ODDS.into_iter().chain(ODDS.map(|odds| -odds));
    odds.map(|odds| (odds, log_wealth(cells, odds, baseline))).collect()
}

/// The logarithm of what one bet makes of a stake of 1.
#[must_use]
pub(super) fn log_wealth(cells: &Cells, odds: f64, baseline: f64) -> f64 {
    let gain = |(cell, units): (super::Cell, f64)| {
        let tilt = odds * (cell.outcome() - baseline);
        units * (cell.arm() * tilt - libm::log1p(cell.chance() * libm::expm1(tilt)))
    };
    cells.weighted().map(gain).sum()
}

fn log_mean_exp(values: &[f64]) -> f64 {
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = values.iter().map(|value| libm::exp(value - top)).sum::<f64>() / crate::real(values.len() as u64);
    top + libm::log(mean)
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    #[test]
    fn one_bet_on_one_unit() {
        let one = |is_shown| Cells::from_iter([(Cell { propensity_millionths: 800_000, is_shown, outcome_hundredths: 100 }, 1)]);
        assert!((log_wealth(&one(true), 0.4, 0.5) - 0.036_927).abs() < 1e-6);
        assert!((log_wealth(&one(false), 0.4, 0.5) + 0.163_073).abs() < 1e-6);
    }
}
