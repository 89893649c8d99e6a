//! Arguments of `learn` and `hud`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Subcommand};

/// The types of observations.
const TYPES: [&str; 4] = ["workflow", "procedural", "decision", "pitfall"];
/// The statuses of observations.
const STATUSES: [&str; 4] = ["observing", "ready", "created", "deprecated"];

/// Arguments of `learn`.
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
    pub action: LearnAction,
}

/// The actions on observations.
#[derive(Debug, Subcommand)]
pub enum LearnAction {
    /// Count observations by type and status, and show what is set up
    Status(LearnStatusArgs),
    /// List observations, highest confidence first
    List(LearnListArgs),
    /// Show one observation in detail
    Show(LearnShowArgs),
    /// Review flagged observations
    Review(LearnReviewArgs),
    /// Deprecate observations; new sightings do not restore them
    Deprecate(LearnDeprecateArgs),
    /// Keep observations and clear their flags
    Keep(LearnDecisionArgs),
    /// Restore a deprecated observation
    Restore(LearnDecisionArgs),
    /// Turn an observation into an artifact now
    Promote(LearnPromoteArgs),
    /// Reject an observation permanently
    Reject(LearnDecisionArgs),
    /// Hide notices about full knowledge files until they grow
    Dismiss(LearnDismissArgs),
    /// Show settings, or change them in outerloop.toml
    Configure(LearnConfigureArgs),
    /// Forget all sightings of the project; keep rendered files
    Clear(LearnClearArgs),
    /// Deprecate decayed observations, and list those in quarantine
    Purge(LearnPurgeArgs),
    /// Forget all sightings, and remove rendered files that nobody edited
    Reset(LearnClearArgs),
}

/// The project filter.
#[derive(Debug, Default, ClapArgs)]
pub struct ProjectArgs {
    /// Only this project
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
}

/// The project and its folder.
#[derive(Debug, Default, ClapArgs)]
pub struct PlaceArgs {
    /// The project [default: the name under which this folder was imported, else the setting `project`]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long = "project-folder", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// Who decides.
#[derive(Debug, ClapArgs)]
pub struct ActorArgs {
    /// Who decides [default: the current user]
    #[arg(long, env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `learn status`.
#[derive(Debug, ClapArgs)]
pub struct LearnStatusArgs {
    /// Which project.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn list`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
[W] is a workflow, [P] a procedure, [D] a decision, [F] a pitfall.

  outerloop learn list --status ready              artifacts of the next run
  outerloop learn list --all --json | jq '.[].id'  include decayed ones")]
pub struct LearnListArgs {
    /// Only this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(TYPES))]
    pub observation_type: Option<String>,
    /// Only this status
    #[arg(long, value_parser = PossibleValuesParser::new(STATUSES))]
    pub status: Option<String>,
    /// Include decayed observations
    #[arg(long)]
    pub all: bool,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn show`.
#[derive(Debug, ClapArgs)]
pub struct LearnShowArgs {
    /// The observation, such as `obs_a1b2c3`, or its entry, such as ADR-003
    pub id: String,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn review`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
On a terminal it asks about each entry; otherwise, and with --json, it only lists them.

  outerloop learn review                           flagged observations, with reasons
  outerloop learn review --capacity                the least cited decisions and pitfalls, except
                                                   those of the last 7 days")]
pub struct LearnReviewArgs {
    /// List active decisions and pitfalls that could be removed to free space
    #[arg(long)]
    pub capacity: bool,
    /// Only list, even on a terminal
    #[arg(long)]
    pub list: bool,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Who decides.
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn deprecate`.
#[derive(Debug, ClapArgs)]
pub struct LearnDeprecateArgs {
    /// The observations, such as `obs_a1b2c3`, or their entries, such as ADR-003
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Why
    #[arg(long, short)]
    pub reason: String,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Who decides.
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Print the events as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of a decision about observations.
#[derive(Debug, ClapArgs)]
pub struct LearnDecisionArgs {
    /// The observations, such as `obs_a1b2c3`, or their entries, such as ADR-003
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Why
    #[arg(long, short)]
    pub reason: Option<String>,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Who decides.
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Print the events as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn promote`.
#[derive(Debug, ClapArgs)]
pub struct LearnPromoteArgs {
    /// What is decided.
    #[command(flatten)]
    pub decision: LearnDecisionArgs,
    /// Even if its quality was not confirmed, or it is deprecated
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `learn dismiss`.
#[derive(Debug, ClapArgs)]
pub struct LearnDismissArgs {
    /// Which project.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Print what was dismissed as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn configure`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Write values as in a settings file; a bare word is a string. The new settings are validated before
the file is replaced; comments and other settings stay unchanged.

  outerloop learn configure                        show the settings of observing
  outerloop learn configure hook                   show another section
  outerloop learn configure hook.session=true publish.keep=100")]
pub struct LearnConfigureArgs {
    /// A setting and its value, or the name of a setting or a section to show
    #[arg(value_name = "KEY[=VALUE]")]
    pub settings: Vec<String>,
    /// Print the settings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn clear` and `learn reset`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The decision is an event and takes effect with the next run. Earlier sightings stay in the lake but
no longer count. Artifacts stay known while their files exist; decisions and pitfalls in
.memory/knowledge/ always stay.")]
pub struct LearnClearArgs {
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Which project.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Who decides.
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `learn purge`.
#[derive(Debug, ClapArgs)]
pub struct LearnPurgeArgs {
    /// Show what would be deprecated, without recording it
    #[arg(long)]
    pub dry_run: bool,
    /// Which project.
    #[command(flatten)]
    pub project: ProjectArgs,
    /// Who decides.
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `hud`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
For the status line of an agent's host. It takes milliseconds and loads no engine; on any error it
prints nothing and exits with 0.

  outerloop hud                                    Learning: 2 workflows, 1 skill  ⚠ 1 needs review
  outerloop hud --color always                     for a status line that shows colors")]
pub struct HudArgs {
    /// The project [default: the name under which this folder was imported, else the setting `project`]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_PROJECT")]
    pub project: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long = "project-folder", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub json: bool,
}
