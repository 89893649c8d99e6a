//! How reliable an adapter is: successes, retries and quality of the runs that used it.

use std::collections::BTreeMap;

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

    /// The sums without those of other runs. Of runs that are not in them there is nothing to take away.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            runs: (self.runs - other.runs).max(0),
            successes: (self.successes - other.successes).max(0),
            retries: (self.retries - other.retries).max(0),
            quality_millionths: (self.quality_millionths - other.quality_millionths).max(0),
        }
    }

    /// Takes one run away.
    pub const fn remove(&mut self, is_success: bool, retries: i64, quality_millionths: i64) {
        self.runs -= 1;
        self.successes -= is_success as i64;
        self.retries -= retries;
        self.quality_millionths -= quality_millionths;
    }

    /// The sums if so many more runs had ended as badly as a run can.
    #[must_use]
    pub fn with_worst(self, runs: i64, settings: &ReliabilitySettings) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "a small number of retries")]
        let retries = settings.most_retries.ceil() as i64;
        Self { runs: self.runs + runs, retries: self.retries + runs.saturating_mul(retries), ..self }
    }

    /// The sums if so many more runs had ended as well as a run can.
    #[must_use]
    pub const fn with_best(self, runs: i64) -> Self {
        Self {
            runs: self.runs + runs,
            successes: self.successes + runs,
            retries: self.retries,
            quality_millionths: self.quality_millionths + runs * 1_000_000,
        }
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
    /// The score, with three decimals. Refused runs are not in it.
    pub score: f64,
    /// When a run last used it, in microseconds since 1970.
    pub last_micros: i64,
    /// Runs of which nothing is known.
    pub missing: Missing,
    /// The score if all of these had failed.
    pub lowest: f64,
    /// The score if all of these had succeeded.
    pub highest: f64,
}

impl Reliability {
    /// The reliability that follows from sums.
    #[must_use]
    pub fn new(adapter: String, tally: Tally, last_micros: i64, missing: Missing, settings: &ReliabilitySettings) -> Self {
        Self {
            adapter,
            tally,
            score: tally.score(settings),
            last_micros,
            missing,
            lowest: missing.lowest(tally, settings).score(settings),
            highest: missing.highest(tally).score(settings),
        }
    }
}

/// Runs of which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// Refused runs: those that name the adapter, and those that name none.
    pub refused: i64,
    /// Runs that a gate let through and that never reported.
    pub unreported: i64,
    /// The sums of earlier reports of refused runs: they are among those of the adapter, and say nothing any more.
    pub known: Tally,
}

impl Missing {
    /// An adapter's sums if all of these had ended as badly as a run can.
    #[must_use]
    pub fn lowest(self, tally: Tally, settings: &ReliabilitySettings) -> Tally {
        tally.without(self.known).with_worst(self.all(), settings)
    }

    /// An adapter's sums if all of these had ended as well as a run can.
    #[must_use]
    pub fn highest(self, tally: Tally) -> Tally {
        tally.without(self.known).with_best(self.all())
    }

    #[must_use]
    pub const fn all(self) -> i64 {
        self.refused + self.unreported
    }
}

/// Runs that are missing in figures, by the adapters that they name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusals {
    /// Refused runs that were not recorded properly since.
    pub by_adapter: BTreeMap<String, i64>,
    /// The sums of earlier reports of these runs.
    pub known: BTreeMap<String, Tally>,
    /// Such runs that name no adapter: they may be anybody's.
    pub unknown: i64,
    /// Runs that a gate let through and that never reported.
    pub unreported: BTreeMap<String, i64>,
}

impl Refusals {
    /// Runs that may be those of an adapter.
    #[must_use]
    pub fn of(&self, adapter: &str) -> Missing {
        let named = |runs: &BTreeMap<String, i64>| runs.get(adapter).copied().unwrap_or_default();
        Missing {
            refused: named(&self.by_adapter) + self.unknown,
            unreported: named(&self.unreported),
            known: self.known.get(adapter).copied().unwrap_or_default(),
        }
    }
}

event::row! {
    struct UnreportedRow {
        adapter: Option<String>,
        runs: i64,
    }
}

event::row! {
    struct RefusedRow {
        adapter: Option<String>,
        runs: i64,
        known_runs: i64,
        known_successes: i64,
        known_retries: i64,
        known_quality_millionths: i64,
    }
}

/// Reads the rows of `sql/policy/refused.sql` and of `sql/policy/unreported.sql`.
pub fn parse_refusals(rows: &Rows, unreported: &Rows) -> Outcome<Refusals> {
    let mut refusals = Refusals::default();
    for UnreportedRow { adapter, runs } in unreported.read::<UnreportedRow>()? {
        *refusals.unreported.entry(adapter.unwrap_or_default()).or_default() += runs;
    }
    for row in rows.read::<RefusedRow>()? {
        let Some(adapter) = row.adapter else {
            refusals.unknown += row.runs;
            continue;
        };
        let known = Tally {
            runs: row.known_runs,
            successes: row.known_successes,
            retries: row.known_retries,
            quality_millionths: row.known_quality_millionths,
        };
        if known.runs > 0 {
            refusals.known.insert(adapter.clone(), known);
        }
        *refusals.by_adapter.entry(adapter).or_default() += row.runs;
    }
    Ok(refusals)
}

event::row! {
    struct AdapterRow {
        adapter: String,
        tally: Tally,
        last_us: i64,
    }
}

/// Reads the rows of `sql/policy/adapter.sql`.
pub fn parse_adapters(rows: &Rows, refusals: &Refusals, settings: &ReliabilitySettings) -> Outcome<Vec<Reliability>> {
    let score = |AdapterRow { adapter, tally, last_us }| {
        let missing = refusals.of(&adapter);
        Reliability::new(adapter, tally, last_us, missing, settings)
    };
    Ok(rows.read::<AdapterRow>()?.into_iter().map(score).collect())
}
