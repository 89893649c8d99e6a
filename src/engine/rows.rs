//! What a query gave: columns by name, each of the type that its reader expects.

use arrow::array::{
    Array, ArrayRef, AsArray as _, BooleanArray, Float64Array, GenericListArray, Int64Array, RecordBatch, StringArray,
};
use arrow::datatypes::{Float64Type, Int64Type, SchemaRef};

use crate::diagnostic::{Diagnostic, Outcome};

/// What a query gave.
#[derive(Debug)]
pub struct Rows {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows, in parts.
    pub batches: Vec<RecordBatch>,
}

impl Rows {
    /// The rows, part by part.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.batches.iter().map(Part)
    }

    /// How many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// A part of a query's rows.
#[derive(Debug, Clone, Copy)]
pub struct Part<'r>(&'r RecordBatch);

impl<'r> Part<'r> {
    /// How many rows it has.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.num_rows()
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A column of texts.
    pub fn texts(self, name: &str) -> Outcome<&'r StringArray> {
        self.column(name)?.as_string_opt::<i32>().ok_or_else(|| unfit(name, "text"))
    }

    /// A column of whole numbers.
    pub fn numbers(self, name: &str) -> Outcome<&'r Int64Array> {
        self.column(name)?.as_primitive_opt::<Int64Type>().ok_or_else(|| unfit(name, "bigint"))
    }

    /// A column of numbers.
    pub fn reals(self, name: &str) -> Outcome<&'r Float64Array> {
        self.column(name)?.as_primitive_opt::<Float64Type>().ok_or_else(|| unfit(name, "double"))
    }

    /// A column of yes and no.
    pub fn flags(self, name: &str) -> Outcome<&'r BooleanArray> {
        self.column(name)?.as_boolean_opt().ok_or_else(|| unfit(name, "boolean"))
    }

    /// A column of lists of texts.
    pub fn lists(self, name: &str) -> Outcome<&'r GenericListArray<i32>> {
        self.column(name)?.as_list_opt::<i32>().ok_or_else(|| unfit(name, "list of texts"))
    }

    fn column(self, name: &str) -> Outcome<&'r ArrayRef> {
        self.0.column_by_name(name).ok_or_else(|| unfit(name, "any type"))
    }
}

/// The text of a row, if it has one.
#[must_use]
pub fn text_at(column: &StringArray, row: usize) -> Option<String> {
    column.is_valid(row).then(|| column.value(row).to_owned())
}

/// The number of a row, if it has one.
#[must_use]
pub fn number_at(column: &Int64Array, row: usize) -> Option<i64> {
    column.is_valid(row).then(|| column.value(row))
}

/// The real number of a row, if it has one.
#[must_use]
pub fn real_at(column: &Float64Array, row: usize) -> Option<f64> {
    column.is_valid(row).then(|| column.value(row))
}

/// The yes or no of a row, if it has one.
#[must_use]
pub fn flag_at(column: &BooleanArray, row: usize) -> Option<bool> {
    column.is_valid(row).then(|| column.value(row))
}

/// The list of a row; none is an empty one.
#[must_use]
pub fn list_at(column: &GenericListArray<i32>, row: usize) -> Vec<String> {
    if column.is_null(row) {
        return Vec::new();
    }
    let items = column.value(row);
    items.as_string_opt::<i32>().map_or_else(Vec::new, |items| items.iter().flatten().map(str::to_owned).collect())
}

/// The program's own queries fit their readers; one that a workspace put in its place may not.
fn unfit(name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::edit(
        format!("a query yields no column `{name}` of {wanted}"),
        "compare the workspace's own files in sql/ with the program's, or remove them",
    )
}
