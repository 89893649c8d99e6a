//! The original's way of counting, to the digit: for side-by-side checks only.

use std::collections::BTreeMap;

use arrow::array::Array as _;

use super::evidence::Evidence;
use super::rounding::real;
use event::row::{Rows, flag_at, number_at, real_at};
use text::diagnostic::Outcome;

/// After how many iteration numbers the original calls a pattern stale.
const STALE_AFTER: i64 = 10;

/// One application as the original reads its log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The iteration's number within its run, if it is one.
    pub iteration: Option<i64>,
    /// Whether the pattern was shown without being used.
    pub is_injected: bool,
    /// Whether a citation does not hold.
    pub is_unverified: bool,
    /// Whether the goal was met, if one was judged.
    pub is_goal_met: Option<bool>,
    /// The relevance as it was written, whatever it is.
    pub relevance: Option<f64>,
}

impl Row {
    /// What it counts for.
    #[must_use]
    pub fn weight(self) -> f64 {
        if self.is_unverified || self.is_injected {
            return 0.0;
        }
        match self.is_goal_met {
            None | Some(true) => 1.0,
            Some(false) => self.relevance.unwrap_or(0.5) * 0.5,
        }
    }
}

/// What the rows of one pattern add up to, in the order of the log.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    /// How many rows there are.
    pub seen: i64,
    /// The sum of their weights, added one by one.
    pub weight: f64,
    /// The highest iteration number.
    pub iteration: Option<i64>,
    /// The same rows, counted.
    pub evidence: Evidence,
}

impl Tally {
    /// Adds the next row.
    pub fn add(&mut self, row: Row) {
        self.seen += 1;
        self.weight += row.weight();
        self.iteration = self.iteration.max(row.iteration);
        let counts = &mut self.evidence;
        counts.seen += 1;
        counts.judged += i64::from(row.is_goal_met.is_some());
        let slot = match (row.is_injected, row.is_unverified, row.is_goal_met) {
            (true, _, _) => &mut counts.injected,
            (_, true, _) => &mut counts.unverified,
            (_, _, None) => &mut counts.unjudged,
            (_, _, Some(true)) => &mut counts.met,
            (_, _, Some(false)) if row.relevance.is_some() => &mut counts.missed_rated,
            (_, _, Some(false)) => &mut counts.missed_unrated,
        };
        *slot += 1;
        counts.applied += i64::from(!row.is_injected);
    }

    /// The rate. What is not a number, or more than all, becomes 1, as in the original's order of comparisons.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        if self.seen == 0 {
            return None;
        }
        let rate = self.weight / real(self.seen);
        let at_most_one = if rate < 1.0 { rate } else { 1.0 };
        Some(if at_most_one > 0.0 { at_most_one } else { 0.0 })
    }

    /// The weight that is published with a rate. A sum that is not finite, which no reader of the table takes, becomes the one
    /// that the rate stands for.
    #[must_use]
    pub fn published_weight(&self, rate: f64) -> f64 {
        if self.weight.is_finite() { self.weight } else { rate * real(self.seen) }
    }

    /// Whether the highest iteration number of all rows lies too far ahead.
    #[must_use]
    pub fn is_stale(&self, highest: Option<i64>) -> bool {
        matches!((highest, self.iteration), (Some(highest), Some(own)) if highest > 0 && highest - own >= STALE_AFTER)
    }
}

/// Reads the rows of `sql/compat/outcome.sql`, which come in the order of the log.
pub fn tally(rows: &Rows) -> Outcome<BTreeMap<u32, Tally>> {
    let mut tallies: BTreeMap<u32, Tally> = BTreeMap::new();
    for part in rows.parts() {
        let (patterns, times) = (part.numbers("pattern")?, part.numbers("ts_us")?);
        let (iterations, statuses) = (part.numbers("iteration")?, part.texts("status")?);
        let (unverified, goals) = (part.flags("is_unverified")?, part.flags("is_goal_met")?);
        let relevances = part.reals("relevance")?;
        for row in 0..part.len() {
            let Ok(pattern) = u32::try_from(patterns.value(row)) else { continue };
            let tally = tallies.entry(pattern).or_default();
            // The original knows no such rows; they are kept out of its figures.
            let unknown = match statuses.value(row) {
                "withheld" => Some(&mut tally.evidence.withheld),
                "offered" => Some(&mut tally.evidence.offered),
                _ => None,
            };
            if let Some(count) = unknown {
                *count += 1;
                continue;
            }
            tally.add(Row {
                iteration: number_at(iterations, row),
                is_injected: statuses.value(row) == "injected",
                is_unverified: flag_at(unverified, row).unwrap_or(false),
                is_goal_met: flag_at(goals, row),
                relevance: real_at(relevances, row),
            });
            let time = times.is_valid(row).then(|| times.value(row));
            let used = time.filter(|_| statuses.value(row) == "applied");
            tally.evidence += Evidence { first_micros: time, last_micros: time, used_micros: used, ..Evidence::default() };
        }
    }
    Ok(tallies)
}
