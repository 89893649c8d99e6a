//! `outerloop sql`: the graph of the program's SQL. Reads texts only: no session is opened.

use cli::args::{GraphFormat, SqlAction, SqlArgs};
use cli::printer::Printer;
use engine::graph::{Drawing, Graph, draw};
use engine::{load_graph, shipped_graph};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Draws the graph, or prints the text of one of its nodes.
pub(crate) fn run(workspace: &Workspace, options: &SqlArgs, printer: &Printer) -> Outcome<Exit> {
    let text = match &options.action {
        SqlAction::Graph(asked) => {
            let drawing = match asked.format {
                GraphFormat::Text => Drawing::Text,
                GraphFormat::Mermaid => Drawing::Mermaid,
                GraphFormat::Dot => Drawing::Dot,
                GraphFormat::Json => Drawing::Json,
            };
            draw(&load_graph(workspace)?, &asked.wanted, drawing)?
        }
        SqlAction::Show(asked) => {
            // Without the workspace's own files: one of them may be what the output is written to.
            let graph = if asked.builtin { shipped_graph()? } else { load_graph(workspace)? };
            show(&graph, &asked.name)?
        }
    };
    printer.line(text.trim_end())?;
    Ok(Exit::Done)
}

/// The text of a node, by its name or the path of its file; or that of the whole prelude.
fn show(graph: &Graph, name: &str) -> Outcome<String> {
    let stem = name.trim_start_matches("sql/").trim_end_matches(".sql");
    if stem == graph.prelude().stem || stem == "prelude" {
        return Ok(graph.prelude().text.clone());
    }
    let node = graph.node(&stem.replace('/', "_")).ok_or_else(|| {
        let remedy = "`outerloop sql graph` lists all tables and questions";
        Diagnostic::edit(format!("there is no table `{}`", name.escape_default()), remedy)
    })?;
    if node.text.is_empty() {
        return Ok(format!("-- {}\n-- Made by: {}\n", node.sentence, node.origin.name()));
    }
    Ok(node.text.clone())
}
