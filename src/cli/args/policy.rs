//! The arguments of commands that ask for policies and decide about them.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args as ClapArgs, Subcommand};
use jiff::Timestamp;

use super::parse_instant;
use setting::RiskLevel;

/// Arguments of `gate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Answers from the published policies within a few milliseconds, and writes nothing without --record.
Unknown adapters are allowed. Retries come after the first attempt: 1 retry means 2 attempts.

  outerloop gate github --risk high                may github run without approval, and how often
  outerloop gate github --base-retries 3 --json    for programs; never more retries than given
  outerloop gate terminal --record run-42 && ./deploy

Exit codes: 0 it may run without approval; 1 a person must approve; 2 usage error or unreadable
policies: do not run.")]
pub struct GateArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// The risk of the run
    #[arg(long, value_name = "RISK", value_parser = risk_parser())]
    pub risk: Option<RiskLevel>,
    /// The retries that you allow [default: the setting `gate.base_retries`]
    #[arg(long, value_name = "NUMBER")]
    pub base_retries: Option<u32>,
    /// Require approval in any case
    #[arg(long)]
    pub approval: bool,
    /// Record the answer as an event of this run before it is printed
    #[arg(long, value_name = "RUN_ID")]
    pub record: Option<String>,
    /// Print the answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `optimize`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Tasks are a JSON list, or an object that holds it as `tasks`. Each has `id` and `adapterId`, and may
have `title`, `retryLimit` and other fields, which are kept. Limits are only lowered, and a task
without one gets one; tasks of unknown adapters stay unchanged.

  echo '[{\"id\":\"t1\",\"adapterId\":\"github\",\"retryLimit\":5}]' | outerloop optimize
  outerloop optimize plan.json --json > safer.json")]
pub struct OptimizeArgs {
    /// The file of tasks; stdin if none or `-` is given
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print tasks and suggestions as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `consensus`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Decisions are a JSON list, or an object that holds it as `agentDecisions`. Each has `agent`,
`decision` (approve, needs-review or reject) and `confidence` (0 to 1). Where an agent decides
twice, its last decision counts.

  echo '[{\"agent\":\"planner\",\"decision\":\"approve\",\"confidence\":0.9}]' |
    outerloop consensus --risk low

Exit codes: 0 approved; 1 a person must decide; 2 the decisions or the published policies cannot be
read.")]
pub struct ConsensusArgs {
    /// The file of decisions; stdin if none or `-` is given
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The risk of the run
    #[arg(long, value_name = "RISK", value_parser = risk_parser())]
    pub risk: RiskLevel,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `policy`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Policies are derived from finished runs: `outerloop run hourly` recomputes them. Decisions are
events and take effect with the next run.

  outerloop policy                                 the rules for each adapter's next run
  outerloop policy explain github                  the runs behind github's score
  outerloop policy clear github --failure auth --reason 'token renewed'
  outerloop policy annotate terminal --approve --until 2026-12-31 --reason 'change freeze'
  outerloop policy check || notify-someone         are there stale rules?")]
pub struct PolicyArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub action: Option<PolicyAction>,
    /// Print the result as JSON; for a decision, the recorded event
    #[arg(long, global = true)]
    pub json: bool,
}

impl PolicyArgs {
    /// Whether it needs the engine.
    #[must_use]
    pub const fn needs_engine(&self) -> bool {
        matches!(self.action, Some(PolicyAction::Explain(_)))
    }
}

/// What to do with policies.
#[derive(Debug, Subcommand)]
pub enum PolicyAction {
    /// List the rules for each adapter's next run
    List,
    /// Show one adapter's rules and their triggers
    Show(PolicyShowArgs),
    /// List the runs behind an adapter's score, and the contribution of each
    Explain(PolicyExplainArgs),
    /// Annotate an adapter: make its rules stricter, or override them
    Annotate(AnnotateArgs),
    /// Reset the count of one failure, or of all failures of an adapter
    Clear(ClearArgs),
    /// List constraints on agents that runs suggest
    Suggestions,
    /// Accept all current suggestions of one kind
    Accept(SuggestionArgs),
    /// Dismiss all current suggestions of one kind
    Dismiss(SuggestionArgs),
    /// Reopen the suggestions of one kind
    Reopen(SuggestionArgs),
    /// List stale rules; exits with 1 if there are any
    Check(PolicyCheckArgs),
    /// List policy changes from one generation to the next
    History(PolicyHistoryArgs),
}

/// Arguments of `policy show`.
#[derive(Debug, ClapArgs)]
pub struct PolicyShowArgs {
    /// The adapter, such as github
    pub adapter: String,
}

/// Arguments of `policy explain`.
#[derive(Debug, ClapArgs)]
pub struct PolicyExplainArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// List at most this many of the latest runs; 0 lists all, and all of them count [default: 50, and all with --json]
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<usize>,
}

/// Who decides, and why.
#[derive(Debug, ClapArgs)]
pub struct WordArgs {
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    pub reason: String,
    /// Who decides [default: the current user]
    #[arg(long, value_name = "NAME", env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `policy annotate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Annotations add up and make rules stricter. With --override an annotation replaces all earlier ones,
so it can also relax the rules.

  outerloop policy annotate github --retries 0 --until 2026-12-31 --reason 'rate limits'
  outerloop policy annotate github --no-approve --override --reason 'watched by a person'
  outerloop policy annotate github --withdraw --reason 'limits are lifted'")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command")]
pub struct AnnotateArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// Who decides, and why
    #[command(flatten)]
    pub word: WordArgs,
    /// A person must approve
    #[arg(long)]
    pub approve: bool,
    /// No approval is needed; requires --override to have an effect
    #[arg(long, conflicts_with = "approve")]
    pub no_approve: bool,
    /// Maximum number of retries after the first attempt
    #[arg(long, value_name = "NUMBER")]
    pub retries: Option<u32>,
    /// Risk multiplier, above 0
    #[arg(long, value_name = "NUMBER", value_parser = parse_multiplier)]
    pub multiplier: Option<f64>,
    /// Expiry, RFC 3339 or a day
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    pub until: Option<Timestamp>,
    /// Replace the learned rules instead of making them stricter
    #[arg(long = "override")]
    pub is_override: bool,
    /// Withdraw earlier annotations of the adapter
    #[arg(long, conflicts_with_all = ["approve", "no_approve", "retries", "multiplier", "until", "is_override"])]
    pub withdraw: bool,
}

/// Arguments of `policy clear`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Clearing resets the failure count. The failure requires approval again after as many sightings as
the setting `overlay.repeats` says. Scores are not cleared: they are computed from all runs.

  outerloop policy clear github --failure auth --reason 'token renewed'
  outerloop policy clear github --reason 'replaced by a fixed version'")]
pub struct ClearArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// The type of failure, such as auth, or its id, such as `github::auth` [default: all of the adapter's]
    #[arg(long, value_name = "TYPE_OR_ID")]
    pub failure: Option<String>,
    /// Who decides, and why
    #[command(flatten)]
    pub word: WordArgs,
}

/// Arguments of a decision about suggestions.
#[derive(Debug, ClapArgs)]
#[command(after_help = "It affects current suggestions only: later runs may suggest the same again.

  outerloop policy suggestions                     list suggestions
  outerloop policy accept mutation-scope
  outerloop policy dismiss approval-pauses --run run-42 --reason 'a drill'")]
pub struct SuggestionArgs {
    /// The kind of suggestion, such as mutation-scope
    pub key: String,
    /// Only suggestions of this run
    #[arg(long, value_name = "RUN_ID")]
    pub run: Option<String>,
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Who decides [default: the current user]
    #[arg(long, value_name = "NAME", env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `policy check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Rules are stale if no run used their adapter, and nobody annotated it, for longer than the setting
`overlay.stale_days`.

Exit codes: 0 none is stale; 1 some are; 2 the published policies cannot be read.")]
pub struct PolicyCheckArgs {
    /// Check for this instant, RFC 3339 or a day [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    pub as_of: Option<Timestamp>,
}

/// Arguments of `policy history`.
#[derive(Debug, ClapArgs)]
pub struct PolicyHistoryArgs {
    /// Only changes of this adapter's rules
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
}

fn risk_parser() -> impl clap::builder::TypedValueParser<Value = RiskLevel> {
    PossibleValuesParser::new(RiskLevel::ALL.map(RiskLevel::name))
        .try_map(|name| RiskLevel::from_name(&name).ok_or("the risks are low, medium and high"))
}

fn parse_multiplier(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}; write a number such as 1.4"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("write a number above 0, such as 1.4".to_owned()) }
}
