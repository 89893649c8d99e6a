//! `outerloop learn purge`: what has faded is taken out of use, and what was refused at the door is named.

use serde_json::json;

use super::decision::{Decision, Verb, land};
use super::{counted, load, percent, quarantine};
use crate::args::LearnPurgeArgs;
use crate::printer::Printer;
use learn::observation::ObservationScore;
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// Takes what has faded out of use.
pub fn run(workspace: &Workspace, options: &LearnPurgeArgs, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, options.project.project.as_deref())?;
    let faded: Vec<&ObservationScore> = scores.iter().filter(|score| score.is_faded && score.status != "deprecated").collect();
    let refused = quarantine::load(workspace)?;
    let reasons: Vec<String> = faded.iter().map(|score| reason(score)).collect();
    if !options.dry_run {
        let actor = &*options.actor.actor;
        let decision = |(score, reason): (&&ObservationScore, &String)| {
            Decision { verb: Verb::Deprecate, project: &score.project, id: &score.id, actor, reason: Some(reason) }.draft()
        };
        land(workspace, faded.iter().zip(&reasons).map(decision))?;
    }
    if options.json {
        let retired: Vec<_> = faded
            .iter()
            .zip(&reasons)
            .map(|(score, reason)| json!({"id": score.id, "project": score.project, "reason": reason}))
            .collect();
        printer.line(&json!({"is_dry_run": options.dry_run, "retired": retired, "quarantine": refused}).to_string())?;
        return Ok(Exit::Done);
    }
    for (score, reason) in faded.iter().zip(&reasons) {
        printer.line(&format!("{}  {}: {reason}", plain_text(&score.id, 60), plain_text(&score.pattern, 100)))?;
    }
    quarantine::tell(&refused, printer)?;
    let fate = match (faded.is_empty(), options.dry_run) {
        (true, _) => "no observation has decayed".to_owned(),
        (false, true) => format!("{} would be deprecated", counted(faded.len(), "observation")),
        (false, false) => format!(
            "{} deprecated; takes effect with the next run (`outerloop run hourly`); `outerloop learn restore ID` restores one",
            counted(faded.len(), "observation")
        ),
    };
    printer.note(&fate);
    Ok(Exit::Done)
}

fn reason(score: &ObservationScore) -> String {
    format!("decayed: confidence {}, last seen {}", percent(score.confidence), score.last_seen)
}
