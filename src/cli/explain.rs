//! `outerloop explain`: the events behind a pattern's figures.

use jiff::Timestamp;
use serde_json::json;

use super::args::ExplainArgs;
use super::patterns::card;
use super::printer::{Printer, Tone};
use super::report::find_generation;
use super::require;
use super::table::Columns;
use crate::cycle::{Explanation, Reason, explain};
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::job::join_readers;
use crate::render::plain_text;
use crate::setting::load_settings;
use crate::workspace::Workspace;

/// Explains a pattern.
pub fn run(workspace: &Workspace, options: &ExplainArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let generation = find_generation(workspace, options.generation.as_deref())?;
    let id = options.id.to_uppercase();
    let _readers = join_readers(workspace)?;
    let explanation = explain(workspace, &settings, &generation, &id, |_| {})?;
    if options.json {
        printer.line(&as_json(&explanation)?)?;
    } else {
        tell(&explanation, printer)?;
    }
    if !explanation.drift.is_empty() {
        printer.note(&format!(
            "note: {} changed since {} was published, so figures may differ from it",
            explanation.drift.join(", "),
            generation.manifest.generation
        ));
    }
    Ok(Exit::Done)
}

fn tell(explanation: &Explanation, printer: &Printer) -> Outcome<()> {
    let score = &explanation.score;
    printer.line(&card(score))?;
    heading(printer, "\nWhere the lesson comes from")?;
    for sighting in &explanation.sightings {
        let (file, event) = (plain_text(&sighting.file, 100), plain_text(&sighting.event, 100));
        printer.line(&format!("  {}  {file}:{}  {event}", time(sighting.time_micros), sighting.line))?;
    }
    for said in &explanation.also_said {
        printer.line(&format!("  also said: {}", plain_text(said, 200)))?;
    }
    heading(printer, "\nWhere the figures come from")?;
    let mut table =
        Columns::new(&["when", "event at", "run", "#iteration", "status", "matched by", "goal", "#relevance", "#counts"]);
    for reason in &explanation.reasons {
        table.row(row(reason));
    }
    printer.line(&table.render())?;
    printer.line(&format!("\n{}", sum(explanation)))
}

/// The sum that the figures are, for anyone to check.
fn sum(explanation: &Explanation) -> String {
    let score = &explanation.score;
    match score.rate {
        None => "Nothing counts yet, so there is no rate.".to_owned(),
        Some(rate) => format!(
            "{} sightings count {} in all: {} / {} = {rate:.2}",
            score.seen,
            trimmed(explanation.weight),
            trimmed(explanation.weight),
            score.seen
        ),
    }
}

fn row(reason: &Reason) -> [String; 9] {
    let goal = match reason.is_goal_met {
        None => "-",
        Some(true) => "met",
        Some(false) => "missed",
    };
    let status = if reason.is_unverified { format!("{}, unverified", reason.status) } else { reason.status.clone() };
    [
        time(reason.time_micros),
        plain_text(&reason.place, 60),
        plain_text(&reason.run_id, 40),
        reason.iteration.map(|iteration| iteration.to_string()).unwrap_or_default(),
        status,
        reason.tier.clone(),
        goal.to_owned(),
        reason.relevance.map(trimmed).unwrap_or_default(),
        reason.weight.map_or_else(|| "-".to_owned(), trimmed),
    ]
}

fn as_json(explanation: &Explanation) -> Outcome<String> {
    let sightings: Vec<_> = explanation
        .sightings
        .iter()
        .map(|sighting| json!({"event": sighting.event, "ts": time(sighting.time_micros), "file": sighting.file, "line": sighting.line}))
        .collect();
    let value = json!({
        "pattern": explanation.score,
        "captures": sightings,
        "also_said": explanation.also_said,
        "applications": explanation.reasons,
        "weight": explanation.weight,
        "changed_since": explanation.drift,
    });
    serde_json::to_string_pretty(&value).map_err(|error| Diagnostic::bug(format!("cannot encode the explanation: {error}")))
}

fn heading(printer: &Printer, text: &str) -> Outcome<()> {
    printer.line(&printer.toned(Tone::Heading, text))
}

fn time(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}

/// Six decimals at most, and no zeros at the end.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
