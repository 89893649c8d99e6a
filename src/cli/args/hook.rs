//! Arguments of what runs inside of an agent's turn: `inject` and `hook`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use jiff::Timestamp;

/// Arguments of `inject`.
#[derive(Debug, Clone, Default, ClapArgs)]
#[command(after_help = "\
Patterns are filtered by repository, agent and flag, put in order by category and by what each is
worth, and cut to the limits. A block that does not fit its budget is replaced by a summary of the
same patterns if one was recorded, else by the lines of the highest rank. stderr says which it was:
full, summary, truncated or none.

  outerloop inject --agent code:plan-writer                a block for an agent's turn
  outerloop inject --tool Bash --command 'npm test'        what belongs beside the use of a tool
  outerloop inject --role judge --labels auth --files src/login.rs
  outerloop inject --role judge --like 'logging in takes too long'
  outerloop inject --agent builder --format json | jq '.patterns[].id'

With --like or --vector a role's patterns are put in order by what they mean as well: likeness
counts 0.6, what each is worth 0.4 (`[embed]`). Only then the SQL engine is asked.

Beside wrong arguments nothing makes it fail inside of a pipeline: what goes wrong is one line on
stderr, and nothing is shown. --strict fails.")]
pub struct InjectArgs {
    /// The agent, with or without the plugin that it comes from
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// The role; gives a block with track records
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// The repository [default: as the one around this folder is called]
    #[arg(long, value_name = "NAME")]
    pub repo: Option<String>,
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// The tool that is about to be used; gives a block for it
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The command that the tool is to run
    #[arg(long, value_name = "TEXT", requires = "tool")]
    pub command: Option<String>,
    /// Labels of the task, separated by commas
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Files of the task, separated by commas; of a tool's use, the one that it touches
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
    /// The phase of the task
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// The goal whose categories come first [default: the one that goal.yaml calls active]
    #[arg(long, value_name = "NAME", env = "OUTERLOOP_GOAL")]
    pub goal: Option<String>,
    /// What is sought: patterns that mean something like it come first, as far as they have vectors
    #[arg(long, value_name = "TEXT", requires = "role", conflicts_with = "vector")]
    pub like: Option<String>,
    /// The same by its vector, a JSON list of numbers in a file
    #[arg(long, value_name = "FILE", requires = "role")]
    pub vector: Option<PathBuf>,
    /// Show only what was verified or what a person stands behind
    #[arg(long)]
    pub governed: bool,
    /// Patterns to leave out, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub without: Vec<String>,
    /// How many patterns at most
    #[arg(long, value_name = "COUNT")]
    pub most: Option<usize>,
    /// How many tokens the block may take [default: by the role]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// How much room is left in the context; the budget is cut to it
    #[arg(long, value_name = "TOKENS")]
    pub remaining: Option<usize>,
    /// What to print [default: a block by --tool or --role, else the organization's]
    #[arg(long, value_enum)]
    pub format: Option<InjectFormat>,
    /// Record the exposures as events of this run
    #[arg(long, value_name = "RUN")]
    pub record: Option<String>,
    /// The iteration that the events name
    #[arg(long, value_name = "NUMBER", requires = "record")]
    pub iteration: Option<i64>,
    /// The instant that scores are worked out for [default: this one]
    #[arg(long, value_name = "TIME")]
    pub at: Option<Timestamp>,
    /// Fail if something goes wrong
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
    /// The block for a tool's use.
    Tool,
    /// The block with track records.
    Historical,
    /// Everything that is known of what is shown, for programs.
    Json,
    /// The patterns as a pattern file.
    Toon,
}

/// Arguments of `hook`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Reads what the agent's host tells on stdin, as JSON, and answers on stdout. `outerloop init
--claude` writes the hooks into a project's .claude/settings.json.

  session-start   closes what abandoned sessions left; shows patterns if `hook.session` is set
  subagent-start  shows an agent the patterns that fit it
  pre-tool-use    shows what belongs beside a tool's use, each pattern once
  subagent-stop   records what was shown and used; sends a silent agent back, twice at most
  session-end     records what is left, takes in the lessons that agents wrote down

The run and its iteration are those of OUTERLOOP_RUN_ID and OUTERLOOP_ITERATION (or ClosedLoop's),
else the session is the run. OUTERLOOP_LEARNING=off switches all of it off; OUTERLOOP_PROJECT and
OUTERLOOP_GOAL name the project and the goal.

A hook never stands in an agent's way: what goes wrong is one line on stderr and in
history/hooks.jsonl, and the exit code is 0.")]
pub struct HookArgs {
    /// The hook: session-start, subagent-start, pre-tool-use, subagent-stop or session-end
    #[arg(value_name = "HOOK")]
    pub event: String,
}
