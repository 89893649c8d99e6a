//! The arguments of commands that find something out about one iteration.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

/// Which iteration of which run is meant.
#[derive(Debug, Clone, ClapArgs)]
pub struct TurnArgs {
    /// The folder that the run works in
    #[arg(long, env = "CLOSEDLOOP_WORKDIR", value_name = "FOLDER", default_value = ".")]
    pub workdir: PathBuf,
    /// The run
    #[arg(long, env = "CLOSEDLOOP_RUN_ID", value_name = "RUN")]
    pub run: Option<String>,
    /// The iteration of the run
    #[arg(long, env = "CLOSEDLOOP_ITERATION", value_name = "N")]
    pub iteration: Option<i64>,
    /// The project [default: the setting `project`, else the folder's name]
    #[arg(long)]
    pub project: Option<String>,
    /// Print the events instead of landing them
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// From which commit on changes count.
#[derive(Debug, Clone, ClapArgs)]
pub struct SinceArgs {
    /// The commit from which on changes count: where the iteration began
    #[arg(long, value_name = "COMMIT")]
    pub since: String,
    /// Count committed changes only; without it, changed and untracked files in the work tree count too
    #[arg(long)]
    pub committed: bool,
}

/// Arguments of `iteration`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Records what changed, rates patterns by it, judges the goal, checks citations, takes the build's result and the lessons
that agents left. A step that cannot be done is reported; the others are done all the same.

  outerloop iteration --since $START_SHA --run $RUN --iteration 2 --workdir .closedloop-ai/work")]
pub struct IterationArgs {
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
    /// From when on
    #[command(flatten)]
    pub since: SinceArgs,
    /// The goal to judge by [default: the active one of goal.yaml]
    #[arg(long)]
    pub goal: Option<String>,
}

/// Arguments of `changes`.
#[derive(Debug, ClapArgs)]
pub struct ChangesArgs {
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
    /// From when on
    #[command(flatten)]
    pub since: SinceArgs,
}

/// Arguments of `relevance`.
#[derive(Debug, ClapArgs)]
pub struct RelevanceArgs {
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
    /// From when on
    #[command(flatten)]
    pub since: SinceArgs,
    /// The patterns [default: the published ones, else .learnings/org-patterns.toon]
    #[arg(long, value_name = "FILE")]
    pub patterns: Option<PathBuf>,
}

/// Arguments of `citations`.
#[derive(Debug, ClapArgs)]
pub struct CitationsArgs {
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
    /// From when on
    #[command(flatten)]
    pub since: SinceArgs,
}

/// Arguments of `goal`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The goals stand in goal.yaml: in the run's .learnings/, in the workspace, or where --config or the setting `goal.file` says.
Without any, the goal is reduce-failures: at most 3 iterations.")]
pub struct GoalArgs {
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
    /// The goal to judge by [default: the active one]
    #[arg(long, env = "CLOSEDLOOP_ACTIVE_GOAL")]
    pub goal: Option<String>,
    /// The file of goals
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Exit with 1 when the goal is missed
    #[arg(long)]
    pub exit_code: bool,
}

/// How a build ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BuildStatus {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
}

/// Arguments of `build`.
#[derive(Debug, ClapArgs)]
pub struct BuildArgs {
    /// How the build ended [default: what .learnings/build-result.json says; the file is taken in]
    #[arg(value_enum)]
    pub status: Option<BuildStatus>,
    /// More about it
    #[arg(long, value_name = "TEXT")]
    pub details: Option<String>,
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
}

/// Arguments of `capture`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without a lesson, the files that agents left in .learnings/pending/ are taken in and archived.

  outerloop capture --summary 'Close every file that a test opens' --trigger 'too many open files' --agent tester
  outerloop capture --nothing 'a rename, nothing to learn'
  outerloop capture --workdir .closedloop-ai/work

A lesson that says too little, or holds for one task only, is refused with the reason; the exit code is 1.")]
pub struct CaptureArgs {
    /// The lesson in a sentence
    #[arg(long, value_name = "TEXT", conflicts_with = "nothing")]
    pub summary: Option<String>,
    /// What happened
    #[arg(long, value_name = "TEXT", requires = "summary")]
    pub what: Option<String>,
    /// Why it happened
    #[arg(long, value_name = "TEXT", requires = "summary")]
    pub why: Option<String>,
    /// What was done about it
    #[arg(long, value_name = "TEXT", requires = "summary")]
    pub fix: Option<String>,
    /// When the lesson applies, in a few words
    #[arg(long, value_name = "TEXT", requires = "summary")]
    pub trigger: Option<String>,
    /// What sort of lesson it is: mistake, pattern, convention or insight
    #[arg(long, requires = "summary")]
    pub category: Option<String>,
    /// An agent that it is for; may be given again
    #[arg(long, value_name = "AGENT", requires = "summary")]
    pub applies_to: Vec<String>,
    /// What it is about; may be given again
    #[arg(long, value_name = "TAG", requires = "summary")]
    pub tag: Vec<String>,
    /// A place that shows it, as path:line; may be given again
    #[arg(long, value_name = "PLACE", requires = "summary")]
    pub citation: Vec<String>,
    /// There was nothing to learn, and why
    #[arg(long, value_name = "REASON")]
    pub nothing: Option<String>,
    /// Who learned it
    #[arg(long)]
    pub agent: Option<String>,
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
}

/// Arguments of `lessons`.
#[derive(Debug, ClapArgs)]
pub struct LessonsArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub action: Option<LessonsAction>,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

/// What to do with captured lessons.
#[derive(Debug, Subcommand)]
pub enum LessonsAction {
    /// List those that wait and those that were refused
    List,
    /// Let a lesson in, whatever a classifier says
    Accept(LessonDecisionArgs),
    /// Refuse a lesson
    Refuse(LessonDecisionArgs),
}

/// Arguments of a decision about a lesson.
#[derive(Debug, ClapArgs)]
pub struct LessonDecisionArgs {
    /// The lesson's id, or its beginning
    pub id: String,
    /// The project it was learned in
    #[arg(long)]
    pub project: Option<String>,
    /// Who decides
    #[arg(long, env = "USER")]
    pub actor: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Better words for it
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
}

/// Arguments of `timing`.
#[derive(Debug, ClapArgs)]
pub struct TimingArgs {
    /// The folder that holds perf.jsonl
    #[arg(long, env = "CLOSEDLOOP_WORKDIR", value_name = "FOLDER", default_value = ".")]
    pub workdir: PathBuf,
    /// Of this run only
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Show each phase with its beginning and end
    #[arg(long)]
    pub timeline: bool,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}
