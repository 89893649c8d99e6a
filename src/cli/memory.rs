//! `outerloop memory`: agents' notes, and the verbs by which pipelines use role patterns. Needs no engine.

mod judgement;
mod notes;
mod query;
mod shelf;
mod store;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::outcome;
use super::outcome::OutcomeArgs;
use super::printer::Printer;
use crate::args::OutputArgs;
use ::store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Notes are the Markdown files that agents keep between sessions. `promote`, `review` and `status`
read them and advise; they change nothing, and exit with an error on failure.

  outerloop memory review --folder ~/notes --docs CLAUDE.md,README.md
  outerloop memory promote ~/notes/testing.md      should this note become a shared rule?

The other verbs are for pipelines. They read the published patterns and record events. Only wrong
arguments make them fail, unless --strict is given.

  outerloop memory store --role judge --issue 10 --report review.md
  outerloop memory store --role judge --issue 10 --text 'Validate the signature before parsing'
  outerloop memory query --role judge --labels auth --json
  outerloop memory ignore D-007 --run r-42
  outerloop memory reinforce D-007 D-009 --level 1 --run r-42")]
pub struct MemoryArgs {
    /// What to do
    #[command(subcommand)]
    action: MemoryAction,
}

/// The actions on notes and role patterns.
#[derive(Debug, Subcommand)]
enum MemoryAction {
    /// Recommend whether to promote, keep or archive a note
    Promote(notes::PromoteArgs),
    /// List notes that are stale, overlapping, already documented or without a reason
    Review(notes::ReviewArgs),
    /// Show the health of the notes
    Status(NotesArgs),
    /// Record a role's report, or single patterns, without a verdict
    #[command(visible_aliases = ["store-pattern", "insert"])]
    Store(store::StoreArgs),
    /// List the patterns of a role that fit a task, best first
    #[command(visible_alias = "query-patterns")]
    Query(query::QueryArgs),
    /// Count a rejection against a role's pattern
    #[command(visible_alias = "increment-ignore")]
    Ignore(judgement::IgnoreArgs),
    /// Reinforce role patterns that evidence has confirmed
    #[command(visible_alias = "reinforce-patterns")]
    Reinforce(judgement::ReinforceArgs),
    /// Record the later result of a run's work, as `outerloop outcome` does
    #[command(visible_alias = "outcome-score")]
    Outcome(OutcomeArgs),
    /// List patterns that have decayed since the last run; writes nothing
    #[command(visible_alias = "sweep")]
    Decay(query::DecayArgs),
}

/// Where notes are.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct NotesArgs {
    /// The folder of notes [default: the setting `memory.folder`]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Shared documents such as CLAUDE.md, separated by commas [default: the setting `memory.documents`]
    #[arg(long, value_name = "FILES", value_delimiter = ',')]
    docs: Vec<PathBuf>,
    /// The work tree that the notes refer to [default: the one around this folder]
    #[arg(long, value_name = "FOLDER")]
    repo: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs a verb.
pub(crate) fn run(workspace: &Workspace, options: &MemoryArgs, printer: &Printer) -> Outcome<Exit> {
    match &options.action {
        MemoryAction::Promote(options) => notes::promote(workspace, options, printer),
        MemoryAction::Review(options) => notes::review(workspace, options, printer),
        MemoryAction::Status(options) => notes::status(workspace, options, printer),
        MemoryAction::Store(options) => store::run(workspace, options, printer),
        MemoryAction::Query(options) => query::run(workspace, options, printer),
        MemoryAction::Ignore(options) => judgement::ignore(workspace, options, printer),
        MemoryAction::Reinforce(options) => judgement::reinforce(workspace, options, printer),
        MemoryAction::Outcome(options) => outcome::run(workspace, "memory outcome", options, printer),
        MemoryAction::Decay(options) => query::decay(workspace, options, printer),
    }
}
