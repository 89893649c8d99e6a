//! `outerloop citations`: whether the places that agents cite as evidence hold.

use std::io::{self, Read as _};

use serde_json::json;

use super::{ChangesArgs, Desk, changes_since};
use crate::printer::Printer;
use agent::iteration::{Claim, Summary, citation_lines, claims_of_inbox, claims_of_log};
use agent::repository::Repository;
use learn::change::Changes;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Checks citations.
pub(crate) fn run(workspace: &Workspace, options: &ChangesArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let repository = desk.repository()?;
    let changes = changes_since(&repository, &options.since)?;
    let summary = check(&desk, &repository, &changes)?;
    if options.turn.output.json && !options.turn.dry_run {
        let Summary { verified, refuted, passed_over, undecided, is_unchanged } = summary;
        let text = json!({"verified": verified, "refuted": refuted, "passed_over": passed_over, "undecided": undecided,
            "is_unchanged": is_unchanged});
        printer.line(&text.to_string())?;
    }
    printer.note(&describe(&summary));
    Ok(Exit::Done)
}

/// What was checked, in a sentence.
pub(super) fn describe(summary: &Summary) -> String {
    if summary.is_unchanged {
        return "no changes, so no citations to verify".to_owned();
    }
    let told = format!("{} citations verified, {} refuted", summary.verified, summary.refuted);
    match summary.undecided {
        0 => told,
        undecided => told + &format!("; {undecided} were given for several patterns together, and whose they are cannot be told"),
    }
}

/// Checks the claims of the iteration, once, and lands the verdicts.
pub(super) fn check(desk: &Desk<'_>, repository: &Repository, changes: &Changes) -> Outcome<Summary> {
    let claims = load_claims(desk)?;
    let (lines, summary) = citation_lines(&desk.turn, &claims, changes, desk.settings.citation.tolerance, repository)?;
    desk.land(&lines)?;
    Ok(summary)
}

/// The claims of the run's log, and those of applications that have landed.
fn load_claims(desk: &Desk<'_>) -> Outcome<Vec<Claim>> {
    let path = desk.learnings().join("acknowledgments.log");
    let mut log = Vec::new();
    match durable::open_regular(&path).and_then(|mut file| file.read_to_end(&mut log)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        read => read.map_err(|error| Diagnostic::io("cannot read the acknowledgments", &path, &error))?,
    };
    let mut claims = claims_of_log(&log, &desk.turn);
    claims.extend(claims_of_inbox(&desk.workspace.inbox(), &desk.turn)?);
    Ok(claims)
}
