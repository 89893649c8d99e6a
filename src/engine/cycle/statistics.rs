//! How runs reached their goals, and where their time went.

use std::collections::BTreeMap;

use super::inquiry::Inquiry;
use event::cell::Row as _;
use event::row::Rows;
use learn::statistics::{GoalPattern, GoalRun, GoalStatistics, compute_statistics};
use learn::timing::{TimingEvent, TimingSummary, summarize_timing};
use setting::Settings;
use text::diagnostic::Outcome;

/// How many patterns a goal lists in each direction.
const MOST_PATTERNS: usize = 100;
/// How many single iterations are listed.
const MOST_ITERATIONS: usize = 20;

/// Works out the statistics of every goal.
pub(super) fn load_statistics(inquiry: &Inquiry<'_>, settings: &Settings) -> Outcome<Vec<GoalStatistics>> {
    let runs = inquiry.load("goal_run", parse_runs)?;
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut patterns = inquiry.load("goal_pattern", parse_patterns)?;
    let statistics = runs.into_iter().map(|(goal, runs)| {
        let used = patterns.remove(&goal).unwrap_or_default();
        let mut statistics = compute_statistics(&goal, &runs, &used, &settings.statistics, settings.flag.review_below);
        statistics.contributing.truncate(MOST_PATTERNS);
        statistics.underperforming.truncate(MOST_PATTERNS);
        statistics
    });
    Ok(statistics.collect())
}

/// Sums up where the time of the most recent runs went.
pub(super) fn load_timing(inquiry: &Inquiry<'_>) -> Outcome<TimingSummary> {
    // What nobody sums up, such as exit codes, is not asked for.
    let events: Vec<TimingEvent> = inquiry.load("recent_timing", |rows| rows.padded(&TimingEvent::schema())?.read())?;
    let mut summary = summarize_timing(&events, None);
    let single: Vec<TimingEvent> = events.into_iter().filter(|event| event.event == "iteration").collect();
    let latest = &single[single.len().saturating_sub(MOST_ITERATIONS)..];
    summary.iterations.rows = summarize_timing(latest, None).iterations.rows;
    Ok(summary)
}

event::row! {
    struct RunRow {
        goal: String,
        run: GoalRun,
    }
}

event::row! {
    struct PatternRow {
        goal: String,
        pattern: GoalPattern,
    }
}

fn parse_runs(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalRun>>> {
    Ok(by_goal(rows.read()?.into_iter().map(|RunRow { goal, run }| (goal, run))))
}

fn parse_patterns(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalPattern>>> {
    Ok(by_goal(rows.read()?.into_iter().map(|PatternRow { goal, pattern }| (goal, pattern))))
}

fn by_goal<T>(rows: impl Iterator<Item = (String, T)>) -> BTreeMap<String, Vec<T>> {
    let mut goals: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for (goal, row) in rows {
        goals.entry(goal).or_default().push(row);
    }
    goals
}
