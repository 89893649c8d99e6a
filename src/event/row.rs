//! What a query gave: columns by name, each of the type that its reader expects.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray as _, BooleanArray, Float64Array, GenericListArray, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, new_null_array,
};
use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema, SchemaRef, TimeUnit, TimestampMicrosecondType};

use text::diagnostic::{Diagnostic, Outcome};

/// What a query gave.
#[derive(Debug)]
pub struct Rows {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
}

impl Rows {
    /// The same rows with the zone of instants written as an offset. Without a database of time zones, which nobody needs to
    /// read UTC, Arrow's writers know no other spelling.
    pub fn with_plain_zones(self) -> Outcome<Self> {
        if !self.schema.fields().iter().any(|field| has_named_zone(field.data_type())) {
            return Ok(self);
        }
        let fields = self.schema.fields().iter().map(|field| {
            if has_named_zone(field.data_type()) {
                field.as_ref().clone().with_data_type(plain_zone())
            } else {
                field.as_ref().clone()
            }
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = self.batches.iter().map(|batch| {
            let columns = batch.columns().iter().map(|column| match column.as_primitive_opt::<TimestampMicrosecondType>() {
                Some(times) if has_named_zone(column.data_type()) => Arc::new(times.clone().with_timezone("+00:00")) as ArrayRef,
                _ => Arc::clone(column),
            });
            RecordBatch::try_new(Arc::clone(&schema), columns.collect())
                .map_err(|error| Diagnostic::bug(format!("a batch of a result does not fit its columns: {error}")))
        });
        Ok(Self { batches: batches.collect::<Outcome<_>>()?, schema })
    }

    /// The same rows with each column of a schema that they lack, without values.
    pub fn padded(&self, schema: &Schema) -> Outcome<Self> {
        let lacking = schema.fields().iter().filter(|field| self.schema.column_with_name(field.name()).is_none());
        let lacking: Vec<Field> = lacking.map(|field| field.as_ref().clone().with_nullable(true)).collect();
        let fields = self.schema.fields().iter().map(|field| field.as_ref().clone()).chain(lacking.iter().cloned());
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batches = self.batches.iter().map(|batch| {
            let empty = lacking.iter().map(|field| new_null_array(field.data_type(), batch.num_rows()));
            RecordBatch::try_new(Arc::clone(&schema), batch.columns().iter().cloned().chain(empty).collect())
        });
        let batches = batches.collect::<Result<_, _>>();
        Ok(Self { batches: batches.map_err(|error| Diagnostic::bug(format!("rows do not take more columns: {error}")))?, schema })
    }

    /// The rows, part by part.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.batches.iter().map(Part)
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

fn has_named_zone(kind: &DataType) -> bool {
    matches!(kind, DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if &**zone == "UTC" || &**zone == "Etc/UTC")
}

fn plain_zone() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into()))
}

/// A part of a query's rows.
#[derive(Debug, Clone, Copy)]
pub struct Part<'r>(&'r RecordBatch);

impl<'r> Part<'r> {
    #[must_use]
    pub fn len(self) -> usize {
        self.0.num_rows()
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    pub fn texts(self, name: &str) -> Outcome<&'r StringArray> {
        self.column(name)?.as_string_opt::<i32>().ok_or_else(|| unfit(name, "text"))
    }

    pub fn numbers(self, name: &str) -> Outcome<&'r Int64Array> {
        self.column(name)?.as_primitive_opt::<Int64Type>().ok_or_else(|| unfit(name, "bigint"))
    }

    /// A column of instants, in microseconds since 1970.
    pub fn times(self, name: &str) -> Outcome<&'r TimestampMicrosecondArray> {
        self.column(name)?.as_primitive_opt::<TimestampMicrosecondType>().ok_or_else(|| unfit(name, "timestamp with time zone"))
    }

    pub fn reals(self, name: &str) -> Outcome<&'r Float64Array> {
        self.column(name)?.as_primitive_opt::<Float64Type>().ok_or_else(|| unfit(name, "double"))
    }

    pub fn flags(self, name: &str) -> Outcome<&'r BooleanArray> {
        self.column(name)?.as_boolean_opt().ok_or_else(|| unfit(name, "boolean"))
    }

    pub fn lists(self, name: &str) -> Outcome<&'r GenericListArray<i32>> {
        self.column(name)?.as_list_opt::<i32>().ok_or_else(|| unfit(name, "list of texts"))
    }

    fn column(self, name: &str) -> Outcome<&'r ArrayRef> {
        self.0.column_by_name(name).ok_or_else(|| unfit(name, "any type"))
    }
}

/// The program's own queries fit their readers; one that a workspace put in its place may not.
fn unfit(name: &str, wanted: &str) -> Diagnostic {
    Diagnostic::edit(
        format!("a query yields no column `{name}` of {wanted}"),
        "compare the workspace's own files in sql/ with the program's, or remove them",
    )
}
