//! Published tables, as Parquet: for analysts, and for reading a generation back. Each comes from the definition of its row.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::json::ReaderBuilder;
use arrow::json::writer::LineDelimitedWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Serialize;
use serde::de::DeserializeOwned;

use event::cell::{Row, batch_of};
use event::row::Rows;
use learn::observation::ObservationScore;
use learn::role::RoleScore;
use text::diagnostic::{Diagnostic, Outcome};

/// Renders the rows of a table.
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
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
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

/// Renders patterns of roles with their figures.
pub fn render_role_patterns(scores: &[RoleScore]) -> Outcome<Vec<u8>> {
    render_rows(scores, role_schema())
}

/// Reads patterns of roles back.
pub fn parse_role_patterns(bytes: Vec<u8>) -> Result<Vec<RoleScore>, String> {
    parse_rows(bytes)
}

/// Renders observations with their figures.
pub fn render_observations(scores: &[ObservationScore]) -> Outcome<Vec<u8>> {
    render_rows(scores, observation_schema())
}

/// Reads observations back.
pub fn parse_observations(bytes: Vec<u8>) -> Result<Vec<ObservationScore>, String> {
    parse_rows(bytes)
}

fn render_rows<T: Serialize>(rows: &[T], schema: Schema) -> Outcome<Vec<u8>> {
    write(&serialized(rows, schema).map_err(|error| Diagnostic::bug(format!("the patterns do not fit their table: {error}")))?)
}

fn serialized<T: Serialize>(rows: &[T], schema: Schema) -> Result<RecordBatch, arrow::error::ArrowError> {
    let schema = Arc::new(schema);
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema)).with_batch_size(rows.len().max(1)).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema)))
}

fn parse_rows<T: DeserializeOwned>(bytes: Vec<u8>) -> Result<Vec<T>, String> {
    let mut rows = Vec::new();
    for batch in read(bytes)?.batches {
        let mut writer = LineDelimitedWriter::new(Vec::new());
        writer.write(&batch).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
        let lines = writer.into_inner();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            rows.push(serde_json::from_slice(line).map_err(|error| error.to_string())?);
        }
    }
    Ok(rows)
}

fn role_schema() -> Schema {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let maybe_text = |name: &str| Field::new(name, DataType::Utf8, true);
    let texts = |name: &str| Field::new(name, DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))), false);
    let count = |name: &str| Field::new(name, DataType::Int64, false);
    let real = |name: &str| Field::new(name, DataType::Float64, false);
    let flag = |name: &str| Field::new(name, DataType::Boolean, false);
    Schema::new(vec![
        text("id"),
        text("project"),
        text("role"),
        text("category"),
        text("state"),
        text("text"),
        text("text_hash"),
        count("seen"),
        count("contexts"),
        count("successes"),
        count("ignored"),
        real("penalty"),
        count("reinforced"),
        count("skipped"),
        flag("is_trusted"),
        flag("is_immune"),
        maybe_text("regressed"),
        real("rate"),
        real("decay"),
        real("score"),
        text("created"),
        text("last_used"),
        maybe_text("last_shown"),
        real("idle_days"),
        texts("labels"),
        texts("files"),
        texts("phases"),
        maybe_text("note"),
    ])
}

fn observation_schema() -> Schema {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let maybe_text = |name: &str| Field::new(name, DataType::Utf8, true);
    let count = |name: &str| Field::new(name, DataType::Int64, false);
    let real = |name: &str| Field::new(name, DataType::Float64, false);
    let flag = |name: &str| Field::new(name, DataType::Boolean, false);
    Schema::new(vec![
        text("id"),
        text("project"),
        text("observation_type"),
        text("pattern"),
        text("details"),
        Field::new("evidence", DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))), false),
        text("status"),
        real("confidence"),
        real("base_confidence"),
        count("observations"),
        text("first_seen"),
        text("last_seen"),
        flag("quality_ok"),
        maybe_text("ready_at"),
        maybe_text("artifact_path"),
        maybe_text("anchor"),
        maybe_text("content_hash"),
        flag("is_edited"),
        maybe_text("deprecated_at"),
        count("sightings_since_deletion"),
        maybe_text("stale_reason"),
        flag("needs_review"),
        flag("is_blocked"),
        flag("is_faded"),
        count("cites"),
        maybe_text("last_cited"),
        maybe_text("note"),
    ])
}
