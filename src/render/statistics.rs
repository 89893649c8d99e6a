//! The statistics of a goal as a section of Markdown.

use std::fmt::Write as _;

use super::figure::{bar, rounded};
use super::markdown::cell;
use crate::learn::statistics::{GoalStatistics, PatternFigure, Shortage, Trend};
use crate::pattern::pattern_id;

/// The most patterns that a list shows.
const SHOWN: usize = 10;

/// Renders the statistics of one goal. `text_of` gives the lesson of a pattern; it may be anything, since nothing in it
/// becomes Markdown.
#[must_use]
pub fn render_statistics(statistics: &GoalStatistics, text_of: &dyn Fn(u32) -> String) -> String {
    let mut text = format!("## Goal: {}\n\n---\n", cell(&statistics.goal));
    summary(&mut text, statistics);
    let is_known = statistics.shortage.is_none();
    let rare = statistics.rare_patterns;
    let nothing = if is_known { "No pattern was used in enough runs." } else { "Not enough runs." };
    let _ = writeln!(text, "\n### Patterns that contribute\n");
    patterns(&mut text, &statistics.contributing, nothing, text_of);
    if rare > 0 {
        let _ = writeln!(text, "\n{rare} more {} used in too few runs to tell.", if rare == 1 { "was" } else { "were" });
    }
    let _ = writeln!(text, "\n### Patterns to review\n");
    let nothing = if is_known { "None." } else { "Not enough runs." };
    patterns(&mut text, &statistics.underperforming, nothing, text_of);
    trend(&mut text, statistics);
    let _ = writeln!(text, "\n### Recommendations\n");
    for sentence in &statistics.recommendations {
        let _ = writeln!(text, "- {sentence}");
    }
    if statistics.recommendations.is_empty() {
        text.push_str("None: carry on.\n");
    }
    text
}

fn summary(text: &mut String, statistics: &GoalStatistics) {
    let _ = writeln!(text, "\n### Summary\n");
    let GoalStatistics { runs, passed, .. } = statistics;
    let _ = writeln!(text, "- Runs: {runs}");
    if let Some(shortage) = &statistics.shortage {
        let _ = writeln!(text, "- {}", missing(shortage));
        return;
    }
    let rate = statistics.pass_rate.map_or_else(|| "-".to_owned(), percent);
    let _ = writeln!(text, "- Pass rate: {rate} ({passed}/{runs}) {}", bar(statistics.pass_rate));
    let _ = writeln!(text, "- Average score: {}", rounded(statistics.average_score));
}

fn patterns(text: &mut String, figures: &[PatternFigure], nothing: &str, text_of: &dyn Fn(u32) -> String) {
    if figures.is_empty() {
        let _ = writeln!(text, "{nothing}");
    }
    for (number, figure) in (1..).zip(figures.iter().take(SHOWN)) {
        let lesson = cell(&text_of(figure.pattern));
        let PatternFigure { pattern, runs, rate, .. } = *figure;
        let plural = if runs == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "{number}. {} \"{lesson}\": {} success when applied ({runs} run{plural})",
            pattern_id(pattern),
            percent(rate)
        );
    }
    if figures.len() > SHOWN {
        let _ = writeln!(text, "\n{} more are not shown.", figures.len() - SHOWN);
    }
}

fn trend(text: &mut String, statistics: &GoalStatistics) {
    let Some(trend) = &statistics.trend else {
        let _ = writeln!(text, "\n### Trend\n");
        if let Some(shortage) = &statistics.trend_shortage {
            let _ = writeln!(text, "{}", missing(shortage));
        }
        return;
    };
    let Trend { runs, score, pass_rate, score_change, pass_rate_change } = trend;
    let _ = writeln!(text, "\n### Trend over the last {runs} runs\n");
    let _ = writeln!(text, "| | first third | middle | last third | change |\n|---|---:|---:|---:|---:|");
    let [first, middle, last] = score.map(rounded);
    let _ = writeln!(text, "| score | {first} | {middle} | {last} | {} |", signed(*score_change));
    let [first, middle, last] = pass_rate.map(percent);
    let _ = writeln!(text, "| pass rate | {first} | {middle} | {last} | {} |", signed(*pass_rate_change));
}

fn missing(Shortage { runs, needed }: &Shortage) -> String {
    format!("Not enough data: {runs} of {needed} runs.")
}

fn percent(rate: f64) -> String {
    format!("{:.0}%", rate * 100.0)
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
