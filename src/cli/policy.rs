//! `outerloop policy`: the rules that finished runs make, and what people decide about them. Opens no engine, except to explain.

mod decision;
mod document;
mod input;
mod overlay;

pub use document::{Asked, load_latest, parse_adapter};
pub(crate) use document::{load_document, tell_unpublished};
pub(crate) use input::{Item, read_items};
pub(crate) use overlay::describe_basis;

use clap::{Args as ClapArgs, Subcommand};
use jiff::Timestamp;

use super::landing::{self, line_of};
use super::printer::Printer;
use super::require;
use crate::args::{ActorArgs, WordArgs, parse_instant};
use event::Draft;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

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
    /// The project whose rules are meant [default: the name under which the folder was imported, else the repository's; all for lists]
    #[arg(long, global = true, value_name = "NAME", env = "OUTERLOOP_PROJECT")]
    pub project: Option<String>,
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
    /// Reset the count of failures of an adapter, or settle its refused runs
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

#[derive(Debug, ClapArgs)]
pub struct PolicyShowArgs {
    /// The adapter, such as github
    adapter: String,
}

#[derive(Debug, ClapArgs)]
pub struct PolicyExplainArgs {
    /// The adapter, such as github
    pub adapter: String,
    /// List at most this many of the latest runs; 0 lists all, and all of them count [default: 50, and all with --json]
    #[arg(long, value_name = "NUMBER")]
    pub limit: Option<usize>,
}

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
    adapter: String,
    #[command(flatten)]
    word: WordArgs,
    /// A person must approve
    #[arg(long)]
    approve: bool,
    /// No approval is needed; requires --override to have an effect
    #[arg(long, conflicts_with = "approve")]
    no_approve: bool,
    /// Maximum number of retries after the first attempt
    #[arg(long, value_name = "NUMBER")]
    retries: Option<u32>,
    /// Risk multiplier, above 0
    #[arg(long, value_name = "NUMBER", value_parser = parse_multiplier)]
    multiplier: Option<f64>,
    /// Expiry, RFC 3339 or a day
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    until: Option<Timestamp>,
    /// Replace the learned rules instead of making them stricter
    #[arg(long = "override")]
    is_override: bool,
    /// Withdraw earlier annotations of the adapter
    #[arg(long, conflicts_with_all = ["approve", "no_approve", "retries", "multiplier", "until", "is_override"])]
    withdraw: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Clearing resets the failure count. The failure requires approval again after as many sightings as
the setting `overlay.repeats` says. Scores are not cleared: they are computed from all runs.

  outerloop policy clear github --failure auth --reason 'token renewed'
  outerloop policy clear github --reason 'replaced by a fixed version'

A refused run counts as failed for rules until it is recorded properly under its `run_id`. With
--refused, those that were refused so far count no more; failures are not cleared.

  outerloop policy clear github --refused --reason 'recorded again as run-7'
  outerloop policy clear --refused --reason 'a test of the recorder'")]
pub struct ClearArgs {
    /// The adapter, such as github; with --refused, all adapters by default
    #[arg(required_unless_present = "refused")]
    adapter: Option<String>,
    /// Settle runs that were refused so far
    #[arg(long, conflicts_with = "failure")]
    refused: bool,
    /// The type of failure, such as auth, or its id, such as `github::auth` [default: all of the adapter's]
    #[arg(long, value_name = "TYPE_OR_ID")]
    failure: Option<String>,
    #[command(flatten)]
    word: WordArgs,
}

/// Arguments of a decision about suggestions.
#[derive(Debug, ClapArgs)]
#[command(after_help = "It affects current suggestions only: later runs may suggest the same again.

  outerloop policy suggestions                     list suggestions
  outerloop policy accept mutation-scope
  outerloop policy dismiss approval-pauses --run run-42 --reason 'a drill'")]
pub struct SuggestionArgs {
    /// The kind of suggestion, such as mutation-scope
    key: String,
    /// Only suggestions of this run
    #[arg(long, value_name = "RUN_ID")]
    run: Option<String>,
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    actor: ActorArgs,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Rules are stale if no run used their adapter, and nobody annotated it, for longer than the setting
`overlay.stale_days`.

Exit codes: 0 none is stale; 1 some are; 2 the published policies cannot be read.")]
pub struct PolicyCheckArgs {
    /// Check for this instant, RFC 3339 or a day [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_instant)]
    as_of: Option<Timestamp>,
}

#[derive(Debug, ClapArgs)]
pub struct PolicyHistoryArgs {
    /// Only changes of this adapter's rules
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
}

fn parse_multiplier(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}; write a number such as 1.4"))?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("write a number above 0, such as 1.4".to_owned()) }
}

/// Lists policies, shows one, or lands a decision about one.
pub(crate) fn run(workspace: &Workspace, options: &PolicyArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let (as_json, project) = (options.json, options.project.as_deref());
    match options.action.as_ref().unwrap_or(&PolicyAction::List) {
        PolicyAction::List => overlay::list(workspace, project, as_json, printer),
        PolicyAction::Show(options) => overlay::show(workspace, options, project, as_json, printer),
        PolicyAction::Check(options) => overlay::check(workspace, options, project, as_json, printer),
        PolicyAction::Annotate(options) => decision::annotate(workspace, options, project, as_json, printer),
        PolicyAction::Clear(options) => decision::clear(workspace, options, project, as_json, printer),
        PolicyAction::Suggestions => decision::list_suggestions(workspace, project, as_json, printer),
        PolicyAction::Accept(options) => decision::decide(workspace, "accept", options, project, as_json, printer),
        PolicyAction::Dismiss(options) => decision::decide(workspace, "dismiss", options, project, as_json, printer),
        PolicyAction::Reopen(options) => decision::decide(workspace, "reopen", options, project, as_json, printer),
        PolicyAction::History(options) => overlay::list_changes(workspace, options, project, as_json, printer),
        PolicyAction::Explain(_) => Err(Diagnostic::bug("an explanation needs outerloop-engine")),
    }
}

/// An event of this instant about a project's rules.
pub(crate) fn draft(kind: &'static str, project: &str) -> Draft {
    Draft::new(kind, clock::now(), project)
}

/// Records an event, and gives its line.
pub(crate) fn land(workspace: &Workspace, settings: &Settings, draft: Draft) -> Outcome<String> {
    let line = line_of(draft)?;
    landing::land(Recorder::with_rules(workspace, settings.run), std::slice::from_ref(&line))?;
    Ok(line)
}
