//! Arguments of what pipelines tell of their roles: `feedback` and `outcome`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// How a command inside of a pipeline answers.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub struct PipelineArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Fail if something goes wrong
    #[arg(long)]
    pub strict: bool,
}

/// The turn that roles speak in.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct RoleTurnArgs {
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// The run
    #[arg(long, value_name = "RUN", env = "OUTERLOOP_RUN_ID")]
    pub run: Option<String>,
    /// The iteration of the run
    #[arg(long, value_name = "NUMBER")]
    pub iteration: Option<i64>,
    /// The issue
    #[arg(long, value_name = "ISSUE")]
    pub issue: Option<String>,
    /// The pull request
    #[arg(long, value_name = "NUMBER", visible_alias = "pr")]
    pub pull_request: Option<String>,
    /// The phase, such as plan, review or qa
    #[arg(long, value_name = "NAME")]
    pub phase: Option<String>,
    /// Labels of the task, separated by commas
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    pub labels: Vec<String>,
    /// Files that were changed, separated by commas
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub files: Vec<String>,
}

/// Arguments of `feedback`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A role's report carries what it has gathered below a heading `Accumulated Patterns`; both reports
end in a comment `<!-- jkz:verdict-json {\"verdict\":\"PASS\", ...} -->`. What the validator lists as
`false_positives` is looked up in the role's report, word for word or by the words they share, and
counts against the pattern that says it. A verdict that passes reinforces patterns, if the role's
report shows what a program printed (level 1) or quotes a place, `path:line` (level 2); reasoning
alone (level 3) reinforces nothing. Three events land together or not at all; the same call made
twice counts once.

  outerloop feedback --adversarial-role judge --validator-role inspector --run r-42 --issue 10 \\
      --adversarial review.md --validator inspection.md --files src/auth.rs --repo .
  outerloop feedback ... --json | jq '.rejected[].text'

Beside wrong arguments nothing makes it fail inside of a pipeline: what goes wrong is one line on
stderr and in history/hooks.jsonl, and nothing lands. --strict fails.")]
pub struct FeedbackArgs {
    /// The role that is judged
    #[arg(long, value_name = "ROLE")]
    pub adversarial_role: String,
    /// The role that judges it
    #[arg(long, value_name = "ROLE")]
    pub validator_role: String,
    /// What the judged role said: its text, or a JSON record with a `response`
    #[arg(long, value_name = "FILE")]
    pub adversarial: PathBuf,
    /// What the validator said
    #[arg(long, value_name = "FILE")]
    pub validator: PathBuf,
    /// Where and when
    #[command(flatten)]
    pub turn: RoleTurnArgs,
    /// Count a quotation as evidence only if it stands in this work tree, at its line or near it
    #[arg(long, value_name = "FOLDER")]
    pub repo: Option<PathBuf>,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// How the work of a run turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ending {
    /// It held.
    Pass,
    /// It did not.
    Fail,
}

/// Arguments of `outcome`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Counts for all patterns of roles that were shown in the run, once however often it is told. The
last word on a run counts: a fail that comes weeks after a pass takes its place.

  outerloop outcome r-42 pass
  outerloop outcome r-42 fail --reason 'reverted in #77'

Beside wrong arguments nothing makes it fail inside of a pipeline; --strict fails.")]
pub struct OutcomeArgs {
    /// The run
    pub run: String,
    /// How its work turned out
    #[arg(value_enum)]
    pub ending: Ending,
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Why
    #[arg(long, short)]
    pub reason: Option<String>,
    /// How to answer
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}
