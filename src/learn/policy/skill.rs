//! How skills fare: successes, and failures that weigh three quarters of one.

use crate::rounding::round_half_away;
use event::field::RunResult;

/// What a failure takes from the score, where a success adds one.
const FAILURE_WEIGHT: f64 = 0.75;

event::row! {
    /// The reliability of a skill: a row of `sql/policy/skill.sql`.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct SkillStat {
        /// The skill.
        pub skill: String,
        /// Runs that used it.
        pub runs: i64,
        /// Those that succeeded.
        pub successes: i64,
        /// Those that failed; those that ended in between are neither.
        pub failures: i64,
        /// When it was last used, in microseconds since 1970.
        pub last_micros: Option<i64> = "last_us",
    }
}

impl SkillStat {
    /// Its score, from -0.75 to 1, with four decimals; 0 without a run.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    pub fn score(&self) -> f64 {
        if self.runs == 0 {
            return 0.0;
        }
        round_half_away((self.successes as f64 - FAILURE_WEIGHT * self.failures as f64) / self.runs as f64, 4)
    }

    /// Adds one run.
    pub fn add(&mut self, result: RunResult) {
        self.runs += 1;
        self.successes += i64::from(result == RunResult::Success);
        self.failures += i64::from(result == RunResult::Failure);
    }

    /// Takes one run away.
    pub fn remove(&mut self, result: RunResult) {
        self.runs -= 1;
        self.successes -= i64::from(result == RunResult::Success);
        self.failures -= i64::from(result == RunResult::Failure);
    }
}
