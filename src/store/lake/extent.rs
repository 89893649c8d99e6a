//! What files tell without the engine: footers, sizes, and a few columns.

use std::path::{Path, PathBuf};
use std::{fs, thread};

use arrow::array::{Array as _, AsArray as _};
use parquet::arrow::ProjectionMask;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::checkpoint::Checkpoint;
use super::ledger::{damaged, open};
use super::partition::{Partition, list_partitions};
use super::stream::resolve;
use super::table::schema;
use crate::durable;
use crate::inbox::{Problem, survey};
use crate::workspace::Workspace;
use event::Kind;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// What the files of a table hold at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Whether every file has all columns of the table, in their order. Files of an earlier version have fewer.
    pub is_uniform: bool,
    pub rows: i64,
    pub earliest_micros: i64,
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

/// A partition in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionFacts {
    pub partition: Partition,
    pub files: u64,
    pub rows: u64,
    pub bytes: u64,
    /// Files that cannot be read, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

/// An inbox file and how much of it waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The file's name.
    pub file: String,
    pub bytes: u64,
    /// How much of it is not taken yet; half a line at its end counts.
    pub waiting_bytes: u64,
}

pub fn inspect_lake(workspace: &Workspace) -> Outcome<Vec<PartitionFacts>> {
    let mut all = Vec::new();
    for found in list_partitions(workspace)? {
        let mut facts = PartitionFacts { partition: found.partition, files: 0, rows: 0, bytes: 0, damaged: Vec::new() };
        for file in found.files {
            facts.files += 1;
            facts.bytes += fs::metadata(&file).map_or(0, |metadata| metadata.len());
            match count_rows(&file) {
                Ok(rows) => facts.rows += rows,
                Err(cause) => facts.damaged.push((file, cause)),
            }
        }
        all.push(facts);
    }
    Ok(all)
}

/// Looks at every inbox file.
pub fn inspect_inbox(workspace: &Workspace) -> Outcome<(Vec<Waiting>, Vec<Problem>)> {
    let mut checkpoint = Checkpoint::load(workspace)?.unwrap_or(Checkpoint::start());
    let found = survey(&workspace.inbox())?;
    let (streams, _) = resolve(&mut checkpoint, &found.sources);
    let waiting = found.sources.iter().zip(streams).map(|(source, stream)| Waiting {
        file: source.name.clone(),
        bytes: source.size,
        waiting_bytes: source.size.saturating_sub(checkpoint.streams[stream].offset),
    });
    Ok((waiting.collect(), found.problems))
}

fn count_rows(path: &Path) -> Result<u64, String> {
    let file = durable::open_regular(path).map_err(|error| error.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
    u64::try_from(reader.metadata().file_metadata().num_rows()).map_err(|error| error.to_string())
}

/// Sets a damaged file aside, out of every reader's sight, and the checkpoint with it: the next compaction reads the
/// inbox from its start, and recognises by their ids the events that are still in the lake.
pub fn set_aside(workspace: &Workspace, file: &Path, mark: &str) -> Outcome<PathBuf> {
    let folder = workspace.root().join("damaged");
    durable::create_folder(&folder)?;
    let relative = file.strip_prefix(workspace.root()).unwrap_or(file);
    let name: Vec<String> = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let target = folder.join(format!("{mark}.{}", name.join(".")));
    if target.exists() {
        return Err(Diagnostic::edit("a damaged file was already moved to this path", "move the earlier file away").at(&target));
    }
    durable::rename(file, &target)?;
    durable::sync_many(&[folder, file.parent().unwrap_or(workspace.root()).to_path_buf()], workspace.root())?;
    Ok(target)
}

/// Hands out some columns of texts of a table, row by row. A text that is absent is empty.
pub fn read_texts<const COLUMNS: usize>(
    workspace: &Workspace,
    kind: Kind,
    columns: [&str; COLUMNS],
    mut each: impl FnMut([&str; COLUMNS]),
) -> Outcome<()> {
    let partitions = list_partitions(workspace)?;
    for path in partitions.iter().filter(|found| found.partition.kind == kind).flat_map(|found| &found.files) {
        let reader = open(path)?;
        let wanted = ProjectionMask::columns(reader.parquet_schema(), columns);
        let batches = reader.with_projection(wanted).build().map_err(|error| damaged(path, &error))?;
        for batch in batches {
            let batch = batch.map_err(|error| damaged(path, &error))?;
            let found = columns.map(|name| batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>()));
            for row in 0..batch.num_rows() {
                each(found.map(|column| column.filter(|column| column.is_valid(row)).map_or("", |column| column.value(row))));
            }
        }
    }
    Ok(())
}
