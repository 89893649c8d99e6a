//! Arguments of `feedback` and `outcome`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// Output of a pipeline command.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub struct PipelineArgs {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with an error code on failure
    #[arg(long)]
    pub strict: bool,
}

/// The context of a deliberation.
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
A role's report lists its patterns below a heading `Accumulated Patterns`; both reports end in a
comment `<!-- jkz:verdict-json {\"verdict\":\"PASS\", ...} -->`. The validator's `false_positives` are
looked up in the role's report, by exact text or shared words, and count against the matching
pattern. A PASS reinforces patterns if the role's report shows program output (level 1) or quotes a
location, `path:line` (level 2); reasoning alone (level 3) reinforces nothing. Three events are
recorded together or not at all; a repeated call counts once.

  outerloop feedback --adversarial-role judge --validator-role inspector --run r-42 --issue 10 \\
      --adversarial review.md --validator inspection.md --files src/auth.rs --repo .
  outerloop feedback ... --json | jq '.rejected[].text'

Only wrong arguments make it fail: any other error is one line on stderr and in
history/hooks.jsonl, and nothing is recorded. With --strict it fails.")]
pub struct FeedbackArgs {
    /// The role that is judged
    #[arg(long, value_name = "ROLE")]
    pub adversarial_role: String,
    /// The role that judges it
    #[arg(long, value_name = "ROLE")]
    pub validator_role: String,
    /// The judged role's report: text, or a JSON record with a `response`
    #[arg(long, value_name = "FILE")]
    pub adversarial: PathBuf,
    /// The validator's report
    #[arg(long, value_name = "FILE")]
    pub validator: PathBuf,
    /// The context
    #[command(flatten)]
    pub turn: RoleTurnArgs,
    /// Count a quotation as evidence only if this work tree contains it at or near its line
    #[arg(long, value_name = "FOLDER")]
    pub repo: Option<PathBuf>,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}

/// The later result of a run's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ending {
    /// The work was good.
    Pass,
    /// The work was not good.
    Fail,
}

/// Arguments of `outcome`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Counts once for every role pattern that was shown in the run. The latest result of a run counts: a
fail weeks after a pass replaces it.

  outerloop outcome r-42 pass
  outerloop outcome r-42 fail --reason 'reverted in #77'

Only wrong arguments make it fail, unless --strict is given.")]
pub struct OutcomeArgs {
    /// The run
    pub run: String,
    /// The result
    #[arg(value_enum)]
    pub ending: Ending,
    /// The project [default: the workspace's]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Why
    #[arg(long, short)]
    pub reason: Option<String>,
    /// The output
    #[command(flatten)]
    pub pipeline: PipelineArgs,
}
