//! The events behind an observation's figures.

use super::{heading, latest, tell_earlier, time, trimmed};
use cli::args::ExplainArgs;
use cli::printer::Printer;
use cli::table::Columns;
use engine::cycle::{ObservationExplanation, ObservationReason};
use learn::observation::{ObservationScore, Status};
use render::plain_text;
use text::diagnostic::{Diagnostic, Outcome};

/// Prints why an observation has its figures.
pub fn print(explanation: &ObservationExplanation, options: &ExplainArgs, printer: &Printer) -> Outcome<()> {
    if !options.json {
        return tell(explanation, options.limit, printer);
    }
    let json = serde_json::to_string_pretty(explanation)
        .map_err(|error| Diagnostic::bug(format!("cannot encode the explanation: {error}")))?;
    printer.line(&json)
}

fn tell(explanation: &ObservationExplanation, limit: usize, printer: &Printer) -> Outcome<()> {
    printer.line(&card(&explanation.observation))?;
    heading(printer, "\nWhat happened to it")?;
    let mut table = Columns::new(&["when", "event at", "session", "what", "#sessions", "#confidence", "status"]);
    let (events, earlier) = latest(&explanation.events, limit);
    for event in events {
        table.row(row(event));
    }
    printer.line(&table.render())?;
    tell_earlier(earlier, printer)?;
    heading(printer, "\nWhat that makes")?;
    sums(explanation).iter().try_for_each(|line| printer.line(&format!("  {line}")))
}

fn row(event: &ObservationReason) -> [String; 7] {
    let sessions =
        if event.fresh == 0 { event.observations.to_string() } else { format!("{} + {}", event.observations, event.fresh) };
    [
        time(event.time_micros),
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
    lines.extend(score.needs_review.then(|| "  its sightings say different things".to_owned()));
    lines.extend(score.is_blocked.then(|| "  there is no room for it".to_owned()));
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
        sessions @ ..=1 => format!("sessions that count: {sessions}, which makes {by_sessions}"),
        sessions => format!("{sessions} sessions where {} are required, at most 0.95: {by_sessions}", promotion.required),
    }];
    if by_sessions != base {
        lines.push(format!("what is listed above leaves {base} of it"));
    }
    lines.push(format!(
        "whole days since it was last seen or used: {}, steps of decay: {}, so {base} x {} = {}",
        decay.days,
        decay.steps,
        trimmed(decay.factor),
        trimmed(score.confidence)
    ));
    let quality = if score.quality_ok { "good enough" } else { "not found good enough yet" };
    lines.push(format!(
        "ready from {} on, {} days after the first session, if it is good enough: it is {quality}{}",
        trimmed(promotion.confidence),
        trimmed(promotion.spread_days),
        score.ready_at.as_deref().map(|at| format!(", and became ready at {at}")).unwrap_or_default()
    ));
    if score.status == Status::Deprecated.name() {
        let (at, fresh) = (score.deprecated_at.as_deref().unwrap_or_default(), score.sightings_since_deletion);
        lines.push(format!(
            "out of use since {at}: {fresh} of {} fresh sessions that it takes to begin anew, unless it was refused for good",
            promotion.fresh
        ));
    }
    lines
}
