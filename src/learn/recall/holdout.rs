//! Chance, as the selection sees it: which patterns a unit of work does without, so that what showing them is worth can be measured.

use std::fmt;

use super::entry::Entry;
use crate::flag::Flag;

/// A pattern with a lower coin is mostly withheld: it keeps no place where it is, or a library full of them would leave nothing else to
/// show. The rule looks at the chance and not at the draw, so that the comparison stays fair.
const KEEPS_PLACE_FROM: f64 = 0.5;

/// How the coin of a pattern fell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tossed {
    /// The chance of being shown.
    pub chance: f64,
    pub is_shown: bool,
    /// Whether the pattern keeps its place where it is withheld.
    pub keeps_place: bool,
}

impl Tossed {
    /// Whether it was left to chance at all.
    #[must_use]
    pub fn is_coin(&self) -> bool {
        self.chance > 0.0 && self.chance < 1.0
    }

    /// Whether the pattern is withheld and takes no place.
    pub(super) const fn is_aside(&self) -> bool {
        !self.is_shown && !self.keeps_place
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

/// Whether a pattern keeps its place where it is withheld, by its flag and by its published coin.
#[must_use]
pub fn keeps_place(entry: &Entry<'_>) -> bool {
    entry.coin.map_or(entry.flag != Flag::Prune, |coin| coin >= KEEPS_PLACE_FROM)
}
