//! The one flag that a pattern may carry, and why.

use setting::FlagSettings;

/// What a pattern is flagged as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flag {
    /// Nothing.
    None,
    /// It was never seen.
    Untested,
    /// It rarely works.
    Review,
    /// It was not seen for long.
    Stale,
    /// It rarely works, and was seen often enough to know.
    Prune,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Self; 5] = [Self::None, Self::Untested, Self::Review, Self::Stale, Self::Prune];

    /// Its word; nothing is the empty one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Untested => "UNTESTED",
            Self::Review => "REVIEW",
            Self::Stale => "STALE",
            Self::Prune => "PRUNE",
        }
    }

    /// The flag as pattern files write it.
    #[must_use]
    pub fn tag(self) -> String {
        if self == Self::None { String::new() } else { format!("[{}]", self.name()) }
    }

    /// The flag of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.name() == name)
    }

    /// In which group a pattern file lists it: those to be trusted first.
    #[must_use]
    pub const fn tier(self) -> u32 {
        match self {
            Self::None | Self::Untested => 0,
            Self::Review => 1,
            Self::Stale => 2,
            Self::Prune => 3,
        }
    }
}

/// What the choice of a flag depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// How often the pattern was seen.
    pub seen: i64,
    /// Its rate before rounding, if it was seen.
    pub rate: Option<f64>,
    /// Whether it was not seen for too long.
    pub is_stale: bool,
}

/// Chooses the flag: pruning before staleness before a review.
#[must_use]
pub fn choose_flag(standing: Standing, settings: &FlagSettings) -> Flag {
    let Some(rate) = standing.rate else { return Flag::Untested };
    let is_seen_often = u64::try_from(standing.seen).is_ok_and(|seen| seen > settings.prune_over);
    if is_seen_often && rate < settings.prune_below {
        Flag::Prune
    } else if standing.is_stale {
        Flag::Stale
    } else if rate < settings.review_below {
        Flag::Review
    } else {
        Flag::None
    }
}
