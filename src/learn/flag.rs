//! The one flag that a pattern may carry.

event::words! {
    /// What a pattern is flagged as.
    pub enum Flag {
        /// Nothing.
        None = "",
        /// It was never seen.
        Untested = "UNTESTED",
        /// It rarely works.
        Review = "REVIEW",
        /// It was not seen for long.
        Stale = "STALE",
        /// It rarely works, and was seen often enough to know.
        Prune = "PRUNE",
    }
}

impl Flag {
    /// The flag as pattern files write it.
    #[must_use]
    pub fn tag(self) -> String {
        if self == Self::None { String::new() } else { format!("[{}]", self.name()) }
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
