//! The graph for people and other programs: as text, as a Mermaid or Graphviz picture, as JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::header::Form;
use super::node::{Graph, Node, Origin};
use text::diagnostic::{Diagnostic, Outcome};

/// How the graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// A list, in the order in which things are made.
    Text,
    Mermaid,
    /// A Graphviz digraph.
    Dot,
    /// An array of nodes.
    Json,
}

/// Draws what some nodes need, themselves included; without any, the whole graph.
pub fn draw(graph: &Graph, wanted: &[String], drawing: Drawing) -> Outcome<String> {
    if let Some(unknown) = wanted.iter().find(|name| graph.node(name).is_none()) {
        return Err(Diagnostic::edit(
            format!("there is no table `{unknown}`"),
            "`outerloop sql graph` lists all tables and questions",
        ));
    }
    let all: Vec<&str> = graph.nodes().map(|node| &*node.name).collect();
    let wanted: Vec<&str> = if wanted.is_empty() { all } else { wanted.iter().map(String::as_str).collect() };
    let made = graph.plan(&wanted);
    let taken: BTreeSet<&str> = made.iter().flat_map(|node| node.tables_taken()).collect();
    let nodes: Vec<&Node> = taken.iter().filter_map(|name| graph.node(name)).chain(made).collect();
    Ok(match drawing {
        Drawing::Text => draw_text(&nodes),
        Drawing::Mermaid => draw_mermaid(&nodes),
        Drawing::Dot => draw_dot(&nodes),
        Drawing::Json => draw_json(&nodes)?,
    })
}

fn draw_text(nodes: &[&Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        let file = node.stem.as_ref().map(|stem| format!(", sql/{stem}.sql")).unwrap_or_default();
        let own = if node.is_own { ", the workspace's own" } else { "" };
        let _ = writeln!(text, "{} ({}, {}{file}{own})", node.name, node.form.name(), node.origin.name());
        for (word, names) in [("needs", &node.needs), ("takes", &node.takes)] {
            if !names.is_empty() {
                let _ = writeln!(text, "    {word} {}", names.join(", "));
            }
        }
    }
    text
}

/// The nodes of a picture, and the edges between them. A scan under a view of the prelude says no more than the view.
fn outline<'n>(nodes: &[&'n Node]) -> (Vec<&'n Node>, Vec<(&'n str, &'n str)>) {
    let covered: BTreeSet<&str> =
        nodes.iter().filter(|node| node.origin == Origin::Prelude).flat_map(|node| &node.needs).map(String::as_str).collect();
    let shown: Vec<&Node> =
        nodes.iter().copied().filter(|node| node.origin != Origin::Scan || !covered.contains(&*node.name)).collect();
    let names: BTreeSet<&str> = shown.iter().map(|node| &*node.name).collect();
    let mut edges = Vec::new();
    for node in &shown {
        let read = node.needs.iter().map(String::as_str).chain(node.tables_taken());
        edges.extend(read.filter(|need| names.contains(need)).map(|need| (need, &*node.name)));
    }
    (shown, edges)
}

fn draw_mermaid(nodes: &[&Node]) -> String {
    let (nodes, edges) = outline(nodes);
    let mut text = "flowchart LR\n".to_owned();
    for node in nodes {
        let (open, close) = match (node.origin, node.form) {
            (Origin::Scan | Origin::Prelude, _) => ("[(", ")]"),
            (Origin::Program, _) => ("{{", "}}"),
            (Origin::Caller, _) => ("[/", "/]"),
            (Origin::Body, Form::Rows) => ("([", "])"),
            (Origin::Body, Form::Table | Form::View) => ("[", "]"),
        };
        let _ = writeln!(text, "    {}{open}{}{close}", node.name, node.name);
    }
    for (from, to) in edges {
        let _ = writeln!(text, "    {from} --> {to}");
    }
    text
}

fn draw_dot(nodes: &[&Node]) -> String {
    let (nodes, edges) = outline(nodes);
    let mut text = "digraph sql {\n    rankdir = LR;\n".to_owned();
    for node in nodes {
        let shape = match (node.origin, node.form) {
            (Origin::Scan | Origin::Prelude, _) => "cylinder",
            (Origin::Program, _) => "hexagon",
            (Origin::Caller, _) => "parallelogram",
            (Origin::Body, Form::Rows) => "ellipse",
            (Origin::Body, Form::Table | Form::View) => "box",
        };
        let _ = writeln!(text, "    {} [shape = {shape}];", node.name);
    }
    for (from, to) in edges {
        let _ = writeln!(text, "    {from} -> {to};");
    }
    text.push_str("}\n");
    text
}

fn draw_json(nodes: &[&Node]) -> Outcome<String> {
    let text = serde_json::to_string_pretty(nodes);
    Ok(text.map_err(|error| Diagnostic::bug(format!("the graph cannot be written as JSON: {error}")))? + "\n")
}
