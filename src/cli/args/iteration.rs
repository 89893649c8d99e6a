//! Arguments of the commands about one iteration.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

/// The run and iteration.
#[derive(Debug, Clone, ClapArgs)]
pub struct TurnArgs {
    /// The working folder of the run
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
    /// Print the events instead of recording them
    #[arg(long)]
    pub dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The range of changes.
#[derive(Debug, Clone, ClapArgs)]
pub struct SinceArgs {
    /// The commit at which the iteration started; later changes count
    #[arg(long, value_name = "COMMIT")]
    pub since: String,
    /// Only committed changes [default: uncommitted and untracked files too]
    #[arg(long)]
    pub committed: bool,
}

/// Arguments of `iteration`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Records changes, rates patterns by them, judges the goal, verifies citations, and captures the build
result and the lessons that agents left. A failed step is reported; the others still run.

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
Goals are defined in goal.yaml: in the run's .learnings/, in the workspace, or in the file of
--config or the setting `goal.file`. Without any, the goal is reduce-failures: at most 3 iterations.")]
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
    /// The build result [default: read .learnings/build-result.json, and remove it]
    #[arg(value_enum)]
    pub status: Option<BuildStatus>,
    /// Details of the result
    #[arg(long, value_name = "TEXT")]
    pub details: Option<String>,
    /// Which iteration
    #[command(flatten)]
    pub turn: TurnArgs,
}

/// Arguments of `capture`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without --summary or --nothing, it captures and archives the files that agents left in
.learnings/pending/.

  outerloop capture --summary 'Close every file that a test opens' --trigger 'too many open files'
  outerloop capture --nothing 'a rename, nothing to learn'
  outerloop capture --workdir .closedloop-ai/work

A lesson that is too vague, or holds for one task only, is refused with a reason and exit code 1.")]
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
    /// The category: mistake, pattern, convention or insight
    #[arg(long, requires = "summary")]
    pub category: Option<String>,
    /// An agent that the lesson applies to; repeatable
    #[arg(long, value_name = "AGENT", requires = "summary")]
    pub applies_to: Vec<String>,
    /// A tag; repeatable
    #[arg(long, value_name = "TAG", requires = "summary")]
    pub tag: Vec<String>,
    /// A location that shows it, as path:line; repeatable
    #[arg(long, value_name = "PLACE", requires = "summary")]
    pub citation: Vec<String>,
    /// Record that there was nothing to learn, and why
    #[arg(long, value_name = "REASON")]
    pub nothing: Option<String>,
    /// The agent that learned it
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
    /// List pending and refused lessons
    List,
    /// Accept a lesson, overriding the classifier
    Accept(LessonDecisionArgs),
    /// Refuse a lesson
    Refuse(LessonDecisionArgs),
}

/// Arguments of a decision about a lesson.
#[derive(Debug, ClapArgs)]
pub struct LessonDecisionArgs {
    /// The lesson's id, or a prefix of it
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
    /// A better wording
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
}

/// Arguments of `timing`.
#[derive(Debug, ClapArgs)]
pub struct TimingArgs {
    /// The folder that holds perf.jsonl
    #[arg(long, env = "CLOSEDLOOP_WORKDIR", value_name = "FOLDER", default_value = ".")]
    pub workdir: PathBuf,
    /// Only this run
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Show the start and end of each phase
    #[arg(long)]
    pub timeline: bool,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}
