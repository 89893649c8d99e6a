//! The wager: if a pattern does nothing, the outcome cannot tell which way the coin fell. Bet on the coin given the outcome; what the
//! bets win is evidence. The chance that evidence ever reaches 1/a without an effect is at most a, however often one looks.

use std::collections::BTreeMap;

use super::cell::Cells;

/// Bets on the log-odds, each way.
const ODDS: [f64; 5] = [0.1, 0.2, 0.4, 0.8, 1.6];

/// All bets: that it helps, then that it hurts.
const BETS: [f64; 10] = {
    let [a, b, c, d, e] = ODDS;
    [a, b, c, d, e, -a, -b, -c, -d, -e]
};

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
    Book::default().wager(cells, baseline)
}

/// What each bet makes of a stake of 1, as logarithms: the odds, then the gain. Their means, by direction, are the evidence.
#[must_use]
pub fn bets(cells: &Cells, baseline: f64) -> Vec<(f64, f64)> {
    BETS.into_iter().zip(Book::default().gains(cells, baseline)).collect()
}

/// What bets cost by baseline, chance and outcome. A loop that is looked at every hour has the same few kinds of units at every
/// look, and the logarithms of these costs are nearly all the work of a look.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Book(BTreeMap<(u64, u32, u32), [f64; BETS.len()]>);

impl Book {
    /// Bets on every unit's coin.
    pub(super) fn wager(&mut self, cells: &Cells, baseline: f64) -> Evidence {
        let gains = self.gains(cells, baseline);
        let (helps, hurts) = gains.split_at(ODDS.len());
        Evidence { helps: log_mean_exp(helps), hurts: log_mean_exp(hurts) }
    }

    /// The logarithm of what each bet makes of a stake of 1.
    fn gains(&mut self, cells: &Cells, baseline: f64) -> [f64; BETS.len()] {
        let mut gains = [0.0; BETS.len()];
        for (cell, units) in cells.weighted() {
            let surprise = cell.outcome() - baseline;
            let key = (baseline.to_bits(), cell.propensity_millionths, cell.outcome_hundredths);
            let costs =
                self.0.entry(key).or_insert_with(|| BETS.map(|odds| libm::log1p(cell.chance() * libm::expm1(odds * surprise))));
            for ((gain, odds), cost) in gains.iter_mut().zip(BETS).zip(costs) {
                *gain += units * (cell.arm() * (odds * surprise) - *cost);
            }
        }
        gains
    }
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
        // The third bet is the one at odds of 0.4.
        let gain = |is_shown| bets(&one(is_shown), 0.5)[2].1;
        assert!((gain(true) - 0.036_927).abs() < 1e-6);
        assert!((gain(false) + 0.163_073).abs() < 1e-6);
    }
}
