//! Whether it helps, in words: the verdicts on the loop, on patterns and on experiments.

use std::fmt::Write as _;

use serde::Serialize;

use super::markdown::cell;
use super::metrics::Metric;
use learn::truth::{State, Subject, Sum, Verdict};
use learn::{Score, real};
use text::diagnostic::{Diagnostic, Outcome};

/// How many patterns the report lists; all stand in `truth.json`.
const SHOWN: usize = 20;

/// What the coins say, as reports hold it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthReport<'t> {
    /// The first thing to know, in a sentence.
    pub sentence: String,
    /// Whether coins are tossed from here on.
    pub is_on: bool,
    /// How many coins were ever tossed.
    pub coins: i64,
    /// The smallest lift that matters.
    pub smallest: f64,
    /// What measuring costs, as a share of all tasks, by the lifts so far: tasks without the loop, and patterns held back.
    pub cost: Option<Cost>,
    #[serde(rename = "loop")]
    pub whole: Option<&'t Verdict>,
    pub patterns: Vec<&'t Verdict>,
    pub experiments: Vec<&'t Verdict>,
}

/// What measuring costs, as a share of all tasks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    pub without_loop: f64,
    pub without_patterns: f64,
}

impl<'t> TruthReport<'t> {
    /// The report on some verdicts.
    #[must_use]
    pub fn new(verdicts: &'t [Verdict], is_on: bool, coins: i64, smallest: f64) -> Self {
        let whole = verdicts.iter().find(|verdict| verdict.subject == Subject::LOOP);
        let is_experiment = |verdict: &&Verdict| verdict.subject.starts_with(Subject::EXPERIMENT);
        let is_pattern = |verdict: &&Verdict| verdict.subject != Subject::LOOP && !is_experiment(verdict);
        let patterns: Vec<&Verdict> = verdicts.iter().filter(is_pattern).collect();
        Self {
            sentence: loop_sentence(whole, is_on, smallest),
            is_on,
            coins,
            smallest,
            cost: whole.and_then(|whole| cost_of(whole, &patterns)),
            whole,
            patterns,
            experiments: verdicts.iter().filter(is_experiment).collect(),
        }
    }
}

fn cost_of(whole: &Verdict, patterns: &[&Verdict]) -> Option<Cost> {
    let units = Some(real(whole.units)).filter(|units| *units > 0.0)?;
    let held: f64 = patterns.iter().filter_map(|verdict| Some(verdict.pooled? * real(verdict.withheld))).sum();
    Some(Cost { without_loop: whole.lift? * whole.withheld_share()?, without_patterns: held / units })
}

/// The verdict on the loop in a sentence: the first line of every report.
#[must_use]
pub fn loop_sentence(whole: Option<&Verdict>, is_on: bool, smallest: f64) -> String {
    match whole {
        Some(whole) => subject_sentence("the loop", whole, smallest),
        None if is_on => "Whether the loop helps is not measured yet: coins are tossed from now on, and none has been logged. \
             `truth.on = \"never\"` switches that off."
            .to_owned(),
        None => "Whether the loop helps is not measured. To begin, let hooks show patterns and record goals \
                 (`outerloop init --claude`, `outerloop goal`), or set `truth.on = \"always\"`."
            .to_owned(),
    }
}

/// A verdict in a sentence. `subject` is what it is about, in words.
#[must_use]
pub fn subject_sentence(subject: &str, verdict: &Verdict, smallest: f64) -> String {
    let (range, tasks) = (range_words(verdict), task_words(verdict));
    let lift = points(verdict.lift);
    let sentence = match verdict.verdict {
        State::Helps => format!("{subject} helps: {lift} points {range}; {tasks}."),
        State::Hurts => format!("{subject} hurts: {lift} points {range}; {tasks}."),
        State::NoEffect => {
            format!("{subject} makes no difference above {:.0} points: {lift} points {range}; {tasks}.", 100.0 * smallest)
        }
        State::Blocked => format!(
            "{subject} helps ({lift} points {range}), but {} got worse, so it gets no verdict; {tasks}.",
            verdict.guards.join(" and ")
        ),
        State::Broken => format!(
            "whether {subject} helps cannot be said: rows are lost. {} tasks were shown it and {} were not, which the logged coins do \
             not explain.",
            grouped(verdict.drawn_shown),
            grouped(verdict.drawn_withheld)
        ),
        State::NotEnough => {
            let so_far = if verdict.lift.is_some() { format!("; {lift} points so far {range}") } else { String::new() };
            format!("whether {subject} helps: {}{so_far}; {tasks}.", wait_words(verdict))
        }
        State::Unassigned => format!("whether {subject} helps: no task has drawn a coin."),
    };
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let earlier = if verdict.is_earlier { " (Evidence of the epoch before; this one has not spoken yet.)" } else { "" };
    format!("{first}{}{earlier}", letters.as_str())
}

/// A verdict in a few words, for tables.
#[must_use]
pub fn verdict_words(verdict: State, days_left: Option<i64>, smallest: Option<f64>) -> String {
    match (verdict, days_left, smallest) {
        (State::NotEnough, Some(days), _) => format!("not enough data, about {} {}", grouped(days), plural(days, "day")),
        (State::NoEffect, _, Some(smallest)) => format!("no effect above {:.0} points", 100.0 * smallest),
        (State::Broken, ..) => "broken: rows are lost".to_owned(),
        (State::Blocked, ..) => "blocked: a guard got worse".to_owned(),
        (state, ..) => state.name().to_owned(),
    }
}

fn wait_words(verdict: &Verdict) -> String {
    match verdict.days_left {
        Some(days) => format!("not enough data, about {} {}", grouped(days), plural(days, "day")),
        None if verdict.units == 0 => "not enough data, no task was judged".to_owned(),
        None => "not enough data, and no task was judged in the last 14 days".to_owned(),
    }
}

fn range_words(verdict: &Verdict) -> String {
    match (verdict.lower, verdict.upper) {
        (Some(lower), Some(upper)) => format!("({} to {})", points(Some(lower)), points(Some(upper))),
        _ => String::new(),
    }
}

fn task_words(verdict: &Verdict) -> String {
    let tasks = format!("{} {}", grouped(verdict.units), plural(verdict.units, "task"));
    match verdict.withheld_share() {
        Some(share) => format!("{tasks}, {:.0}% without", 100.0 * share),
        None => tasks,
    }
}

fn plural(count: i64, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

/// A share as percentage points with its sign; a dash where there is none. A rounded nought has no sign.
#[must_use]
pub fn points(share: Option<f64>) -> String {
    let Some(share) = share else { return "-".to_owned() };
    let text = format!("{:+.1}", 100.0 * share);
    if text == "-0.0" { "+0.0".to_owned() } else { text }
}

fn grouped(count: i64) -> String {
    let digits = count.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if count < 0 { format!("-{text}") } else { text }
}

/// The section of the report. The sentence on the loop stands at its top already.
pub(super) fn truth_section(text: &mut String, report: &TruthReport<'_>, scores: &[&Score]) {
    if report.whole.is_none() && report.patterns.is_empty() && report.experiments.is_empty() {
        return;
    }
    text.push_str("\n## Does it help?\n\n");
    if let Some(whole) = report.whole {
        soundness(text, whole);
    }
    if let Some(cost) = report.cost {
        let _ = writeln!(
            text,
            "Measuring costs about {} points (tasks without the loop) and {} (patterns held back), by the lifts so far.",
            points(Some(cost.without_loop)),
            points(Some(cost.without_patterns))
        );
    }
    for experiment in &report.experiments {
        let name = experiment.subject.strip_prefix(Subject::EXPERIMENT).unwrap_or(&experiment.subject);
        let subject = format!("the variant of experiment {}", cell(name));
        let _ = writeln!(text, "{}", subject_sentence(&subject, experiment, report.smallest));
    }
    text.push_str(
        "\nA lift is how many points more tasks succeed where a pattern was shown than where a coin held it back. Its interval holds \
         however often you look. A task that names none is a run.\n",
    );
    pattern_table(text, report, scores);
}

/// Whether as many units were shown as coins say, and how many nobody judged.
fn soundness(text: &mut String, whole: &Verdict) {
    let ratio = if whole.verdict == State::Broken { "Ratio of shown tasks: broken" } else { "Ratio of shown tasks: sound" };
    let _ = match whole.unjudged_shares() {
        Some((shown, withheld)) => writeln!(
            text,
            "{ratio}; unjudged {:.1}% with the loop, {:.1}% without. Evidence: {} to 1 that it helps, {} to 1 that it hurts.",
            100.0 * shown,
            100.0 * withheld,
            odds(whole.ln_helps),
            odds(whole.ln_hurts)
        ),
        None => writeln!(text, "{ratio}."),
    };
    if whole.late > 0 {
        let _ = writeln!(
            text,
            "{} tasks were judged too late to count: raise `truth.settle_hours` if that is usual.",
            grouped(whole.late)
        );
    }
}

/// Evidence as odds; far beyond any threshold digits say nothing.
#[must_use]
pub fn odds(logarithm: f64) -> String {
    let odds = logarithm.exp();
    if odds < 1e5 { format!("{odds:.2}") } else { format!("1e{:.0}", odds.log10()) }
}

fn pattern_table(text: &mut String, report: &TruthReport<'_>, scores: &[&Score]) {
    if report.patterns.is_empty() {
        return;
    }
    let mut lines = report.patterns.clone();
    let urgency = |verdict: &Verdict| match verdict.verdict {
        State::Broken => 0,
        State::Hurts => 1,
        State::Blocked => 2,
        State::Helps => 3,
        State::NoEffect => 4,
        State::NotEnough | State::Unassigned => 5,
    };
    let strength = |verdict: &Verdict| -verdict.pooled.unwrap_or_default().abs();
    lines.sort_by(|one, other| urgency(one).cmp(&urgency(other)).then(strength(one).total_cmp(&strength(other))));
    text.push_str(
        "\n| pattern | verdict | lift | 95%, at any time | pooled | tasks | coin | flag | lesson |\n\
         |---|---|---:|---|---:|---:|---:|---|---|\n",
    );
    for line in lines.iter().take(SHOWN) {
        let score = scores.iter().find(|score| score.id == line.subject);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            line.subject,
            verdict_words(line.verdict, line.days_left, Some(report.smallest)),
            points(line.lift),
            range_words(line).trim_matches(['(', ')']),
            points(line.pooled),
            grouped(line.units),
            line.coin.map_or_else(|| "-".to_owned(), |coin| format!("{coin:.2}")),
            score.map(|score| score.flag.name()).unwrap_or_default(),
            score.map(|score| cell(&score.summary)).unwrap_or_default(),
        );
    }
    let hidden = lines.len().saturating_sub(SHOWN);
    if hidden > 0 {
        let _ = writeln!(text, "\n{hidden} more patterns stand in `truth.json`.");
    }
}

/// What dropping some patterns would change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIf {
    /// In words, with what it is: a model.
    pub sentence: String,
    /// The change of all tasks' success, as a share.
    pub change: f64,
    /// How far it may be off, one standard deviation.
    pub deviation: f64,
    pub model: &'static str,
}

/// Adds up the pooled lifts of some patterns, each by the share of tasks that are shown it.
#[must_use]
pub fn what_if(verdicts: &[Verdict], dropped: &[String]) -> WhatIf {
    let patterns: Vec<&Verdict> = verdicts.iter().filter(|verdict| dropped.contains(&verdict.subject)).collect();
    let most = verdicts.iter().map(|verdict| if verdict.subject == Subject::LOOP { verdict.shown } else { verdict.units }).max();
    let tasks = real(most.unwrap_or(0).max(1));
    let part = |verdict: &Verdict, figure: Option<f64>| figure.unwrap_or(0.0) * real(verdict.shown) / tasks;
    let change = -patterns.iter().map(|verdict| part(verdict, verdict.pooled)).sum::<f64>();
    let deviation = patterns.iter().map(|verdict| part(verdict, verdict.pooled_deviation).powi(2)).sum::<f64>().sqrt();
    let model = "sum of pooled lifts";
    let sentence = format!(
        "Without {}: about {} points, give or take {:.1}, over all tasks with the loop. This is a model ({model}, each by how often it is \
         shown), no measurement: patterns may crowd each other. An experiment measures it.",
        dropped.join(", "),
        points(Some(change)),
        100.0 * deviation
    );
    WhatIf { sentence, change, deviation, model }
}

/// The verdicts for monitoring. A verdict is 1 where it helps, -1 where it hurts, and 0 else.
#[must_use]
pub fn truth_metrics(report: &TruthReport<'_>) -> Vec<Metric> {
    let subjects: Vec<&Verdict> =
        report.whole.into_iter().chain(report.patterns.iter().copied()).chain(report.experiments.iter().copied()).collect();
    let each = |name: &'static str, help: &'static str, value: &dyn Fn(&Verdict) -> Option<f64>| {
        let metric = |verdict: &&Verdict| {
            Some(Metric { name, help, labels: vec![("subject", verdict.subject.clone())], value: value(verdict)? })
        };
        subjects.iter().filter_map(metric).collect::<Vec<_>>()
    };
    let side = |verdict: &Verdict| match verdict.verdict {
        State::Helps => 1.0,
        State::Hurts => -1.0,
        _ => 0.0,
    };
    [
        each("truth_verdict", "Whether it helps: 1 helps, -1 hurts, 0 no verdict.", &|verdict| Some(side(verdict))),
        each("truth_lift", "How much more often tasks succeed that were shown it, as a share.", &|verdict| verdict.lift),
        each("truth_lift_lower", "The lower end of the lift's interval.", &|verdict| verdict.lower),
        each("truth_lift_upper", "The upper end of the lift's interval.", &|verdict| verdict.upper),
        each("truth_units", "Judged tasks behind the lift.", &|verdict| Some(real(verdict.units))),
        each("truth_ratio_broken", "Whether rows are lost: 1 if more or fewer tasks were shown than coins allow.", &|verdict| {
            Some(if verdict.verdict == State::Broken { 1.0 } else { 0.0 })
        }),
    ]
    .concat()
}

/// What stands in `truth.json`: every verdict, and the sums that each figure follows from.
#[derive(Serialize)]
struct Document<'t> {
    as_of: &'t str,
    #[serde(flatten)]
    report: &'t TruthReport<'t>,
    sums: &'t [Sum],
}

/// Renders `truth.json`.
pub fn render_truth(report: &TruthReport<'_>, sums: &[Sum], as_of: &str) -> Outcome<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(&Document { as_of, report, sums })
        .map_err(|error| Diagnostic::bug(format!("the verdicts cannot be written as JSON: {error}")))?;
    text.push(b'\n');
    Ok(text)
}
