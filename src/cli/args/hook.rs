//! Arguments of what runs inside of an agent's turn: `inject` and `hook`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;

/// Arguments of `inject`.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(after_help = "\
Patterns are filtered by repository, agent and flag, sorted by category and score, and cut to the
limits. A block that does not fit its budget is replaced by a summary of the
same patterns if one was recorded, else by the best lines. stderr says which: full, summary,
truncated or none.

  outerloop inject --agent code:plan-writer                a block for an agent's turn
  outerloop inject --tool Bash --command 'npm test'        patterns for a tool call
  outerloop inject --role judge --labels auth --files src/login.rs
  outerloop inject --role judge --like 'logging in takes too long'
  outerloop inject --agent builder --format json | jq '.patterns[].id'

With --like or --vector a role's patterns are also sorted by meaning: similarity weighs 0.6, the
score 0.4 (`[embed]`). Only these options load the SQL engine.

Only wrong arguments make it fail: any other error is one line on stderr and empty output. With
--strict it fails.")]
pub struct InjectArgs {
    /// The agent, with or without its plugin's prefix
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The role; prints a block with track records
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The repository [default: the name of the one around this folder]
    #[arg(long, value_name = "NAME")]
    pub repo: Option<String>,
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// The tool about to be called; prints a block for it
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The command that the tool is to run
    #[arg(long, value_name = "TEXT", requires = "tool")]
    pub command: Option<String>,
    /// Labels of the task, separated by commas
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Files of the task, separated by commas; for a tool call, the file it touches
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// The phase of the task
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// The goal whose categories come first [default: the active one of goal.yaml]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_GOAL")]
    pub goal: Option<String>,
    /// Sort by similarity of meaning to this text; only patterns with vectors are compared
    #[arg(long, value_name = "TEXT", requires = "role", conflicts_with = "vector")]
    pub like: Option<String>,
    /// Sort by similarity to the vector in this file, a JSON list of numbers
    #[arg(long, value_name = "FILE", requires = "role")]
    pub vector: Option<PathBuf>,
    /// Only verified and active patterns
    #[arg(long)]
    pub governed: bool,
    /// Patterns to omit, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Maximum number of patterns
    #[arg(long, value_name = "COUNT")]
    pub most: Option<usize>,
    /// Maximum number of tokens of the block [default: by role]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// Tokens left in the context; limits the budget
    #[arg(long, value_name = "TOKENS")]
    pub remaining: Option<usize>,
    /// The output format [default: tool with --tool, historical with --role, else organization]
    #[arg(long, value_enum)]
    pub format: Option<InjectFormat>,
    /// Record the exposures as events of this run
    #[arg(long, value_name = "RUN")]
    pub record: Option<String>,
    /// The iteration of the events
    #[arg(long, value_name = "NUMBER", requires = "record")]
    pub iteration: Option<i64>,
    /// The instant for which scores are computed [default: now]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// Exit with an error code on failure
    #[arg(long)]
    pub strict: bool,
}

impl InjectArgs {
    /// Whether the SQL engine is asked.
    #[must_use]
    pub const fn needs_engine(&self) -> bool {
        self.like.is_some() || self.vector.is_some()
    }
}

/// What `inject` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InjectFormat {
    /// The block for an agent's turn.
    Organization,
    /// The block for a tool call.
    Tool,
    /// The block with track records.
    Historical,
    /// All details of the shown patterns, for programs.
    Json,
    /// The patterns as a pattern file.
    Toon,
}

/// Arguments of `hook`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Reads the hook payload of the agent's host from stdin, as JSON, and answers on stdout.
`outerloop init --claude` writes the hooks into a project's .claude/settings.json.

  session-start   records what abandoned sessions left; shows patterns if `hook.session` is set
  subagent-start  shows an agent the patterns that fit it
  pre-tool-use    shows patterns for a tool call, each pattern once
  subagent-stop   records what was shown and used; sends a silent agent back, at most twice
  session-end     records the rest and captures the lessons that agents wrote

The run and its iteration are those of OUTERLOOP_RUN_ID and OUTERLOOP_ITERATION (or ClosedLoop's),
else the session is the run. OUTERLOOP_LEARNING=off disables all hooks; OUTERLOOP_PROJECT and
OUTERLOOP_GOAL name the project and the goal.

A hook never blocks an agent: an error is one line on stderr and in history/hooks.jsonl, and the
exit code is 0.")]
pub struct HookArgs {
    /// The hook: session-start, subagent-start, pre-tool-use, subagent-stop or session-end
    #[arg(value_name = "HOOK")]
    pub event: String,
}
