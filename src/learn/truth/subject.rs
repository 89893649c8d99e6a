//! What a verdict is about: the whole loop, one pattern, or an experiment with settings.

use std::fmt;

use crate::pattern::pattern_id;

/// What a verdict is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    Loop,
    /// A pattern, by its number.
    Pattern(u32),
    /// An experiment, by its name.
    Experiment(String),
}

impl Subject {
    /// How published tables call the loop.
    pub const LOOP: &'static str = "loop";

    /// What experiments are called: this and their name.
    pub const EXPERIMENT: &'static str = "experiment ";

    /// The subject of a row: pattern 0 is the loop, and a row without a pattern is of an experiment.
    pub(super) fn of(pattern: Option<u32>, experiment: &str) -> Self {
        match pattern {
            Some(0) => Self::Loop,
            Some(number) => Self::Pattern(number),
            None => Self::Experiment(experiment.to_owned()),
        }
    }

    /// The number under which it is folded: patterns are one family, everything else is a question of its own.
    pub(super) const fn place(&self) -> u32 {
        match self {
            Self::Pattern(number) => *number,
            Self::Loop | Self::Experiment(_) => 0,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loop => formatter.write_str(Self::LOOP),
            Self::Pattern(number) => formatter.write_str(&pattern_id(*number)),
            Self::Experiment(name) => write!(formatter, "{}{name}", Self::EXPERIMENT),
        }
    }
}
