//! What people decide about observations. Each decision is an event, so that what is published stays a function of the log.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use clap::Args as ClapArgs;
use serde::Serialize;
use serde_json::{Value, json};

use super::{counted, load, percent};
use crate::args::{ActorArgs, OutputArgs, ProjectFilter};
use crate::landing::spoken;
use crate::printer::Printer;
use crate::subject::{decision, find, force, land, tell_decided};
use crate::table::{grouped, tabulate};
use event::Draft;
use learn::observation::{ObservationScore, Status};
use learn::subject::Action;
use render::plain_text;
use store::lake::Quarantined;
use store::workspace::Workspace;
use store::{clock, lake};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Arguments of a decision about observations.
#[derive(Debug, ClapArgs)]
pub(super) struct DecisionArgs {
    /// The observations, such as `obs_a1b2c3`, or their entries, such as ADR-003
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Why
    #[arg(long, short)]
    reason: Option<String>,
    #[command(flatten)]
    project: ProjectFilter,
    #[command(flatten)]
    actor: ActorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, ClapArgs)]
pub(super) struct PromoteArgs {
    #[command(flatten)]
    decision: DecisionArgs,
    /// Even if its quality was not confirmed, or it is deprecated
    #[arg(long)]
    force: bool,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// Out of use.
    Deprecate,
    /// As it is, without flags.
    Keep,
    /// Back into use.
    Restore,
    /// An artifact.
    Promote,
    /// An artifact, whatever was found of it.
    ForcePromote,
    /// Never.
    Reject,
}

impl Verb {
    /// The word of the command line.
    const fn name(self) -> &'static str {
        match self {
            Self::Deprecate => "deprecate",
            Self::Keep => "keep",
            Self::Restore => "restore",
            Self::Promote | Self::ForcePromote => "promote",
            Self::Reject => "reject",
        }
    }

    const fn action(self) -> Action {
        match self {
            Self::Deprecate => Action::Retire,
            Self::Keep => Action::Clear,
            Self::Restore => Action::Restore,
            Self::Promote | Self::ForcePromote => Action::Promote,
            Self::Reject => Action::Reject,
        }
    }

    /// The decision about an observation, as an event of this instant.
    pub(super) fn about(self, score: &ObservationScore, actor: &str, reason: Option<&str>) -> Draft {
        let begun = Draft::new("curation", clock::now(), &score.project);
        decision(begun, self.action(), &score.id, actor, reason).with_some("value", force(self == Self::ForcePromote))
    }
}

/// Makes an observation an artifact.
pub(super) fn promote(workspace: &Workspace, options: &PromoteArgs, printer: &Printer) -> Outcome<Exit> {
    let verb = if options.force { Verb::ForcePromote } else { Verb::Promote };
    decide(workspace, verb, &options.decision, printer)
}

/// Decides about observations.
pub(super) fn decide(workspace: &Workspace, verb: Verb, options: &DecisionArgs, printer: &Printer) -> Outcome<Exit> {
    let reason = options.reason.as_deref().map(spoken).transpose()?;
    let scores = load(workspace, options.project.name.as_deref())?;
    // All are found before anything lands: half a decision would have to be looked for.
    let mut found: Vec<&ObservationScore> = options.ids.iter().map(|id| find(&scores, id)).collect::<Outcome<_>>()?;
    let mut seen = Vec::new();
    found.retain(|score| {
        let is_first = !seen.contains(&(&*score.project, &*score.id));
        seen.push((&score.project, &score.id));
        is_first
    });
    let landed = land(workspace, found.iter().map(|score| verb.about(score, &options.actor.name, reason)))?;
    if options.output.json {
        printer.line(&Value::from(landed).to_string())?;
    }
    for score in found {
        tell_odd(verb, score, printer);
        tell_decided(verb.name(), &plain_text(&score.id, 60), printer);
    }
    Ok(Exit::Done)
}

/// What a decision changes nothing about is said; it may be meant for what landed since the last run.
fn tell_odd(verb: Verb, score: &ObservationScore, printer: &Printer) {
    let odd = match (verb, score.status) {
        (Verb::Keep, _) if !score.is_flagged() => "has no flags",
        (Verb::Restore, status) if status != Status::Deprecated => "is not deprecated",
        (Verb::Deprecate, Status::Deprecated) => "is already deprecated",
        (Verb::Promote | Verb::ForcePromote, Status::Created) => "is already an artifact",
        (Verb::Promote, Status::Deprecated) => "is deprecated: --force is needed to make it an artifact",
        (Verb::Promote, _) if !score.quality_ok => "has no confirmed quality: --force is needed to make it an artifact",
        _ => return,
    };
    printer.note(&format!("{} {odd}, according to the published state", plain_text(&score.id, 60)));
}

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
