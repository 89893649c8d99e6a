//! How runs reached their goals, and where their time went.

use std::collections::BTreeMap;

use super::inquiry::Inquiry;
use event::row::{Rows, flag_at, number_at, real_at, text_at};
use learn::statistics::{GoalPattern, GoalRun, GoalStatistics, compute_statistics};
use learn::timing::{TimingEvent, TimingSummary, summarize_timing};
use setting::Settings;
use text::diagnostic::Outcome;

/// How many patterns a goal lists in each direction.
const MOST_PATTERNS: usize = 100;
/// How many single iterations are listed.
const MOST_ITERATIONS: usize = 20;

/// Works out the statistics of every goal.
pub fn load_statistics(inquiry: &Inquiry<'_>, settings: &Settings) -> Outcome<Vec<GoalStatistics>> {
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
pub fn load_timing(inquiry: &Inquiry<'_>) -> Outcome<TimingSummary> {
    let events = inquiry.load("recent_timing", parse_timings)?;
    let mut summary = summarize_timing(&events, None);
    let single: Vec<TimingEvent> = events.into_iter().filter(|event| event.event == "iteration").collect();
    let latest = &single[single.len().saturating_sub(MOST_ITERATIONS)..];
    summary.iterations.rows = summarize_timing(latest, None).iterations.rows;
    Ok(summary)
}

fn parse_runs(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalRun>>> {
    let mut goals: BTreeMap<String, Vec<GoalRun>> = BTreeMap::new();
    for part in rows.parts() {
        let (names, projects, runs) = (part.texts("goal")?, part.texts("project")?, part.texts("run_id")?);
        let (passed, scores) = (part.flags("is_passed")?, part.reals("score")?);
        for row in 0..part.len() {
            let run = GoalRun {
                project: text_at(projects, row).unwrap_or_default(),
                run_id: text_at(runs, row).unwrap_or_default(),
                passed: flag_at(passed, row).unwrap_or(false),
                score: real_at(scores, row),
            };
            match goals.get_mut(names.value(row)) {
                Some(list) => list.push(run),
                None => drop(goals.insert(names.value(row).to_owned(), vec![run])),
            }
        }
    }
    Ok(goals)
}

fn parse_patterns(rows: &Rows) -> Outcome<BTreeMap<String, Vec<GoalPattern>>> {
    let mut goals: BTreeMap<String, Vec<GoalPattern>> = BTreeMap::new();
    for part in rows.parts() {
        let (names, patterns) = (part.texts("goal")?, part.numbers("pattern")?);
        let (runs, passed) = (part.numbers("runs")?, part.numbers("passed")?);
        for row in 0..part.len() {
            let Ok(pattern) = u32::try_from(patterns.value(row)) else { continue };
            let (runs, passed) = (runs.value(row).unsigned_abs(), passed.value(row).unsigned_abs());
            goals.entry(names.value(row).to_owned()).or_default().push(GoalPattern { pattern, runs, passed });
        }
    }
    Ok(goals)
}

fn parse_timings(rows: &Rows) -> Outcome<Vec<TimingEvent>> {
    let mut events = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (runs, iterations, kinds) = (part.texts("run_id")?, part.numbers("iteration")?, part.texts("event")?);
        let (steps, step_names) = (part.reals("step")?, part.texts("step_name")?);
        let (parts, part_names) = (part.reals("sub_step")?, part.texts("sub_step_name")?);
        let (agents, phases, statuses) = (part.texts("agent")?, part.texts("phase")?, part.texts("status")?);
        let (starts, ends) = (part.texts("started")?, part.texts("ended")?);
        let (seconds, skips) = (part.reals("seconds")?, part.flags("skipped")?);
        events.extend((0..part.len()).map(|row| TimingEvent {
            run_id: text_at(runs, row).unwrap_or_default(),
            iteration: number_at(iterations, row),
            event: text_at(kinds, row).unwrap_or_default(),
            step: real_at(steps, row),
            step_name: text_at(step_names, row),
            sub_step: real_at(parts, row),
            sub_step_name: text_at(part_names, row),
            agent: text_at(agents, row),
            phase: text_at(phases, row),
            status: text_at(statuses, row),
            started: text_at(starts, row),
            ended: text_at(ends, row),
            seconds: real_at(seconds, row),
            skipped: flag_at(skips, row),
            ..TimingEvent::default()
        }));
    }
    Ok(events)
}
