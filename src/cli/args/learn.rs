//! The arguments of commands about what was learned from transcripts: `learn` and `hud`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Subcommand};

/// The types of observations.
const TYPES: [&str; 4] = ["workflow", "procedural", "decision", "pitfall"];
/// How far observations come.
const STATUSES: [&str; 4] = ["observing", "ready", "created", "deprecated"];

/// Arguments of `learn`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
What recurs in transcripts is observed until it is sure enough, then becomes a command, a skill, a
decision or a pitfall of the project. Decisions about it are events: they land in the inbox and
count from the next run on.

  outerloop learn status                           what there is, and what is missing
  outerloop learn list --type decision             the surest first
  outerloop learn review                           what a person should look at
  outerloop learn deprecate obs_a1b2c3 --reason 'we moved to another tool'
  outerloop learn review --capacity                entries of full knowledge files that could go")]
pub struct LearnArgs {
    /// What to do
    #[command(subcommand)]
    pub action: LearnAction,
}

/// What to do with what was learned from transcripts.
#[derive(Debug, Subcommand)]
pub enum LearnAction {
    /// Count what there is by type and status, and say what is set up
    Status(LearnStatusArgs),
    /// List observations, the surest first
    List(LearnListArgs),
    /// Show everything about one observation
    Show(LearnShowArgs),
    /// Go through what a person should look at
    Review(LearnReviewArgs),
    /// Take observations out of use; seeing them again does not bring them back
    Deprecate(LearnDeprecateArgs),
    /// Keep observations as they are, and clear their flags
    Keep(LearnDecisionArgs),
    /// Bring one back that was taken out of use
    Restore(LearnDecisionArgs),
    /// Let one become an artifact now
    Promote(LearnPromoteArgs),
    /// Refuse one for good
    Reject(LearnDecisionArgs),
    /// Hide the notices about full knowledge files until they get fuller
    Dismiss(LearnDismissArgs),
    /// Show settings, or change them in outerloop.toml
    Configure(LearnConfigureArgs),
    /// Forget all sightings of the project; what was rendered stays
    Clear(LearnClearArgs),
    /// Take what has faded out of use, and say what was refused at the door
    Purge(LearnPurgeArgs),
    /// Forget all sightings, and remove what was rendered and nobody edited
    Reset(LearnClearArgs),
}

/// Which observations are meant.
#[derive(Debug, Default, ClapArgs)]
pub struct ProjectArgs {
    /// Of this project only
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
}

/// Which project is meant, and where it lies.
#[derive(Debug, Default, ClapArgs)]
pub struct PlaceArgs {
    /// The project [default: as this folder was imported, else the setting `project`]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long = "project-folder", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}

/// Who decides.
#[derive(Debug, ClapArgs)]
pub struct ActorArgs {
    /// Who decides [default: you]
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

  outerloop learn list --status ready              what becomes an artifact with the next run
  outerloop learn list --all --json | jq '.[].id'  the faded ones too")]
pub struct LearnListArgs {
    /// Of this type only
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(TYPES))]
    pub observation_type: Option<String>,
    /// Of this status only
    #[arg(long, value_parser = PossibleValuesParser::new(STATUSES))]
    pub status: Option<String>,
    /// Faded ones too
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
On a terminal you are asked about each entry; elsewhere, and with --json, they are only listed.

  outerloop learn review                           what is flagged, and why
  outerloop learn review --capacity                the least cited decisions and pitfalls; those of
                                                   the last 7 days are left in peace")]
pub struct LearnReviewArgs {
    /// Active decisions and pitfalls that could make room for others
    #[arg(long)]
    pub capacity: bool,
    /// Only list them, on a terminal too
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
    /// Although nobody found it good enough, or although it is out of use
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
A value is written as in a settings file; a bare word is a text. The settings are read again before
the file is replaced, comments and all other settings stay as they are.

  outerloop learn configure                        the settings of observing
  outerloop learn configure hook                   those of another section
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
The decision is an event: it lands in the inbox and counts from the next run on. What landed before
it stays in the lake, and no longer counts. What is an artifact stays known for as long as it stands;
decisions and pitfalls in .memory/knowledge/ stay in any case.")]
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
    /// Say what would be taken out of use, and land nothing
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
For the status line of an agent's host. Takes milliseconds, opens no engine; if anything goes wrong
it prints nothing and exits with 0.

  outerloop hud                                    Learning: 2 workflows, 1 skill  ⚠ 1 needs review
  outerloop hud --color always                     for a status line that shows colors")]
pub struct HudArgs {
    /// The project [default: as this folder was imported, else the setting `project`]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_PROJECT")]
    pub project: Option<String>,
    /// The project's folder [default: the setting `artifact.root`, else the folder that holds the workspace]
    #[arg(long = "project-folder", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Print the counts as JSON
    #[arg(long)]
    pub json: bool,
}
