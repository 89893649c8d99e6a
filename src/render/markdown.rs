//! The report as Markdown, for people.

use std::fmt::Write as _;

use super::figure::{bar, rounded};
use super::observation::observation_section;
use super::policy::render_policy;
use super::report::Report;
use super::role::render_roles;
use super::statistics::render_statistics;
use super::timing::timing_section;
use super::truth::truth_section;
use learn::pattern::pattern_id;
use learn::subject::VoidDecision;
use learn::{Flag, Score};
use text::fit::plain_text;
use text::time::to_minutes;

/// How much of a pattern's text a table shows.
const SHOWN: usize = 90;

/// How much of a sentence a list shows.
const SENTENCE: usize = 300;

/// How many flagged patterns are listed: whoever wants all of them asks for them.
const MOST_FLAGGED: usize = 20;

/// Below so many sightings a rate is called what it is.
const FEW: i64 = 10;

pub fn render_markdown(report: &Report<'_>) -> String {
    let mut text = format!("# Learning report, as of {}\n\n", report.as_of);
    overview(&mut text, report);
    if is_about_runs_only(report) {
        begin_with_runs(&mut text, report);
    } else {
        begin_with_patterns(&mut text, report);
    }
    goals(&mut text, report);
    timing_section(&mut text, &report.timing);
    render_roles(&mut text, &report.roles);
    observation_section(&mut text, &report.observations);
    if !is_about_runs_only(report) {
        render_policy(&mut text, &report.policy);
    }
    merging(&mut text, report);
    strangers(&mut text, report);
    quarantine(&mut text, report);
    events(&mut text, report);
    origin(&mut text, report);
    text
}

/// What a reader should get in a minute, before all details.
fn overview(text: &mut String, report: &Report<'_>) {
    let overview = &report.overview;
    let _ = match report.truth.as_ref().filter(|truth| truth.is_on || truth.whole.is_some()) {
        Some(truth) => writeln!(text, "{}\n", truth.sentence),
        None => writeln!(text, "{}. {}\n", overview.verdict.title(), overview.verdict.sentence()),
    };
    text.push_str("## What to do now\n\n");
    if overview.actions.is_empty() {
        text.push_str("Nothing asks for your attention.\n");
    }
    if !overview.actions.is_empty() {
        text.push_str("| what | command |\n|---|---|\n");
    }
    for action in &overview.actions {
        let _ = writeln!(text, "| {} | {} |", line(&action.text), code(&action.command));
    }
    text.push_str("\n## Changed since last week\n\n");
    if overview.news.is_empty() {
        text.push_str("Nothing that matters.\n");
    } else {
        text.push_str("| what | why |\n|---|---|\n");
    }
    for news in &overview.news {
        let _ = writeln!(text, "| {} | {} |", line(&news.what), line(&news.why));
    }
    if !overview.weeks.is_empty() {
        text.push_str("\n## Weeks\n\n| week to | runs | succeeded | judged | goals met |\n|---|---:|---:|---:|---:|\n");
        for week in overview.weeks.iter().rev() {
            let _ = writeln!(text, "| {} | {} | {} | {} | {} |", week.ends, week.runs, week.succeeded, week.judged, week.met);
        }
    }
    let below = if is_about_runs_only(report) { "Runs in numbers" } else { "Lessons in numbers" };
    let _ = writeln!(text, "\n## {below}\n");
}

/// Whether nothing but runs was ever recorded, as a control service does.
fn is_about_runs_only(report: &Report<'_>) -> bool {
    report.totals.patterns == 0 && report.totals.applications == 0 && report.policy.runs > 0
}

fn begin_with_patterns(text: &mut String, report: &Report<'_>) {
    summary(text, report);
    if let Some(truth) = &report.truth {
        truth_section(text, truth, &report.published);
    }
    patterns(text, "Strongest", "No pattern without a flag has three sightings yet.", &report.strongest);
    patterns(text, "Weakest", "No pattern has three sightings yet.", &report.weakest);
    flags(text, report);
}

/// Empty tables of patterns would only hide what there is.
fn begin_with_runs(text: &mut String, report: &Report<'_>) {
    let (runs, adapters) = (report.policy.runs, report.policy.overlays.len());
    let approvals = report.policy.overlays.iter().filter(|line| line.overlay.require_approval).count();
    let _ = writeln!(text, "{runs} runs; {approvals} of {adapters} adapters need approval. No lessons yet.");
    render_policy(text, &report.policy);
}

fn summary(text: &mut String, report: &Report<'_>) {
    let totals = &report.totals;
    let flagged: Vec<String> = totals
        .flags
        .iter()
        .filter(|count| count.patterns > 0)
        .map(|count| format!("{} {}", count.patterns, if count.flag == Flag::None { "without a flag" } else { count.flag.name() }))
        .collect();
    let _ = writeln!(
        text,
        "{} patterns: {} in use ({}), {} retired, {} rejected. {} of {} applications match no pattern.",
        totals.patterns,
        totals.in_use,
        if flagged.is_empty() { "none".to_owned() } else { flagged.join(", ") },
        totals.retired,
        totals.rejected,
        totals.unattributed,
        totals.applications,
    );
    if report.dropped > 0 {
        let _ = writeln!(text, "The pattern file holds the best {}; {} more are in use.", report.published.len(), report.dropped);
    }
    if report.odd_categories > 0 {
        let _ = writeln!(text, "{} lessons have an unknown category and count as `pattern`.", report.odd_categories);
    }
    text.push_str("\nA rate is the share of sightings that helped; the interval is a 90% confidence interval.\n");
}

fn patterns(text: &mut String, heading: &str, nothing: &str, lines: &[&Score]) {
    let _ = writeln!(text, "\n## {heading}\n");
    if lines.is_empty() {
        let _ = writeln!(text, "{nothing}");
        return;
    }
    text.push_str(
        "| pattern | rate | | interval | rate when used | seen | flag | lesson |\n|---|---:|---|---|---:|---:|---|---|\n",
    );
    for line in lines {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            line.id,
            rounded(line.rate),
            bar(line.rate),
            reach(line),
            rounded(line.applied_rate),
            if line.seen < FEW { format!("{} (few)", line.seen) } else { line.seen.to_string() },
            line.flag,
            cell(&line.summary)
        );
    }
}

fn flags(text: &mut String, report: &Report<'_>) {
    text.push_str("\n## Flags\n\n");
    if report.flagged.is_empty() {
        text.push_str("No pattern is flagged for review, as stale or for pruning.\n");
        return;
    }
    text.push_str("| pattern | flag | why | conclusive | lesson |\n|---|---|---|---|---|\n");
    for line in report.flagged.iter().take(MOST_FLAGGED) {
        let settled =
            if line.is_settled { "yes".to_owned() } else { format!("no: the interval extends to {}", rounded(line.upper)) };
        let _ = writeln!(text, "| {} | {} | {} | {settled} | {} |", line.id, line.flag, line.flag_reason, cell(&line.summary));
    }
    let more = report.flagged.len().saturating_sub(MOST_FLAGGED);
    if more > 0 {
        let _ = writeln!(text, "\n{more} more: `outerloop patterns list --flag prune`, `--flag review`, `--flag stale`.");
    }
}

fn goals(text: &mut String, report: &Report<'_>) {
    let lesson_of = |number: u32| {
        let id = pattern_id(number);
        report.published.iter().find(|line| line.id == id).map(|line| line.summary.clone()).unwrap_or_default()
    };
    if !report.goals.is_empty() {
        text.push('\n');
        text.push_str(&render_statistics(&report.goals, &lesson_of));
    }
}

fn merging(text: &mut String, report: &Report<'_>) {
    let merging = &report.merging;
    text.push_str("\n## Lessons\n\n");
    let _ = writeln!(
        text,
        "Captured lessons made {} patterns, and {} repeated one of them. {} are about the tool itself and have their own \
         file. {} are pending, {} were refused.",
        merging.added, merging.merged, merging.tool_lessons, merging.waiting, merging.rejected
    );
    if merging.rejections.is_empty() {
        return;
    }
    text.push_str("\n| refused lesson | classifier | reason |\n|---|---|---|\n");
    for refused in &merging.rejections {
        let (by, why) = (cell(&refused.classifier), cell(&refused.reason));
        let _ = writeln!(text, "| {} | {by} | {why} |", cell(&refused.summary));
    }
}

fn strangers(text: &mut String, report: &Report<'_>) {
    if report.strangers.is_empty() {
        return;
    }
    text.push_str("\n## Unmatched texts\n\n| applications | text |\n|---:|---|\n");
    for (stranger, applications) in &report.strangers {
        let _ = writeln!(text, "| {applications} | {} |", cell(stranger));
    }
}

fn quarantine(text: &mut String, report: &Report<'_>) {
    text.push_str("\n## Quarantine\n\n");
    if report.quarantine.is_empty() && report.void_decisions.is_empty() {
        text.push_str("No line is in quarantine.\n");
        return;
    }
    if !report.quarantine.is_empty() {
        text.push_str("| lines | reason | example |\n|---:|---|---|\n");
        for refusal in &report.quarantine {
            let _ = writeln!(text, "| {} | {} | {} |", refusal.lines, cell(&refusal.code), cell(&refusal.example));
        }
    }
    for decision in &report.void_decisions {
        let _ = writeln!(
            text,
            "\nThe decision of {} at {} names {}, an unknown pattern.",
            cell(&decision.actor),
            cell(&decision.place),
            cell(&decision.pattern_id)
        );
    }
}

pub(super) fn void_decisions(text: &mut String, decisions: &[VoidDecision]) {
    for decision in decisions {
        let (actor, id, why) = (cell(&decision.actor), cell(&decision.subject), cell(&decision.why));
        let _ = writeln!(text, "\nThe decision of {actor} about {id} had no effect: {why}.");
    }
}

fn events(text: &mut String, report: &Report<'_>) {
    text.push_str("\n## Events\n\n| kind | events | from | to |\n|---|---:|---|---|\n");
    for holding in &report.totals.events {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            holding.kind,
            holding.events,
            to_minutes(holding.first_micros.0),
            to_minutes(holding.last_micros.0)
        );
    }
}

fn origin(text: &mut String, report: &Report<'_>) {
    text.push_str("\n## Sources\n\n`outerloop explain P-001` lists the events behind a pattern's figures.\n\n");
    let _ = writeln!(text, "Program: {}. Settings: `{}`.\n", report.program, short(&report.settings_hash));
    text.push_str("| query | SHA-256 |\n|---|---|\n");
    for (name, hash) in &report.queries {
        let _ = writeln!(text, "| sql/{name}.sql | `{}` |", short(hash));
    }
}

fn reach(line: &Score) -> String {
    match (line.lower, line.upper) {
        (Some(lower), Some(upper)) => format!("{lower:.2} to {upper:.2}{}", tasks_behind(line.tasks)),
        _ => String::new(),
    }
}

/// How many tasks stand behind an interval, where tasks are named.
pub fn tasks_behind(tasks: Option<i64>) -> String {
    match tasks {
        None => String::new(),
        Some(1) => ", 1 task".to_owned(),
        Some(tasks) => format!(", {tasks} tasks"),
    }
}

fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}

/// Text that somebody else wrote, for one cell: nothing in it is Markdown or HTML.
pub(crate) fn cell(text: &str) -> String {
    escaped(text, SHOWN)
}

/// A command of ours: nothing in it ends the code or the cell.
fn code(command: &str) -> String {
    format!("`{}`", command.replace('`', "'").replace('|', "\\|"))
}

/// The same for a sentence, which may be longer.
fn line(text: &str) -> String {
    escaped(text, SENTENCE)
}

fn escaped(text: &str, most_characters: usize) -> String {
    let mut escaped = String::new();
    for letter in plain_text(text, most_characters).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // A link that nobody clicked on purpose is the usual way out of a report.
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '!' | '@' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
    }
    // Many viewers make links of bare addresses.
    escaped.replace("://", ":\u{200b}//").replace("www.", "www\u{200b}.")
}
