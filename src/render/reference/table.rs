//! `docs/tables.md`: the published tables, from the definitions of their rows.

use std::fmt::Write as _;

use arrow::datatypes::DataType;
use serde_json::{Value, json};

use learn::table::{PublishedTable, SCHEMA_VERSION, published_tables};

const HEAD: &str = "\
A generation holds tables as Parquet files, in `published/current/`; `outerloop query` has the same tables as views. This page is the
output of `outerloop schema --tables --format markdown`, made from the definitions of the rows; a test compares both.

What may change: columns and tables may be added at any time, so name the columns that you read. A column that goes, or changes its
type or its meaning, raises the version, which stands in `manifest.json` as `tables`, in every file as the metadata `outerloop.tables`,
and in `CHANGELOG.md`. Times are timestamps in UTC, in microseconds. Rates, lifts, scores and relevance are shares: 1 is all, and a
lift of 0.1 is ten points. Where a column may be null, its comment says when, or null means that nobody knows.

`sum(weight) / sum(applications)` over the rows of `outcome` that have a weight is the `rate` of `pattern`, for every pattern.
With `compat = \"closedloop\"` rates are rounded as the original rounds them.

The events themselves are in the lake, one table for each kind ([events.md](events.md)), among them `application`, `assignment`
(the coins of units of work), `run` and `goal`.
";

/// The reference of all published tables.
#[must_use]
pub fn render_tables() -> String {
    let mut text = format!("# Published tables, version {SCHEMA_VERSION}\n\n{HEAD}");
    for table in published_tables() {
        let _ =
            write!(text, "\n## `{}`\n\n`{}`. {}\n\n| column | type | |\n|---|---|---|\n", table.name, table.file, table.sentence);
        for (name, kind, is_nullable, comment) in columns(&table) {
            let null = if is_nullable { ", null" } else { "" };
            let _ = writeln!(text, "| `{name}` | {kind}{null} | {} |", comment.replace('|', "\\|"));
        }
    }
    text
}

/// The same as JSON.
#[must_use]
pub fn describe_tables() -> Value {
    let tables = published_tables().into_iter().map(|table| {
        let columns: Vec<Value> = columns(&table)
            .map(|(name, kind, is_nullable, comment)| json!({"name": name, "type": kind, "nullable": is_nullable, "comment": comment}))
            .collect();
        json!({"name": table.name, "file": table.file, "comment": table.sentence, "columns": columns})
    });
    json!({"version": SCHEMA_VERSION, "tables": tables.collect::<Vec<_>>()})
}

fn columns(table: &PublishedTable) -> impl Iterator<Item = (&str, &'static str, bool, &str)> {
    table.schema.fields().iter().zip(&table.comments).map(|(field, (name, comment))| {
        let kind = match field.data_type() {
            DataType::Int64 => "bigint",
            DataType::Float64 => "double",
            DataType::Boolean => "boolean",
            DataType::Timestamp(..) => "timestamp",
            DataType::List(_) => "list of text",
            _ => "text",
        };
        (&**name, kind, field.is_nullable(), &**comment)
    })
}
