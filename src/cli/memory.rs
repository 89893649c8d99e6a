//! `outerloop memory`: agents' notes, and the verbs by which pipelines use role patterns. Needs no engine.

mod judgement;
mod notes;
mod query;
mod shelf;
mod store;

use super::args::{MemoryAction, MemoryArgs};
use super::outcome;
use super::printer::Printer;
use ::store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// Runs a verb.
pub fn run(workspace: &Workspace, options: &MemoryArgs, printer: &Printer) -> Outcome<Exit> {
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
