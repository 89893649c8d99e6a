//! The views over which queries run: one a table of the lake, and the quarantine.

use std::path::Path;

use arrow::datatypes::{DataType, Field};

use crate::diagnostic::Outcome;
use crate::event::Kind;
use crate::lake;
use crate::workspace::Workspace;

/// The statements that create the views. A table without files gets an empty view of the same columns.
pub fn view_statements(workspace: &Workspace) -> Outcome<Vec<String>> {
    let partitions = lake::list_partitions(workspace)?;
    let mut statements = Vec::with_capacity(Kind::ALL.len() + 1);
    for &kind in Kind::ALL {
        let has_files = partitions.iter().any(|found| found.partition.kind == kind && !found.files.is_empty());
        let body = if has_files { scan(&workspace.table(kind)) } else { nothing(kind) };
        statements.push(format!("create view \"{}\" as {body}", kind.name()));
    }
    statements.push(format!("create view quarantine as {}", quarantine(workspace)?));
    Ok(statements)
}

/// Columns are matched by name, because files of an earlier version may lack some.
fn scan(table: &Path) -> String {
    let files = literal(&format!("{}/*/*.parquet", table.display()));
    format!("select * from read_parquet({files}, hive_partitioning = true, hive_types = {{'date': date}}, union_by_name = true)")
}

fn nothing(kind: Kind) -> String {
    let schema = lake::schema(kind);
    let columns = schema.fields().iter().map(|field| format!("cast(null as {}) as \"{}\"", sql_type(field), field.name()));
    let columns: Vec<String> = columns.chain(["cast(null as date) as date".to_owned()]).collect();
    format!("select {} where false", columns.join(", "))
}

fn sql_type(field: &Field) -> String {
    match field.data_type() {
        DataType::Int64 => "bigint".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Timestamp(..) => "timestamp with time zone".to_owned(),
        DataType::List(item) => format!("{}[]", sql_type(item)),
        DataType::Struct(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| format!("\"{}\" {}", field.name(), sql_type(field))).collect();
            format!("struct({})", fields.join(", "))
        }
        _ => "varchar".to_owned(),
    }
}

fn quarantine(workspace: &Workspace) -> Outcome<String> {
    const COLUMNS: [(&str, &str); 10] = [
        ("quarantined_at", "timestamp with time zone"),
        ("file", "varchar"),
        ("line", "bigint"),
        ("offset", "bigint"),
        ("length", "bigint"),
        ("code", "varchar"),
        ("reason", "varchar"),
        ("remedy", "varchar"),
        ("text", "varchar"),
        ("encoding", "varchar"),
    ];
    if lake::list_quarantine(workspace)?.is_empty() {
        let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("cast(null as {kind}) as \"{name}\"")).collect();
        return Ok(format!("select {} where false", columns.join(", ")));
    }
    let columns: Vec<String> = COLUMNS.iter().map(|(name, kind)| format!("'{name}': '{kind}'")).collect();
    let files = literal(&format!("{}/*.jsonl", workspace.quarantine().display()));
    Ok(format!("select * from read_json({files}, format = 'newline_delimited', columns = {{{}}})", columns.join(", ")))
}

/// A text as a SQL literal.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
