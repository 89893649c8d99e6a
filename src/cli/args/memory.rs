//! Arguments of `memory`: agents' notes, and the verbs by which pipelines use role patterns.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::role::{OutcomeArgs, PipelineArgs, RoleTurnArgs};

/// Arguments of `memory`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Notes are the Markdown files that agents keep between sessions. `promote`, `review` and `status`
read them and advise; they change nothing, and exit with an error on failure.

  outerloop memory review --folder ~/notes --docs CLAUDE.md,README.md
  outerloop memory promote ~/notes/testing.md      should this note become a shared rule?

The other verbs are for pipelines. They read the published patterns and record events. Only wrong
arguments make them fail, unless --strict is given.

  outerloop memory store --role judge --issue 10 --text 'Validate the signature before parsing'
  outerloop memory query --role judge --labels auth --json
  outerloop memory ignore D-007 --run r-42
  outerloop memory reinforce D-007 D-009 --level 1 --run r-42")]
pub struct MemoryArgs {
    /// What to do
    #[command(subcommand)]
    pub action: MemoryAction,
}

/// The actions on notes and role patterns.
#[derive(Debug, Subcommand)]
pub enum MemoryAction {
    /// Recommend whether to promote, keep or archive a note
    Promote(MemoryPromoteArgs),
    /// List notes that are stale, overlapping, already documented or without a reason
    Review(MemoryReviewArgs),
    /// Show the health of the notes
    Status(MemoryStatusArgs),
    /// Record patterns of a role, one per --text
    #[command(visible_aliases = ["store-pattern", "insert"])]
    Store(MemoryStoreArgs),
    /// List the patterns of a role that fit a task, best first
    #[command(visible_alias = "query-patterns")]
    Query(MemoryQueryArgs),
    /// Count a rejection against a role's pattern
    #[command(visible_alias = "increment-ignore")]
    Ignore(MemoryIgnoreArgs),
    /// Reinforce role patterns that evidence has confirmed
    #[command(visible_alias = "reinforce-patterns")]
    Reinforce(MemoryReinforceArgs),
    /// Record the later result of a run's work, as `outerloop outcome` does
    #[command(visible_alias = "outcome-score")]
    Outcome(OutcomeArgs),
    /// List patterns that have decayed since the last run; writes nothing
    #[command(visible_alias = "sweep")]
    Decay(MemoryDecayArgs),
}

/// Where notes are.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct NotesArgs {
    /// The folder of notes [default: the setting `memory.folder`]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Shared documents such as CLAUDE.md, separated by commas [default: the setting `memory.documents`]
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub docs: Vec<PathBuf>,
    /// The work tree that the notes refer to [default: the one around this folder]
    #[arg(long, value_name = "FOLDER")]
    pub repo: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `memory promote`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The score is a weighted sum of five figures from 0 to 1: not yet documented (0.30), supported by
published patterns (0.20), concrete (0.20), recent and naming files that exist (0.15), and unique
among the notes (0.15). From 0.70 the advice is to promote, below 0.40 to archive. Nothing is moved
or written.

  outerloop memory promote notes/testing.md --docs CLAUDE.md,README.md")]
pub struct MemoryPromoteArgs {
    /// The note
    pub file: PathBuf,
    /// Where notes are
    #[command(flatten)]
    pub notes: NotesArgs,
}

/// Arguments of `memory review`.
#[derive(Debug, ClapArgs)]
pub struct MemoryReviewArgs {
    /// Age in days from which notes are stale [default: the setting `memory.stale_days`]
    #[arg(long, value_name = "DAYS")]
    pub stale_days: Option<u32>,
    /// Where notes are
    #[command(flatten)]
    pub notes: NotesArgs,
}

/// Arguments of `memory status`.
#[derive(Debug, ClapArgs)]
pub struct MemoryStatusArgs {
    /// Where notes are
    #[command(flatten)]
    pub notes: NotesArgs,
}

/// The category of a role pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SayingKind {
    /// Something that was noticed.
    Observation,
    /// A cause and its effect.
    Causal,
    /// What must or must not be done.
    Rule,
}

/// Arguments of `memory store`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, --issue or --pull-request, the same words of the same role are one sighting, however
often they are recorded. Without any of them, every call counts.

  outerloop memory store --role judge --run r-42 --text 'Validate the signature before parsing'")]
pub struct MemoryStoreArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    pub role: String,
    /// The text of a pattern, 12 to 400 characters; repeatable up to ten times
    #[arg(long, value_name = "TEXT", required = true)]
    pub text: Vec<String>,
    /// The category [default: derived from its words]
    #[arg(long, value_enum)]
    pub category: Option<SayingKind>,
    /// The context
    #[command(flatten)]
    pub turn: RoleTurnArgs,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// Arguments of `memory query`.
#[derive(Debug, ClapArgs)]
pub struct MemoryQueryArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    pub role: String,
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Labels of the task, separated by commas
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Files of the task, separated by commas
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// The phase of the task
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// Maximum number of patterns
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub limit: usize,
    /// Only verified or active patterns
    #[arg(long)]
    pub governed: bool,
    /// The instant for which scores are computed [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// Arguments of `memory ignore`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, a repeated rejection counts once; without it, every call counts.

  outerloop memory ignore D-007 --run r-42 --iteration 2 --validator-role inspector")]
pub struct MemoryIgnoreArgs {
    /// The pattern, such as D-007
    pub id: String,
    /// The role that rejects it
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    pub validator_role: String,
    /// Evidence level of the rejection, if the settings require evidence
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub level: Option<u8>,
    /// The context
    #[command(flatten)]
    pub turn: JudgedTurnArgs,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// The judged run and iteration.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct JudgedTurnArgs {
    /// The run
    #[arg(long, value_name = "RUN", env = "OUTERLOOP_RUN_ID")]
    pub run: Option<String>,
    /// The iteration of the run
    #[arg(long, value_name = "NUMBER")]
    pub iteration: Option<i64>,
}

/// Arguments of `memory reinforce`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Reasoning alone (level 3) reinforces nothing. All other patterns of the same role age by one step.
It counts once per run, iteration and role.

  outerloop memory reinforce D-007 D-009 --level 1 --run r-42
  outerloop memory reinforce D-007 --evidence review.md --files src/auth.rs")]
pub struct MemoryReinforceArgs {
    /// The patterns, such as D-007
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// Evidence level: 1 program output, 2 a quotation with its location, 3 reasoning
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3), required_unless_present = "evidence")]
    pub level: Option<u8>,
    /// Derive the evidence level from this report
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    pub evidence: Option<PathBuf>,
    /// Changed files, separated by commas; locations in other files are no evidence
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// The role that reinforces them
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    pub validator_role: String,
    /// The context
    #[command(flatten)]
    pub turn: JudgedTurnArgs,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// Arguments of `memory decay`.
#[derive(Debug, ClapArgs)]
pub struct MemoryDecayArgs {
    /// Only this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The instant to check [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}
