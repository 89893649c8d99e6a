//! What people decide about observations. Each decision is an event, so that what is published stays a function of the log.

use clap::Args as ClapArgs;
use serde_json::{Value, json};

use super::{find, load};
use crate::args::{ActorArgs, OutputArgs, ProjectFilter};
use crate::landing::{self, line_of, spoken};
use crate::printer::Printer;
use event::Draft;
use learn::observation::ObservationScore;
use render::plain_text;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Arguments of a decision about observations.
#[derive(Debug, ClapArgs)]
pub struct DecisionArgs {
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
pub struct PromoteArgs {
    #[command(flatten)]
    decision: DecisionArgs,
    /// Even if its quality was not confirmed, or it is deprecated
    #[arg(long)]
    force: bool,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
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

    /// The word of the event.
    const fn action(self) -> &'static str {
        match self {
            Self::Deprecate => "retire",
            Self::Keep => "clear",
            Self::Restore => "restore",
            Self::Promote | Self::ForcePromote => "promote",
            Self::Reject => "reject",
        }
    }
}

/// A decision about one observation.
#[derive(Debug, Clone)]
pub struct Decision<'d> {
    /// What is decided.
    pub verb: Verb,
    /// The project of the observation.
    pub project: &'d str,
    /// The observation.
    pub id: &'d str,
    /// Who decides.
    pub actor: &'d str,
    /// Why.
    pub reason: Option<&'d str>,
}

/// Makes an observation an artifact.
pub fn promote(workspace: &Workspace, options: &PromoteArgs, printer: &Printer) -> Outcome<Exit> {
    let verb = if options.force { Verb::ForcePromote } else { Verb::Promote };
    decide(workspace, verb, &options.decision, printer)
}

/// Decides about observations.
pub fn decide(workspace: &Workspace, verb: Verb, options: &DecisionArgs, printer: &Printer) -> Outcome<Exit> {
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
    let decision = |score: &'_ &ObservationScore| {
        Decision { verb, project: &score.project, id: &score.id, actor: &options.actor.name, reason }.draft()
    };
    let lines = land(workspace, found.iter().map(decision))?;
    if options.output.json {
        printer.line(&Value::from(lines).to_string())?;
    }
    for score in found {
        tell_odd(verb, score, printer);
        printer.note(&format!(
            "{} {}: recorded; takes effect with the next run (`outerloop run hourly`)",
            verb.name(),
            plain_text(&score.id, 60)
        ));
    }
    Ok(Exit::Done)
}

/// What a decision changes nothing about is said; it may be meant for what landed since the last run.
fn tell_odd(verb: Verb, score: &ObservationScore, printer: &Printer) {
    let odd = match (verb, &*score.status) {
        (Verb::Keep, _) if !score.is_flagged() => "has no flags",
        (Verb::Restore, status) if status != "deprecated" => "is not deprecated",
        (Verb::Deprecate, "deprecated") => "is already deprecated",
        (Verb::Promote | Verb::ForcePromote, "created") => "is already an artifact",
        (Verb::Promote, "deprecated") => "is deprecated: --force is needed to make it an artifact",
        (Verb::Promote, _) if !score.quality_ok => "has no confirmed quality: --force is needed to make it an artifact",
        _ => return,
    };
    printer.note(&format!("{} {odd}, according to the published state", plain_text(&score.id, 60)));
}

impl Decision<'_> {
    /// The decision as an event of this instant.
    #[must_use]
    pub fn draft(&self) -> Draft {
        Draft::new("curation", clock::now(), self.project)
            .with("action", self.verb.action())
            .with("pattern_id", self.id)
            .with("actor", self.actor.trim())
            .with_some("reason", self.reason)
            .with_some("value", (self.verb == Verb::ForcePromote).then(|| json!({"force": true})))
    }
}

/// Lands events, all or none of them, and gives them as they landed. When this returns, they survive a power cut.
pub fn land(workspace: &Workspace, drafts: impl Iterator<Item = Draft>) -> Outcome<Vec<Value>> {
    let lines = drafts.map(line_of).collect::<Outcome<Vec<_>>>()?;
    landing::land(Recorder::new(workspace)?, &lines)?;
    let parse = |line: &String| serde_json::from_str(line);
    lines
        .iter()
        .map(parse)
        .collect::<Result<_, _>>()
        .map_err(|error| Diagnostic::bug(format!("an event written here is not JSON: {error}")))
}
