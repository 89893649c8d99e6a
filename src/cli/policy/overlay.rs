//! The rules for each adapter's next run, as lists and as cards.

use std::fs;
use std::io;

use serde::Serialize;
use serde_json::Value;

use super::{Asked, PolicyCheckArgs, PolicyHistoryArgs, PolicyShowArgs, load_document, parse_adapter, tell_unpublished};
use crate::printer::Printer;
use crate::report::find_generation;
use crate::table::{tabulate, trimmed};
use event::parse_time;
use learn::policy::{Basis, DAY_MICROS, Overlay, Trigger};
use render::plain_text;
use render::policy::{PolicyChange, PolicyDocument, labelled};
use setting::OverlaySettings;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

/// An overlay, and whether it is stale at the present.
#[derive(Debug, Serialize)]
struct Shown<'o> {
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'o str>,
    #[serde(flatten)]
    overlay: &'o Overlay,
    stale: bool,
}

/// Lists the rules of all adapters, or of one project's.
pub(super) fn list(workspace: &Workspace, project: Option<&str>, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let settings = load_settings(workspace)?.overlay;
    let document = load_policies(workspace)?;
    let now = clock::now().as_microsecond();
    let shown: Vec<Shown<'_>> = list_rules(&document, project)
        .into_iter()
        .map(|(project, overlay)| Shown { project, overlay, stale: overlay.is_stale(now, &settings) })
        .collect();
    if as_json {
        printer.json(&shown)?;
        return Ok(Exit::Done);
    }
    if shown.is_empty() {
        printer.note("no adapters yet; record events of the kind `run` that name them");
        return Ok(Exit::Done);
    }
    let rows = shown.iter().map(|Shown { project, overlay, stale }| {
        [
            plain_text(&labelled(&overlay.adapter_id, *project), 80),
            if overlay.require_approval { "needed" } else { "-" }.to_owned(),
            trimmed(overlay.risk_multiplier),
            overlay.suggested_max_retries.to_string(),
            plain_text(&overlay.updated_at, 40),
            if *stale { "stale" } else { "-" }.to_owned(),
            plain_text(&overlay.reason, 160),
        ]
    });
    printer.line(&tabulate(["adapter", "approval", "#multiplier", "#retries", "updated", "stale", "reason"], rows))?;
    Ok(Exit::Done)
}

/// Shows the rules of one adapter, and what made them so.
pub(super) fn show(
    workspace: &Workspace,
    options: &PolicyShowArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let adapter = parse_adapter(&options.adapter)?;
    let settings = load_settings(workspace)?;
    load_policies(workspace)?;
    let asked = Asked::load(workspace, &settings, project)?;
    let overlay = asked
        .overlay(&adapter)
        .ok_or_else(|| Diagnostic::edit(format!("unknown adapter {}", quoted(&adapter)), asked.hint(&adapter)))?;
    let stale = overlay.is_stale(clock::now().as_microsecond(), &settings.overlay);
    let shown = Shown { project: asked.apart(), overlay, stale };
    if as_json {
        printer.json(&shown)?;
    } else {
        printer.line(&card(&shown, &settings.overlay))?;
    }
    Ok(Exit::Done)
}

fn card(shown: &Shown<'_>, settings: &OverlaySettings) -> String {
    let Shown { project, overlay, stale } = shown;
    let verdict = if overlay.require_approval { "approval needed" } else { "may run without approval" };
    let retries = overlay.suggested_max_retries;
    let mut lines = vec![
        format!("{}: {verdict}", plain_text(&labelled(&overlay.adapter_id, *project), 80)),
        format!(
            "  risk × {}, at most {retries} retries ({} attempts)",
            trimmed(overlay.risk_multiplier),
            retries.saturating_add(1)
        ),
        format!("  {}", plain_text(&overlay.reason, 400)),
    ];
    lines.extend(describe_basis(&overlay.basis).map(|basis| format!("  score {basis}")));
    lines.extend(overlay.triggers.iter().map(|trigger| format!("  - {}", describe(trigger))));
    let updated = plain_text(&overlay.updated_at, 40);
    lines.push(if *stale {
        format!("  stale: not used for more than {} days, since {updated}", settings.stale_days)
    } else {
        format!("  last used {updated}")
    });
    lines.join("\n")
}

/// The score of an adapter, and what missing runs make of it; none of an adapter of which nothing is known.
pub(crate) fn describe_basis(basis: &Basis) -> Option<String> {
    let score = match basis.score {
        Some(score) => format!("{} over {} runs", trimmed(score), basis.runs),
        None if basis.refused_runs + basis.unreported_runs > 0 => "unknown: no run was taken".to_owned(),
        None => return None,
    };
    let missing = [(basis.refused_runs, "refused"), (basis.unreported_runs, "unreported")];
    let missing: Vec<String> = missing.iter().filter(|(runs, _)| *runs > 0).map(|(runs, kind)| format!("{runs} {kind}")).collect();
    let bounds = basis.lowest_score.zip(basis.highest_score).filter(|_| !missing.is_empty());
    let bounds = bounds.map(|(lowest, highest)| {
        let (lowest, highest) = (trimmed(lowest), trimmed(highest));
        format!("; {} runs put it between {lowest} and {highest}", missing.join(" and "))
    });
    Some(score + &bounds.unwrap_or_default())
}

fn describe(trigger: &Trigger) -> String {
    match trigger {
        Trigger::LowScore { score } => format!("low score: {score}"),
        Trigger::RepeatedFailure { pattern_id, occurrences } => {
            format!("repeated failure: {}, {occurrences} times", plain_text(pattern_id, 100))
        }
        Trigger::RefusedRuns { runs, score } => format!("{runs} refused runs: score {score} if they failed"),
        Trigger::UnreportedRuns { runs, score } => {
            format!("{runs} runs that a gate let through never reported: score {score} if they failed")
        }
        Trigger::Ratchet { score } => format!("earlier score not cleared: {score}"),
        Trigger::Annotation { actor, note } => format!("annotated by {}: {}", plain_text(actor, 60), plain_text(note, 200)),
    }
}

/// Lists the rules that rest on old runs.
pub(super) fn check(
    workspace: &Workspace,
    options: &PolicyCheckArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let settings = load_settings(workspace)?.overlay;
    let document = load_document(workspace)?;
    if document.is_none() {
        tell_unpublished(printer);
    }
    let now = options.as_of.unwrap_or_else(clock::now).as_microsecond();
    let overlays = document.as_ref().map(|document| list_rules(document, project)).unwrap_or_default();
    let stale: Vec<_> = overlays.iter().filter(|(_, overlay)| overlay.is_stale(now, &settings)).collect();
    let exit = if stale.is_empty() { Exit::Done } else { Exit::Refused };
    if as_json {
        let list: Vec<Value> = stale.iter().map(|(project, overlay)| stale_json(*project, overlay, now)).collect();
        printer.json(&list)?;
        return Ok(exit);
    }
    let days = settings.stale_days;
    if stale.is_empty() {
        printer.note(&format!("{} adapters, all used within {days} days", overlays.len()));
        return Ok(exit);
    }
    let rows = stale.iter().map(|(project, overlay)| {
        let name = plain_text(&labelled(&overlay.adapter_id, *project), 80);
        [name, plain_text(&overlay.updated_at, 40), idle_days(overlay, now).to_string()]
    });
    printer.line(&tabulate(["adapter", "updated", "#days"], rows))?;
    printer.note(&format!("{} of {} adapters were not used for more than {days} days", stale.len(), overlays.len()));
    Ok(exit)
}

fn stale_json(project: Option<&str>, overlay: &Overlay, now: i64) -> Value {
    let mut line =
        serde_json::json!({"adapterId": overlay.adapter_id, "updatedAt": overlay.updated_at, "idleDays": idle_days(overlay, now)});
    if let Some(project) = project {
        line["project"] = project.into();
    }
    line
}

/// Whole days since an adapter was last heard of.
fn idle_days(overlay: &Overlay, now: i64) -> i64 {
    parse_time(&overlay.updated_at).map_or(0, |updated| now.saturating_sub(updated) / DAY_MICROS)
}

/// The rules of all projects, or of one that is named, each with its project where there are several.
fn list_rules<'d>(document: &'d PolicyDocument, named: Option<&str>) -> Vec<(Option<&'d str>, &'d Overlay)> {
    let is_meant = |project: Option<&str>| named.is_none() || document.projects.is_empty() || project == named;
    let parts = document.parts().into_iter().filter(|(project, _)| is_meant(*project));
    parts.flat_map(|(project, rules)| rules.overlays.iter().map(move |overlay| (project, overlay))).collect()
}

/// The published policies. Whoever asks for them wants to see some.
fn load_policies(workspace: &Workspace) -> Outcome<PolicyDocument> {
    if let Some(document) = load_document(workspace)? {
        return Ok(document);
    }
    let generation = find_generation(workspace, None)?;
    Err(Diagnostic::edit("the published generation contains no policies", "publish a new one: outerloop run hourly")
        .at(&generation.folder))
}

/// Lists the changes of policies, the earliest first.
pub(super) fn list_changes(
    workspace: &Workspace,
    options: &PolicyHistoryArgs,
    project: Option<&str>,
    as_json: bool,
    printer: &Printer,
) -> Outcome<Exit> {
    let adapter = options.adapter.as_deref().map(parse_adapter).transpose()?;
    let (mut changes, unreadable) = load_changes(workspace)?;
    if let Some(adapter) = &adapter {
        changes.retain(|change| change.scope == "overlay" && change.key == *adapter);
    }
    if let Some(project) = project {
        changes.retain(|change| change.project.as_deref().is_none_or(|own| own == project));
    }
    if unreadable > 0 {
        printer.note(&format!("{unreadable} lines of history/policies.jsonl cannot be read and are skipped"));
    }
    if as_json {
        printer.json(&changes)?;
        return Ok(Exit::Done);
    }
    if changes.is_empty() {
        printer.note("no policy changed from one generation to the next");
        return Ok(Exit::Done);
    }
    let rows = changes.iter().map(|change| {
        [
            plain_text(&change.ts, 40),
            plain_text(&change.subject(), 80),
            plain_text(&change.field, 40),
            shown(&change.before),
            shown(&change.after),
            plain_text(&change.generation, 60),
        ]
    });
    printer.line(&tabulate(["when", "policy", "what", "#before", "#after", "generation"], rows))?;
    Ok(Exit::Done)
}

/// The changes, and how many lines are none.
fn load_changes(workspace: &Workspace) -> Outcome<(Vec<PolicyChange>, usize)> {
    let path = workspace.policy_history();
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        read => read.map_err(|error| Diagnostic::io("cannot read the history of policies", &path, &error))?,
    };
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    let changes: Vec<PolicyChange> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let unreadable = lines.len() - changes.len();
    Ok((changes, unreadable))
}

fn shown(value: &Value) -> String {
    if value.is_null() { "-".to_owned() } else { plain_text(&value.to_string(), 40) }
}
