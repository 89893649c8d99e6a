//! Chance, as the selection sees it: which patterns a unit of work does without, so that what showing them is worth can be measured.

use std::fmt;

use super::entry::Entry;
use crate::flag::Flag;

/// A pattern with a lower coin is mostly withheld. Were it ranked like others, a library full of such patterns would leave most places
/// empty.
const DOUBTFUL_BELOW: f64 = 0.5;

/// How the coin of a pattern fell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tossed {
    /// The chance of being shown.
    pub chance: f64,
    pub is_shown: bool,
    /// Decides whose turn it is among patterns that are mostly withheld: the lowest. It says nothing of how the coin fell.
    pub turn: u64,
}

impl Tossed {
    /// Whether it was left to chance at all.
    #[must_use]
    pub fn is_coin(&self) -> bool {
        self.chance > 0.0 && self.chance < 1.0
    }
}

/// Tosses the coins of a unit of work. None for a pattern that has no coin.
#[derive(Clone, Copy)]
pub struct Tosser<'t>(pub &'t dyn Fn(&Entry<'_>) -> Option<Tossed>);

impl Tosser<'_> {
    #[must_use]
    pub fn toss(&self, entry: &Entry<'_>) -> Option<Tossed> {
        (self.0)(entry)
    }
}

impl fmt::Debug for Tosser<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tosser")
    }
}

/// Whether a pattern is mostly withheld, by its published coin or else by its flag. It stands behind all others. The rule looks at the
/// chance and not at the draw, so that what else is shown is the same in both arms.
#[must_use]
pub fn is_doubtful(entry: &Entry<'_>) -> bool {
    entry.coin.map_or(entry.flag == Flag::Prune, |coin| coin < DOUBTFUL_BELOW)
}
