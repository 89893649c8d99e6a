//! When a goal is reached, and how nearly.

/// When a goal is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum Criterion {
    /// A figure lies on the right side of a target.
    Threshold(Threshold),
    /// A command succeeds.
    Binary {
        /// The command, for a shell.
        test_command: String,
    },
}

/// A figure and where it has to lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The name of the figure.
    pub metric: String,
    /// Where the right side begins; the target itself lies on it. Finite.
    pub target: f64,
    /// Which side is right.
    pub direction: Direction,
}

/// Which side of a target is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// At least the target.
    Above,
    /// At most the target.
    Below,
}

impl Direction {
    /// The direction of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "above" => Some(Self::Above),
            "below" => Some(Self::Below),
            _ => None,
        }
    }
}

impl Threshold {
    /// Whether a value lies on the right side.
    #[must_use]
    pub fn is_reached(&self, value: f64) -> bool {
        match self.direction {
            Direction::Above => value >= self.target,
            Direction::Below => value <= self.target,
        }
    }

    /// How well a value does, from 0 to 1. The target itself is worth a half: below it as much is gained as is spared, above it
    /// as much as is won, up to twice the target. A target of zero or less has no such scale: reached is 1, missed is 0.
    #[must_use]
    pub fn score(&self, value: f64) -> f64 {
        if self.target <= 0.0 {
            return if self.is_reached(value) { 1.0 } else { 0.0 };
        }
        let part = value / (2.0 * self.target);
        rounded_score(match self.direction {
            Direction::Above => part,
            Direction::Below => 1.0 - part,
        })
    }
}

/// A score within 0 to 1 and with two decimals. A tie of the exact binary value goes to the even digit.
#[must_use]
pub fn rounded_score(score: f64) -> f64 {
    rounded(score.clamp(0.0, 1.0))
}

/// A figure with two decimals.
pub(super) fn rounded(figure: f64) -> f64 {
    // The formatter rounds the exact binary value, which multiplying by a hundred would change first.
    format!("{figure:.2}").parse().unwrap_or(figure)
}
