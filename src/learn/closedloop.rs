//! The original's way of counting, to the digit: for side-by-side checks only.

use std::collections::BTreeMap;

use super::evidence::Evidence;
use super::rounding::real;
use event::row::Rows;
use text::diagnostic;

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

event::row! {
    struct Outcome<'r> {
        pattern: u32,
        ts_us: Option<i64>,
        iteration: Option<i64>,
        status: &'r str,
        is_unverified: bool,
        is_goal_met: Option<bool>,
        relevance: Option<f64>,
    }
}

/// Reads the rows of `sql/compat/outcome.sql`, which come in the order of the log.
pub fn tally(rows: &Rows) -> diagnostic::Outcome<BTreeMap<u32, Tally>> {
    let mut tallies: BTreeMap<u32, Tally> = BTreeMap::new();
    rows.each(|Outcome { pattern, ts_us, iteration, status, is_unverified, is_goal_met, relevance }| {
        let tally = tallies.entry(pattern).or_default();
        // The original knows neither of the first two; they are kept out of its figures.
        match status {
            "withheld" => tally.evidence.withheld += 1,
            "offered" => tally.evidence.offered += 1,
            _ => {
                tally.add(Row { iteration, is_injected: status == "injected", is_unverified, is_goal_met, relevance });
                let used_micros = ts_us.filter(|_| status == "applied");
                tally.evidence += Evidence { first_micros: ts_us, last_micros: ts_us, used_micros, ..Evidence::default() };
            }
        }
        Ok(())
    })?;
    Ok(tallies)
}
