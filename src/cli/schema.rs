//! `outerloop schema`: the reference of events, from the table of kinds. Needs no workspace.

use clap::{Args as ClapArgs, ValueEnum};

use super::printer::Printer;
use super::record::parse_kind;
use render::reference::{
    describe_tables, render_events, render_python, render_schema, render_schemas, render_tables, render_typescript,
};
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
  outerloop schema run                              JSON Schema of one kind
  outerloop schema > events.schema.json             of all kinds
  outerloop schema --format python > outerloop.py   a typed emitter without dependencies
  outerloop schema --tables --format markdown       columns of the published tables
  outerloop record --check events.jsonl             check lines without recording them")]
pub struct SchemaArgs {
    /// The kind of event [default: all kinds]
    kind: Option<String>,
    /// Describe the published tables instead of events
    #[arg(long, conflicts_with = "kind")]
    tables: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = SchemaFormat::Json)]
    format: SchemaFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaFormat {
    /// JSON Schema.
    Json,
    /// The reference of all kinds, as in `docs/events.md`.
    Markdown,
    /// A program that writes events, for Python.
    Python,
    /// A program that writes events, for TypeScript.
    Typescript,
}

pub(crate) fn run(options: &SchemaArgs, printer: &Printer) -> Outcome<Exit> {
    if options.tables {
        return run_tables(options.format, printer);
    }
    let kind = options.kind.as_deref().map(parse_kind).transpose()?;
    let text = match (options.format, kind) {
        (SchemaFormat::Json, kind) => {
            let schema = kind.map_or_else(render_schemas, render_schema);
            serde_json::to_string_pretty(&schema).map_err(|error| Diagnostic::bug(format!("cannot encode a schema: {error}")))?
        }
        (_, Some(_)) => {
            return Err(Diagnostic::edit("this format is about all kinds at once", "omit the kind, or print its JSON Schema"));
        }
        (SchemaFormat::Markdown, None) => render_events(),
        (SchemaFormat::Python, None) => render_python(),
        (SchemaFormat::Typescript, None) => render_typescript(),
    };
    printer.line(text.trim_end())?;
    Ok(Exit::Done)
}

fn run_tables(format: SchemaFormat, printer: &Printer) -> Outcome<Exit> {
    let text = match format {
        SchemaFormat::Json => serde_json::to_string_pretty(&describe_tables())
            .map_err(|error| Diagnostic::bug(format!("cannot encode the tables: {error}")))?,
        SchemaFormat::Markdown => render_tables(),
        SchemaFormat::Python | SchemaFormat::Typescript => {
            return Err(Diagnostic::edit("this format is about events", "use --format json or --format markdown"));
        }
    };
    printer.line(text.trim_end())?;
    Ok(Exit::Done)
}
