//! The nodes of the graph, and the order in which they are made.

use std::collections::BTreeMap;

use serde::Serialize;

use super::header::Form;
use text::digest::sha256;

/// Who makes a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The program, as a scan of the workspace's files.
    Scan,
    Prelude,
    /// The program, which computes its rows.
    Program,
    /// Whoever asks a question: it comes with the question.
    Caller,
    /// A file of `sql/`.
    Body,
}

impl Origin {
    /// Its word in listings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Prelude => "prelude",
            Self::Program => "program",
            Self::Caller => "caller",
            Self::Body => "body",
        }
    }
}

/// A table that no SQL text makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    /// Who makes it: a scan, the program or a caller.
    pub origin: Origin,
    pub sentence: &'static str,
    /// Its columns with their types; empty where files decide.
    pub columns: &'static str,
    /// What the program asks for to make it.
    pub needs: Vec<String>,
}

/// A file of `sql/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path below `sql/`, without `.sql`.
    pub stem: String,
    pub text: String,
    /// The path of a file of the workspace's own; the program's have none.
    pub own: Option<String>,
}

impl Source {
    /// How people find it.
    pub fn place(&self) -> String {
        self.own.clone().unwrap_or_else(|| format!("sql/{}.sql", self.stem))
    }
}

/// A table, a view or a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    pub name: String,
    pub origin: Origin,
    #[serde(serialize_with = "form_name")]
    pub form: Form,
    pub sentence: String,
    /// What one row stands for; none where no text says it.
    pub grain: Option<String>,
    /// The tables that it reads.
    pub needs: Vec<String>,
    /// What its caller hands over: `$parameters` and tables.
    pub takes: Vec<String>,
    /// The path of its file below `sql/`, without `.sql`.
    pub stem: Option<String>,
    /// Whether its text is the workspace's own.
    pub is_own: bool,
    /// The file that holds its text, and the line in which the text begins; no file where there is no text.
    #[serde(skip)]
    pub(crate) place: (String, usize),
    /// Its columns, where the program declares them.
    #[serde(skip)]
    pub columns: &'static str,
    /// The statement of the prelude, or the query of a body.
    #[serde(skip)]
    pub text: String,
    /// The SHA-256 of a body's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn form_name<S: serde::Serializer>(form: &Form, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(form.name())
}

impl Node {
    /// The parameters that it takes, without their `$`.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.takes.iter().filter_map(|taken| taken.strip_prefix('$'))
    }

    pub fn tables_taken(&self) -> impl Iterator<Item = &str> {
        self.takes.iter().map(String::as_str).filter(|taken| !taken.starts_with('$'))
    }
}

/// A graph without flaws: every need is known, nothing is made twice, and nothing needs itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    nodes: BTreeMap<String, Node>,
    prelude: Source,
}

impl Graph {
    pub(super) const fn new(nodes: BTreeMap<String, Node>, prelude: Source) -> Self {
        Self { nodes, prelude }
    }

    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name)
    }

    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    /// What must be made for some nodes, in an order in which each finds what it needs: the nodes themselves come last. Tables that
    /// come with a question are not made.
    pub fn plan<'g>(&'g self, wanted: &[&str]) -> Vec<&'g Node> {
        let mut order = Vec::new();
        for name in wanted {
            self.visit(name, &mut order);
        }
        order
    }

    fn visit<'g>(&'g self, name: &str, order: &mut Vec<&'g Node>) {
        let Some(node) = self.nodes.get(name) else { return };
        if node.origin == Origin::Caller || order.iter().any(|known| known.name == name) {
            return;
        }
        for need in &node.needs {
            self.visit(need, order);
        }
        order.push(node);
    }

    /// The SHA-256 of the prelude and of every body, by its path below `sql/`.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let bodies = self.nodes.values().filter_map(|node| Some((node.stem.clone()?, node.hash.clone()?)));
        bodies.chain([(self.prelude.stem.clone(), sha256(self.prelude.text.as_bytes()))]).collect()
    }

    /// The prelude's text.
    pub fn prelude(&self) -> &Source {
        &self.prelude
    }
}
