//! `outerloop sql`: the graph of the program's SQL. Reads texts only: no session is opened.

use cli::args::{GraphFormat, SqlAction, SqlArgs};
use cli::printer::Printer;
use engine::graph::{Drawing, draw};
use engine::load_graph;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Draws the graph, or prints the text of one of its nodes.
pub(crate) fn run(workspace: &Workspace, options: &SqlArgs, printer: &Printer) -> Outcome<Exit> {
    let graph = load_graph(workspace)?;
    let text = match &options.action {
        SqlAction::Graph(asked) => {
            let drawing = match asked.format {
                GraphFormat::Text => Drawing::Text,
                GraphFormat::Mermaid => Drawing::Mermaid,
                GraphFormat::Dot => Drawing::Dot,
                GraphFormat::Json => Drawing::Json,
            };
            draw(&graph, &asked.wanted, drawing)?
        }
        SqlAction::Show(asked) => {
            let node = graph.node(&asked.name).ok_or_else(|| {
                let remedy = "`outerloop sql graph` lists all tables and questions";
                Diagnostic::edit(format!("there is no table `{}`", asked.name.escape_default()), remedy)
            })?;
            if node.text.is_empty() {
                format!("-- {}\n-- Made by: {}\n", node.sentence, node.origin.name())
            } else {
                node.text.clone()
            }
        }
    };
    printer.line(text.trim_end())?;
    Ok(Exit::Done)
}
