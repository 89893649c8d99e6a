//! A few columns of the published observations, for whoever has milliseconds: nothing else of the table is decoded.

use arrow::array::{Array as _, AsArray as _, RecordBatch};
use arrow::datatypes::Float64Type;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

/// The columns, in the order in which they are read.
const COLUMNS: [&str; 12] = [
    "id",
    "project",
    "observation_type",
    "pattern",
    "status",
    "confidence",
    "artifact_path",
    "anchor",
    "stale_reason",
    "needs_review",
    "is_blocked",
    "is_faded",
];

/// What matters of an observation at a glance.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// Its id.
    pub id: String,
    /// Its type.
    pub observation_type: String,
    /// What recurs.
    pub pattern: String,
    /// How far it has come.
    pub status: String,
    /// How sure it is.
    pub confidence: f64,
    /// The artifact, relative to the project's folder.
    pub artifact_path: Option<String>,
    /// The entry in a knowledge file.
    pub anchor: Option<String>,
    /// Whether a person should look at it.
    pub needs_review: bool,
}

/// Reads the observations of one project.
pub fn read_briefs(table: impl ChunkReader + 'static, project: &str) -> Result<Vec<Brief>, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(table).map_err(|error| error.to_string())?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
    let reader = builder.with_projection(mask).build().map_err(|error| error.to_string())?;
    let mut briefs = Vec::new();
    for batch in reader {
        read_batch(&batch.map_err(|error| error.to_string())?, project, &mut briefs)?;
    }
    Ok(briefs)
}

fn read_batch(batch: &RecordBatch, project: &str, briefs: &mut Vec<Brief>) -> Result<(), String> {
    let column = |name: &str| batch.column_by_name(name).ok_or_else(|| format!("the column `{name}` is missing"));
    let texts = |name: &str| column(name)?.as_string_opt::<i32>().ok_or_else(|| format!("`{name}` is not a text"));
    let flags = |name: &str| column(name)?.as_boolean_opt().ok_or_else(|| format!("`{name}` is not a boolean"));
    let [ids, projects, types, patterns] = ["id", "project", "observation_type", "pattern"].map(texts);
    let (ids, projects, types, patterns) = (ids?, projects?, types?, patterns?);
    let [statuses, paths, anchors, missing] = ["status", "artifact_path", "anchor", "stale_reason"].map(texts);
    let (statuses, paths, anchors, missing) = (statuses?, paths?, anchors?, missing?);
    let [divergent, blocked, faded] = ["needs_review", "is_blocked", "is_faded"].map(flags);
    let (divergent, blocked, faded) = (divergent?, blocked?, faded?);
    let confidences = column("confidence")?.as_primitive_opt::<Float64Type>().ok_or("`confidence` is not a number")?;
    for row in (0..batch.num_rows()).filter(|row| projects.value(*row) == project) {
        let maybe = |column: &arrow::array::StringArray| (!column.is_null(row)).then(|| column.value(row).to_owned());
        let is_flagged = !missing.is_null(row) || divergent.value(row) || blocked.value(row);
        briefs.push(Brief {
            id: ids.value(row).to_owned(),
            observation_type: types.value(row).to_owned(),
            pattern: patterns.value(row).to_owned(),
            status: statuses.value(row).to_owned(),
            confidence: confidences.value(row),
            artifact_path: maybe(paths),
            anchor: maybe(anchors),
            needs_review: is_flagged && !faded.value(row) && statuses.value(row) != "deprecated",
        });
    }
    Ok(())
}
