//! The goals of a file, and which of them holds.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::definition::{Goal, REDUCE_FAILURES, WELL_KNOWN, is_name};
use super::yaml::{Fault, Node, Shape, parse_document};
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
    #[must_use]
    pub fn defined(&self) -> &[Goal] {
        &self.defined
    }

    /// The goal that the file calls active.
    #[must_use]
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
