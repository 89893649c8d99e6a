//! Arguments of the commands that need the SQL engine. The crate `batch` runs them, and both programs parse and explain them.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::option::{ActorArgs, OutputArgs, ProjectFilter, parse_instant};

/// Arguments of `run`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Jobs are files: a file in the workspace's jobs/ replaces the built-in job of the same name. A step
that fails temporarily is retried. Only one run works at a time; a second one exits at once with 75.
Where nothing new landed, nothing is published: the generation of an earlier run of the day stands.

  outerloop run hourly                             ingest, learn, publish
  outerloop run hourly --dry-run                   print the steps
  outerloop run hourly --full                      publish anew, also where nothing changed
  outerloop run learn --only policy                ingest and recompute the policies alone, in a moment
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
    /// Ingest what is recorded and compute only this part; other published files stay as they are
    #[arg(long, value_name = "PART", conflicts_with_all = ["as_of", "from"])]
    pub only: Option<Part>,
    /// Compute and publish everything anew, also where nothing changed since the last run
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A part of what is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The rules for adapters, agents and thresholds.
    Policy,
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
Without a query, on a terminal, this is a shell with a history: `.tables` lists the tables,
`.schema TABLE` the columns of one, `.examples` queries to begin with. Every table of events has
id, ts, project, date, extra (unknown fields as JSON) and the source of the event (landing_file,
landing_line). docs/tables.md documents the published tables, such as pattern and outcome.

Examples:
  outerloop query                                  the shell
  outerloop query \"select date, count(*) from application group by date order by date\"
  outerloop query \"from outcome where pattern = 'P-005'\" -o outcome.csv
  outerloop query -f weekly.sql --format json
  outerloop query \"from (describe run)\"            the columns of a table")]
pub struct QueryArgs {
    /// The query, or several, ended by `;` [default: stdin, or the file of --file]
    #[arg(conflicts_with = "file")]
    pub sql: Option<String>,
    /// Read the query from a file
    #[arg(long, short)]
    pub file: Option<PathBuf>,
    /// The output format [default: by the ending of --output, else a table]
    #[arg(long, value_enum)]
    pub format: Option<RowFormat>,
    /// Write the rows to a file instead of stdout: .csv, .json, .jsonl, .parquet or .txt
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `explain`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop explain P-017                          the applications behind a lesson's rate
  outerloop explain D-007                          the history of a role pattern, and its score")]
pub struct ExplainArgs {
    /// The pattern or observation, such as P-017, D-007 or `obs_a1b2c3`; `loop`; or `experiment NAME`
    pub id: String,
    /// The generation [default: the one that is published]
    #[arg(long, value_name = "NAME")]
    pub generation: Option<String>,
    /// List at most this many of the latest events; 0 lists all, and all of them count
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: usize,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `diff`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A generation is named by its name or the beginning of it, or by `current`. For an instant, figures are computed from what was
known then; nothing is published.

  outerloop diff 20261006T2016                     that generation and the current one
  outerloop diff 2026-10-01 2026-10-08             what a week brought: patterns, flags, rates, policies
  outerloop diff 2026-10-01 current --json | jq '.patterns[] | select(.what == \"flag\")'")]
pub struct DiffArgs {
    /// The generation or instant to compare with
    #[arg(value_name = "BEFORE")]
    pub before: String,
    /// The other one [default: current]
    #[arg(value_name = "AFTER")]
    pub after: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `lessons`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Captured lessons wait until the job `hourly` classifies them; people may decide first, or overrule it.

  outerloop lessons                                lessons that wait or were refused, with reasons
  outerloop lessons accept 01J9X --reason 'we agreed on it' --summary 'Close every file that a test opens'
  outerloop lessons refuse 01J9X --reason 'true of one task only'")]
pub struct LessonsArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub action: Option<LessonsAction>,
    #[command(flatten)]
    pub output: OutputArgs,
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
    #[command(flatten)]
    pub project: ProjectFilter,
    #[command(flatten)]
    pub actor: ActorArgs,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// A better wording
    #[arg(long, value_name = "TEXT")]
    pub summary: Option<String>,
}

/// Arguments of `prune`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Removes sessions, logs and archived files of run folders as retention.yaml or the settings say; log
lines are recorded in the inbox before they are dropped. Removes inbox files whose lines are all in
the lake, and replaces old partitions of the lake by sums: no rate changes.")]
pub struct PruneArgs {
    /// A run folder; repeatable [default: the setting `capture.workdirs`]
    #[arg(long, value_name = "FOLDER")]
    pub workdir: Vec<PathBuf>,
    /// A run whose session is kept
    #[arg(long, env = "CLOSEDLOOP_RUN_ID", value_name = "RUN")]
    pub keep_run: Option<String>,
    /// Show what would be removed, without removing it
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `doctor`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop doctor                                 what is wrong, and what to do about it
  outerloop doctor --repair                        repair it; no event is lost
  outerloop doctor --json | jq '.[].remedy'")]
pub struct DoctorArgs {
    /// Repair whatever can be repaired without losing an event
    #[arg(long)]
    pub repair: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Arguments of `demo`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop demo                                   in a temporary folder
  outerloop demo --keep ./demo                     then look around: outerloop --root ./demo/.outerloop report")]
pub struct DemoArgs {
    /// Where to create the workspace [default: a temporary folder, which is kept]
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
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
#[command(after_help = "\
  outerloop sql show outcome                                       what is run
  outerloop sql show outcome --builtin > .outerloop/sql/outcome.sql   begin a query of your own
  outerloop sql show prelude --builtin                             the views that all queries read")]
pub struct SqlShowArgs {
    /// The table, view or question, or `prelude`
    pub name: String,
    /// The program's text, also where the workspace has its own
    #[arg(long)]
    pub builtin: bool,
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
