//! The published table of patterns, as Parquet: for analysts, and for reading a generation back.

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

use learn::Score;
use learn::observation::ObservationScore;
use learn::role::RoleScore;
use text::diagnostic::{Diagnostic, Outcome};

/// Renders patterns with their figures.
pub fn render_patterns(scores: &[Score]) -> Outcome<Vec<u8>> {
    render_rows(scores, schema())
}

/// Renders patterns of roles with their figures.
pub fn render_role_patterns(scores: &[RoleScore]) -> Outcome<Vec<u8>> {
    render_rows(scores, role_schema())
}

/// Reads patterns back.
pub fn parse_patterns(bytes: Vec<u8>) -> Result<Vec<Score>, String> {
    parse_rows(bytes)
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
    let batch = batch_of(rows, schema).map_err(|error| Diagnostic::bug(format!("the patterns do not fit their table: {error}")))?;
    let written = || -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    written().map_err(|error| Diagnostic::bug(format!("the patterns cannot be written as Parquet: {error}")))
}

fn batch_of<T: Serialize>(rows: &[T], schema: Schema) -> Result<RecordBatch, arrow::error::ArrowError> {
    let schema = Arc::new(schema);
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema)).with_batch_size(rows.len().max(1)).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema)))
}

fn parse_rows<T: DeserializeOwned>(bytes: Vec<u8>) -> Result<Vec<T>, String> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).and_then(ParquetRecordBatchReaderBuilder::build);
    let mut rows = Vec::new();
    for batch in reader.map_err(|error| error.to_string())? {
        let batch = batch.map_err(|error| error.to_string())?;
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

fn schema() -> Schema {
    let text = |name: &str| Field::new(name, DataType::Utf8, false);
    let maybe_text = |name: &str| Field::new(name, DataType::Utf8, true);
    let texts = |name: &str| Field::new(name, DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))), false);
    let count = |name: &str| Field::new(name, DataType::Int64, false);
    let maybe_count = |name: &str| Field::new(name, DataType::Int64, true);
    let maybe_real = |name: &str| Field::new(name, DataType::Float64, true);
    Schema::new(vec![
        text("id"),
        text("state"),
        text("category"),
        text("summary"),
        maybe_text("trigger"),
        maybe_text("scope"),
        text("repo"),
        texts("applies_to"),
        texts("tags"),
        count("seen"),
        count("applied"),
        count("injected"),
        count("withheld"),
        count("offered"),
        count("unverified"),
        count("met"),
        count("unjudged"),
        count("missed_rated"),
        count("missed_unrated"),
        count("built"),
        count("build_failed"),
        count("withheld_met"),
        count("withheld_missed"),
        text("mode"),
        Field::new("weight", DataType::Float64, false),
        maybe_real("rate"),
        maybe_real("lower"),
        maybe_real("upper"),
        maybe_real("applied_rate"),
        text("confidence"),
        text("flag"),
        text("flag_reason"),
        Field::new("is_settled", DataType::Boolean, false),
        count("iterations_since"),
        maybe_text("first_seen"),
        maybe_text("last_seen"),
        maybe_text("last_used"),
        count("captures"),
        text("learned"),
        text("last_captured"),
        text("source_event"),
        text("source_file"),
        count("source_line"),
        maybe_text("note"),
        texts("files"),
        maybe_count("prior_seen"),
        maybe_real("prior_rate"),
    ])
}
