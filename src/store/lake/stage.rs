//! Writing a sealed batch into the staging area, whole and synced, before anything of it counts.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::batch::Sealed;
use super::checkpoint::Move;
use super::partition::Partition;
use super::table;
use crate::durable;
use crate::workspace::Workspace;
use event::Kind;
use text::diagnostic::{Diagnostic, Outcome};

/// The columns in which nearly every value differs: a dictionary would only be built to be thrown away, and the smallest
/// and largest value tell nothing.
const UNIQUE_COLUMNS: [&str; 3] = ["id", "extra", "landing_digest"];
/// The columns whose values climb in small steps.
const CLIMBING_COLUMNS: [&str; 4] = ["ts", "landing_seq", "landing_line", "landing_offset"];
/// Values of this length tell partitions, row groups and pages apart; longer ones only grow the footer.
const STATISTICS_BYTES: usize = 32;

/// Below this many rows a file is not compressed: setting up a compressor for every column would cost more than the rows
/// themselves, and a file of a few kilobytes takes a block of the disk either way. Rewriting compresses what it merges.
const COMPRESSED_ROWS: usize = 512;

/// A batch on its way into the staging area.
pub(super) struct Stage<'w> {
    workspace: &'w Workspace,
    batch: u64,
    moves: Vec<Move>,
    /// The files that more rows may come for.
    open: BTreeMap<Partition, (ArrowWriter<File>, PathBuf)>,
}

impl<'w> Stage<'w> {
    /// An empty batch.
    pub(super) fn new(workspace: &'w Workspace, batch: u64) -> Outcome<Self> {
        durable::create_folder(&workspace.staging())?;
        Ok(Self { workspace, batch, moves: Vec::new(), open: BTreeMap::new() })
    }

    /// Adds rows to a partition's file.
    pub(super) fn write(&mut self, partition: Partition, rows: &RecordBatch) -> Outcome<()> {
        let (mut writer, path) = self.open.remove(&partition).map_or_else(|| self.create(partition, rows.num_rows()), Ok)?;
        writer.write(rows).map_err(|error| unwritable(&path, error))?;
        self.open.insert(partition, (writer, path));
        Ok(())
    }

    /// Adds what is left of the batch, ends its files and syncs them. Gives the moves that put them into place.
    pub(super) fn finish(mut self, sealed: &Sealed) -> Outcome<Vec<Move>> {
        for (partition, rows) in &sealed.tables {
            self.write(*partition, rows)?;
            // Not kept open: a batch may touch hundreds of partitions with a few rows each.
            self.close(*partition)?;
        }
        while let Some((&partition, _)) = self.open.first_key_value() {
            self.close(partition)?;
        }
        if !sealed.quarantined.is_empty() {
            let name = format!("{:010}.jsonl", self.batch);
            let path = self.stage(&name, Path::new("quarantine").join(&name));
            write_quarantine(&path, sealed)?;
        }
        let mut unsynced: Vec<PathBuf> = self.moves.iter().map(|one| self.workspace.root().join(&one.from)).collect();
        unsynced.push(self.workspace.staging());
        durable::sync_many(&unsynced, &self.workspace.staging())?;
        Ok(self.moves)
    }

    fn create(&mut self, partition: Partition, first_rows: usize) -> Outcome<(ArrowWriter<File>, PathBuf)> {
        let name = format!("{:010}.{}.{}.parquet", self.batch, partition.kind.name(), partition.day);
        let target = Path::new("lake").join(partition.folder()).join(format!("{:010}.parquet", self.batch));
        let path = self.stage(&name, target);
        let compression = if first_rows < COMPRESSED_ROWS { Compression::UNCOMPRESSED } else { compressed() };
        Ok((writer(durable::create_file(&path)?, partition.kind, compression, &path)?, path))
    }

    fn close(&mut self, partition: Partition) -> Outcome<()> {
        match self.open.remove(&partition) {
            Some((writer, path)) => finish(writer, &path),
            None => Ok(()),
        }
    }

    /// Notes a file of the batch and where it belongs. Gives the path at which it is staged.
    fn stage(&mut self, name: &str, to: PathBuf) -> PathBuf {
        let from = staged_path(name);
        let path = self.workspace.root().join(&from);
        self.moves.push(Move { from, to });
        path
    }
}

fn staged_path(name: &str) -> PathBuf {
    Path::new("lake").join(".staging").join(name)
}

/// A writer of the lake's files.
pub(super) fn writer(file: File, kind: Kind, compression: Compression, path: &Path) -> Outcome<ArrowWriter<File>> {
    let properties = properties(kind, compression);
    ArrowWriter::try_new(file, table::schema(kind), Some(properties)).map_err(|error| unwritable(path, error))
}

/// How files are compressed: level 1 is within a few percent of the higher ones on this data, and several times as fast.
pub(super) fn compressed() -> Compression {
    Compression::ZSTD(ZstdLevel::default())
}

/// Ends a file.
pub(super) fn finish(writer: ArrowWriter<File>, path: &Path) -> Outcome<()> {
    writer.close().map(drop).map_err(|error| unwritable(path, error))
}

/// An error of the writer. Below it there is usually one of the file system, with a remedy of its own.
pub(super) fn unwritable(path: &Path, error: parquet::errors::ParquetError) -> Diagnostic {
    const WHAT: &str = "cannot write a file of the lake";
    if let parquet::errors::ParquetError::External(source) = &error
        && let Some(io) = source.downcast_ref::<std::io::Error>()
    {
        return Diagnostic::io(WHAT, path, io);
    }
    Diagnostic::new(text::diagnostic::Exit::Machine, WHAT, "check the disk, then run the command again; nothing was lost")
        .at(path)
        .because(error)
}

fn write_quarantine(path: &Path, sealed: &Sealed) -> Outcome<()> {
    let mut text = Vec::new();
    for entry in &sealed.quarantined {
        serde_json::to_writer(&mut text, entry)
            .map_err(|error| Diagnostic::bug(format!("cannot encode a quarantined line: {error}")))?;
        text.push(b'\n');
    }
    let mut file = durable::create_file(path)?;
    file.write_all(&text).map_err(|error| Diagnostic::io("cannot write the quarantine", path, &error))
}

/// How the files of a kind's table are written.
fn properties(kind: Kind, compression: Compression) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("outerloop ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(compression)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_statistics_truncate_length(Some(STATISTICS_BYTES));
    for name in UNIQUE_COLUMNS {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_statistics_enabled(column, EnabledStatistics::None);
    }
    for name in table::prose_columns(kind) {
        for column in [ColumnPath::from(name), ColumnPath::from(vec![name.to_owned(), "list".to_owned(), "element".to_owned()])] {
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
    }
    for name in CLIMBING_COLUMNS {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    // A hash does not compress.
    properties.set_column_compression(ColumnPath::from("landing_digest"), Compression::UNCOMPRESSED).build()
}
