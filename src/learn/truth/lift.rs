//! The lift and its interval: the overlap-weighted difference between shown and withheld units, with a radius that holds at every
//! instant at once. Levels of the coin are strata, so a changed coin cannot pass for an effect.

use std::collections::BTreeMap;

use super::cell::{Cell, Cells};

/// The share of loops whose interval may ever miss the truth.
pub const ALPHA: f64 = 0.05;

/// An estimated lift. The interval is `lift` plus and minus `radius`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lift {
    pub lift: f64,
    pub radius: f64,
    /// The information: the sum of e(1-e) over units.
    pub weight: f64,
    /// The sum of squared residuals, and one worst unit more, so that nothing is certain too early.
    pub variance: f64,
}

impl Lift {
    #[must_use]
    pub fn lower(&self) -> f64 {
        self.lift - self.radius
    }

    #[must_use]
    pub fn upper(&self) -> f64 {
        self.lift + self.radius
    }

    /// The variance of the lift itself.
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        self.variance / (self.weight * self.weight)
    }
}

/// Where the interval is tightest: at the smallest lift that matters.
#[must_use]
pub fn steadiness(smallest: f64) -> f64 {
    0.07 / (smallest * smallest)
}

/// Units and the sum of their outcomes by chance.
fn levels(cells: &Cells) -> BTreeMap<u32, (f64, f64)> {
    let mut levels: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (cell, units) in cells.weighted() {
        let (count, sum) = levels.entry(cell.propensity_millionths).or_default();
        *count += units;
        *sum += units * cell.outcome();
    }
    levels
}

/// What each cell adds to the sum that is the lift once it is divided by the weight, in the order of the cells.
#[must_use]
pub fn contributions(cells: &Cells) -> Vec<f64> {
    let levels = levels(cells);
    let mean = |cell: &Cell| levels.get(&cell.propensity_millionths).map_or(0.0, |(count, sum)| sum / count);
    cells.weighted().map(|(cell, units)| contribution(&cell, units, mean(&cell))).collect()
}

fn contribution(cell: &Cell, units: f64, mean: f64) -> f64 {
    units * (cell.arm() - cell.chance()) * (cell.outcome() - mean)
}

/// Estimates the lift; none without a coin.
#[must_use]
pub fn estimate(cells: &Cells, steadiness: f64, alpha: f64) -> Option<Lift> {
    let levels = levels(cells);
    let chance = |millionths: &u32| f64::from(*millionths) / 1e6;
    let weight: f64 = levels.iter().map(|(level, (count, _))| count * chance(level) * (1.0 - chance(level))).sum();
    if weight <= 0.0 {
        return None;
    }
    let mean = |cell: &Cell| levels.get(&cell.propensity_millionths).map_or(0.0, |(count, sum)| sum / count);
    let lift = cells.weighted().map(|(cell, units)| contribution(&cell, units, mean(&cell))).sum::<f64>() / weight;
    let residual = |cell: &Cell| {
        let tilt = cell.arm() - cell.chance();
        (tilt * (cell.outcome() - mean(cell) - lift * tilt)).powi(2)
    };
    let worst = levels.keys().map(|level| chance(level).max(1.0 - chance(level)).powi(2)).fold(0.0, f64::max);
    let variance = cells.weighted().map(|(cell, units)| units * residual(&cell)).sum::<f64>() + 0.25 * worst;
    Some(Lift { lift, radius: radius(variance, steadiness, alpha) / weight, weight, variance })
}

/// The half-width of the confidence sequence of a sum with this variance.
pub(super) fn radius(variance: f64, steadiness: f64, alpha: f64) -> f64 {
    let total = variance + steadiness;
    (total * libm::log(total / (steadiness * alpha * alpha))).sqrt()
}
