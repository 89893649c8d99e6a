//! `outerloop learn purge`: decayed observations are deprecated, and refused ones are listed with their reasons.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use clap::Args as ClapArgs;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;

use super::decision::Verb;
use super::{counted, load, percent};
use crate::args::{ActorArgs, OutputArgs, ProjectFilter};
use crate::printer::Printer;
use crate::subject::land;
use crate::table::{grouped, tabulate};
use learn::observation::{ObservationScore, Status};
use render::plain_text;
use store::lake;
use store::lake::Quarantined;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
pub(super) struct PurgeArgs {
    /// Show what would be deprecated, without recording it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    actor: ActorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Takes what has faded out of use.
pub(super) fn run(workspace: &Workspace, options: &PurgeArgs, printer: &Printer) -> Outcome<Exit> {
    let scores = load(workspace, options.project.name.as_deref())?;
    let faded: Vec<&ObservationScore> =
        scores.iter().filter(|score| score.is_faded && score.status != Status::Deprecated).collect();
    let refused = load_refused(workspace)?;
    let reasons: Vec<String> = faded.iter().map(|score| reason(score)).collect();
    if !options.dry_run {
        let actor = &*options.actor.name;
        land(workspace, faded.iter().zip(&reasons).map(|(score, reason)| Verb::Deprecate.about(score, actor, Some(reason))))?;
    }
    if options.output.json {
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
    tell_refused(&refused, printer)?;
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

/// Lines that were refused for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Refused {
    /// The stable name of the reason.
    pub code: String,
    /// How many lines.
    pub lines: u64,
    /// The reason of the last of them, in words.
    pub reason: String,
    /// What its writer can do.
    pub remedy: String,
    /// Where the last of them stands: inbox file and line.
    pub place: String,
}

/// The observations in quarantine, by reason.
pub(super) fn load_refused(workspace: &Workspace) -> Outcome<Vec<Refused>> {
    let mut found: BTreeMap<String, Refused> = BTreeMap::new();
    for path in lake::list_quarantine(workspace)? {
        let failed = |error: std::io::Error| Diagnostic::io("cannot read the quarantine", &path, &error);
        for line in BufReader::new(File::open(&path).map_err(failed)?).lines() {
            // What a person edited by hand may be anything; it is not a line that was set aside.
            let Ok(entry) = serde_json::from_str::<Quarantined>(&line.map_err(failed)?) else { continue };
            if !is_observation(&entry.text) {
                continue;
            }
            let lines = found.get(&entry.code).map_or(0, |earlier| earlier.lines) + 1;
            let place = format!("{}:{}", entry.file, entry.line);
            found
                .insert(entry.code.clone(), Refused { code: entry.code, lines, reason: entry.reason, remedy: entry.remedy, place });
        }
    }
    Ok(found.into_values().collect())
}

/// Whether a line was meant as an observation. Of one that is no JSON its words tell.
fn is_observation(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.get("kind").and_then(Value::as_str) == Some("observation"),
        Err(_) => text
            .split_once("\"kind\"")
            .is_some_and(|(_, rest)| rest.trim_start_matches([' ', '\t', ':']).starts_with("\"observation\"")),
    }
}

/// How many lines were refused.
pub(super) fn count_refused(refused: &[Refused]) -> u64 {
    refused.iter().map(|refused| refused.lines).sum()
}

/// Tells people of what was refused.
fn tell_refused(refused: &[Refused], printer: &Printer) -> Outcome<()> {
    if refused.is_empty() {
        return printer.line("no observations in quarantine");
    }
    let rows = refused.iter().map(|one| {
        [
            plain_text(&one.code, 40),
            grouped(one.lines),
            plain_text(&one.reason, 120),
            plain_text(&one.place, 80),
            plain_text(&one.remedy, 120),
        ]
    });
    printer.line(&tabulate(["refused", "#lines", "the last one", "at", "what to do"], rows))
}
