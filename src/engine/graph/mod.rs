//! SQL as a graph. Every text of `sql/` says in its header what it needs and what it makes; from these lines come the order in which
//! tables are made, the check that nothing is missing, and the picture. Pure: texts in, a graph or what is wrong with them out.

mod build;
mod check;
mod draw;
mod header;
mod node;
mod token;

pub use build::parse_graph;
pub use draw::{Drawing, draw};
pub use header::Form;
pub use node::{Declared, Graph, Node, Origin, Source};
pub use token::{Mention, Mentions, parse_mentions};
