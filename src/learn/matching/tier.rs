//! How well a trigger matches a pattern, and which of two matches is the better one.

use std::cmp::Ordering;

/// How a trigger was matched, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The same text.
    Exact,
    /// The same text in lower case. `Straße` is not `STRASSE`: nothing is folded beyond lower-casing.
    Case,
    /// In lower case, one text is inside the other.
    Substring,
    /// In lower case, most words of both texts are shared.
    Overlap,
}

impl Tier {
    /// The name by which reports call the tier.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Case => "case",
            Self::Substring => "substring",
            Self::Overlap => "jaccard",
        }
    }
}

/// A pattern that a trigger matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    /// The number of the pattern.
    pub pattern: u32,
    pub tier: Tier,
    /// How near the texts are, from 0 to 1: the shorter length by the longer one, or the shared words by all words of the two.
    /// Lengths are bytes of the lower-cased texts. The exact and case tiers are 1.
    pub closeness: f64,
}

impl Match {
    /// The better match first: the better tier, then the closer text, then the lower pattern number.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let by_closeness = || other.closeness.total_cmp(&self.closeness);
        self.tier.cmp(&other.tier).then_with(by_closeness).then_with(|| self.pattern.cmp(&other.pattern))
    }
}
