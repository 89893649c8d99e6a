//! The goals of a file, and which of them holds. The file is read as a tree that knows its lines, so that a wrong value can be
//! pointed at.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use serde_saphyr::budget::Budget;
use serde_saphyr::options::AliasLimits;

use super::definition::{Goal, REDUCE_FAILURES, WELL_KNOWN, is_name};
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// The largest file of goals that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// How many names a message lists.
const MOST_LISTED: usize = 20;

/// The goals that are defined, and which of them holds where no other is asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Goals {
    place: Option<PathBuf>,
    active: Option<String>,
    defined: Vec<Goal>,
}

impl Goals {
    /// The goal of that name, or the one that the file calls active, or the one of few iterations. A goal that is known by its
    /// name needs no definition.
    pub fn choose(&self, name: Option<&str>) -> Outcome<Goal> {
        let name = name.or(self.active.as_deref()).unwrap_or(REDUCE_FAILURES);
        if let Some(goal) = self.defined.iter().find(|goal| goal.name() == name) {
            return Ok(goal.clone());
        }
        Goal::well_known(name).ok_or_else(|| {
            let what = format!("there is no goal {}", quoted(name));
            let unknown = Diagnostic::edit(what, format!("choose one of {}, or define it below `goals:`", self.listed()));
            match &self.place {
                Some(place) => unknown.at(place),
                None => unknown,
            }
        })
    }

    /// The goals that are defined, in the order of the file.
    pub fn defined(&self) -> &[Goal] {
        &self.defined
    }

    /// The goal that the file calls active.
    pub fn active(&self) -> Option<&str> {
        self.active.as_deref()
    }

    fn listed(&self) -> String {
        let defined = self.defined.iter().map(Goal::name);
        let others = WELL_KNOWN.into_iter().filter(|name| self.defined.iter().all(|goal| goal.name() != *name));
        let mut names: Vec<String> = defined.chain(others).map(quoted).collect();
        if names.len() > MOST_LISTED {
            names.truncate(MOST_LISTED);
            names.push("others".to_owned());
        }
        names.join(", ")
    }
}

/// Reads a file of goals. A file that is not there defines none.
pub fn load_goals(path: Option<&Path>) -> Outcome<Goals> {
    let Some(path) = path else { return Ok(Goals::default()) };
    let Some(text) = load_text(path)? else { return Ok(Goals::default()) };
    let fault = |fault: Fault| {
        let diagnostic = Diagnostic::edit(fault.what, fault.remedy).at(path);
        match fault.cause {
            Some(cause) => diagnostic.because(cause),
            None => diagnostic,
        }
    };
    let goals = parse_goals(&text).map_err(fault)?;
    Ok(Goals { place: Some(path.to_path_buf()), ..goals })
}

/// Parses a file of goals. An empty one defines none.
pub fn parse_goals(text: &str) -> Result<Goals, Fault> {
    let Some(document) = parse_document(text)? else { return Ok(Goals::default()) };
    let Shape::Table(members) = &document.value else {
        let what = format!("the goals are {}, not a mapping", document.value.describe());
        return Err(Fault::at(&document, what, "write `active_goal: <name>` and `goals:` with one mapping for each goal"));
    };
    let mut goals = Goals::default();
    for (key, value) in members {
        match &key.value {
            _ if value.value == Shape::Null => {}
            Shape::Text(key) if key == "active_goal" => goals.active = Some(parse_name(value)?),
            Shape::Text(key) if key == "goals" => goals.defined = parse_defined(value)?,
            // What else the file says is for other readers.
            _ => {}
        }
    }
    Ok(goals)
}

fn parse_defined(node: &Node) -> Result<Vec<Goal>, Fault> {
    let Shape::Table(members) = &node.value else {
        let what = format!("`goals` is {}, not a mapping", node.value.describe());
        return Err(Fault::at(node, what, "write `<name>:` with a mapping below it for each goal"));
    };
    members.iter().map(|(name, definition)| Goal::parse(&parse_name(name)?, definition)).collect()
}

fn parse_name(node: &Node) -> Result<String, Fault> {
    match &node.value {
        Shape::Text(name) if is_name(name) => Ok(name.clone()),
        Shape::Text(name) => {
            let what = format!("{} cannot be the name of a goal", quoted(name));
            Err(Fault::at(node, what, "use a short name of printable characters without `|`"))
        }
        other => {
            let what = format!("the name of a goal is {}, not a text", other.describe());
            Err(Fault::at(node, what, "write the name in quotes"))
        }
    }
}

/// The text of a file. None where there is no file.
fn load_text(path: &Path) -> Outcome<Option<String>> {
    let failed = |error: io::Error| Diagnostic::io("cannot read the goals", path, &error);
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(found) if found.is_dir() => return Err(failed(io::Error::from(io::ErrorKind::IsADirectory))),
        // A pipe would be waited for without end.
        Ok(found) if !found.is_file() => {
            return Err(Diagnostic::edit("the goals are not in a regular file", "put a regular file there").at(path));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        let what = format!("the goals are larger than {MOST_BYTES} bytes");
        return Err(Diagnostic::edit(what, "this is not a goal file; name the right one").at(path));
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Diagnostic::edit("the goals are not UTF-8", "save the file as UTF-8").at(path).because(error.utf8_error()))
}

/// Goals are a page of text; what is larger than this by far is an attack or a mistake.
const MOST_NODES: usize = 20_000;
/// How deep goals may be nested. They need five.
const MOST_DEPTH: usize = 32;

/// What is wrong with a file of goals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub what: String,
    /// Where it is wrong, in words, if that is known.
    pub cause: Option<String>,
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
    Null,
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
