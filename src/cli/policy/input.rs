//! Lists of JSON objects that a person or a program hands in.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// An object of a list, and where in the JSON it stands.
#[derive(Debug)]
pub(crate) struct Item {
    pub members: Map<String, Value>,
    place: String,
    file: Option<PathBuf>,
}

impl Item {
    /// The value of a member under any of its names, and the name that is used. What is null is not there.
    pub(crate) fn find(&self, names: &[&'static str]) -> Option<(&'static str, &Value)> {
        let present = names.iter().filter_map(|&name| Some((name, self.members.get(name)?)));
        present.into_iter().find(|(_, value)| !value.is_null())
    }

    /// A text that must be there. The first name is the one that is missed.
    pub(crate) fn text(&self, names: &[&'static str]) -> Outcome<&str> {
        match self.find(names) {
            Some((_, Value::String(text))) if !text.trim().is_empty() => Ok(text),
            Some((name, other)) => Err(self.fault(name, other, "write a text that is not empty")),
            None => Err(self.missing(names[0])),
        }
    }

    /// The error for a member that is not there.
    pub(crate) fn missing(&self, name: &str) -> Diagnostic {
        self.refuse(format!("`{}` has no `{name}`", self.place), format!("add `{name}`"))
    }

    /// The error for a member that cannot be taken.
    pub(crate) fn fault(&self, name: &str, value: &Value, remedy: &str) -> Diagnostic {
        self.refuse(format!("`{}.{name}` is {}", self.place, quoted(&value.to_string())), remedy)
    }

    /// The error for an object that cannot be taken as a whole.
    pub(crate) fn unfit(&self, cause: impl std::fmt::Display) -> Diagnostic {
        self.refuse(format!("`{}` is invalid", self.place), "correct it; --help shows what is expected").because(cause)
    }

    fn refuse(&self, what: String, remedy: impl Into<String>) -> Diagnostic {
        located(Diagnostic::edit(what, remedy), self.file.as_deref())
    }
}

/// Reads a list of objects, from a file or from stdin: the JSON is the list, or an object that holds it under one of these names.
pub(crate) fn read_items(file: Option<&Path>, names: &[&str]) -> Outcome<Vec<Item>> {
    let name = names[0];
    let file = file.filter(|path| *path != Path::new("-"));
    let bytes = match file {
        Some(path) => fs::read(path).map_err(|error| Diagnostic::io("cannot read the file", path, &error))?,
        None => read_stdin()?,
    };
    let remedy = format!("write a list of objects as JSON, or an object that holds it as `{name}`; --help shows an example");
    let refuse = |what: String| located(Diagnostic::edit(what, remedy.clone()), file);
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| refuse("this is not JSON".to_owned()).because(error))?;
    let (root, list) = match value {
        Value::Array(list) => ("", list),
        Value::Object(mut members) => match names.iter().find_map(|name| Some((*name, members.remove(*name)?))) {
            Some((name, Value::Array(list))) => (name, list),
            Some((name, _)) => return Err(refuse(format!("`{name}` is not a list"))),
            None => return Err(refuse(format!("the object has no `{name}`"))),
        },
        _ => return Err(refuse("this is neither a list nor an object".to_owned())),
    };
    let items = list.into_iter().enumerate().map(|(index, item)| match item {
        Value::Object(members) => Ok(Item { members, place: format!("{root}[{index}]"), file: file.map(Path::to_path_buf) }),
        other => Err(refuse(format!("`{root}[{index}]` is {}, not an object", quoted(&other.to_string())))),
    });
    items.collect()
}

fn located(fault: Diagnostic, file: Option<&Path>) -> Diagnostic {
    match file {
        Some(path) => fault.at(path),
        None => fault,
    }
}

fn read_stdin() -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Diagnostic::io("cannot read", Path::new("stdin"), &error))?;
    Ok(bytes)
}
