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
/// Agents and pipelines land what happened as JSONL in the inbox. Jobs take it into a lake of Parquet, exactly once, learn
/// from it which patterns help, and publish pattern files and reports. stdout is data, stderr is for people.
#[derive(Debug, Parser)]
#[command(name = "outerloop", version, about, long_about, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Args {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, ClapArgs)]
pub struct GlobalArgs {
    /// The workspace [default: the nearest .outerloop/ at or above this folder, else ./.outerloop/]
    #[arg(long, global = true, env = "OUTERLOOP_ROOT", value_name = "FOLDER", help_heading = "Global options")]
    pub root: Option<PathBuf>,
    /// When to use color; `NO_COLOR` is respected too
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
    /// Log what happens; twice for more
    #[arg(long, short, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// How to write the log [default: json under systemd, else text]
    #[arg(long, global = true, value_enum, help_heading = "Global options")]
    pub log: Option<LogFormat>,
}

/// The commands that run inside of an agent's turn, by themselves: to describe all others takes longer than most of them run.
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
  outerloop init                                   make a workspace in ./.outerloop
  echo '{\"kind\":\"run\",\"run_id\":\"r1\",\"result\":\"success\",\"adapters\":[\"terminal\"]}' | outerloop record
  outerloop run hourly                             take what landed, learn from it, publish
  outerloop report                                 what was learned
  outerloop explain P-001                          the events behind a pattern's figures
  outerloop gate github --risk high                may an adapter run by itself
  outerloop inject --agent planner                 the patterns that fit an agent
  outerloop learn review                           what recurs in transcripts and wants a look
  outerloop feedback --help                        let validators correct what roles have gathered
  outerloop init --claude                          from now on by itself, in every session
  outerloop schedule install                       from now on by itself, every hour
  outerloop query \"select result, count(*) from run group by result\"

Exit codes: 0 done; 1 a part of the data was refused; 2 someone must edit something;
75 the machine got in the way, try again; 70 a bug.";

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
    /// For programs: one JSON object a line.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a workspace: its folders and a commented settings file
    Init(InitArgs),
    /// Land events: from stdin or files into the inbox, validated, secrets redacted, durable when it returns
    Record(RecordArgs),
    /// Run a job
    Run(RunArgs),
    /// List the jobs
    Jobs(JobsArgs),
    /// Let systemd or cron start the jobs
    Schedule(ScheduleArgs),
    /// Find what recurs in transcripts: workflows, ways of doing something, decisions, pitfalls
    Observe(ObserveArgs),
    /// Take in the lessons that agents left, or one that is given
    Capture(CaptureArgs),
    /// List the captured lessons that wait or were refused, and decide about one
    Lessons(LessonsArgs),
    /// Find out everything about an iteration: changes, relevance, goal, citations, build, lessons
    Iteration(IterationArgs),
    /// Record the files and lines that an iteration changed
    Changes(ChangesArgs),
    /// Rate how relevant each pattern is to what an iteration changed
    Relevance(RelevanceArgs),
    /// Judge whether a run reached its goal
    Goal(GoalArgs),
    /// Check the places that agents cite as evidence
    Citations(CitationsArgs),
    /// Record how the build of an iteration ended
    Build(BuildArgs),
    /// Show where the time of runs went, from perf.jsonl
    Timing(TimingArgs),
    /// Share this project's patterns
    Push(ShareArgs),
    /// Take the patterns that other projects share
    Pull(ShareArgs),
    /// Remove what is no longer needed
    Prune(PruneArgs),
    /// Take over what another system has gathered
    Import(ImportArgs),
    /// Show what was learned: the published report
    Report(ReportArgs),
    /// List patterns, show one, review them, or decide about one
    Patterns(PatternsArgs),
    /// List what recurs in transcripts, review it, decide about it, configure how it is observed
    Learn(LearnArgs),
    /// Show in one line what was learned, for an agent's status line
    Hud(HudArgs),
    /// Turn observations that are ready into entries, slash commands and skills
    Render(ArtifactArgs),
    /// Notice what people did to entries, slash commands and skills
    Reconcile(ArtifactArgs),
    /// List what the project knows, print an entry, or read what an agent cites
    Index(IndexArgs),
    /// List the events behind a pattern's figures, how each was matched and what it counts for
    Explain(ExplainArgs),
    /// Take in what a validator says of a role's report: what it rejects, what its verdict reinforces
    Feedback(FeedbackArgs),
    /// Say how the work of a run turned out, after it was handed over
    Outcome(OutcomeArgs),
    /// Look after the notes of agents; store and query what roles have gathered
    Memory(MemoryArgs),
    /// Ask whether an adapter may run by itself, at which risk, with how many retries
    Gate(GateArgs),
    /// Lower the retry limits of tasks by what is known of their adapters
    Optimize(OptimizeArgs),
    /// Weigh what agents decided about a run
    Consensus(ConsensusArgs),
    /// List the rules that finished runs make, explain them, or decide about them
    Policy(PolicyArgs),
    /// Show an agent the patterns that fit it and its task, within its budget
    Inject(InjectArgs),
    /// Answer a hook of an agent's host: show patterns, record what was shown and used
    Hook(HookArgs),
    /// Ask the lake a question in SQL
    Query(QueryArgs),
    /// Show which tables the program's SQL makes, from which others
    Sql(SqlArgs),
    /// Show what landed, what waits and what is in quarantine
    Status(StatusArgs),
    /// Check the workspace and say what to do
    Doctor(DoctorArgs),
    /// Show it all on sample data: from what agents wrote to a published report
    Demo(DemoArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Make up events, the same ones for the same seed
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// Parse a file and throw the events away, for benchmarks
    #[command(hide = true)]
    BenchParse(BenchParseArgs),
}

/// Arguments of `init`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --claude, Claude Code calls `outerloop hook` when a session or a subagent starts and ends and before a tool is used.
All that stands in the settings already stays byte for byte; --remove takes the hooks out again and leaves the file as
it was before.

  outerloop init --claude                          into .claude/settings.json, beside .outerloop
  outerloop init --claude --claude-settings .claude/settings.local.json      for this user only
  outerloop init --claude --remove                 the workspace stays, the hooks go")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct InitArgs {
    /// Print the settings file with every default instead of making a workspace
    #[arg(long, conflicts_with = "claude")]
    pub print_settings: bool,
    /// Add our hooks to the project's settings of Claude Code too
    #[arg(long)]
    pub claude: bool,
    /// Take our hooks out of these settings; nothing else is made or removed
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
Each line is one JSON object with a kind, and a time as RFC 3339 in `ts` (stamped if absent). A line that cannot be
taken is reported with its number, reason and remedy; the others still land, and the exit code is 1.

  echo '{\"kind\":\"build\",\"run_id\":\"r1\",\"passed\":true}' | outerloop record
  outerloop record --batch events.jsonl            one sync for each mebibyte instead of one for each line")]
pub struct RecordArgs {
    /// Files of events; stdin if none is named
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The kind of events that name none
    #[arg(long)]
    pub kind: Option<String>,
    /// The project of events that name none [default: the setting `project`]
    #[arg(long)]
    pub project: Option<String>,
    /// Sync once for each mebibyte instead of once for each line
    #[arg(long)]
    pub batch: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Jobs are files: a file in the workspace's jobs/ takes the place of the program's own of the same name. A step that fails
because the machine got in the way is tried again; one run works at a time, and a second one exits at once with 75.

  outerloop run hourly                             take what landed, learn from it, publish
  outerloop run hourly --dry-run                   what it would do
  outerloop run learn --as-of 2026-10-06T09:00:00Z what was known on that Tuesday; `current` does not go back")]
pub struct RunArgs {
    /// The job; `outerloop jobs` lists them
    pub job: String,
    /// Print the steps instead of running them
    #[arg(long)]
    pub dry_run: bool,
    /// The first step to run
    #[arg(long, value_name = "STEP")]
    pub from: Option<String>,
    /// Learn for this instant, RFC 3339 or a day, from what was known then
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    pub as_of: Option<Timestamp>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// An instant as people write it: RFC 3339, or a day, which stands for its end.
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
  outerloop report                                 what was learned
  outerloop report --run-id run-42                 what one of the last runs changed
  outerloop report --run-id run-42 --format json   the same as a list of events")]
pub struct ReportArgs {
    /// How to print it
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    pub format: ReportFormat,
    /// What one run changed, instead of what was learned in all
    #[arg(long, value_name = "RUN")]
    pub run_id: Option<String>,
    /// The project of that run, where runs of several projects have the same name
    #[arg(long, value_name = "NAME", requires = "run_id")]
    pub project: Option<String>,
    /// The generation [default: the one that is published]
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
    /// One JSON object a line.
    Jsonl,
    /// Parquet; needs --output or a pipe.
    Parquet,
}

/// Arguments of `query`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The tables are application, relevance, goal, build, citation, run, learning, observation, deliberation, verdict,
curation, quarantine, history (one row a step of a run) and pattern (the published figures). Every table of events has id, ts, project, date, extra (unknown fields as JSON) and where
the event came from (landing_file, landing_line).

  outerloop query \"select date, count(*) from application group by date order by date\"
  outerloop query -f weekly.sql --format csv > weekly.csv
  outerloop query \"from (describe run)\"            the columns of a table")]
pub struct QueryArgs {
    /// The query; read from stdin if neither this nor a file is given
    #[arg(conflicts_with = "file")]
    pub sql: Option<String>,
    /// A file that holds the query
    #[arg(long, short)]
    pub file: Option<PathBuf>,
    /// How to print the rows
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
    /// Show every day instead of one line a table
    #[arg(long)]
    pub days: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `doctor`.
#[derive(Debug, ClapArgs)]
pub struct DoctorArgs {
    /// Mend what can be mended without losing an event
    #[arg(long)]
    pub repair: bool,
    /// Print the findings as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `demo`.
#[derive(Debug, ClapArgs)]
pub struct DemoArgs {
    /// Where to make the workspace [default: a temporary folder, which is kept]
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
    /// One kind only; or `roles`, for what roles are shown and say
    #[arg(long)]
    pub kind: Option<String>,
    /// The share of events that arrive up to two weeks late
    #[arg(long, default_value_t = 0.0)]
    pub late: f64,
    /// The share of lines that are redeliveries
    #[arg(long, default_value_t = 0.0)]
    pub duplicate: f64,
    /// The share of lines that cannot be taken
    #[arg(long, default_value_t = 0.0)]
    pub bad: f64,
}

/// Arguments of `bench-parse`.
#[derive(Debug, ClapArgs)]
pub struct BenchParseArgs {
    /// The file of events
    pub file: PathBuf,
}
