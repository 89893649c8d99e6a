//! Runs and goals week by week.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use learn::{HISTORY_WEEKS, History, WeekAdapter};
use text::time::{DAY_MICROS, to_minutes};

/// A week that ends at the instant, or a number of weeks before it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Week {
    /// The day on which it ends.
    pub ends: String,
    pub runs: i64,
    pub succeeded: i64,
    /// Runs with a goal.
    pub judged: i64,
    pub met: i64,
}

/// The weeks of the history, the earliest first. Empty weeks before the first are left out.
pub(super) fn list_weeks(history: &History, as_of_micros: i64) -> Vec<Week> {
    let mut weeks: Vec<Week> = (0..HISTORY_WEEKS)
        .rev()
        .map(|ago| Week { ends: day_of(as_of_micros.saturating_sub(ago * 7 * DAY_MICROS)), ..Week::default() })
        .collect();
    let place = |weeks_ago: i64| usize::try_from(HISTORY_WEEKS - 1 - weeks_ago).ok();
    for row in &history.runs {
        if let Some(week) = place(row.weeks_ago).and_then(|place| weeks.get_mut(place)) {
            (week.runs, week.succeeded) = (row.runs, row.succeeded);
        }
    }
    for row in &history.goals {
        if let Some(week) = place(row.weeks_ago).and_then(|place| weeks.get_mut(place)) {
            (week.judged, week.met) = (row.judged, row.met);
        }
    }
    let first = weeks.iter().position(|week| week.runs + week.judged > 0).unwrap_or(weeks.len());
    weeks.split_off(first)
}

/// The runs of an adapter in this week, and in the four weeks before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct AdapterWeeks {
    /// Runs and successes of each week, the earliest first.
    pub(crate) weeks: Vec<(i64, i64)>,
}

impl AdapterWeeks {
    pub(crate) fn this_week(&self) -> (i64, i64) {
        self.weeks.last().copied().unwrap_or_default()
    }

    pub(crate) fn four_weeks_before(&self) -> (i64, i64) {
        self.weeks.iter().rev().skip(1).take(4).fold((0, 0), |sum, week| (sum.0 + week.0, sum.1 + week.1))
    }
}

/// The weeks of each adapter: of a project's, and of all projects together without one.
pub(crate) fn adapter_weeks(rows: &[WeekAdapter]) -> BTreeMap<(&str, Option<&str>), AdapterWeeks> {
    let width = usize::try_from(HISTORY_WEEKS).unwrap_or_default();
    let mut adapters: BTreeMap<(&str, Option<&str>), AdapterWeeks> = BTreeMap::new();
    for row in rows {
        let place = usize::try_from(HISTORY_WEEKS - 1 - row.week.weeks_ago).ok();
        for project in [None, Some(&*row.project)] {
            let known = adapters.entry((&row.adapter, project)).or_insert_with(|| AdapterWeeks { weeks: vec![(0, 0); width] });
            if let Some((runs, succeeded)) = place.and_then(|place| known.weeks.get_mut(place)) {
                *runs += row.week.runs;
                *succeeded += row.week.succeeded;
            }
        }
    }
    adapters
}

fn day_of(micros: i64) -> String {
    to_minutes(micros).get(..10).unwrap_or_default().to_owned()
}
