//! What can still be read of a line that was refused: who is missing matters as much as why.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::{Map, Value};

use super::kind::Kind;
use super::parse::{DEFAULT_PROJECT, parse_time};
use text::key::key;

/// What can be read of a refused line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    /// The kind that it names, or that its members give away.
    pub kind: Option<Kind>,
    /// Its project, if it is a run.
    pub project: Option<String>,
    /// The run that it is about, if it is a run.
    pub run_id: Option<String>,
    /// The keys of the adapters that it names, if it is a run.
    pub adapters: Vec<String>,
    /// When it happened, in microseconds since 1970, if it is a run.
    pub micros: Option<i64>,
}

impl Refused {
    /// Reads a line as far as it can be read. Of other kinds than runs nobody asks who is missing.
    #[must_use]
    pub fn read(line: &str) -> Self {
        let members = read_members(line);
        let kind = kind_of(&members);
        Self { kind, ..if kind == Some(Kind::Run) { Self::of_run(&members) } else { Self::default() } }
    }

    /// The same of a line that is known to be a run.
    #[must_use]
    pub fn read_run(line: &str) -> Self {
        Self::of_run(&read_members(line))
    }

    /// What the members of a run say, in any system's spelling.
    fn of_run(members: &Map<String, Value>) -> Self {
        let text = |name: &str| match find(members, name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let mut adapters: Vec<String> = Vec::new();
        let named: Vec<&Value> = match find(members, "adapters") {
            Some(Value::Array(list)) => list.iter().collect(),
            Some(single) => vec![single],
            None => Vec::new(),
        };
        for adapter in named.into_iter().filter_map(Value::as_str).map(key).filter(|adapter| !adapter.is_empty()) {
            if !adapters.iter().any(|known| *known == adapter) {
                adapters.push(adapter.into_owned());
            }
        }
        Self {
            kind: Some(Kind::Run),
            project: Some(text("project").unwrap_or_else(|| DEFAULT_PROJECT.to_owned())),
            run_id: text("run_id"),
            adapters,
            micros: text("ts").as_deref().and_then(parse_time),
        }
    }
}

/// A member of a run, in any system's spelling.
fn find<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    let spellings = Kind::Run.field(name).or_else(|| Kind::carried(name)).map_or(&[][..], |field| field.spellings);
    spellings.iter().find_map(|spelling| members.get(*spelling).filter(|value| !value.is_null()))
}

/// The kind that a line names, however it is spelled. A line without a known kind that names adapters is a run, because nothing else
/// does; so is one without any kind that tells how a run ended.
fn kind_of(members: &Map<String, Value>) -> Option<Kind> {
    let named = members.get("kind").filter(|kind| !kind.is_null());
    if let Some(kind) = named.and_then(Value::as_str).and_then(|name| Kind::from_name(&key(name))) {
        return Some(kind);
    }
    let has = |name: &str| find(members, name).is_some();
    let is_ended_run = || named.is_none() && has("run_id") && (members.contains_key("result") || has("success"));
    (has("adapters") || is_ended_run()).then_some(Kind::Run)
}

/// The members of an object, up to where it breaks off.
fn read_members(line: &str) -> Map<String, Value> {
    let mut members = Map::new();
    // The error says that the object breaks off; what was read before it stays.
    let _broken = serde_json::Deserializer::from_str(line).deserialize_map(Collect(&mut members));
    members
}

struct Collect<'m>(&'m mut Map<String, Value>);

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some((name, value)) = object.next_entry()? {
            self.0.insert(name, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Refused;
    use crate::Kind;

    #[test]
    fn what_breaks_off_is_read_up_to_there() {
        let line = r#"{"kind":"run","ts":"2026-05-01T10:00:00Z","run_id":"r1","adapters":["GitHub"],"notes":"bro"#;
        let refused = Refused::read(line);
        assert_eq!((refused.kind, refused.run_id.as_deref()), (Some(Kind::Run), Some("r1")));
        assert_eq!((refused.adapters, refused.micros), (vec!["github".to_owned()], Some(1_777_629_600_000_000)));
    }

    #[test]
    fn members_give_a_run_away() {
        let kind = |line: &str| Refused::read(line).kind;
        for line in [
            r#"{"kind":"RUN ","run_id":"r1"}"#,
            r#"{"kind":"outcome","adaptersUsed":["fs"]}"#,
            r#"{"runId":"r1","success":false}"#,
            r#"{"run_id":"r1","result":"failure"}"#,
        ] {
            assert_eq!(kind(line), Some(Kind::Run), "{line}");
        }
        for line in [r#"{"kind":"tool","run_id":"r1","result":"x"}"#, r#"{"run_id":"r1","status":"applied"}"#, "[1]", "{", ""] {
            assert_eq!(kind(line), None, "{line}");
        }
        assert_eq!(kind(r#"{"kind":"goal","adapters":["fs"]}"#), Some(Kind::Goal));
    }
}
