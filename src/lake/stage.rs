//! Writing a sealed batch into the staging area, whole and synced, before anything of it counts.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::batch::Sealed;
use super::checkpoint::Move;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::durable;
use crate::workspace::Workspace;

/// The columns in which nearly every value differs: a dictionary would only be built to be thrown away.
const UNIQUE_COLUMNS: [&str; 2] = ["id", "extra"];
/// The columns whose values climb in small steps.
const CLIMBING_COLUMNS: [&str; 4] = ["ts", "landing_seq", "landing_line", "landing_offset"];
/// Values of this length tell partitions, row groups and pages apart; longer ones only grow the footer.
const STATISTICS_BYTES: usize = 32;

/// Writes every file of a batch to the staging area and syncs it. Gives the moves that put them into place.
pub fn stage(workspace: &Workspace, batch: u64, sealed: &Sealed) -> Outcome<Vec<Move>> {
    let staging = workspace.staging();
    durable::create_folder(&staging)?;
    let mut moves = Vec::with_capacity(sealed.tables.len() + 1);
    let place = |one: &Move| workspace.root().join(&one.from);
    for (partition, rows) in &sealed.tables {
        let folder = Path::new("lake").join(partition.folder());
        let staged = staged_path(&format!("{batch:010}.{}.{}.parquet", partition.kind.name(), partition.day));
        moves.push(Move { from: staged, to: folder.join(format!("{batch:010}.parquet")) });
        write_parquet(&place(&moves[moves.len() - 1]), rows)?;
    }
    if !sealed.quarantined.is_empty() {
        let name = format!("{batch:010}.jsonl");
        moves.push(Move { from: staged_path(&name), to: Path::new("quarantine").join(name) });
        write_quarantine(&place(&moves[moves.len() - 1]), sealed)?;
    }
    let mut unsynced: Vec<PathBuf> = moves.iter().map(place).collect();
    unsynced.push(staging);
    durable::sync_many(&unsynced, &workspace.staging())?;
    Ok(moves)
}

fn staged_path(name: &str) -> PathBuf {
    Path::new("lake").join(".staging").join(name)
}

/// Writes rows as one Parquet file.
fn write_parquet(path: &Path, rows: &RecordBatch) -> Outcome<()> {
    let file = durable::create_file(path)?;
    let mut writer = writer(file, rows.schema(), path)?;
    writer.write(rows).map_err(|error| unwritable(path, error))?;
    finish(writer, path)
}

/// A writer of the lake's files.
pub fn writer(file: std::fs::File, schema: arrow::datatypes::SchemaRef, path: &Path) -> Outcome<ArrowWriter<std::fs::File>> {
    ArrowWriter::try_new(file, schema, Some(PROPERTIES.clone())).map_err(|error| unwritable(path, error))
}

/// Ends a file.
pub fn finish(writer: ArrowWriter<std::fs::File>, path: &Path) -> Outcome<()> {
    writer.close().map(drop).map_err(|error| unwritable(path, error))
}

/// An error of the writer. Below it there is usually one of the file system, with a remedy of its own.
pub fn unwritable(path: &Path, error: parquet::errors::ParquetError) -> Diagnostic {
    const WHAT: &str = "cannot write a file of the lake";
    if let parquet::errors::ParquetError::External(source) = &error
        && let Some(io) = source.downcast_ref::<std::io::Error>()
    {
        return Diagnostic::io(WHAT, path, io);
    }
    Diagnostic::new(crate::diagnostic::Exit::Machine, WHAT, "check the disk, then run the command again; nothing was lost")
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

static PROPERTIES: LazyLock<WriterProperties> = LazyLock::new(|| {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("outerloop ", env!("CARGO_PKG_VERSION")).to_owned())
        // Level 1 is within a few percent of the higher ones on this data, and several times as fast.
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_statistics_truncate_length(Some(STATISTICS_BYTES));
    for name in UNIQUE_COLUMNS {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), false);
    }
    for name in CLIMBING_COLUMNS {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    // A hash does not compress, is never compared by size, and has nothing to gain from a dictionary.
    let digest = ColumnPath::from("landing_digest");
    properties
        .set_column_dictionary_enabled(digest.clone(), false)
        .set_column_statistics_enabled(digest.clone(), EnabledStatistics::None)
        .set_column_compression(digest, Compression::UNCOMPRESSED)
        .build()
});
