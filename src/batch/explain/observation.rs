//! The events behind an observation's figures.

use super::tell_events;
use cli::args::ExplainArgs;
use cli::learn::card;
use cli::printer::Printer;
use cli::table::trimmed;
use engine::cycle::{ObservationExplanation, ObservationReason};
use learn::observation::{ObservationCount, Status};
use render::plain_text;
use text::diagnostic::Outcome;
use text::time::instant;

/// Prints why an observation has its figures.
pub(super) fn print(explanation: &ObservationExplanation, options: &ExplainArgs, printer: &Printer) -> Outcome<()> {
    if options.output.json { printer.json(explanation) } else { tell(explanation, options.limit, printer) }
}

fn tell(explanation: &ObservationExplanation, limit: usize, printer: &Printer) -> Outcome<()> {
    printer.line(&card(&explanation.observation))?;
    printer.heading("\nHistory")?;
    let header = ["when", "event at", "session", "what", "#sessions", "#confidence", "status"];
    tell_events(header, &explanation.events, row, limit, printer)?;
    printer.heading("\nResult")?;
    sums(explanation).iter().try_for_each(|line| printer.line(&format!("  {line}")))
}

fn row(event: &ObservationReason) -> [String; 7] {
    let ObservationCount { observations, fresh, confidence, status } = event.after;
    let sessions = if fresh == 0 { observations.to_string() } else { format!("{observations} + {fresh}") };
    [
        instant(event.time_micros),
        event.place.as_deref().map(|place| plain_text(place, 60)).unwrap_or_default(),
        event.session.as_deref().map(|session| plain_text(session, 40)).unwrap_or_default(),
        plain_text(&event.what, 80),
        sessions,
        trimmed(confidence),
        status.to_string(),
    ]
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
    if score.status == Status::Deprecated {
        let (at, fresh) = (score.deprecated_at.as_deref().unwrap_or_default(), score.sightings_since_deletion);
        lines.push(format!(
            "deprecated since {at}: {fresh} of {} new sessions needed to return, unless it was rejected",
            promotion.fresh
        ));
    }
    lines
}
