//! Where the time of runs goes, as text tables for a terminal.

use std::fmt::Write as _;

use super::markdown::cell;
use learn::timing::{Iterations, PhaseSpan, Stats, TimingSummary};
use text::fit::plain_text;
use text::time::duration_text;

/// The most characters of a name. A name that is wider than its column pushes the rest of its row.
const SHOWN: usize = 80;

/// Renders the tables that hold anything, each followed by a blank line.
pub fn render_timing(summary: &TimingSummary) -> String {
    let mut text = String::new();
    iterations(&mut text, &summary.iterations);
    let rows: Vec<_> = summary.phases.iter().map(|row| format!("{}{}", column(&row.phase, 40), figures(&row.stats))).collect();
    table(&mut text, ("Phases", 80), &format!("{}{FIGURES}", column("phase", 40)), &rows);
    let steps = summary.pipeline_steps.iter();
    let rows: Vec<_> =
        steps.map(|row| format!("{}{}{:>6}", column(&row.step_name, 28), figures(&row.stats), row.skip_count)).collect();
    table(&mut text, ("Pipeline steps", 74), &format!("{}{FIGURES}{:>6}", column("step", 28), "skips"), &rows);
    let parts = summary.pipeline_substeps.iter().map(|row| {
        let number = row.sub_step.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let names = [column(&row.step_name, 18), column(&number, 6), column(&row.sub_step_name, 24)];
        format!("{}{}", names.concat(), figures(&row.stats))
    });
    let heads = [column("step", 18), column("no.", 6), column("part", 24)];
    table(&mut text, ("Substeps", 92), &format!("{}{FIGURES}", heads.concat()), &parts.collect::<Vec<_>>());
    let rows: Vec<_> = summary.agents.iter().map(|row| format!("{}{}", column(&row.agent_name, 28), figures(&row.stats))).collect();
    table(&mut text, ("Agents", 68), &format!("{}{FIGURES}", column("agent", 28)), &rows);
    text
}

/// The summary as a section of a report. Names become nothing but the text of a cell.
pub(super) fn timing_section(text: &mut String, summary: &TimingSummary) {
    if summary.is_empty() {
        return;
    }
    let mut rows: Vec<(&str, String, &Stats)> = Vec::new();
    rows.extend(summary.iterations.summary.iter().map(|stats| ("iteration", String::new(), stats)));
    rows.extend(summary.phases.iter().map(|row| ("phase", row.phase.clone(), &row.stats)));
    rows.extend(summary.pipeline_steps.iter().map(|row| ("step", row.step_name.clone(), &row.stats)));
    rows.extend(summary.agents.iter().map(|row| ("agent", row.agent_name.clone(), &row.stats)));
    text.push_str("\n## Time per phase\n\n| | | count | mean | max | total |\n|---|---|---:|---:|---:|---:|\n");
    for (what, name, stats) in rows {
        let [average, longest, total] = [stats.avg_s, stats.max_s, stats.total_s].map(duration_text);
        let _ = writeln!(text, "| {what} | {} | {} | {average} | {longest} | {total} |", cell(&name), stats.count);
    }
}

/// Renders the phases in the order in which they began. Where no end is known, a question mark stands for the duration.
pub fn render_timeline(timeline: &[PhaseSpan]) -> String {
    let mut text = String::new();
    let row = |cells: [&str; 5], duration: &str| {
        let widths = [22, 6, 40, 22, 22];
        let columns: String = cells.into_iter().zip(widths).map(|(cell, width)| column(cell, width)).collect();
        format!("{columns}{duration:>10}")
    };
    let rows: Vec<_> = timeline
        .iter()
        .map(|span| {
            let duration = span.duration_s.map_or_else(|| "?".to_owned(), duration_text);
            row([&span.run_id, &iteration_text(span.iteration), &span.phase, &span.started_at, &span.ended_at], &duration)
        })
        .collect();
    table(&mut text, ("Timeline", 132), &row(["run", "turn", "phase", "began", "ended"], "time"), &rows);
    text
}

const FIGURES: &str = " count    mean   least    most   total";

fn figures(stats: &Stats) -> String {
    let durations = [stats.avg_s, stats.min_s, stats.max_s, stats.total_s].map(duration_text);
    let [mean, least, most, total] = durations;
    format!("{:>6}{mean:>8}{least:>8}{most:>8}{total:>8}", stats.count)
}

fn iterations(text: &mut String, iterations: &Iterations) {
    let row = |first: &str, duration: &str, status: &str, run: &str| {
        format!("{first:<6}{duration:>10}  {}{}", column(status, 15), column(run, 25))
    };
    let mut rows: Vec<String> = Vec::new();
    for iteration in &iterations.rows {
        let duration = iteration.duration_s.map_or_else(|| "?".to_owned(), duration_text);
        let status = iteration.status.as_deref().unwrap_or("-");
        rows.push(row(&iteration_text(iteration.iteration), &duration, status, &iteration.run_id));
    }
    if let Some(stats) = &iterations.summary {
        let [mean, least, most, total] = [stats.avg_s, stats.min_s, stats.max_s, stats.total_s].map(duration_text);
        rows.push(row("all", &total, &format!("{} measured", stats.count), &format!("mean {mean}, {least} to {most}")));
    }
    table(text, ("Iterations", 60), &row("turn", "time", "status", "run"), &rows);
}

/// A title, the headings, a rule of a given length and the rows; nothing where there are no rows.
fn table(text: &mut String, (title, rule): (&str, usize), heading: &str, rows: &[String]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}\n{}\n{}", heading.trim_end(), "-".repeat(rule));
    for row in rows {
        let _ = writeln!(text, "{}", row.trim_end());
    }
    text.push('\n');
}

/// A text column and the gap behind it.
fn column(cell: &str, width: usize) -> String {
    format!("{:<width$}  ", plain_text(cell, SHOWN))
}

fn iteration_text(iteration: Option<i64>) -> String {
    iteration.map_or_else(|| "-".to_owned(), |iteration| iteration.to_string())
}
