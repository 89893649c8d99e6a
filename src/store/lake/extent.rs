//! What the footers of a table's files say, before any row is read.

use std::path::{Path, PathBuf};
use std::thread;

use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::table::schema;
use crate::durable;
use event::Kind;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// What the files of a table hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Whether every file has all columns of the table, in their order. Files of an earlier version have fewer.
    pub is_uniform: bool,
    /// How many rows there are.
    pub rows: i64,
    /// The earliest instant, in microseconds since 1970.
    pub earliest_micros: i64,
    /// The latest instant, in microseconds since 1970.
    pub latest_micros: i64,
    /// The last place in the order of landing.
    pub last_sequence: i64,
}

impl Extent {
    /// What no file at all holds.
    const NOTHING: Self =
        Self { is_uniform: true, rows: 0, earliest_micros: i64::MAX, latest_micros: i64::MIN, last_sequence: i64::MIN };

    fn with(self, other: Self) -> Self {
        Self {
            is_uniform: self.is_uniform && other.is_uniform,
            rows: self.rows + other.rows,
            earliest_micros: self.earliest_micros.min(other.earliest_micros),
            latest_micros: self.latest_micros.max(other.latest_micros),
            last_sequence: self.last_sequence.max(other.last_sequence),
        }
    }
}

/// Reads the footers of a table's files.
pub fn load_extent(kind: Kind, files: &[PathBuf]) -> Outcome<Extent> {
    /// How many files make a second thread worth its start.
    const LEAST_FOR_A_THREAD: usize = 64;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(1 + files.len() / LEAST_FOR_A_THREAD);
    let share = files.len().div_ceil(threads).max(1);
    let parts = thread::scope(|scope| {
        let workers: Vec<_> = files.chunks(share).map(|chunk| scope.spawn(move || load_part(kind, chunk))).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Result<Vec<_>, _>>()
    });
    let parts = parts.map_err(|_| Diagnostic::bug("reading the footers was interrupted"))?;
    parts.into_iter().try_fold(Extent::NOTHING, |sum, part| Ok(sum.with(part?)))
}

fn load_part(kind: Kind, files: &[PathBuf]) -> Outcome<Extent> {
    files.iter().try_fold(Extent::NOTHING, |sum, file| Ok(sum.with(load_one(kind, file)?)))
}

fn load_one(kind: Kind, path: &Path) -> Outcome<Extent> {
    let damaged = |cause: String| {
        Diagnostic::new(Exit::Edit, "a file of the lake cannot be read", "run `outerloop doctor --repair`: nothing is lost")
            .at(path)
            .because(cause)
    };
    let file = durable::open_regular(path).map_err(|error| damaged(error.to_string()))?;
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(error.to_string()))?;
    let footer = reader.metadata();
    Ok(Extent {
        is_uniform: is_whole(kind, footer),
        rows: footer.file_metadata().num_rows(),
        earliest_micros: bounds(footer, "ts").0,
        latest_micros: bounds(footer, "ts").1,
        last_sequence: bounds(footer, "landing_seq").1,
    })
}

fn is_whole(kind: Kind, footer: &ParquetMetaData) -> bool {
    let stored = footer.file_metadata().schema_descr().root_schema().get_fields();
    stored.iter().map(|field| field.name()).eq(schema(kind).fields().iter().map(|field| field.name().as_str()))
}

/// The lowest and the highest value of a column; beyond all where no statistics tell.
fn bounds(footer: &ParquetMetaData, name: &str) -> (i64, i64) {
    let of_group = |group: &RowGroupMetaData| {
        let column = group.columns().iter().find(|column| column.column_path().string() == name)?;
        match column.statistics()? {
            Statistics::Int64(values) => values.min_opt().copied().zip(values.max_opt().copied()),
            _ => None,
        }
    };
    let all = footer.row_groups().iter().map(|group| of_group(group).unwrap_or((i64::MIN, i64::MAX)));
    all.fold((i64::MAX, i64::MIN), |sum, one| (sum.0.min(one.0), sum.1.max(one.1)))
}
