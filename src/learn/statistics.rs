//! What a goal's runs say: how often it is met, with which patterns, and whether that changes.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cluster::{effective_count, squared_error};
use crate::pattern::pattern_id;
use crate::rate::interval_of;
use crate::rounding::real;
use setting::StatisticsSettings;

/// Below this part of runs that meet it, a goal counts as often missed.
const OFTEN_MISSED: f64 = 0.5;

/// How far a figure must move between the first and the last third before that is worth a word.
const NOTABLE_CHANGE: f64 = 0.1;

/// The most patterns that are recommended for review by name.
const NAMED: usize = 5;

/// Scores beyond this were not worked out by anybody. Leaving them out also keeps sums finite.
const MOST_SCORE: f64 = 1e12;

event::row! {
    /// One run that a goal was judged for, as `sql/goal_run.sql` yields it.
    #[derive(Debug, Clone, PartialEq)]
    pub struct GoalRun {
        pub project: String,
        pub run_id: String,
        /// Whether the goal was met.
        pub passed: bool = "is_passed",
        /// How well, if that is known.
        pub score: Option<f64>,
        /// The task, where one is named.
        pub unit: Option<String>,
    }
}

event::row! {
    /// How the runs with a pattern went, as `sql/goal_pattern.sql` yields it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct GoalPattern {
        pub pattern: u32,
        /// The distinct runs in which it was used, with citations that hold.
        pub runs: u64,
        /// Those of them in which the goal was met.
        pub passed: u64,
    }
}

/// Too little to say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Shortage {
    pub runs: u64,
    pub needed: u64,
}

/// How often the goal is met with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PatternFigure {
    pub pattern: u32,
    /// The runs in which it was used.
    pub runs: u64,
    /// Those of them in which the goal was met.
    pub passed: u64,
    /// The part of its runs in which the goal was met.
    pub rate: f64,
}

/// How a goal's figures move over its last runs, which are parted into thirds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    pub runs: u64,
    /// The mean score of the first, the middle and the last third; none where no run of a third has a score.
    pub score: [Option<f64>; 3],
    /// The part of passed runs of the first, the middle and the last third.
    pub pass_rate: [f64; 3],
    /// How much the score grew from the first third to the last, as a part of the first; none where the first is 0 or unknown.
    pub score_change: Option<f64>,
    /// How much the pass rate grew in the same way; none where the first is 0.
    pub pass_rate_change: Option<f64>,
    /// Whether the score changed by more than chance explains.
    pub is_score_clear: bool,
    /// Whether the pass rate changed by more than chance explains.
    pub is_pass_rate_clear: bool,
}

/// What is known about a goal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoalStatistics {
    pub goal: String,
    /// How many runs it was judged for.
    pub runs: u64,
    /// In how many of them it was met.
    pub passed: u64,
    /// What is missing for any statistics. Where something is, all figures below are absent.
    pub shortage: Option<Shortage>,
    /// The part of runs that met it.
    pub pass_rate: Option<f64>,
    /// The mean score of the runs that have one.
    pub average_score: Option<f64>,
    /// How many tasks the runs are of, where tasks are named. The intervals follow from how tasks differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Where the pass rate lies with a certainty of nine in ten, where tasks are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate_range: Option<(f64, f64)>,
    /// Where the mean score lies with a certainty of nine in ten, where tasks are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_range: Option<(f64, f64)>,
    /// The patterns whose runs go well enough, the best first.
    pub contributing: Vec<PatternFigure>,
    /// The patterns to review, the least bad first.
    pub underperforming: Vec<PatternFigure>,
    /// How many patterns were used in too few runs to say anything.
    pub rare_patterns: u64,
    pub trend: Option<Trend>,
    pub trend_shortage: Option<Shortage>,
    /// What follows from all this, in sentences that hold nothing that an agent wrote.
    pub recommendations: Vec<String>,
}

/// Works out the statistics of one goal from its distinct runs in the order of time, and from its distinct patterns. A pattern
/// whose rate lies below `review_below` is one to review. The same input gives the same figures, and none of them is NaN.
#[must_use]
pub fn compute_statistics(
    goal: &str,
    runs: &[GoalRun],
    patterns: &[GoalPattern],
    settings: &StatisticsSettings,
    review_below: f64,
) -> GoalStatistics {
    let count = runs.len() as u64;
    let shortage = (count < settings.least_runs.max(1)).then_some(Shortage { runs: count, needed: settings.least_runs.max(1) });
    let mut statistics = GoalStatistics {
        goal: goal.to_owned(),
        runs: count,
        passed: count_passed(runs),
        shortage,
        pass_rate: None,
        average_score: None,
        tasks: None,
        pass_rate_range: None,
        score_range: None,
        contributing: Vec::new(),
        underperforming: Vec::new(),
        rare_patterns: 0,
        trend: None,
        trend_shortage: None,
        recommendations: Vec::new(),
    };
    if shortage.is_none() {
        statistics.pass_rate = Some(pass_rate(runs));
        statistics.average_score = average_score(runs);
        if runs.iter().any(|run| run.unit.is_some()) {
            count_tasks(&mut statistics, runs);
        }
        let figures = rank_patterns(patterns, settings.least_applications);
        statistics.rare_patterns = (patterns.len() - figures.len()) as u64;
        (statistics.underperforming, statistics.contributing) = figures.into_iter().partition(|figure| figure.rate < review_below);
        statistics.trend = find_trend(runs, settings.trend_runs);
    }
    let needed = trend_length(settings.trend_runs).max(settings.least_runs);
    statistics.trend_shortage = statistics.trend.is_none().then_some(Shortage { runs: count, needed });
    statistics.recommendations = recommend(&statistics, review_below);
    statistics
}

/// Says from how many tasks the figures are, and how far they can be trusted.
fn count_tasks(statistics: &mut GoalStatistics, runs: &[GoalRun]) {
    let passes = by_task(runs, |run| Some(pass(run)));
    statistics.tasks = Some(passes.len() as u64);
    statistics.pass_rate_range = statistics.pass_rate.map(|rate| {
        let range = interval_of(rate, effective_count(&passes));
        (range.lower, range.upper)
    });
    let scores = by_task(runs, known_score);
    statistics.score_range = statistics.average_score.zip(squared_error(&scores)).map(|(mean, error)| {
        let reach = quantile(NINE_TENTHS, scores.len().saturating_sub(1)) * error.sqrt();
        (mean - reach, mean + reach)
    });
}

/// Sums of a figure and how many have it, by task. A run that names none is a task of its own.
fn by_task(runs: &[GoalRun], value: impl Fn(&GoalRun) -> Option<f64>) -> Vec<(f64, f64)> {
    let mut named: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    let mut tasks = Vec::new();
    for (run, value) in runs.iter().filter_map(|run| value(run).map(|value| (run, value))) {
        match &run.unit {
            Some(unit) => {
                let task = named.entry((&run.project, unit)).or_default();
                *task = (task.0 + value, task.1 + 1.0);
            }
            None => tasks.push((value, 1.0)),
        }
    }
    tasks.extend(named.into_values());
    tasks
}

/// Nine tenths of a normal distribution lie within this many deviations.
const NINE_TENTHS: f64 = 1.644_853_626_951_472_2;

/// 19 of 20 lie within this many.
const NINETEEN_OF_TWENTY: f64 = 1.959_963_984_540_054;

/// The same for Student's distribution, by the first terms of its expansion: few values know their own spread badly.
fn quantile(normal: f64, degrees: usize) -> f64 {
    let degrees = real(degrees.max(1) as u64);
    let first = (normal.powi(3) + normal) / (4.0 * degrees);
    let second = (5.0 * normal.powi(5) + 16.0 * normal.powi(3) + 3.0 * normal) / (96.0 * degrees * degrees);
    normal + first + second
}

/// Whether two means differ by more than chance explains: what happens in one task is one value.
fn is_clear(first: &[(f64, f64)], last: &[(f64, f64)], is_share: bool) -> bool {
    let total = |tasks: &[(f64, f64)]| tasks.iter().fold((0.0, 0.0), |(sum, count), task| (sum + task.0, count + task.1));
    let (one, other) = (total(first), total(last));
    if one.1 <= 0.0 || other.1 <= 0.0 {
        return false;
    }
    let difference = (one.0 / one.1 - other.0 / other.1).abs();
    let (left, right) = (real(first.len() as u64), real(last.len() as u64));
    let error = if is_share {
        let share = (one.0 + other.0) / (one.1 + other.1);
        Some(share * (1.0 - share) * (1.0 / left + 1.0 / right))
    } else {
        squared_error(first).zip(squared_error(last)).map(|(one, other)| one + other)
    };
    let degrees = (first.len() + last.len()).saturating_sub(2);
    let quantile = if is_share { NINETEEN_OF_TWENTY } else { quantile(NINETEEN_OF_TWENTY, degrees) };
    error.is_some_and(|error| difference > 0.0 && difference > quantile * error.sqrt())
}

/// The figures of the patterns that were used in enough runs: by rate, then by runs, then by number.
fn rank_patterns(patterns: &[GoalPattern], least_applications: u64) -> Vec<PatternFigure> {
    let enough = patterns.iter().filter(|pattern| pattern.runs >= least_applications.max(1));
    let mut figures: Vec<PatternFigure> = enough
        .map(|&GoalPattern { pattern, runs, passed }| {
            let passed = passed.min(runs);
            PatternFigure { pattern, runs, passed, rate: ratio(passed, runs) }
        })
        .collect();
    figures.sort_by(|one, other| {
        other.rate.total_cmp(&one.rate).then(other.runs.cmp(&one.runs)).then(one.pattern.cmp(&other.pattern))
    });
    figures
}

/// A trend takes at least one run for each of its thirds.
fn trend_length(trend_runs: u64) -> u64 {
    trend_runs.max(3)
}

fn find_trend(runs: &[GoalRun], trend_runs: u64) -> Option<Trend> {
    let length = usize::try_from(trend_length(trend_runs)).ok()?;
    let last = runs.get(runs.len().checked_sub(length)?..)?;
    // The outer thirds are of the same size, so that they compare; what is left over goes to the middle: 10 are 3, 4 and 3.
    let third = length / 3;
    let (first, rest) = last.split_at(third);
    let (middle, end) = rest.split_at(rest.len() - third);
    let thirds = [first, middle, end];
    let (score, pass_rate) = (thirds.map(average_score), thirds.map(pass_rate));
    Some(Trend {
        runs: length as u64,
        score,
        pass_rate,
        score_change: score[0].zip(score[2]).and_then(|(first, last)| change(first, last)),
        pass_rate_change: change(pass_rate[0], pass_rate[2]),
        is_score_clear: is_clear(&by_task(first, known_score), &by_task(end, known_score), false),
        is_pass_rate_clear: is_clear(&by_task(first, |run| Some(pass(run))), &by_task(end, |run| Some(pass(run))), true),
    })
}

/// The change as a part of where it began. Nothing can be said of what began at nothing.
fn change(first: f64, last: f64) -> Option<f64> {
    Some((last - first) / first).filter(|change| change.is_finite())
}

fn count_passed(runs: &[GoalRun]) -> u64 {
    runs.iter().filter(|run| run.passed).count() as u64
}

fn pass_rate(runs: &[GoalRun]) -> f64 {
    ratio(count_passed(runs), runs.len() as u64)
}

/// A score that somebody worked out.
fn known_score(run: &GoalRun) -> Option<f64> {
    run.score.filter(|score| score.abs() <= MOST_SCORE)
}

fn pass(run: &GoalRun) -> f64 {
    if run.passed { 1.0 } else { 0.0 }
}

fn average_score(runs: &[GoalRun]) -> Option<f64> {
    let scores: Vec<f64> = runs.iter().filter_map(known_score).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / real(scores.len() as u64))
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { real(part) / real(whole) }
}

fn recommend(statistics: &GoalStatistics, review_below: f64) -> Vec<String> {
    if let Some(Shortage { runs, needed }) = statistics.shortage {
        return vec![format!("Collect more runs: {runs} of {needed} so far.")];
    }
    let mut advice = Vec::new();
    if statistics.pass_rate.is_some_and(|rate| rate < OFTEN_MISSED) {
        let missed = statistics.runs - statistics.passed;
        advice.push(format!("The goal was missed in {missed} of {} runs: look for a common cause.", statistics.runs));
    }
    // The worst come last in their list and matter most here.
    for figure in statistics.underperforming.iter().rev().take(NAMED) {
        advice.push(format!(
            "Review {}: the goal was met in {} of its {} runs, less than {:.0}%.",
            pattern_id(figure.pattern),
            figure.passed,
            figure.runs,
            review_below * 100.0
        ));
    }
    let unnamed = statistics.underperforming.len().saturating_sub(NAMED);
    if unnamed > 0 {
        advice.push(format!("Review {unnamed} more patterns with the same problem."));
    }
    advice.extend(statistics.trend.as_ref().and_then(recommend_by_trend));
    if statistics.contributing.is_empty() && statistics.underperforming.is_empty() && statistics.rare_patterns > 0 {
        advice.push("Use patterns in more runs: none was used often enough to tell whether it helps.".to_owned());
    }
    if let Some(Shortage { runs, needed }) = statistics.trend_shortage {
        advice.push(format!("A trend needs {needed} runs; there are {runs}."));
    }
    advice
}

fn recommend_by_trend(trend: &Trend) -> Option<String> {
    let [first, _, last] = trend.pass_rate;
    // A few runs more or less are noise.
    if !trend.is_pass_rate_clear {
        return None;
    }
    if last <= first - NOTABLE_CHANGE {
        return Some(format!("The pass rate fell over the last {} runs: look at what changed.", trend.runs));
    }
    (last >= first + NOTABLE_CHANGE).then(|| format!("The pass rate rose over the last {} runs: keep going.", trend.runs))
}
