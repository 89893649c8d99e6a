//! `outerloop learn`: what recurs in transcripts, and what people decide about it. Opens no engine.

mod configure;
mod decision;
mod list;
mod place;
mod reset;
mod review;
mod status;

pub use list::card;

use clap::{Args as ClapArgs, Subcommand};

use super::args::{OutputArgs, PlaceArgs};
use super::printer::Printer;
use super::report::find_generation;
use super::require;
use agent::published::load_observations;
use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// The types, in the order of lists, and what each becomes.
const TYPES: [(ObservationType, &str); 4] = [
    (ObservationType::Workflow, "commands"),
    (ObservationType::Procedural, "skills"),
    (ObservationType::Decision, "decisions"),
    (ObservationType::Pitfall, "pitfalls"),
];
const STATUSES: [Status; 4] = [Status::Observing, Status::Ready, Status::Created, Status::Deprecated];

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
An observation from transcripts that reaches enough confidence becomes a command, a skill, a
decision or a pitfall of the project. Decisions are events: they are recorded in the inbox and take
effect with the next run.

  outerloop learn status                           counts, and what is set up
  outerloop learn list --type decision             highest confidence first
  outerloop learn review                           observations to review
  outerloop learn deprecate obs_a1b2c3 --reason 'we moved to another tool'
  outerloop learn review --capacity                entries that could be removed from full files")]
pub struct LearnArgs {
    /// What to do
    #[command(subcommand)]
    action: LearnAction,
}

/// The actions on observations.
#[derive(Debug, Subcommand)]
enum LearnAction {
    /// Count observations by type and status, and show what is set up
    Status(StatusArgs),
    /// List observations, highest confidence first
    List(list::ListArgs),
    /// Show one observation in detail
    Show(list::ShowArgs),
    /// Review flagged observations
    Review(review::ReviewArgs),
    /// Deprecate observations; new sightings do not restore them
    #[command(mut_arg("reason", |reason| reason.required(true)))]
    Deprecate(decision::DecisionArgs),
    /// Keep observations and clear their flags
    Keep(decision::DecisionArgs),
    /// Restore a deprecated observation
    Restore(decision::DecisionArgs),
    /// Turn an observation into an artifact now
    Promote(decision::PromoteArgs),
    /// Reject an observation permanently
    Reject(decision::DecisionArgs),
    /// Hide notices about full knowledge files until they grow
    Dismiss(StatusArgs),
    /// Show settings, or change them in outerloop.toml
    Configure(configure::ConfigureArgs),
    /// Forget all sightings of the project; keep rendered files
    Clear(reset::ClearArgs),
    /// Deprecate decayed observations, and list those in quarantine
    Purge(decision::PurgeArgs),
    /// Forget all sightings, and remove rendered files that nobody edited
    Reset(reset::ClearArgs),
}

/// Arguments of `learn status` and `learn dismiss`.
#[derive(Debug, ClapArgs)]
pub struct StatusArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists, shows, decides, configures.
pub fn run(workspace: &Workspace, options: &LearnArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    match &options.action {
        LearnAction::Status(options) => status::run(workspace, options, printer),
        LearnAction::List(options) => list::list(workspace, options, printer),
        LearnAction::Show(options) => list::show(workspace, options, printer),
        LearnAction::Review(options) => review::run(workspace, options, printer),
        LearnAction::Deprecate(options) => decision::decide(workspace, decision::Verb::Deprecate, options, printer),
        LearnAction::Keep(options) => decision::decide(workspace, decision::Verb::Keep, options, printer),
        LearnAction::Restore(options) => decision::decide(workspace, decision::Verb::Restore, options, printer),
        LearnAction::Promote(options) => decision::promote(workspace, options, printer),
        LearnAction::Reject(options) => decision::decide(workspace, decision::Verb::Reject, options, printer),
        LearnAction::Dismiss(options) => place::dismiss(workspace, options, printer),
        LearnAction::Configure(options) => configure::run(workspace, options, printer),
        LearnAction::Clear(options) => reset::clear(workspace, options, printer),
        LearnAction::Purge(options) => decision::run(workspace, options, printer),
        LearnAction::Reset(options) => reset::reset(workspace, options, printer),
    }
}

/// The published observations, of one project if it is named.
fn load(workspace: &Workspace, project: Option<&str>) -> Outcome<Vec<ObservationScore>> {
    let mut scores = load_observations(&find_generation(workspace, None)?)?;
    scores.retain(|score| project.is_none_or(|project| score.project == project));
    Ok(scores)
}

/// The letter by which lists tell types apart.
const fn letter(observation_type: ObservationType) -> &'static str {
    match observation_type {
        ObservationType::Workflow => "[W]",
        ObservationType::Procedural => "[P]",
        ObservationType::Decision => "[D]",
        ObservationType::Pitfall => "[F]",
    }
}

/// How sure an observation is, without decimals.
fn percent(confidence: f64) -> String {
    format!("{:.0}%", confidence * 100.0)
}

/// A number of things.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
