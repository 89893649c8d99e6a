//! Sums: how many units had which coin, which arm, and which outcome. Whole numbers only, so sums of days can be added.

use std::collections::BTreeMap;

use crate::rounding::real;

/// The units of one coin, arm and outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The logged chance of being shown, in millionths.
    pub propensity_millionths: u32,
    pub is_shown: bool,
    /// The outcome in hundredths, 0 to 100.
    pub outcome_hundredths: u32,
}

impl Cell {
    /// The chance of being shown.
    #[must_use]
    pub fn chance(&self) -> f64 {
        f64::from(self.propensity_millionths) / 1e6
    }

    /// The outcome, 0 to 1.
    #[must_use]
    pub fn outcome(&self) -> f64 {
        f64::from(self.outcome_hundredths) / 1e2
    }

    /// 1 if shown, else 0.
    pub(super) fn arm(&self) -> f64 {
        f64::from(u8::from(self.is_shown))
    }

    /// Where the chance is 0 or 1 no coin was tossed, so nothing can be compared.
    #[must_use]
    pub const fn is_coin(&self) -> bool {
        self.propensity_millionths > 0 && self.propensity_millionths < 1_000_000
    }
}

/// Judged units by cell. A sorted map: sums of reals are added in one order, however the cells came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cells(BTreeMap<Cell, u64>);

impl Cells {
    /// Adds units. Units without a coin are left out.
    pub fn add(&mut self, cell: Cell, units: u64) {
        if cell.is_coin() && units > 0 {
            *self.0.entry(cell).or_default() += units;
        }
    }

    /// Adds other sums.
    pub fn merge(&mut self, other: &Self) {
        for (cell, units) in &other.0 {
            *self.0.entry(*cell).or_default() += units;
        }
    }

    #[must_use]
    pub fn units(&self) -> u64 {
        self.0.values().sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each cell with its units, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, u64)> + '_ {
        self.0.iter().map(|(cell, units)| (*cell, *units))
    }

    /// Each cell with its units as a real number.
    pub(super) fn weighted(&self) -> impl Iterator<Item = (Cell, f64)> + '_ {
        self.iter().map(|(cell, units)| (cell, real(units)))
    }

    /// Units shown and withheld by chance, for the check of the sample ratio.
    #[must_use]
    pub fn arms(&self) -> BTreeMap<u32, (u64, u64)> {
        let mut arms: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (cell, units) in self.iter() {
            let (shown, withheld) = arms.entry(cell.propensity_millionths).or_default();
            *(if cell.is_shown { shown } else { withheld }) += units;
        }
        arms
    }

    /// The mean outcome and its variance over all units; none of nothing.
    #[must_use]
    pub fn moments(&self) -> Option<(f64, f64)> {
        let units = real(self.units());
        if units == 0.0 {
            return None;
        }
        let mean = self.weighted().map(|(cell, units)| units * cell.outcome()).sum::<f64>() / units;
        let spread = self.weighted().map(|(cell, units)| units * (cell.outcome() - mean).powi(2)).sum::<f64>() / units;
        Some((mean, spread))
    }
}

impl FromIterator<(Cell, u64)> for Cells {
    fn from_iter<I: IntoIterator<Item = (Cell, u64)>>(cells: I) -> Self {
        let mut sums = Self::default();
        for (cell, units) in cells {
            sums.add(cell, units);
        }
        sums
    }
}
