//! Columns that rows are written to, one value after the other.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, RecordBatch, StringBuilder, TimestampMicrosecondBuilder,
};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;

/// The columns of a table that is being written. Every row writes each of them once, in the order of the schema.
pub struct Columns {
    schema: Arc<Schema>,
    builders: Vec<Builder>,
    next: usize,
}

enum Builder {
    Text(StringBuilder),
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    List(ListBuilder<StringBuilder>),
}

impl Columns {
    /// Empty columns. A schema comes from a row's definition, which knows no other types than these.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        let builders = schema.fields().iter().map(|field| match field.data_type() {
            DataType::Int64 => Builder::Number(Int64Builder::new()),
            DataType::Float64 => Builder::Real(Float64Builder::new()),
            DataType::Boolean => Builder::Flag(BooleanBuilder::new()),
            kind @ DataType::Timestamp(..) => Builder::Time(TimestampMicrosecondBuilder::new().with_data_type(kind.clone())),
            DataType::List(_) => Builder::List(ListBuilder::new(StringBuilder::new())),
            _ => Builder::Text(StringBuilder::new()),
        });
        Self { builders: builders.collect(), schema: Arc::new(schema), next: 0 }
    }

    fn next(&mut self) -> &mut Builder {
        let next = self.next;
        self.next = (next + 1) % self.builders.len();
        &mut self.builders[next]
    }

    /// Writes nothing to the next column.
    pub fn null(&mut self) {
        match self.next() {
            Builder::Text(column) => column.append_null(),
            Builder::Number(column) => column.append_null(),
            Builder::Real(column) => column.append_null(),
            Builder::Flag(column) => column.append_null(),
            Builder::Time(column) => column.append_null(),
            Builder::List(column) => column.append_null(),
        }
    }

    pub fn text(&mut self, text: &str) {
        if let Builder::Text(column) = self.next() {
            column.append_value(text);
        }
    }

    pub fn number(&mut self, number: i64) {
        if let Builder::Number(column) = self.next() {
            column.append_value(number);
        }
    }

    pub fn real(&mut self, number: f64) {
        if let Builder::Real(column) = self.next() {
            column.append_value(number);
        }
    }

    pub fn flag(&mut self, flag: bool) {
        if let Builder::Flag(column) = self.next() {
            column.append_value(flag);
        }
    }

    /// Writes an instant, in microseconds since 1970.
    pub fn time(&mut self, micros: i64) {
        if let Builder::Time(column) = self.next() {
            column.append_value(micros);
        }
    }

    pub fn list<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        if let Builder::List(column) = self.next() {
            column.append_value(texts.into_iter().map(Some));
        }
    }

    /// The rows that were written.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let arrays = self.builders.iter_mut().map(|builder| -> ArrayRef {
            match builder {
                Builder::Text(column) => Arc::new(column.finish()),
                Builder::Number(column) => Arc::new(column.finish()),
                Builder::Real(column) => Arc::new(column.finish()),
                Builder::Flag(column) => Arc::new(column.finish()),
                Builder::Time(column) => Arc::new(column.finish()),
                Builder::List(column) => Arc::new(column.finish()),
            }
        });
        RecordBatch::try_new(self.schema, arrays.collect())
    }
}
