//! JSON Schema of events.

use serde_json::{Map, Value, json};

use super::{VERSION, is_needed};
use event::{ENVELOPE, FieldSpec, Holds, Kind};

/// The schema of one kind.
#[must_use]
pub fn render_schema(kind: Kind) -> Value {
    let mut properties = Map::new();
    for field in &ENVELOPE {
        properties.insert(field.name.to_owned(), property(field));
    }
    properties.insert("kind".to_owned(), json!({"const": kind.name()}));
    for field in kind.fields() {
        properties.insert(field.name.to_owned(), property(field));
    }
    let needed = kind.fields().iter().filter(|field| is_needed(kind, field)).map(|field| field.name);
    let required: Vec<&str> = ["kind"].into_iter().chain(needed).collect();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:outerloop:event:{}:{VERSION}", kind.name()),
        "title": kind.name(),
        "description": kind.about().trim(),
        "type": "object",
        "properties": properties,
        "required": required,
        // They are kept, in the column `extra`.
        "additionalProperties": true,
    });
    if let Some((first, second)) = kind.either() {
        schema["anyOf"] = [first, second].iter().map(|name| json!({"required": [name]})).collect();
    }
    if kind == Kind::Learning
        && let Some(choices) = schema["anyOf"].as_array_mut()
    {
        choices.push(json!({"properties": {"no_learnings": {"const": true}}, "required": ["no_learnings"]}));
    }
    if kind == Kind::Run {
        schema["if"] = json!({"properties": {"result": {"const": "failure"}}, "required": ["result"]});
        schema["then"] = json!({"required": ["failure_type"]});
    }
    schema
}

/// The schema of all kinds: an event fits the one that its `kind` names.
#[must_use]
pub fn render_schemas() -> Value {
    let kinds: Map<String, Value> = Kind::ALL.iter().map(|kind| (kind.name().to_owned(), render_schema(*kind))).collect();
    let choices: Vec<Value> = Kind::ALL.iter().map(|kind| json!({"$ref": format!("#/$defs/{}", kind.name())})).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:outerloop:event:{VERSION}"),
        "title": "event",
        "description": "A line of the inbox.",
        "oneOf": choices,
        "$defs": kinds,
    })
}

fn property(field: &FieldSpec) -> Value {
    let mut property = form(field.holds);
    property["description"] = field.about.trim().into();
    property
}

fn form(holds: Holds) -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    match holds {
        Holds::Text => json!({"type": "string"}),
        Holds::Label | Holds::Failure | Holds::Written => json!({"type": "string", "minLength": 1}),
        Holds::Name => json!({"type": "string", "minLength": 1, "pattern": r"^[^/\\]+$"}),
        Holds::Texts | Holds::Sayings => list(json!({"type": "string"})),
        Holds::Labels | Holds::Adapters => list(json!({"type": "string", "minLength": 1})),
        Holds::Json => json!({"type": ["object", "array"]}),
        Holds::Count => json!({"type": "integer", "minimum": 0}),
        Holds::Retries => json!({"type": "integer", "minimum": 0, "maximum": text::limit::RETRIES}),
        Holds::Number | Holds::Score => json!({"type": "number"}),
        Holds::Unit | Holds::Quality => json!({"type": "number", "minimum": 0, "maximum": 1}),
        Holds::Rating => json!({"type": "number", "minimum": 1, "maximum": 5}),
        Holds::Flag => json!({"type": "boolean"}),
        Holds::Time => json!({"type": "string", "format": "date-time"}),
        Holds::Passed => json!({"enum": [true, false, "passed", "failed"]}),
        Holds::Level => json!({"enum": [1, 2, 3]}),
        Holds::Words(words) => json!({"enum": words}),
        Holds::Decisions => list(json!({
            "type": "object",
            "properties": {
                "agent": {"type": "string", "minLength": 1},
                "decision": {"enum": event::AgentVerdict::ALL.iter().map(|verdict| verdict.name()).collect::<Vec<_>>()},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["agent", "confidence"],
        })),
        Holds::Vector => json!({"type": "array", "items": {"type": "number"}, "minItems": 1}),
    }
}
