//! What people decide about observations. Each decision is an event, so that what is published stays a function of the log.

use clap::Args as ClapArgs;
use serde_json::Value;

use super::load;
use crate::args::{ActorArgs, OutputArgs, ProjectFilter};
use crate::landing::spoken;
use crate::printer::Printer;
use crate::subject::{decision, find, force, land, tell_decided};
use event::Draft;
use learn::observation::{ObservationScore, Status};
use learn::subject::Action;
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
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
    /// Even if it is deprecated
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
    if let Some(score) = found.iter().find(|score| verb == Verb::Promote && score.status == Status::Deprecated) {
        // The event would have no effect, and nobody would hear of it.
        return Err(Diagnostic::edit(
            format!("{} is deprecated", plain_text(&score.id, 60)),
            "add --force to make it an artifact all the same, or restore it first",
        ));
    }
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
        _ => return,
    };
    printer.note(&format!("{} {odd}, according to the published state", plain_text(&score.id, 60)));
}
