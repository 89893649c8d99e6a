//! `outerloop mcp`: tools for agents, over the Model Context Protocol on stdio. Inside of an agent's turn, so it opens no engine; the
//! process stays, and each call reads what is published at that moment.
//!
//! The agent's host tells a server the session and the project, but not which of the session's agents calls. So the server never
//! records an acknowledgment itself: it checks and answers. The hook behind the tool knows the agent and records it for that one,
//! once. In a host without hooks, `--record` makes the server record it for the session.

mod argument;
mod holdout;
mod place;
mod server;
mod tool;
mod transport;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use rmcp::ServiceExt as _;

use super::printer::Printer;
use place::Place;
use server::Server;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Serves these tools on stdio until the host closes it:

  acknowledge       say which patterns were used, and where
  capture_lesson    record a lesson for later runs
  find_patterns     patterns for a task and its files
  read_knowledge    the project's decisions and pitfalls: the list, or one entry
  explain_pattern   what is published about a pattern
  ask_gate          may an adapter run without approval

`outerloop init --claude` and the plugin register it. By hand, for Claude Code:

  claude mcp add --scope local outerloop -- outerloop mcp

The workspace is the nearest one to CLAUDE_PROJECT_DIR, else to the folder it is started in. An error
is an answer with a remedy; the server goes on.")]
pub struct McpArgs {
    /// Record acknowledgments for the session, in a host that runs no hooks
    #[arg(long)]
    record: bool,
}

/// Serves until stdin is closed.
pub(crate) fn run(root: Option<PathBuf>, options: &McpArgs, printer: &Printer) -> Outcome<Exit> {
    let failed = |error: &dyn std::fmt::Display| {
        Diagnostic::new(Exit::Machine, "the MCP server cannot run", "start it again").because(error)
    };
    // One call at a time is enough: each takes milliseconds, and a second thread would cost more.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|error| failed(&error))?;
    let server = Server::new(Place { root, records: options.record });
    let ended = runtime.block_on(async {
        let stdio = transport::stdio();
        match server.serve(stdio).await {
            Ok(service) => service.waiting().await.map(drop).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    });
    // Reading stdin cannot be given up, and nothing is left to wait for.
    runtime.shutdown_background();
    if let Err(reason) = ended {
        // A host that went away before it said anything is no error of ours, and has nobody to tell.
        printer.note(&format!("outerloop mcp: {}", text::fit::plain_text(&reason, 300)));
        return Ok(Exit::Refused);
    }
    Ok(Exit::Done)
}
