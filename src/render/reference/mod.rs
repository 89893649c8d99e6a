//! The reference of events, made from the table of kinds: JSON Schema, Markdown, and programs that write events.

mod emitter;
mod markdown;
mod schema;
mod table;

pub use emitter::{render_python, render_typescript};
pub use markdown::render_events;
pub use schema::{render_schema, render_schemas};
pub use table::{describe_tables, render_tables};

use event::{FieldSpec, Holds, Kind};

/// The version of the events' form. It rises when a field changes its meaning or goes; new fields and kinds do not change it.
const VERSION: u32 = 1;

/// What a field holds, in words.
fn describe(holds: Holds) -> String {
    match holds {
        Holds::Text => "text".to_owned(),
        Holds::Label | Holds::Failure | Holds::Written => "short text".to_owned(),
        Holds::Name => "name without path separators".to_owned(),
        Holds::Texts | Holds::Sayings => "list of texts".to_owned(),
        Holds::Labels | Holds::Adapters => "list of short texts".to_owned(),
        Holds::Json => "object or list".to_owned(),
        Holds::Count | Holds::Retries => "whole number".to_owned(),
        Holds::Number | Holds::Score => "number".to_owned(),
        Holds::Unit | Holds::Quality => "number from 0 to 1".to_owned(),
        Holds::Rating => "number from 1 to 5".to_owned(),
        Holds::Flag => "true or false".to_owned(),
        Holds::Time => "time as RFC 3339, with its zone".to_owned(),
        Holds::Passed => "true, false, `passed` or `failed`".to_owned(),
        Holds::Level => "1, 2 or 3".to_owned(),
        Holds::Words(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Holds::Decisions => "list of `agent`, `decision`, `confidence`".to_owned(),
        Holds::Vector => "list of numbers".to_owned(),
    }
}

/// Whether an event must have a field. What a run must have depends on `run.lenient`, so the table calls it optional.
fn is_needed(kind: Kind, field: &FieldSpec) -> bool {
    field.is_needed || (kind == Kind::Run && field.name == "adapters")
}
