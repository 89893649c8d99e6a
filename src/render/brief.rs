//! A few columns of the published observations, for whoever has milliseconds: nothing else of the table is decoded.

use arrow::array::RecordBatchReader as _;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use event::cell::Cell as _;
use event::field::ObservationType;
use event::row::Rows;
use learn::observation::Status;
use learn::review::{is_doubtful, is_weak};

event::row! {
    struct BriefRow<'r> {
        id: &'r str,
        project: &'r str,
        observation_type: ObservationType,
        pattern: &'r str,
        status: Status,
        confidence: f64,
        base_confidence: f64,
        observations: i64,
        quality_ok: bool,
        ready_at: Option<String> => AsTime,
        artifact_path: Option<&'r str>,
        anchor: Option<&'r str>,
        stale_reason: Option<&'r str>,
        needs_review: bool,
        is_blocked: bool,
        is_faded: bool,
    }
}

/// What matters of an observation at a glance.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    pub id: String,
    pub observation_type: ObservationType,
    /// What recurs.
    pub pattern: String,
    pub status: Status,
    pub confidence: f64,
    /// The artifact, relative to the project's folder.
    pub artifact_path: Option<String>,
    /// The entry in a knowledge file.
    pub anchor: Option<String>,
    pub ready_at: Option<String>,
    /// Whether a person should look at it.
    pub needs_review: bool,
}

impl Brief {
    fn new(row: &BriefRow<'_>) -> Self {
        let is_flagged = row.stale_reason.is_some()
            || row.needs_review
            || row.is_blocked
            || is_weak(row.status, row.quality_ok, row.base_confidence)
            || is_doubtful(row.observations, row.confidence);
        Self {
            id: row.id.to_owned(),
            observation_type: row.observation_type,
            pattern: row.pattern.to_owned(),
            status: row.status,
            confidence: row.confidence,
            artifact_path: row.artifact_path.map(str::to_owned),
            anchor: row.anchor.map(str::to_owned),
            ready_at: row.ready_at.clone(),
            needs_review: is_flagged && !row.is_faded && row.status != Status::Deprecated,
        }
    }
}

/// Reads the observations of one project.
pub fn read_briefs(table: impl ChunkReader + 'static, project: &str) -> Result<Vec<Brief>, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(table).map_err(|error| error.to_string())?;
    let mut columns = Vec::new();
    BriefRow::describe("", &mut columns);
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().map(|column| column.name().as_str()));
    let reader = builder.with_projection(mask).build().map_err(|error| error.to_string())?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let mut briefs = Vec::new();
    let read = Rows { schema, batches }.each(|row: BriefRow<'_>| {
        if row.project == project {
            briefs.push(Brief::new(&row));
        }
        Ok(())
    });
    read.map_err(|fault| fault.to_string())?;
    Ok(briefs)
}
