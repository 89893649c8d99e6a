//! Published tables, as Parquet: for analysts, and for reading a generation back. Each comes from the definition of its row.

use std::sync::Arc;

use arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use event::cell::{Row, batch_of};
use event::row::Rows;
use learn::table::SCHEMA_VERSION;
use text::diagnostic::{Diagnostic, Outcome};

pub fn render_table<T: Row>(rows: &[T]) -> Outcome<Vec<u8>> {
    write(&batch_of::<T, _>(rows)?)
}

/// Reads the rows of a table back. A column that an older generation lacks reads as its default, apart from the first, which says
/// what a row is about.
pub fn parse_table<T: Row>(bytes: Vec<u8>) -> Result<Vec<T>, String> {
    let rows = read(bytes)?;
    let schema = T::schema();
    if let Some(first) = schema.fields().first().filter(|first| rows.schema.column_with_name(first.name()).is_none()) {
        return Err(format!("has no column `{}`", first.name()));
    }
    rows.padded(&schema).and_then(|rows| rows.read()).map_err(|error| error.what)
}

fn write(batch: &RecordBatch) -> Outcome<Vec<u8>> {
    let written = || -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let version = KeyValue::new("outerloop.tables".to_owned(), Some(SCHEMA_VERSION.to_string()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(vec![version]))
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
        writer.write(batch)?;
        writer.into_inner()
    };
    written().map_err(|error| Diagnostic::bug(format!("a table cannot be written as Parquet: {error}")))
}

fn read(bytes: Vec<u8>) -> Result<Rows, String> {
    let opened = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).map_err(|error| error.to_string())?;
    let schema = Arc::clone(opened.schema());
    let reader = opened.build().map_err(|error| error.to_string())?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    Ok(Rows { schema, batches })
}
