//! Rows in the format that is wanted.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ArrowWriter;

use cli::args::RowFormat;
use cli::table::Columns;
use event::row::Rows;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{is_unprintable, replaced};

pub(super) fn render(rows: &Rows, format: RowFormat) -> Outcome<Vec<u8>> {
    let rendered = match format {
        RowFormat::Table => render_table(rows),
        RowFormat::Csv => render_csv(rows),
        RowFormat::Json => render_json(rows, true),
        RowFormat::Jsonl => render_json(rows, false),
        RowFormat::Parquet => return render_parquet(rows),
    };
    rendered.map_err(|error| Diagnostic::bug(format!("the rows cannot be printed: {error}")))
}

/// Agents' text may hold anything; in a table it is one line and cannot move the cursor.
fn render_table(rows: &Rows) -> Result<Vec<u8>, arrow::error::ArrowError> {
    let header: Vec<String> = rows
        .schema
        .fields()
        .iter()
        .map(|field| if field.data_type().is_numeric() { format!("#{}", field.name()) } else { field.name().clone() })
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Columns::new(&header);
    let options = FormatOptions::default().with_null("").with_display_error(true);
    for batch in &rows.batches {
        let formatters =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options)).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            table.row(formatters.iter().map(|formatter| replaced(&formatter.value(row).to_string(), is_unprintable, ' ')));
        }
    }
    Ok(format!("{}\n", table.render()).into_bytes())
}

fn render_csv(rows: &Rows) -> Result<Vec<u8>, arrow::error::ArrowError> {
    let mut bytes = Vec::new();
    let mut writer = arrow::csv::WriterBuilder::new().with_header(true).build(&mut bytes);
    writer.write(&flattened(&RecordBatch::new_empty(Arc::clone(&rows.schema)))?)?;
    for batch in &rows.batches {
        writer.write(&flattened(batch)?)?;
    }
    drop(writer);
    Ok(bytes)
}

/// CSV has no lists and no structures: they become JSON text.
fn flattened(batch: &RecordBatch) -> Result<RecordBatch, arrow::error::ArrowError> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if field.data_type().is_nested() {
            fields.push(Field::new(field.name(), DataType::Utf8, true));
            columns.push(Arc::new(json_texts(field, column)?));
        } else {
            fields.push(field.as_ref().clone());
            columns.push(Arc::clone(column));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn json_texts(field: &Arc<Field>, column: &ArrayRef) -> Result<StringArray, arrow::error::ArrowError> {
    let options = arrow::json::writer::EncoderOptions::default();
    let mut encoder = arrow::json::writer::make_encoder(field, column, &options)?;
    let texts = (0..column.len()).map(|row| {
        let mut text = Vec::new();
        if encoder.is_null(row) {
            return None;
        }
        encoder.encode(row, &mut text);
        String::from_utf8(text).ok()
    });
    Ok(texts.collect())
}

fn render_json(rows: &Rows, is_array: bool) -> Result<Vec<u8>, arrow::error::ArrowError> {
    let builder = arrow::json::WriterBuilder::new().with_explicit_nulls(true);
    let batches: Vec<&RecordBatch> = rows.batches.iter().collect();
    let mut bytes = if is_array {
        let mut writer = builder.build::<_, arrow::json::writer::JsonArray>(Vec::new());
        writer.write_batches(&batches)?;
        writer.finish()?;
        writer.into_inner()
    } else {
        let mut writer = builder.build::<_, arrow::json::writer::LineDelimited>(Vec::new());
        writer.write_batches(&batches)?;
        writer.finish()?;
        writer.into_inner()
    };
    if is_array {
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn render_parquet(rows: &Rows) -> Outcome<Vec<u8>> {
    let written = || -> Result<Vec<u8>, parquet::errors::ParquetError> {
        let properties = parquet::file::properties::WriterProperties::builder()
            .set_compression(parquet::basic::Compression::ZSTD(parquet::basic::ZstdLevel::default()))
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&rows.schema), Some(properties))?;
        for batch in &rows.batches {
            writer.write(batch)?;
        }
        writer.into_inner()
    };
    written().map_err(|error| {
        Diagnostic::edit("the rows cannot be written as Parquet", "cast these columns to types that Parquet supports")
            .because(error)
    })
}
