//! The arguments, and the help that explains them.

mod artifact;
mod hook;
mod import;
mod iteration;
mod keeping;
mod learn;
mod memory;
mod observe;
mod pattern;
mod policy;
mod role;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use jiff::Timestamp;

pub use super::schedule::ScheduleArgs;
pub use artifact::{ArtifactArgs, IndexArgs};
pub use hook::{HookArgs, InjectArgs, InjectFormat};
pub use import::{ImportArgs, ImportClosedloopArgs, ImportCodekitArgs, ImportDevflowArgs, ImportJkzArgs, ImportSystem};
pub use iteration::{
    BuildArgs, BuildStatus, CaptureArgs, ChangesArgs, CitationsArgs, GoalArgs, IterationArgs, LessonDecisionArgs, LessonsAction,
    LessonsArgs, RelevanceArgs, SinceArgs, TimingArgs, TurnArgs,
};
pub use keeping::{PruneArgs, ShareArgs};
pub use learn::{
    HudArgs, LearnAction, LearnArgs, LearnClearArgs, LearnConfigureArgs, LearnDecisionArgs, LearnDeprecateArgs, LearnDismissArgs,
    LearnListArgs, LearnPromoteArgs, LearnPurgeArgs, LearnReviewArgs, LearnShowArgs, LearnStatusArgs, PlaceArgs,
};
pub use memory::{
    JudgedTurnArgs, MemoryAction, MemoryArgs, MemoryDecayArgs, MemoryIgnoreArgs, MemoryPromoteArgs, MemoryQueryArgs,
    MemoryReinforceArgs, MemoryReviewArgs, MemoryStatusArgs, MemoryStoreArgs, NotesArgs, SayingKind,
};
pub use observe::ObserveArgs;
pub use pattern::{
    DecisionArgs, ExplainArgs, PatternsAction, PatternsArgs, PatternsListArgs, PatternsOverviewArgs, PatternsShowArgs,
};
pub use policy::{
    AnnotateArgs, ClearArgs, ConsensusArgs, GateArgs, OptimizeArgs, PolicyAction, PolicyArgs, PolicyCheckArgs, PolicyHistoryArgs,
    PolicyShowArgs, SuggestionArgs,
};
pub use role::{Ending, FeedbackArgs, OutcomeArgs, PipelineArgs, RoleTurnArgs};

/// The outer learning loop of AI coding agents, as a batch job runner.
///
/// Agents and pipelines record events as JSONL in the inbox. Jobs ingest them into a lake of Parquet files, exactly once, learn
/// which patterns help, and publish pattern files and reports. Data goes to stdout, messages to stderr.
#[derive(Debug, Parser)]
#[command(name = "outerloop", version, about, long_about, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Args {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The command to run
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, ClapArgs)]
pub struct GlobalArgs {
    /// The workspace [default: the nearest .outerloop/ at or above this folder, else ./.outerloop/]
    #[arg(long, global = true, env = "OUTERLOOP_ROOT", value_name = "FOLDER", help_heading = "Global options")]
    pub root: Option<PathBuf>,
    /// When to use color; `NO_COLOR` is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
    /// Log progress; repeat for more detail
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Log format [default: json under systemd, else text]
    #[arg(long, global = true, value_enum, help_heading = "Global options")]
    pub log: Option<LogFormat>,
}

/// The commands of an agent's turn, parsed separately: building the parser for all commands takes longer than most of these run.
#[derive(Debug, Parser)]
pub struct QuickArgs {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: QuickCommand,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one command a process")]
enum QuickCommand {
    Record(RecordArgs),
    Gate(GateArgs),
    Inject(InjectArgs),
    Hook(HookArgs),
    Hud(HudArgs),
    Index(IndexArgs),
}

impl From<QuickArgs> for Args {
    fn from(quick: QuickArgs) -> Self {
        let command = match quick.command {
            QuickCommand::Record(options) => Command::Record(options),
            QuickCommand::Gate(options) => Command::Gate(options),
            QuickCommand::Inject(options) => Command::Inject(options),
            QuickCommand::Hook(options) => Command::Hook(options),
            QuickCommand::Hud(options) => Command::Hud(options),
            QuickCommand::Index(options) => Command::Index(options),
        };
        Self { global: quick.global, command }
    }
}

const AFTER_HELP: &str = "\
Start here:
  outerloop init                                   create a workspace in ./.outerloop
  echo '{\"kind\":\"run\",\"run_id\":\"r1\",\"result\":\"success\",\"adapters\":[\"terminal\"]}' | outerloop record
  outerloop run hourly                             ingest, learn, publish
  outerloop report                                 show the published report
  outerloop explain P-001                          list the events behind a pattern's figures
  outerloop gate github --risk high                check whether an adapter may run without approval
  outerloop inject --agent planner                 print the patterns that fit an agent
  outerloop learn review                           review observations from transcripts
  outerloop feedback --help                        let validators correct role patterns
  outerloop init --claude                          add hooks to every Claude Code session
  outerloop schedule install                       run the jobs on a schedule
  outerloop query \"select result, count(*) from run group by result\"

Exit codes: 0 done; 1 some data was refused; 2 usage or configuration error;
75 temporary failure, retry; 70 a bug.";

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// When the output is a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to write the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a workspace: its folders and a commented settings file
    Init(InitArgs),
    /// Record events from stdin or files: validate them, redact secrets, append to the inbox durably
    Record(RecordArgs),
    /// Run a job
    Run(RunArgs),
    /// List the jobs
    Jobs(JobsArgs),
    /// Schedule the jobs with systemd or cron
    Schedule(ScheduleArgs),
    /// Extract recurring workflows, procedures, decisions and pitfalls from transcripts
    Observe(ObserveArgs),
    /// Capture the lessons that agents left, or one given as an argument
    Capture(CaptureArgs),
    /// List pending and refused lessons, or accept or refuse one
    Lessons(LessonsArgs),
    /// Record everything about an iteration: changes, relevance, goal, citations, build, lessons
    Iteration(IterationArgs),
    /// Record the files and lines that an iteration changed
    Changes(ChangesArgs),
    /// Rate how relevant each pattern is to the changes of an iteration
    Relevance(RelevanceArgs),
    /// Judge whether a run reached its goal
    Goal(GoalArgs),
    /// Verify the locations that agents cite as evidence
    Citations(CitationsArgs),
    /// Record the build result of an iteration
    Build(BuildArgs),
    /// Show the time spent in each phase of a run, from perf.jsonl
    Timing(TimingArgs),
    /// Share this project's patterns
    Push(ShareArgs),
    /// Import the patterns that other projects share
    Pull(ShareArgs),
    /// Remove old run folders, inbox files and partitions
    Prune(PruneArgs),
    /// Import data from another tool
    Import(ImportArgs),
    /// Show the published report
    Report(ReportArgs),
    /// List, show and review patterns, or change the state of one
    Patterns(PatternsArgs),
    /// List, review and decide about observations from transcripts; configure observing
    Learn(LearnArgs),
    /// Print a one-line summary for an agent's status line
    Hud(HudArgs),
    /// Write observations that are ready as entries, slash commands and skills
    Render(ArtifactArgs),
    /// Detect edits and deletions of entries, slash commands and skills
    Reconcile(ArtifactArgs),
    /// List the project's decisions and pitfalls, print one, or record an agent's citations
    Index(IndexArgs),
    /// List the events behind a pattern's figures, how each was matched, and its weight
    Explain(ExplainArgs),
    /// Record a validator's verdict on a role's report: rejected findings, reinforced patterns
    Feedback(FeedbackArgs),
    /// Record the later result of a run's work
    Outcome(OutcomeArgs),
    /// Review agents' notes; store and query role patterns
    Memory(MemoryArgs),
    /// Check whether an adapter may run without approval, its risk and its retries
    Gate(GateArgs),
    /// Lower the retry limits of tasks by the reliability of their adapters
    Optimize(OptimizeArgs),
    /// Combine agents' decisions about a run into one
    Consensus(ConsensusArgs),
    /// List and explain the rules derived from finished runs, or change them
    Policy(PolicyArgs),
    /// Print the patterns that fit an agent and its task, within a token budget
    Inject(InjectArgs),
    /// Handle a hook of an agent's host: show patterns, record exposures and uses
    Hook(HookArgs),
    /// Query the lake with SQL
    Query(QueryArgs),
    /// Show which tables the program's SQL makes, from which others
    Sql(SqlArgs),
    /// Show the contents of lake, inbox and quarantine
    Status(StatusArgs),
    /// Check the workspace and suggest remedies
    Doctor(DoctorArgs),
    /// Run the whole loop on sample data, from events to a published report
    Demo(DemoArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Generate events from a seed
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// Parse a file and discard the events, for benchmarks
    #[command(hide = true)]
    BenchParse(BenchParseArgs),
}

/// Arguments of `init`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --claude, Claude Code calls `outerloop hook` when a session or a subagent starts and ends and
before a tool is used. The rest of the settings file stays byte for byte; --remove removes the hooks
and restores the file.

  outerloop init --claude                          into .claude/settings.json, beside .outerloop
  outerloop init --claude --claude-settings .claude/settings.local.json      for this user only
  outerloop init --claude --remove                 remove the hooks, keep the workspace")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct InitArgs {
    /// Print the settings file with every default instead of creating a workspace
    #[arg(long, conflicts_with = "claude")]
    pub print_settings: bool,
    /// Also add Outerloop's hooks to the project's Claude Code settings
    #[arg(long)]
    pub claude: bool,
    /// Remove Outerloop's hooks from these settings, and change nothing else
    #[arg(long, requires = "claude")]
    pub remove: bool,
    /// The settings to edit [default: .claude/settings.json of the project]
    #[arg(long, value_name = "FILE", requires = "claude")]
    pub claude_settings: Option<PathBuf>,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `record`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Each line is one JSON object with a kind, and a time as RFC 3339 in `ts` (added if absent). An
invalid line is reported with its number, reason and remedy; the others are still recorded, and the
exit code is 1.

  echo '{\"kind\":\"build\",\"run_id\":\"r1\",\"passed\":true}' | outerloop record
  outerloop record --batch events.jsonl            sync once per mebibyte instead of once per line")]
pub struct RecordArgs {
    /// Files of events [default: stdin]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The kind of events that have no `kind`
    #[arg(long)]
    pub kind: Option<String>,
    /// The project of events that have no `project` [default: the setting `project`]
    #[arg(long)]
    pub project: Option<String>,
    /// Sync once per mebibyte instead of once per line
    #[arg(long)]
    pub batch: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Jobs are files: a file in the workspace's jobs/ replaces the built-in job of the same name. A step
that fails temporarily is retried. Only one run works at a time; a second one exits at once with 75.

  outerloop run hourly                             ingest, learn, publish
  outerloop run hourly --dry-run                   print the steps
  outerloop run learn --as-of 2026-10-06T09:00:00Z recompute that day; `current` stays")]
pub struct RunArgs {
    /// The job; `outerloop jobs` lists them
    pub job: String,
    /// Print the steps instead of running them
    #[arg(long)]
    pub dry_run: bool,
    /// The first step to run
    #[arg(long, value_name = "STEP")]
    pub from: Option<String>,
    /// Compute the state of this instant (RFC 3339 or a day) from what was known then
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    pub as_of: Option<Timestamp>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// An instant as people write it: RFC 3339, or a day, which means the end of that day.
fn parse_instant(text: &str) -> Result<Timestamp, String> {
    let remedy = "write it as 2026-10-06T09:00:00Z, or a day as 2026-10-06";
    if let Ok(day) = text.parse::<jiff::civil::Date>()
        && text.len() == 10
    {
        let end = day.at(23, 59, 59, 999_999_000).to_zoned(jiff::tz::TimeZone::UTC);
        return end.map(|end| end.timestamp()).map_err(|error| format!("{error}; {remedy}"));
    }
    text.parse().map_err(|error| format!("{error}; {remedy}"))
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Markdown, for people.
    Md,
    /// JSON, for programs.
    Json,
}

/// Arguments of `report`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop report                                 the whole report
  outerloop report --run-id run-42                 the effect of one of the latest runs
  outerloop report --run-id run-42 --format json   the same as a list of events")]
pub struct ReportArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    pub format: ReportFormat,
    /// Show the effect of one run instead of the whole report
    #[arg(long, value_name = "RUN")]
    pub run_id: Option<String>,
    /// The project of that run, if several projects have a run of that name
    #[arg(long, value_name = "NAME", requires = "run_id")]
    pub project: Option<String>,
    /// The generation [default: the current one]
    #[arg(long, value_name = "NAME")]
    pub generation: Option<String>,
}

/// Arguments of `jobs`.
#[derive(Debug, ClapArgs)]
pub struct JobsArgs {
    /// Print the jobs as JSON
    #[arg(long)]
    pub json: bool,
}

/// How to print rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// A table that fits the terminal.
    Table,
    /// Comma-separated values with a header.
    Csv,
    /// One JSON array.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// Parquet; needs --output or a pipe.
    Parquet,
}

/// Arguments of `query`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tables are application, relevance, goal, build, citation, run, learning, observation,
deliberation, verdict, curation, quarantine, history (one row per step of a run) and pattern (the
published figures). Every table of events has id, ts, project, date, extra (unknown fields as JSON)
and the source of the event (landing_file, landing_line).

  outerloop query \"select date, count(*) from application group by date order by date\"
  outerloop query -f weekly.sql --format csv > weekly.csv
  outerloop query \"from (describe run)\"            the columns of a table")]
pub struct QueryArgs {
    /// The query [default: stdin, or the file of --file]
    #[arg(conflicts_with = "file")]
    pub sql: Option<String>,
    /// Read the query from a file
    #[arg(long, short)]
    pub file: Option<PathBuf>,
    /// The output format
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub format: RowFormat,
    /// Write the rows to a file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `sql`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Every file of sql/ says in its header what it needs and what it makes. A file below sql/ of the workspace takes the place of the
program's of the same name; its header is checked in the same way.

  outerloop sql graph                                  all tables, each after those that it needs
  outerloop sql graph merge_evidence --format mermaid  a picture of what one result needs
  outerloop sql show outcome                           the text behind a table")]
pub struct SqlArgs {
    /// What to show
    #[command(subcommand)]
    pub action: SqlAction,
}

/// What `sql` shows.
#[derive(Debug, Subcommand)]
pub enum SqlAction {
    /// List or draw tables and what they need
    Graph(SqlGraphArgs),
    /// Print the text that makes a table
    Show(SqlShowArgs),
}

/// Arguments of `sql graph`.
#[derive(Debug, ClapArgs)]
pub struct SqlGraphArgs {
    /// Only what these results need; all tables if none is named
    #[arg(value_name = "RESULT")]
    pub wanted: Vec<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub format: GraphFormat,
}

/// Arguments of `sql show`.
#[derive(Debug, ClapArgs)]
pub struct SqlShowArgs {
    /// The table, view or question
    pub name: String,
}

/// How a graph is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// A list for people.
    Text,
    /// A Mermaid flowchart, for Markdown.
    Mermaid,
    /// A Graphviz digraph.
    Dot,
    /// A JSON array.
    Json,
}

/// Arguments of `status`.
#[derive(Debug, ClapArgs)]
pub struct StatusArgs {
    /// Show every day instead of one line per table
    #[arg(long)]
    pub days: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, ClapArgs)]
pub struct DoctorArgs {
    /// Repair whatever can be repaired without losing an event
    #[arg(long)]
    pub repair: bool,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `demo`.
#[derive(Debug, ClapArgs)]
pub struct DemoArgs {
    /// Where to create the workspace [default: a temporary folder, which is kept]
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `generate`.
#[derive(Debug, ClapArgs)]
pub struct GenerateArgs {
    /// How many lines
    #[arg(long, default_value_t = 1000)]
    pub lines: u64,
    /// The same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The time of the first event, RFC 3339
    #[arg(long, default_value = "2026-03-01T00:00:00Z")]
    pub start: String,
    /// The time between two events, in milliseconds
    #[arg(long, default_value_t = 600)]
    pub step_millis: u64,
    /// How many patterns there are
    #[arg(long, default_value_t = 500)]
    pub patterns: usize,
    /// How many agents there are
    #[arg(long, default_value_t = 40)]
    pub agents: usize,
    /// How many adapters there are, by number [default: eight with names]
    #[arg(long)]
    pub adapters: Option<usize>,
    /// Only this kind; `roles` generates events of roles
    #[arg(long)]
    pub kind: Option<String>,
    /// The share of events that arrive up to two weeks late
    #[arg(long, default_value_t = 0.0)]
    pub late: f64,
    /// The share of lines that are redeliveries
    #[arg(long, default_value_t = 0.0)]
    pub duplicate: f64,
    /// The share of invalid lines
    #[arg(long, default_value_t = 0.0)]
    pub bad: f64,
}

/// Arguments of `bench-parse`.
#[derive(Debug, ClapArgs)]
pub struct BenchParseArgs {
    /// The file of events
    pub file: PathBuf,
}
