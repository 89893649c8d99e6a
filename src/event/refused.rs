//! What can still be read of a line that was refused: who is missing matters as much as why.

use serde_json::{Map, Value};

use super::kind::Kind;
use super::parse::DEFAULT_PROJECT;
use text::key::key;

/// What can be read of a refused line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    /// The kind that it names.
    pub kind: Option<Kind>,
    /// Its project, if it is a run.
    pub project: Option<String>,
    /// The run that it is about, if it is a run.
    pub run_id: Option<String>,
    /// The keys of the adapters that it names, if it is a run.
    pub adapters: Vec<String>,
}

impl Refused {
    /// Reads a line as far as it can be read. Of other kinds than runs nobody asks who is missing.
    #[must_use]
    pub fn read(line: &str) -> Self {
        let Ok(members) = serde_json::from_str::<Map<String, Value>>(line) else { return Self::default() };
        let kind = members.get("kind").and_then(Value::as_str).and_then(Kind::from_name);
        Self { kind, ..if kind == Some(Kind::Run) { Self::of_run(&members) } else { Self::default() } }
    }

    /// The same of the members of a run, in any system's spelling.
    #[must_use]
    pub fn of_run(members: &Map<String, Value>) -> Self {
        let find = |name: &str| {
            let spellings = Kind::Run.field(name).or_else(|| Kind::carried(name)).map_or(&[][..], |field| field.spellings);
            spellings.iter().find_map(|spelling| members.get(*spelling).filter(|value| !value.is_null()))
        };
        let text = |name: &str| match find(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let mut adapters: Vec<String> = Vec::new();
        let named: Vec<&Value> = match find("adapters") {
            Some(Value::Array(list)) => list.iter().collect(),
            Some(single) => vec![single],
            None => Vec::new(),
        };
        for adapter in named.into_iter().filter_map(Value::as_str).map(key).filter(|adapter| !adapter.is_empty()) {
            if !adapters.iter().any(|known| *known == adapter) {
                adapters.push(adapter.into_owned());
            }
        }
        let project = text("project").unwrap_or_else(|| DEFAULT_PROJECT.to_owned());
        Self { kind: Some(Kind::Run), project: Some(project), run_id: text("run_id"), adapters }
    }
}
