//! Arguments of `memory`: the notes that agents keep, and the verbs by which pipelines use what roles have gathered.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::role::{OutcomeArgs, PipelineArgs, RoleTurnArgs};

/// Arguments of `memory`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Notes are the Markdown files that agents keep between sessions. `promote`, `review` and `status`
look at them and advise; they change nothing, and they fail loudly.

  outerloop memory review --folder ~/notes --docs CLAUDE.md,README.md
  outerloop memory promote ~/notes/testing.md      what speaks for making it a rule for all

The other verbs are for pipelines. They read what is published and land events; inside of a
pipeline nothing makes them fail beside wrong arguments, unless --strict is given.

  outerloop memory store --role judge --issue 10 --text 'Validate the signature before parsing'
  outerloop memory query --role judge --labels auth --json
  outerloop memory ignore D-007 --run r-42
  outerloop memory reinforce D-007 D-009 --level 1 --run r-42")]
pub struct MemoryArgs {
    /// What to do
    #[command(subcommand)]
    pub action: MemoryAction,
}

/// What to do with what agents and roles remember.
#[derive(Debug, Subcommand)]
pub enum MemoryAction {
    /// Advise whether a note should become a rule for all, stay, or be archived
    Promote(MemoryPromoteArgs),
    /// List notes that are stale, overlap, are documented already or lack a reason
    Review(MemoryReviewArgs),
    /// Say how the notes fare
    Status(MemoryStatusArgs),
    /// Land what a role has gathered, one pattern a text
    #[command(visible_aliases = ["store-pattern", "insert"])]
    Store(MemoryStoreArgs),
    /// List what a role has gathered that fits a task, the best first
    #[command(visible_alias = "query-patterns")]
    Query(MemoryQueryArgs),
    /// Count a rejection against a role's pattern
    #[command(visible_alias = "increment-ignore")]
    Ignore(MemoryIgnoreArgs),
    /// Reinforce patterns of roles that founded work has confirmed
    #[command(visible_alias = "reinforce-patterns")]
    Reinforce(MemoryReinforceArgs),
    /// Say how the work of a run turned out, as `outerloop outcome` does
    #[command(visible_alias = "outcome-score")]
    Outcome(OutcomeArgs),
    /// List the patterns that time has taken out of use since the last run; writes nothing
    #[command(visible_alias = "sweep")]
    Decay(MemoryDecayArgs),
}

/// Where notes are.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct NotesArgs {
    /// The folder of notes [default: the setting `memory.folder`]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// Documents that everybody reads, such as CLAUDE.md, separated by commas [default: the setting `memory.documents`]
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    pub docs: Vec<PathBuf>,
    /// The work tree that notes speak of [default: the one around this folder]
    #[arg(long, value_name = "FOLDER")]
    pub repo: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `memory promote`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Five figures from 0 to 1 are weighed: whether the documents do not say it already (0.30), whether
published patterns bear it out (0.20), how concrete it is (0.20), whether it is fresh and what it
names exists (0.15), and whether no other note says it (0.15). From 0.70 on the advice is to
promote it, below 0.40 to archive it. Nothing is moved or written.

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
    /// Notes older than so many days are stale [default: the setting `memory.stale_days`]
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

/// What sort of saying a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SayingKind {
    /// Something that was noticed.
    Observation,
    /// What leads to what.
    Causal,
    /// What must or must not be done.
    Rule,
}

/// Arguments of `memory store`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, --issue or --pull-request, the same words of the same role are the same sighting,
however often they are told; without any of them, every call counts.

  outerloop memory store --role judge --run r-42 --text 'Validate the signature before parsing'")]
pub struct MemoryStoreArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    pub role: String,
    /// What it has gathered, 12 to 400 characters; may be given up to ten times
    #[arg(long, value_name = "TEXT", required = true)]
    pub text: Vec<String>,
    /// What sort of saying it is [default: told by its words]
    #[arg(long, value_enum)]
    pub category: Option<SayingKind>,
    /// Where and when
    #[command(flatten)]
    pub turn: RoleTurnArgs,
    /// How to answer
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
    /// At most so many
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub limit: usize,
    /// Only what is verified or active
    #[arg(long)]
    pub governed: bool,
    /// The instant that scores are worked out for [default: this one]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// Arguments of `memory ignore`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, the same rejection told twice counts once; without it, every call counts.

  outerloop memory ignore D-007 --run r-42 --iteration 2 --validator-role inspector")]
pub struct MemoryIgnoreArgs {
    /// The pattern, such as D-007
    pub id: String,
    /// Who rejects it
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    pub validator_role: String,
    /// How well the rejection is founded, where the settings ask for evidence
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub level: Option<u8>,
    /// Where and when
    #[command(flatten)]
    pub turn: JudgedTurnArgs,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// The turn that is judged.
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
Reasoning alone (level 3) reinforces nothing. All other patterns of the same role are one step
older afterwards. Once for a run, an iteration and a role.

  outerloop memory reinforce D-007 D-009 --level 1 --run r-42
  outerloop memory reinforce D-007 --evidence review.md --files src/auth.rs")]
pub struct MemoryReinforceArgs {
    /// The patterns, such as D-007
    #[arg(required = true)]
    pub ids: Vec<String>,
    /// How well the work is founded: 1 what a program printed, 2 a quotation with its place, 3 reasoning
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=3), required_unless_present = "evidence")]
    pub level: Option<u8>,
    /// A report whose evidence is judged instead
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    pub evidence: Option<PathBuf>,
    /// Files that were changed, separated by commas: places in others are no evidence
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// Who speaks for them
    #[arg(long, value_name = "ROLE", default_value = "pipeline")]
    pub validator_role: String,
    /// Where and when
    #[command(flatten)]
    pub turn: JudgedTurnArgs,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// Arguments of `memory decay`.
#[derive(Debug, ClapArgs)]
pub struct MemoryDecayArgs {
    /// Of one role only
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The instant to look at [default: this one]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}
