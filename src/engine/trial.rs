//! A trial of a workspace's own SQL over an empty lake, before anything rests on it: what the engine refuses there it refuses
//! anywhere, and what lacks a column fails its readers.

use arrow::datatypes::SchemaRef;
use std::collections::BTreeSet;

use crate::body::shipped_graph;
use crate::graph::{Graph, Node};
use crate::session::{Session, blame};
use text::diagnostic::{Diagnostic, Outcome};

/// Tries all texts that are the workspace's own. They must yield the columns of the texts that they replace; more do no harm.
pub fn try_own(graph: &Graph) -> Outcome<()> {
    if !graph.nodes().any(|node| node.is_own) {
        return Ok(());
    }
    let shipped = shipped_graph()?;
    let (mut own, mut model) = (Bench::open(graph)?, Bench::open(&shipped)?);
    for node in graph.nodes().filter(|node| node.is_own) {
        let columns = own.columns(node)?;
        // Of what an audit returns, only whether there are rows matters.
        let is_audit = node.stem.as_ref().is_some_and(|stem| stem.starts_with("audit/"));
        if let Some(replaced) = shipped.node(&node.name).filter(|_| !is_audit) {
            compare(node, &columns, &model.columns(replaced)?)?;
        }
    }
    Ok(())
}

/// A session over an empty lake, and what is made in it.
struct Bench<'g> {
    session: Session,
    graph: &'g Graph,
    made: BTreeSet<&'g str>,
}

impl<'g> Bench<'g> {
    fn open(graph: &'g Graph) -> Outcome<Self> {
        Ok(Self { session: Session::open_empty()?, graph, made: BTreeSet::new() })
    }

    fn columns(&mut self, node: &Node) -> Outcome<SchemaRef> {
        let plan = self.graph.plan(&[&node.name]);
        let taken = plan.iter().flat_map(|node| node.tables_taken()).filter_map(|name| self.graph.node(name));
        for needed in taken.chain(plan.iter().copied()) {
            if self.made.insert(&needed.name) {
                self.session.make(needed)?;
            }
        }
        self.session.columns_of(node)
    }
}

fn compare(node: &Node, columns: &SchemaRef, model: &SchemaRef) -> Outcome<()> {
    for wanted in model.fields() {
        let what = match columns.column_with_name(wanted.name()) {
            None => format!("it yields no column `{}`, which the program's own yields", wanted.name()),
            Some((_, found)) if found.data_type() != wanted.data_type() => format!(
                "it yields `{}` as {}, which the program's own yields as {}",
                wanted.name(),
                found.data_type(),
                wanted.data_type()
            ),
            Some(_) => continue,
        };
        return Err(blame(node, Diagnostic::edit(what, "")));
    }
    Ok(())
}
