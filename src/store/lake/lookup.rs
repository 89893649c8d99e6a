//! Reads a few columns of a table without the engine.

use arrow::array::{Array as _, AsArray as _};
use parquet::arrow::ProjectionMask;

use super::ledger::{damaged, open};
use super::partition::list_partitions;
use crate::workspace::Workspace;
use event::Kind;
use text::diagnostic::Outcome;

/// Hands out some columns of texts of a table, row by row. A text that is absent is empty.
pub fn read_texts<const COLUMNS: usize>(
    workspace: &Workspace,
    kind: Kind,
    columns: [&str; COLUMNS],
    mut each: impl FnMut([&str; COLUMNS]),
) -> Outcome<()> {
    let partitions = list_partitions(workspace)?;
    for path in partitions.iter().filter(|found| found.partition.kind == kind).flat_map(|found| &found.files) {
        let reader = open(path)?;
        let wanted = ProjectionMask::columns(reader.parquet_schema(), columns);
        let batches = reader.with_projection(wanted).build().map_err(|error| damaged(path, &error))?;
        for batch in batches {
            let batch = batch.map_err(|error| damaged(path, &error))?;
            let found = columns.map(|name| batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>()));
            for row in 0..batch.num_rows() {
                each(found.map(|column| column.filter(|column| column.is_valid(row)).map_or("", |column| column.value(row))));
            }
        }
    }
    Ok(())
}
