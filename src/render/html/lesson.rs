//! Lessons by what they are worth, and those that are flagged.

use super::markup::{Markup, said};
use super::table::{Cell, Look, MOST, Table, column, figures};
use super::{PageData, by_id, nothing};
use crate::overview::Tone;
use crate::report::Report;
use learn::pattern::{State, pattern_number};
use learn::truth::State as Verdict;
use learn::{Flag, Score, Trace};

pub(super) fn write_lessons(page: &mut Markup, report: &Report<'_>, data: &PageData<'_>) {
    if data.scores.is_empty() {
        return nothing(page, "No lesson was captured yet. Capture one:", "outerloop capture --help");
    }
    let is_measured = data.scores.iter().any(|score| score.is_in_use() && score.units > 0);
    let mut columns = vec![
        figures("standing", Look::Chip, "flag"),
        column("id", Look::Id),
        column("lesson", Look::Lesson),
        figures("rate", Look::Percent, "rate"),
        figures("range", Look::Range, "rate"),
        figures("seen", Look::Count, "seen"),
        figures("14 days", Look::Spark, "trace"),
        column("for", Look::Text),
    ];
    if is_measured {
        columns.splice(0..0, [figures("verdict", Look::Chip, "lift")]);
        columns.splice(4..4, [figures("lift", Look::Points, "lift"), figures("lift's range", Look::Lift, "lift")]);
    }
    let mut order: Vec<&Score> = data.scores.iter().filter(|score| score.is_in_use()).collect();
    let all = order.len();
    order.sort_by(|one, other| {
        // What coins say comes first, then the lower end of the rate.
        let lift = |score: &Score| score.lift.unwrap_or(f64::NEG_INFINITY);
        let worth = |score: &Score| score.lower.unwrap_or(-1.0);
        lift(other)
            .total_cmp(&lift(one))
            .then(worth(other).total_cmp(&worth(one)))
            .then_with(|| other.seen.cmp(&one.seen))
            .then_with(|| one.id.cmp(&other.id))
    });
    order.truncate(MOST);
    let rows = order.into_iter().map(|score| {
        let mut cells = vec![
            chip(score),
            Cell::Text(score.id.clone()),
            Cell::Text(said(&score.summary)),
            score.rate.into(),
            range(score),
            score.seen.into(),
            trace(data, score),
            Cell::Text(said(&score.applies_to.join(", "))),
        ];
        if is_measured {
            cells.splice(0..0, [verdict(score)]);
            cells.splice(4..4, [score.lift.into(), lift_range(score)]);
        }
        cells
    });
    let caption = if is_measured { "Lessons in use, by their lift" } else { "Lessons in use, by the lower end of their range" };
    let table = Table {
        id: "lesson-table",
        caption,
        columns: &columns,
        rows: rows.collect(),
        all,
        command: "outerloop patterns list --all --json",
    };
    page.leaf("p", &[("class", "lead")], &lead(report));
    table.write(page);
}

fn lead(report: &Report<'_>) -> String {
    let totals = &report.totals;
    format!(
        "{} lessons: {} in use, {} retired, {} rejected. A rate says how often a lesson worked where it was seen, not what it caused.",
        totals.patterns, totals.in_use, totals.retired, totals.rejected
    )
}

/// A word about a lesson. Few sightings are said to be few.
fn chip(score: &Score) -> Cell {
    let (tone, word) = match score.flag {
        Flag::Prune => (Tone::Bad, if score.is_settled { "PRUNE" } else { "PRUNE?" }),
        Flag::Review => (Tone::Bad, if score.is_settled { "REVIEW" } else { "REVIEW?" }),
        Flag::Stale => (Tone::Neutral, "STALE"),
        Flag::Untested => (Tone::Neutral, "untested"),
        Flag::None if score.seen < 10 => (Tone::Neutral, "few sightings"),
        Flag::None => (Tone::Good, score.confidence.name()),
    };
    Cell::Chip(tone, word.to_owned())
}

/// What coins say of a lesson, in a word.
fn verdict(score: &Score) -> Cell {
    Cell::Chip(verdict_tone(score), score.verdict.name().to_owned())
}

const fn verdict_tone(score: &Score) -> Tone {
    match score.verdict {
        Verdict::Helps => Tone::Good,
        Verdict::Hurts | Verdict::Blocked => Tone::Bad,
        _ => Tone::Neutral,
    }
}

fn lift_range(score: &Score) -> Cell {
    match (score.lift_lower, score.lift, score.lift_upper) {
        (Some(lower), Some(lift), Some(upper)) => Cell::Range([lower, lift, upper], verdict_tone(score)),
        _ => Cell::Empty,
    }
}

fn range(score: &Score) -> Cell {
    match (score.lower, score.rate, score.upper) {
        (Some(lower), Some(rate), Some(upper)) => {
            let tone = match score.flag {
                Flag::Prune | Flag::Review => Tone::Bad,
                Flag::None if score.seen >= 10 => Tone::Good,
                _ => Tone::Neutral,
            };
            Cell::Range([lower, rate, upper], tone)
        }
        _ => Cell::Empty,
    }
}

fn trace_of<'d>(data: &PageData<'d>, score: &Score) -> Option<&'d Trace> {
    data.history.traces.get(&pattern_number(&score.id)?)
}

fn trace(data: &PageData<'_>, score: &Score) -> Cell {
    trace_of(data, score).map_or(Cell::Empty, |trace| Cell::Spark(trace.points.iter().map(|point| point.rate).collect()))
}

pub(super) fn write_flags(page: &mut Markup, report: &Report<'_>, data: &PageData<'_>) {
    if report.flagged.is_empty() {
        return nothing(page, "No lesson is flagged for review, as stale or for pruning.", "");
    }
    let columns = [
        figures("flag", Look::Chip, "flag"),
        column("id", Look::Id),
        figures("since", Look::Text, "trace"),
        column("why", Look::Text),
        column("conclusive", Look::Text),
        figures("14 days", Look::Spark, "trace"),
        column("lesson", Look::Lesson),
    ];
    let known = by_id(data.scores);
    let flagged: Vec<&Score> = report.flagged.iter().filter_map(|score| known.get(&*score.id).copied()).collect();
    let rows = flagged.iter().take(MOST).map(|score| {
        vec![
            chip(score),
            Cell::Text(score.id.clone()),
            if score.flag == Flag::Stale { Cell::Empty } else { Cell::Text(since(trace_of(data, score))) },
            Cell::Text(score.flag_reason.clone()),
            Cell::Text(if score.is_settled { "yes".to_owned() } else { "no: few sightings".to_owned() }),
            trace(data, score),
            Cell::Text(said(&score.summary)),
        ]
    });
    let table = Table {
        id: "flag-table",
        caption: "Flagged lessons, the most urgent first",
        columns: &columns,
        rows: rows.collect(),
        all: flagged.len(),
        command: "outerloop patterns list --flag prune --json",
    };
    table.write(page);
    let gone: Vec<String> = data
        .scores
        .iter()
        .filter(|score| matches!(score.state, State::Retired | State::Rejected))
        .map(|score| score.id.clone())
        .collect();
    if !gone.is_empty() {
        let shown: Vec<&str> = gone.iter().take(20).map(String::as_str).collect();
        let more = gone.len().saturating_sub(shown.len());
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        page.leaf("p", &[("class", "cut")], &format!("Retired or rejected by a person: {}{rest}.", shown.join(", ")));
    }
}

/// Since when a pattern has its flag.
fn since(trace: Option<&Trace>) -> String {
    match trace.map(Trace::flag_days) {
        Some(Some(0)) => "today".to_owned(),
        Some(Some(1)) => "1 day".to_owned(),
        Some(Some(days)) => format!("{days} days"),
        Some(None) | None => "over 14 days".to_owned(),
    }
}
