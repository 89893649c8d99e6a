//! One outcome of any of its shapes, in our spelling.

use std::fmt;

use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::import::imported::Refusal;
use crate::import::value::parse_row_time;
use event::field::RunResult;
use event::{FieldSpec, Kind};
use text::fit::quoted;
use text::key::key;

/// An outcome in our spelling. Values are as they were written: whether they fit is for the door to say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) run_id: String,
    pub(super) time: Option<Timestamp>,
    pub(super) fields: Map<String, Value>,
}

impl Record {
    pub(super) fn parse(text: &str) -> Result<Self, Refusal> {
        let Object(members) = serde_json::from_str(text).map_err(|fault| format!("is not a JSON record: {fault}"))?;
        let (mut time, mut fields) = (None, Map::new());
        for (name, value) in members {
            match (Kind::carried(&name), Kind::Run.field(&name)) {
                (Some(carried), _) if carried.name == "ts" => fill_time(&mut time, &name, &value)?,
                // What an event says itself; the record's own is kept beside it.
                (Some(_), _) => fill(&mut fields, &format!("source_{name}"), &name, value)?,
                (None, Some(field)) => fill_field(&mut fields, field, &name, value)?,
                (None, None) => fill(&mut fields, &name, &name, value)?,
            }
        }
        let run_id = match fields.shift_remove("run_id") {
            Some(Value::String(run_id)) if !run_id.trim().is_empty() => run_id,
            Some(_) => return Err("`runId` is not a name".to_owned()),
            None => return Err("`runId` is missing".to_owned()),
        };
        Ok(Self { run_id, time, fields })
    }
}

/// Whether two values of a field say the same. Numbers do however they are written, and lists of adapters whatever their case.
pub(super) fn is_same(field: &str, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) if field == "adapters" => adapters(one) == adapters(other),
        (Value::String(one), Value::String(other)) if field == "failure_type" => one.trim() == other.trim(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same("", one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has_same = |(name, value)| other.get(name).is_some_and(|other| is_same("", value, other));
            one.len() == other.len() && one.iter().all(has_same)
        }
        _ => one == other,
    }
}

/// Adapters as the door reads them.
fn adapters(items: &[Value]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        let name = item.as_str().map_or_else(|| item.to_string(), |name| key(name).into_owned());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn fill_time(time: &mut Option<Timestamp>, name: &str, value: &Value) -> Result<(), Refusal> {
    let text = match value {
        Value::Null => return Ok(()),
        Value::String(text) => text,
        _ => return Err(format!("`{name}` is not a time as text")),
    };
    let parsed = parse_row_time(text)?;
    if time.is_some_and(|earlier| earlier != parsed) {
        return Err(format!("`{name}` and another time of the record differ"));
    }
    *time = Some(parsed);
    Ok(())
}

fn fill_field(fields: &mut Map<String, Value>, field: &FieldSpec, name: &str, value: Value) -> Result<(), Refusal> {
    let value = match (field.name, value) {
        // A JavaScript program writes a number that is none so: it does not mean that nothing is known.
        (_, Value::Null) if !field.takes_null => return Err(format!("`{name}` is null, which stands for NaN")),
        (_, Value::Null) => return Ok(()),
        // Details say more than their field holds: the door keeps them under the name that they were given.
        (_, details @ Value::Object(_)) => return fill(fields, name, name, details),
        // A type without a word is no type.
        ("failure_type", Value::String(text)) if text.trim().is_empty() => return Ok(()),
        ("result", Value::String(word)) => word.parse().map_or(word.clone(), |result: RunResult| result.name().to_owned()).into(),
        (_, value) => value,
    };
    fill(fields, field.name, name, value)
}

fn fill(fields: &mut Map<String, Value>, field: &str, name: &str, value: Value) -> Result<(), Refusal> {
    match fields.get(field) {
        Some(earlier) if is_same(field, earlier, &value) => {}
        Some(_) => return Err(format!("{} and another spelling of it differ", quoted(name))),
        None => {
            fields.insert(field.to_owned(), value);
        }
    }
    Ok(())
}

/// The members of an object. One that stands twice with two values makes it unreadable: readers disagree on which one counts.
struct Object(Map<String, Value>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Object, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.get(&name).is_some_and(|earlier| *earlier != value) {
                return Err(A::Error::custom(format_args!("{} appears twice, with two values", quoted(&name))));
            }
            members.insert(name, value);
        }
        Ok(Object(members))
    }
}
