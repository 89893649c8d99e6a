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
Answers from what is published, within a few milliseconds, and writes nothing unless --record is
given. Against an adapter that nobody knows nothing is held. Retries come after the first attempt:
1 retry means 2 attempts.

  outerloop gate github --risk high                may github run by itself, and how often
  outerloop gate github --base-retries 3 --json    for programs; never more retries than given
  outerloop gate terminal --record run-42 && ./deploy

Exit codes: 0 it may run by itself; 1 a person must approve; 2 the question or the published
policies cannot be read, which is no leave to run.")]
pub struct GateArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// How much could go wrong
    #[arg(long, value_name = "RISK", value_parser = risk_parser())]
    pub risk: Option<RiskLevel>,
    /// The retries that you would allow [default: the setting `gate.base_retries`]
    #[arg(long, value_name = "NUMBER")]
    pub base_retries: Option<u32>,
    /// Approval is needed, whatever is known of the adapter
    #[arg(long)]
    pub approval: bool,
    /// Land the answer as an event of this run; durable before it is printed
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
have `title`, `retryLimit` and anything else, which goes along. A limit is only ever lowered, and a
task without one gets one; tasks of adapters that nobody knows are left alone.

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
twice, its last word counts.

  echo '[{\"agent\":\"planner\",\"decision\":\"approve\",\"confidence\":0.9}]' |
    outerloop consensus --risk low

Exit codes: 0 approved, without a pause; 1 a person must look; 2 the decisions or the published
policies cannot be read.")]
pub struct ConsensusArgs {
    /// The file of decisions; stdin if none or `-` is given
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How much could go wrong
    #[arg(long, value_name = "RISK", value_parser = risk_parser())]
    pub risk: RiskLevel,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `policy`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Policies follow from finished runs: `outerloop run hourly` works them out anew. What people decide
is an event, and counts from the next such run on.

  outerloop policy                                 the rules for each adapter's next run
  outerloop policy explain github                  the runs behind github's score
  outerloop policy clear github --failure auth --reason 'token renewed'
  outerloop policy annotate terminal --approve --until 2026-12-31 --reason 'change freeze'
  outerloop policy check || notify-someone         whether rules rest on old runs")]
pub struct PolicyArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub action: Option<PolicyAction>,
    /// Print the result as JSON; of a decision, the event that landed
    #[arg(long, global = true)]
    pub json: bool,
}

impl PolicyArgs {
    /// Whether only the program that holds the engine can do it.
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
    /// Show one adapter's rules and what made them so
    Show(PolicyShowArgs),
    /// List the runs behind an adapter's score, and what each contributes
    Explain(PolicyExplainArgs),
    /// Say something about an adapter: make its rules stricter, or override them
    Annotate(AnnotateArgs),
    /// Declare a failure, or all that is held against an adapter, dealt with: it counts from nought
    Clear(ClearArgs),
    /// List what runs suggest to change in what agents are allowed to do
    Suggestions,
    /// Accept the suggestions of one kind that were made so far
    Accept(SuggestionArgs),
    /// Dismiss the suggestions of one kind that were made so far
    Dismiss(SuggestionArgs),
    /// Take back what was decided about the suggestions of one kind
    Reopen(SuggestionArgs),
    /// List rules that rest on old runs; exits with 1 if there are any
    Check(PolicyCheckArgs),
    /// List how policies changed, from one generation to the next
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
    /// List the latest so many runs; all of them count, and 0 lists all [default: 50, and all with --json]
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<usize>,
}

/// Who decides, and why.
#[derive(Debug, ClapArgs)]
pub struct WordArgs {
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    pub reason: String,
    /// Who decides [default: you]
    #[arg(long, value_name = "NAME", env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `policy annotate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Annotations make rules stricter, side by side; with --override one takes the place of all before it,
so that it can also make them milder.

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
    /// Nobody need approve; counts with --override only
    #[arg(long, conflicts_with = "approve")]
    pub no_approve: bool,
    /// How many retries there may be after the first attempt
    #[arg(long, value_name = "NUMBER")]
    pub retries: Option<u32>,
    /// What the risk is multiplied by, above 0
    #[arg(long, value_name = "NUMBER", value_parser = parse_multiplier)]
    pub multiplier: Option<f64>,
    /// Until when it holds, RFC 3339 or a day
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    pub until: Option<Timestamp>,
    /// Take the place of what was learned, instead of making it stricter
    #[arg(long = "override")]
    pub is_override: bool,
    /// Take back what was said of the adapter before
    #[arg(long, conflicts_with_all = ["approve", "no_approve", "retries", "multiplier", "until", "is_override"])]
    pub withdraw: bool,
}

/// Arguments of `policy clear`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A cleared failure asks for approval again when it was seen as often as the setting `overlay.repeats`
says, counted from nought. Scores are not cleared: they follow from all runs.

  outerloop policy clear github --failure auth --reason 'token renewed'
  outerloop policy clear github --reason 'replaced by a mended version'")]
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
#[command(after_help = "It is about what was suggested so far: later runs suggest anew.

  outerloop policy suggestions                     what is suggested
  outerloop policy accept mutation-scope
  outerloop policy dismiss approval-pauses --run run-42 --reason 'a drill'")]
pub struct SuggestionArgs {
    /// The kind of suggestion, such as mutation-scope
    pub key: String,
    /// Only what this run suggests
    #[arg(long, value_name = "RUN_ID")]
    pub run: Option<String>,
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Who decides [default: you]
    #[arg(long, value_name = "NAME", env = "USER", default_value = "unknown")]
    pub actor: String,
}

/// Arguments of `policy check`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Rules are stale when no run used their adapter, and nobody spoke of it, for longer than the setting
`overlay.stale_days`.

Exit codes: 0 none is stale; 1 some are; 2 the published policies cannot be read.")]
pub struct PolicyCheckArgs {
    /// Check for this instant, RFC 3339 or a day [default: the present]
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
