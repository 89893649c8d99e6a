//! The statistics of goals as a section of Markdown.

use std::fmt::Write as _;

use super::figure::{bar, rounded};
use super::markdown::cell;
use learn::pattern::pattern_id;
use learn::statistics::{GoalStatistics, PatternFigure, Shortage, Trend};

const MOST_GOALS: usize = 20;
/// The most patterns that a list shows of one goal.
const SHOWN: usize = 10;

/// Renders the statistics of all goals, those with most runs first. `text_of` gives the lesson of a pattern. Names and lessons
/// may be anything, since they stand in cells of tables and nowhere else.
pub fn render_statistics(goals: &[GoalStatistics], text_of: &dyn Fn(u32) -> String) -> String {
    let mut goals: Vec<&GoalStatistics> = goals.iter().collect();
    goals.sort_by(|one, other| other.runs.cmp(&one.runs).then_with(|| one.goal.cmp(&other.goal)));
    let mut text = "## Goals\n".to_owned();
    let hidden = goals.len().saturating_sub(MOST_GOALS);
    goals.truncate(MOST_GOALS);
    summary(&mut text, &goals);
    if hidden > 0 {
        let _ = writeln!(text, "\n{hidden} more goals with fewer runs are not shown.");
    }
    patterns(&mut text, "Contributing patterns", &goals, |goal| &goal.contributing, text_of);
    patterns(&mut text, "Underperforming patterns", &goals, |goal| &goal.underperforming, text_of);
    trends(&mut text, &goals);
    recommendations(&mut text, &goals);
    text
}

fn summary(text: &mut String, goals: &[&GoalStatistics]) {
    text.push_str("\n| goal | runs | passed | pass rate | | average score |\n|---|---:|---:|---:|---|---:|\n");
    for goal in goals {
        let GoalStatistics { runs, passed, .. } = goal;
        let name = cell(&goal.goal);
        let _ = match &goal.shortage {
            Some(shortage) => writeln!(text, "| {name} | {runs} | {passed} | {} | | |", missing(shortage)),
            None => writeln!(
                text,
                "| {name} | {runs} | {passed} | {} | {} | {} |",
                goal.pass_rate.map_or_else(|| "-".to_owned(), percent) + &pass_range(goal),
                bar(goal.pass_rate),
                rounded(goal.average_score) + &score_range(goal)
            ),
        };
    }
}

/// Where the pass rate lies, and from how many tasks that is known, where tasks are named.
fn pass_range(goal: &GoalStatistics) -> String {
    match (goal.pass_rate_range, goal.tasks) {
        (Some((lower, upper)), Some(tasks)) => {
            format!(" ({:.0} to {}, {tasks} {})", lower * 100.0, percent(upper), if tasks == 1 { "task" } else { "tasks" })
        }
        _ => String::new(),
    }
}

fn score_range(goal: &GoalStatistics) -> String {
    goal.score_range.map(|(lower, upper)| format!(" ({lower:.2} to {upper:.2})")).unwrap_or_default()
}

fn patterns(
    text: &mut String,
    heading: &str,
    goals: &[&GoalStatistics],
    of: impl Fn(&GoalStatistics) -> &Vec<PatternFigure>,
    text_of: &dyn Fn(u32) -> String,
) {
    if goals.iter().all(|goal| of(goal).is_empty()) {
        return;
    }
    let _ = writeln!(text, "\n### {heading}\n\n| goal | pattern | success when used | runs | lesson |\n|---|---|---:|---:|---|");
    for goal in goals {
        for figure in of(goal).iter().take(SHOWN) {
            let PatternFigure { pattern, runs, rate, .. } = *figure;
            let (name, lesson) = (cell(&goal.goal), cell(&text_of(pattern)));
            let _ = writeln!(text, "| {name} | {} | {} | {runs} | {lesson} |", pattern_id(pattern), percent(rate));
        }
        let hidden = of(goal).len().saturating_sub(SHOWN);
        if hidden > 0 {
            let _ = writeln!(text, "| {} | {hidden} more | | | |", cell(&goal.goal));
        }
    }
}

fn trends(text: &mut String, goals: &[&GoalStatistics]) {
    text.push_str(
        "\n### Trends\n\n| goal | runs | | first third | middle | last third | change |\n|---|---:|---|---:|---:|---:|---:|\n",
    );
    for goal in goals {
        let name = cell(&goal.goal);
        let Some(trend) = &goal.trend else {
            let shortage = goal.trend_shortage.as_ref().map(missing).unwrap_or_default();
            let _ = writeln!(text, "| {name} | {} | {shortage} | | | | |", goal.runs);
            continue;
        };
        let Trend { runs, score, pass_rate, score_change, pass_rate_change, is_score_clear, is_pass_rate_clear } = trend;
        let [first, middle, last] = score.map(rounded);
        let _ =
            writeln!(text, "| {name} | {runs} | score | {first} | {middle} | {last} | {} |", moved(*score_change, *is_score_clear));
        let [first, middle, last] = pass_rate.map(percent);
        let _ = writeln!(
            text,
            "| {name} | {runs} | pass rate | {first} | {middle} | {last} | {} |",
            moved(*pass_rate_change, *is_pass_rate_clear)
        );
    }
}

fn recommendations(text: &mut String, goals: &[&GoalStatistics]) {
    text.push_str("\n### Recommendations\n\n| goal | |\n|---|---|\n");
    for goal in goals {
        for sentence in &goal.recommendations {
            let _ = writeln!(text, "| {} | {sentence} |", cell(&goal.goal));
        }
        if goal.recommendations.is_empty() {
            let _ = writeln!(text, "| {} | none |", cell(&goal.goal));
        }
    }
}

fn missing(Shortage { runs, needed }: &Shortage) -> String {
    format!("insufficient data: {runs} of {needed} runs")
}

fn percent(rate: f64) -> String {
    format!("{:.0}%", rate * 100.0)
}

/// A change that is more than noise.
fn moved(change: Option<f64>, is_clear: bool) -> String {
    if is_clear || change.is_none_or(|change| change == 0.0) { signed(change) } else { "within noise".to_owned() }
}

/// A change with its sign; a dash where nothing can be said.
fn signed(change: Option<f64>) -> String {
    /// Beyond this a change is mere noise around nothing, and would fill the line with digits.
    const MOST: f64 = 99.99;
    match change {
        None => "-".to_owned(),
        Some(change) if change.abs() > MOST => format!("over {:+.0}%", MOST.copysign(change) * 100.0),
        Some(change) => format!("{:+.0}%", change * 100.0),
    }
}
