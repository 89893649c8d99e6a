//! The events behind an observation's figures.

use super::{heading, latest, tell_earlier};
use cli::args::ExplainArgs;

use cli::printer::Printer;
use cli::table::{Columns, trimmed};
use engine::cycle::{ObservationExplanation, ObservationReason};
use learn::observation::{ObservationScore, Status};
use render::plain_text;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::instant;

/// Prints why an observation has its figures.
pub fn print(explanation: &ObservationExplanation, options: &ExplainArgs, printer: &Printer) -> Outcome<()> {
    if !options.output.json {
        return tell(explanation, options.limit, printer);
    }
    let json = serde_json::to_string_pretty(explanation)
        .map_err(|error| Diagnostic::bug(format!("cannot encode the explanation: {error}")))?;
    printer.line(&json)
}

fn tell(explanation: &ObservationExplanation, limit: usize, printer: &Printer) -> Outcome<()> {
    printer.line(&card(&explanation.observation))?;
    heading(printer, "\nHistory")?;
    let mut table = Columns::new(&["when", "event at", "session", "what", "#sessions", "#confidence", "status"]);
    let (events, earlier) = latest(&explanation.events, limit);
    for event in events {
        table.row(row(event));
    }
    printer.line(&table.render())?;
    tell_earlier(earlier, printer)?;
    heading(printer, "\nResult")?;
    sums(explanation).iter().try_for_each(|line| printer.line(&format!("  {line}")))
}

fn row(event: &ObservationReason) -> [String; 7] {
    let sessions =
        if event.fresh == 0 { event.observations.to_string() } else { format!("{} + {}", event.observations, event.fresh) };
    [
        instant(event.time_micros),
        event.place.as_deref().map(|place| plain_text(place, 60)).unwrap_or_default(),
        event.session.as_deref().map(|session| plain_text(session, 40)).unwrap_or_default(),
        plain_text(&event.what, 80),
        sessions,
        trimmed(event.confidence),
        event.status.to_owned(),
    ]
}

/// An observation in a few lines.
fn card(score: &ObservationScore) -> String {
    let mut lines = vec![
        format!("{}  {}", score.id, plain_text(&score.pattern, 400)),
        format!("  {} {} of {}", score.status, score.observation_type, plain_text(&score.project, 80)),
        format!("  first seen {}, last seen or used {}", score.first_seen, score.last_seen),
    ];
    if !score.details.is_empty() {
        lines.push(format!("  {}", plain_text(&score.details, 400)));
    }
    lines.extend(score.evidence.iter().map(|quotation| format!("  quoted: {}", plain_text(quotation, 200))));
    lines.extend(score.artifact_path.iter().map(|path| {
        let anchor = score.anchor.as_deref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
        format!("  artifact: {}{}", plain_text(path, 200), plain_text(&anchor, 40))
    }));
    lines.extend(score.stale_reason.iter().map(|reason| format!("  may be stale: {}", plain_text(reason, 200))));
    lines.extend(score.needs_review.then(|| "  its sightings contradict each other".to_owned()));
    lines.extend(score.is_blocked.then(|| "  blocked: the knowledge file is full".to_owned()));
    if score.cites > 0 {
        lines.push(format!("  cited {} times, last {}", score.cites, score.last_cited.as_deref().unwrap_or("at an unknown time")));
    }
    lines.extend(score.note.iter().map(|note| format!("  {}", plain_text(note, 200))));
    lines.join("\n")
}

/// The sums that the figures are, for anyone to check.
fn sums(explanation: &ObservationExplanation) -> Vec<String> {
    let ObservationExplanation { observation: score, promotion, decay, .. } = explanation;
    let (by_sessions, base) = (trimmed(explanation.by_sessions), trimmed(score.base_confidence));
    let mut lines = vec![match score.observations {
        sessions @ ..=1 => format!("{sessions} counted sessions: {by_sessions}"),
        sessions => format!("{sessions} of {} required sessions, at most 0.95: {by_sessions}", promotion.required),
    }];
    if by_sessions != base {
        lines.push(format!("after the events above: {base}"));
    }
    lines.push(format!(
        "decay: {} days since last seen or used, {} steps, {base} x {} = {}",
        decay.days,
        decay.steps,
        trimmed(decay.factor),
        trimmed(score.confidence)
    ));
    let quality = if score.quality_ok { "confirmed" } else { "not confirmed" };
    lines.push(format!(
        "ready at confidence {} and {} days after the first session, if its quality is confirmed: {quality}{}",
        trimmed(promotion.confidence),
        trimmed(promotion.spread_days),
        score.ready_at.as_deref().map(|at| format!(", and became ready at {at}")).unwrap_or_default()
    ));
    if score.status == Status::Deprecated.name() {
        let (at, fresh) = (score.deprecated_at.as_deref().unwrap_or_default(), score.sightings_since_deletion);
        lines.push(format!(
            "deprecated since {at}: {fresh} of {} new sessions needed to return, unless it was rejected",
            promotion.fresh
        ));
    }
    lines
}
