//! YAML as a tree that knows its lines, so that a wrong value can be pointed at.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Spanned, budget::Budget, options::AliasLimits};

/// Goals are a page of text; what is larger than this by far is an attack or a mistake.
const MOST_NODES: usize = 20_000;
/// How deep goals may be nested. They need five.
const MOST_DEPTH: usize = 32;

/// What is wrong with a file of goals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// Where it is wrong, in words, if that is known.
    pub cause: Option<String>,
    /// What to do about it.
    pub remedy: String,
}

impl Fault {
    pub(super) fn at(node: &Node, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        // Values that come out of an alias have their own line; one that is not known is 0.
        let line = node.defined.line();
        Self { what: what.into(), cause: (line > 0).then(|| format!("line {line}")), remedy: remedy.into() }
    }
}

/// A value and where it stands.
pub(super) type Node = Spanned<Shape>;

/// A value of YAML.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Nothing.
    Null,
    /// Yes or no.
    Flag(bool),
    /// A number. Whole ones beyond the exact range of a double are rounded; no goal has such.
    Number(f64),
    Text(String),
    List(Vec<Node>),
    /// A mapping, in its order.
    Table(Vec<(Node, Node)>),
}

impl Shape {
    /// What sort of value it is, in words.
    pub(super) const fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Flag(_) => "yes or no",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Table(_) => "a mapping",
        }
    }
}

/// Parses a document. None where it is empty.
pub(super) fn parse_document(text: &str) -> Result<Option<Node>, Fault> {
    // Without any value there is no node either, and the parser would call it the end of the file.
    let is_blank = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with('#') || line == "---" || line == "..."
    };
    let text = text.trim_start_matches('\u{feff}');
    if text.lines().all(is_blank) {
        return Ok(None);
    }
    let mut budget = Budget::default();
    budget.max_nodes = MOST_NODES;
    budget.max_events = MOST_NODES * 4;
    budget.max_depth = MOST_DEPTH;
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = MOST_NODES;
    let options = serde_saphyr::options! { budget: Some(budget), alias_limits: alias_limits, with_snippet: false };
    let node = serde_saphyr::from_str_with_options::<Node>(text, options).map_err(|error| Fault {
        what: "the goals are not valid YAML".to_owned(),
        cause: Some(render::plain_text(&error.without_snippet().to_string(), 300)),
        remedy: "correct the line; texts with `:`, `#`, `*` or `&` in them belong in quotes".to_owned(),
    })?;
    Ok(Some(node).filter(|node| node.value != Shape::Null))
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_none<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Shape, E> {
        Ok(Shape::Flag(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "no goal has a number that large")]
    fn visit_i64<E>(self, value: i64) -> Result<Shape, E> {
        Ok(Shape::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "no goal has a number that large")]
    fn visit_u64<E>(self, value: u64) -> Result<Shape, E> {
        Ok(Shape::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "no goal has a number that large")]
    fn visit_i128<E>(self, value: i128) -> Result<Shape, E> {
        Ok(Shape::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "no goal has a number that large")]
    fn visit_u128<E>(self, value: u128) -> Result<Shape, E> {
        Ok(Shape::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Shape, E> {
        Ok(Shape::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Shape, E> {
        Ok(Shape::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Shape, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Shape::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Shape, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Shape::Table(members))
    }
}
