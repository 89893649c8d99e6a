//! `outerloop explain`: the events behind a pattern's figures.

mod observation;
mod role;
mod truth;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::program;
use cli::args::ExplainArgs;
use cli::patterns::{card, is_role_pattern};
use cli::printer::Printer;
use cli::report::find_generation;
use cli::require;
use cli::table::{Columns, grouped, tabulate, trimmed};
use engine::cycle::{CycleOptions, Explanation, PastReason, Reason, explain, explain_observation, explain_role, explain_subject};
use learn::Score;
use learn::truth::Subject;
use render::plain_text;
use store::deadline::Deadline;
use store::lock::join_readers;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};
use text::time::instant;

pub(crate) fn run(workspace: &Workspace, options: &ExplainArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let generation = find_generation(workspace, options.generation.as_deref())?;
    let _readers = join_readers(workspace)?;
    let asked = CycleOptions::of_generation(&generation, &settings, program(), Deadline::NEVER);
    let drift = if let Some(subject) = subject_of(&options.id) {
        let (explanation, drift) = explain_subject(workspace, &generation, asked, &subject)?;
        if options.output.json {
            printer.json(&json!({"truth": truth::document(&explanation), "changed_since": &drift}))?;
        } else {
            truth::tell(&explanation, options.limit, printer)?;
        }
        drift
    } else if is_role_pattern(&options.id) {
        let explanation = explain_role(workspace, &generation, asked, &options.id.to_uppercase())?;
        role::print(&explanation, &settings, options, printer)?;
        explanation.drift
    } else if options.id.starts_with("obs_") {
        let explanation = explain_observation(workspace, &generation, asked, &options.id)?;
        observation::print(&explanation, options, printer)?;
        explanation.changed_since
    } else {
        let explanation = explain(workspace, &generation, asked, &options.id.to_uppercase())?;
        if options.output.json {
            printer.json(&document(&explanation))?;
        } else {
            tell(&explanation, options.limit, printer)?;
        }
        explanation.drift
    };
    if !drift.is_empty() {
        printer.note(&format!(
            "note: {} changed after {} was published, so figures may differ",
            drift.join(", "),
            generation.manifest.generation
        ));
    }
    Ok(Exit::Done)
}

/// The loop or an experiment, as published tables call them.
fn subject_of(id: &str) -> Option<Subject> {
    let experiment = || Some(Subject::Experiment(id.strip_prefix(Subject::EXPERIMENT)?.to_owned()));
    if id.eq_ignore_ascii_case(Subject::LOOP) { Some(Subject::Loop) } else { experiment() }
}

fn tell(explanation: &Explanation, limit: usize, printer: &Printer) -> Outcome<()> {
    let score = &explanation.score;
    printer.line(&card(score))?;
    printer.heading("\nLessons")?;
    let (sightings, earlier) = latest(&explanation.sightings, limit);
    for sighting in sightings {
        let (file, event) = (plain_text(&sighting.file, 100), plain_text(&sighting.event, 100));
        printer.line(&format!("  {}  {file}:{}  {event}", instant(sighting.time_micros), sighting.line))?;
    }
    tell_earlier(earlier, printer)?;
    for said in latest(&explanation.also_said, limit).0 {
        printer.line(&format!("  other wording: {}", plain_text(said, 200)))?;
    }
    printer.heading("\nEvents")?;
    let header = ["when", "event at", "run", "#iteration", "status", "matched by", "goal", "#relevance", "#weight"];
    tell_events(header, &explanation.reasons, row, limit, printer)?;
    tell_past(&explanation.past, limit, printer)?;
    tell_passed_over(explanation, printer)?;
    printer.heading("\nSum")?;
    printer.line(&kinds(explanation))?;
    printer.line(&format!("\n{}", sum(explanation)))?;
    explanation.truth.as_ref().map_or(Ok(()), |told| truth::tell(told, limit, printer))
}

/// Lists the last events behind a figure.
fn tell_events<T, const N: usize>(
    header: [&str; N],
    events: &[T],
    row: impl Fn(&T) -> [String; N],
    limit: usize,
    printer: &Printer,
) -> Outcome<()> {
    let (events, earlier) = latest(events, limit);
    printer.line(&tabulate(header, events.iter().map(row)))?;
    tell_earlier(earlier, printer)
}

/// The last so many of a list, and how many come before them; 0 means all.
fn latest<T>(list: &[T], limit: usize) -> (&[T], usize) {
    let earlier = if limit == 0 { 0 } else { list.len().saturating_sub(limit) };
    (&list[earlier..], earlier)
}

fn tell_earlier(earlier: usize, printer: &Printer) -> Outcome<()> {
    if earlier == 0 {
        return Ok(());
    }
    printer.line(&format!("  and {} earlier ones, which also count; --limit 0 lists all", grouped(earlier as u64)))
}

/// Lists the sums that are kept of pruned days, the largest first.
fn tell_past(past: &[PastReason], limit: usize, printer: &Printer) -> Outcome<()> {
    if past.is_empty() {
        return Ok(());
    }
    let applications = past.iter().map(|sum| sum.applications.unsigned_abs()).sum();
    printer.heading(&format!("\nSums of pruned days: {} applications", grouped(applications)))?;
    let mut sums: Vec<&PastReason> = past.iter().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.applications));
    let shown = if limit == 0 { sums.len() } else { limit.min(sums.len()) };
    let mut table =
        Columns::new(&["from", "to", "project", "status", "matched by", "goal", "#relevance", "#applications", "#total weight"]);
    for sum in &sums[..shown] {
        table.row([
            instant(sum.first_micros),
            instant(sum.last_micros),
            plain_text(&sum.project, 40),
            status(&sum.status, sum.is_unverified),
            sum.tier.clone(),
            goal(sum.is_goal_met).to_owned(),
            sum.relevance.map(trimmed).unwrap_or_default(),
            grouped(sum.applications.unsigned_abs()),
            sum.weight.map_or_else(|| "-".to_owned(), trimmed),
        ]);
    }
    printer.line(&table.render())?;
    match sums.len() - shown {
        0 => Ok(()),
        more => printer.line(&format!("  and {} smaller sums, which also count; --limit 0 lists all", grouped(more as u64))),
    }
}

/// Says why some do not count at all, once for each reason.
fn tell_passed_over(explanation: &Explanation, printer: &Printer) -> Outcome<()> {
    let single = explanation.reasons.iter().map(|one| (&*one.status, one.passed_over));
    let all = single.chain(explanation.past.iter().map(|sum| (&*sum.status, sum.passed_over)));
    let why: BTreeSet<(&str, &str)> = all.filter_map(|(status, why)| why.map(|why| (status, why))).collect();
    why.iter().try_for_each(|(status, why)| printer.line(&format!("  {status}: {why}")))
}

/// Applications that count alike, together: a sum of a few lines that anyone can check, however many there are.
fn kinds(explanation: &Explanation) -> String {
    let mut kinds: BTreeMap<[String; 2], (u64, f64)> = BTreeMap::new();
    let mut add = |kind: [String; 2], applications: u64, weight: Option<f64>| {
        let (count, sum) = kinds.entry(kind).or_default();
        *count += applications;
        *sum += weight.unwrap_or(0.0);
    };
    for one in &explanation.reasons {
        let mut kind = kind(&one.status, one.is_unverified, one.is_goal_met, one.relevance.is_some());
        kind[0] = status_of(one);
        add(kind, 1, one.weight);
    }
    for sum in &explanation.past {
        let kind = kind(&sum.status, sum.is_unverified, sum.is_goal_met, sum.relevance.is_some());
        add(kind, sum.applications.unsigned_abs(), sum.weight);
    }
    let mut table = Columns::new(&["status", "goal", "#applications", "#total weight"]);
    for ([status, goal], (count, weight)) in kinds {
        table.row([status, goal, grouped(count), trimmed(weight)]);
    }
    table.render()
}

fn kind(word: &str, is_unverified: bool, is_goal_met: Option<bool>, is_rated: bool) -> [String; 2] {
    let rated = if is_rated { "relevance known" } else { "relevance unknown" };
    let is_credited = word == "applied" && !is_unverified;
    let goal = match is_goal_met {
        _ if !is_credited => "any goal".to_owned(),
        None => "no goal judged".to_owned(),
        Some(true) => "goal met".to_owned(),
        Some(false) => format!("goal missed, {rated}"),
    };
    [status(word, is_unverified), goal]
}

fn status(word: &str, is_unverified: bool) -> String {
    if is_unverified { format!("{word}, refuted") } else { word.to_owned() }
}

/// What became of a pattern, and what a use of it rests on.
fn status_of(reason: &Reason) -> String {
    match reason.evidence {
        Some(evidence) => format!("{}, {evidence}", reason.status),
        None => status(&reason.status, reason.is_unverified),
    }
}

const fn goal(is_goal_met: Option<bool>) -> &'static str {
    match is_goal_met {
        None => "-",
        Some(true) => "met",
        Some(false) => "missed",
    }
}

/// The sum that the figures are, for anyone to check.
fn sum(explanation: &Explanation) -> String {
    let score = &explanation.score;
    match score.rate {
        None => "No rate yet: there are no sightings.".to_owned(),
        Some(rate) => format!(
            "{} sightings with a total weight of {}: {} / {} = {rate:.2}",
            score.seen,
            trimmed(explanation.weight),
            trimmed(explanation.weight),
            score.seen
        ),
    }
}

fn row(reason: &Reason) -> [String; 9] {
    [
        instant(reason.time_micros),
        plain_text(&reason.place, 60),
        plain_text(&reason.run_id, 40),
        reason.iteration.map(|iteration| iteration.to_string()).unwrap_or_default(),
        status_of(reason),
        reason.tier.clone(),
        goal(reason.is_goal_met).to_owned(),
        reason.relevance.map(trimmed).unwrap_or_default(),
        reason.weight.map_or_else(|| "-".to_owned(), trimmed),
    ]
}

/// The document of `--json`.
#[derive(Serialize)]
struct Document<'e> {
    pattern: &'e Score,
    captures: Vec<Value>,
    also_said: &'e [String],
    applications: &'e [Reason],
    past: &'e [PastReason],
    weight: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Value>,
    changed_since: &'e [String],
}

fn document(explanation: &Explanation) -> Document<'_> {
    let captures = explanation.sightings.iter().map(
        |sighting| json!({"event": sighting.event, "ts": instant(sighting.time_micros), "file": sighting.file, "line": sighting.line}),
    );
    // There may be many applications: they are written as they are, without a tree of values in between.
    Document {
        pattern: &explanation.score,
        captures: captures.collect(),
        also_said: &explanation.also_said,
        applications: &explanation.reasons,
        past: &explanation.past,
        weight: explanation.weight,
        truth: explanation.truth.as_ref().map(truth::document),
        changed_since: &explanation.drift,
    }
}
