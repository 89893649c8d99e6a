//! How reliable an adapter is: successes, retries and quality of the runs that used it.

use crate::rounding::{real, round_half_away};
use event::row::Rows;
use setting::ReliabilitySettings;
use text::diagnostic::Outcome;

event::row! {
    /// The sums behind an adapter's figures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Tally {
        /// Runs that used it.
        pub runs: i64,
        /// Those that succeeded.
        pub successes: i64,
        pub retries: i64,
        /// Their quality, in millionths: whole numbers, so that the order of addition cannot show.
        pub quality_millionths: i64,
    }
}

impl Tally {
    /// Adds one run.
    pub const fn add(&mut self, is_success: bool, retries: i64, quality_millionths: i64) {
        self.runs += 1;
        self.successes += is_success as i64;
        self.retries += retries;
        self.quality_millionths += quality_millionths;
    }

    /// Takes one run away.
    pub const fn remove(&mut self, is_success: bool, retries: i64, quality_millionths: i64) {
        self.runs -= 1;
        self.successes -= is_success as i64;
        self.retries -= retries;
        self.quality_millionths -= quality_millionths;
    }

    /// The part of runs that succeeded.
    #[must_use]
    pub fn success_rate(&self) -> f64 {
        real(self.successes) / real(self.runs)
    }

    /// Retries of a run, on average.
    #[must_use]
    pub fn average_retries(&self) -> f64 {
        real(self.retries) / real(self.runs)
    }

    /// The score before it is rounded, within 0 and 1. The sums are worth nothing without a run.
    #[must_use]
    pub fn raw_score(&self, settings: &ReliabilitySettings) -> f64 {
        let quality = real(self.quality_millionths) / 1e6 / real(self.runs);
        let most = settings.most_retries;
        let raw = self.success_rate() * settings.success_weight
            + (1.0 - self.average_retries().min(most) / most) * settings.retry_weight
            + quality * settings.quality_weight;
        raw.clamp(0.0, 1.0)
    }

    /// The score, with three decimals.
    #[must_use]
    pub fn score(&self, settings: &ReliabilitySettings) -> f64 {
        round_half_away(self.raw_score(settings), 3)
    }
}

/// How reliable an adapter is.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// The adapter.
    pub adapter: String,
    /// The sums.
    pub tally: Tally,
    /// The score, with three decimals.
    pub score: f64,
    /// When a run last used it, in microseconds since 1970.
    pub last_micros: i64,
}

event::row! {
    struct AdapterRow {
        adapter: String,
        tally: Tally,
        last_us: i64,
    }
}

/// Reads the rows of `sql/policy/adapter.sql`.
pub fn parse_adapters(rows: &Rows, settings: &ReliabilitySettings) -> Outcome<Vec<Reliability>> {
    let score =
        |AdapterRow { adapter, tally, last_us }| Reliability { adapter, tally, score: tally.score(settings), last_micros: last_us };
    Ok(rows.read::<AdapterRow>()?.into_iter().map(score).collect())
}
