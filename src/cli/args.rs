//! The top of the command line: options of every command, and the list of commands. Each command declares its own arguments.

mod batch;
mod import;
mod option;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub use batch::{
    DemoArgs, DiffArgs, DoctorArgs, ExplainArgs, GraphFormat, LessonDecisionArgs, LessonsAction, LessonsArgs, PruneArgs, QueryArgs,
    RowFormat, RunArgs, SqlAction, SqlArgs, SqlGraphArgs, SqlShowArgs,
};
pub use import::{ImportArgs, ImportClosedloopArgs, ImportCodekitArgs, ImportDevflowArgs, ImportJkzArgs, ImportSystem};
pub(crate) use option::current_user;
pub use option::parse_instant;
pub use option::{ActorArgs, InstantArgs, OutputArgs, PlaceArgs, ProjectArgs, ProjectFilter, TaskArgs, WordArgs};

use crate::adopt::AdoptArgs;
use crate::artifact::ArtifactArgs;
use crate::consensus::ConsensusArgs;
use crate::feedback::FeedbackArgs;
use crate::gate::GateArgs;
use crate::generate::{BenchParseArgs, GenerateArgs};
use crate::hook::HookArgs;
use crate::hud::HudArgs;
use crate::index::IndexArgs;
use crate::init::InitArgs;
use crate::inject::InjectArgs;
use crate::iteration::{BuildArgs, CaptureArgs, ChangesArgs, ClosedloopArgs, GoalArgs, IterationArgs, RelevanceArgs};
use crate::jobs::JobsArgs;
use crate::learn::LearnArgs;
use crate::man::ManArgs;
use crate::mcp::McpArgs;
use crate::memory::MemoryArgs;
use crate::observe::ObserveArgs;
use crate::optimize::OptimizeArgs;
use crate::outcome::OutcomeArgs;
use crate::patterns::PatternsArgs;
use crate::plugin::PluginArgs;
use crate::policy::PolicyArgs;
use crate::report::ReportArgs;
use crate::schedule::ScheduleArgs;
use crate::schema::SchemaArgs;
use crate::selfcheck::SelfcheckArgs;
use crate::settings::SettingsArgs;
use crate::share::ShareArgs;
use crate::status::StatusArgs;
use crate::timing::TimingArgs;
use crate::truth::TruthArgs;

/// The outer learning loop of AI coding agents, as a batch job runner.
///
/// Agents and pipelines record events as JSONL in the inbox. Jobs ingest them into a lake of Parquet files, exactly once, learn
/// which patterns help, and publish pattern files and reports. Data goes to stdout, messages to stderr.
#[derive(Debug, Parser)]
#[command(name = "outerloop", version, max_term_width = 100, after_help = AFTER_HELP)]
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
    Mcp(McpArgs),
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
            QuickCommand::Mcp(options) => Command::Mcp(options),
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
    /// Record events: validate them, redact secrets, append them to the inbox durably
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
    /// Record all about an iteration: changes, relevance, goal, citations, build, lessons
    Iteration(IterationArgs),
    /// Record the files and lines that an iteration changed
    Changes(ChangesArgs),
    /// Rate how relevant each pattern is to the changes of an iteration
    Relevance(RelevanceArgs),
    /// Judge whether a run reached its goal
    Goal(GoalArgs),
    /// Verify the locations that agents cite as evidence
    Citations(ChangesArgs),
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
    /// Take over from another tool: import, follow, publish in its place
    Adopt(AdoptArgs),
    /// Do a step of `ClosedLoop`'s pipeline under its name, or compare both tools' figures
    Closedloop(ClosedloopArgs),
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
    /// Compare two generations, or what was known at two instants
    Diff(DiffArgs),
    /// Record a validator's verdict on a role's report
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
    /// Serve tools for agents on stdio: acknowledge patterns, capture lessons, look up
    Mcp(McpArgs),
    /// Write a plugin of Claude Code: hooks, MCP server, slash commands
    Plugin(PluginArgs),
    /// Show settings with their meaning, default and origin, or change them
    Settings(SettingsArgs),
    /// Print the fields of events: JSON Schema, a reference, a program that writes them
    Schema(SchemaArgs),
    /// Check verdicts on patterns by hand: counts in, every figure out
    Truth(TruthArgs),
    /// Simulate loops through the code that judges real ones, and count false verdicts
    Selfcheck(SelfcheckArgs),
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
    /// Print the manual page, or write one for every command
    Man(ManArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Generate events from a seed
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// Parse a file and discard the events, for benchmarks
    #[command(hide = true)]
    BenchParse(BenchParseArgs),
}

/// Arguments of `record`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Each line is one JSON object with a kind, and a time as RFC 3339 in `ts` (added if absent). An
invalid line is reported with its number, reason and remedy; the others are still recorded, and the
exit code is 1.

  echo '{\"kind\":\"build\",\"run_id\":\"r1\",\"passed\":true}' | outerloop record
  outerloop record --batch events.jsonl            sync once per mebibyte instead of once per line
  outerloop record --check events.jsonl            check the lines, record nothing
  outerloop schema run                             the fields of a kind")]
pub struct RecordArgs {
    /// Files of events [default: stdin]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The kind of events that have no `kind`
    #[arg(long)]
    pub kind: Option<String>,
    /// The project of events that have no `project` [default: the repository around this folder]
    #[arg(env = "OUTERLOOP_PROJECT", long)]
    pub project: Option<String>,
    /// Sync once per mebibyte instead of once per line
    #[arg(long)]
    pub batch: bool,
    /// Check the lines and record nothing; also names fields that look misspelled
    #[arg(long, conflicts_with = "batch")]
    pub check: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `completions`.
#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use clap::CommandFactory as _;

    use super::{Args, QuickArgs};

    /// Everything that a caller can depend on, one argument a line. The words of the help are free to change.
    fn describe(command: &clap::Command, path: &str, text: &mut String) {
        // Options of every command stand at the top only.
        let is_top = !path.contains(' ');
        let aliases: Vec<&str> = command.get_all_aliases().collect();
        let _ = writeln!(text, "{path} {aliases:?}{}", if command.is_hide_set() { " hidden" } else { "" });
        let is_shown = |id: &str| id != "help" && (is_top || !["root", "color", "verbose", "log"].contains(&id));
        let own = command.get_arguments().filter(|argument| is_shown(argument.get_id().as_str()));
        let mut lines: Vec<String> = own.map(|argument| line(command, argument)).collect();
        lines.sort_unstable();
        text.push_str(&lines.concat());
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            describe(command, &format!("{path} {}", command.get_name()), text);
        }
    }

    fn line(command: &clap::Command, argument: &clap::Arg) -> String {
        let name = match (argument.get_long(), argument.get_index()) {
            (Some(long), _) => format!("--{long}"),
            (None, index) => format!("{} {}", index.unwrap_or_default(), argument.get_id()),
        };
        let mut text = format!("  {name}");
        let mut tell = |name: &str, value: String| {
            if !matches!(&*value, "" | "[]" | "None" | "false") {
                let _ = write!(text, "; {name} {value}");
            }
        };
        tell("short", format!("{:?}", argument.get_short()));
        tell("aliases", argument.get_all_aliases().unwrap_or_default().join(" "));
        tell("takes", format!("{:?}", argument.get_action()));
        tell("values", argument.get_num_args().map(|number| number.to_string()).unwrap_or_default());
        tell("delimiter", format!("{:?}", argument.get_value_delimiter()));
        tell("default", format!("{:?}", argument.get_default_values()));
        tell("env", format!("{:?}", argument.get_env()));
        tell("required", argument.is_required_set().to_string());
        tell("global", argument.is_global_set().to_string());
        let values: Vec<String> = argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        tell("possible", values.join(" "));
        let mut conflicts: Vec<&str> =
            command.get_arg_conflicts_with(argument).into_iter().map(|other| other.get_id().as_str()).collect();
        conflicts.sort_unstable();
        tell("conflicts", conflicts.join(" "));
        // What an argument requires has no getter.
        let all = format!("{argument:?}");
        for name in ["requires: ", "r_unless: ", "r_unless_all: "] {
            let rest = all.split_once(name).map_or("", |(_, rest)| rest);
            tell(name.trim_end_matches(": "), rest.split_once(']').map_or("", |(list, _)| list).trim_start_matches('[').to_owned());
        }
        text + "\n"
    }

    #[test]
    fn names_defaults_variables_and_conflicts_of_all_arguments_are_a_promise() {
        let (mut all, mut quick) = (Args::command(), QuickArgs::command());
        all.build();
        quick.build();
        let mut text = String::new();
        describe(&all, "outerloop", &mut text);
        describe(&quick, "quick", &mut text);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cli/arguments.txt");
        if std::env::var_os("BLESS").is_some() {
            let _ = store::durable::replace(std::path::Path::new(path), text.as_bytes());
        }
        assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), text, "run with BLESS=1 if this is meant");
    }
}
