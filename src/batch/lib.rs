//! Jobs, retention, and the commands that need the SQL engine.

pub mod job;
pub mod retention;

mod adapter;
mod demo;
mod diff;
mod doctor;
mod explain;
mod lessons;
mod likeness;
mod prune;
mod query;
mod run;
mod sql;
mod timing;

use std::sync::LazyLock;

use cli::args::Command;
use cli::printer::Printer;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::program::Program;

/// This program, as manifests and reports name it.
pub fn program() -> &'static Program {
    static PROGRAM: LazyLock<Program> =
        LazyLock::new(|| Program { version: env!("CARGO_PKG_VERSION").to_owned(), commit: env!("OUTERLOOP_COMMIT").to_owned() });
    &PROGRAM
}

/// Runs a command that needs the SQL engine.
pub fn run_with_engine(workspace: &Workspace, command: Command, printer: &Printer) -> Outcome<Exit> {
    match command {
        Command::Run(options) => run::run(workspace, &options, printer),
        Command::Explain(options) => explain::run(workspace, &options, printer),
        Command::Diff(options) => diff::run(workspace, &options, printer),
        Command::Policy(options) => adapter::run(workspace, &options, printer),
        Command::Query(options) => query::run(workspace, &options, printer),
        Command::Sql(options) => sql::run(workspace, &options, printer),
        Command::Lessons(options) => lessons::run(workspace, &options, printer),
        Command::Inject(options) => cli::inject::run(workspace, &options, printer, Some(likeness::measure)),
        Command::Prune(options) => prune::run(workspace, &options, printer),
        Command::Doctor(options) => doctor::run(workspace, &options, printer),
        Command::Demo(options) => demo::run(&options, printer),
        Command::Timing(options) => timing::run(workspace, &options, printer),
        _ => Err(Diagnostic::bug("a command that needs no engine reached outerloop-engine")),
    }
}
