//! Deriving a checkpoint from the lake where none is found: a lost checkpoint costs time, never an event.

use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;

use super::checkpoint::Checkpoint;
use super::ledger::damaged;
use super::partition::list_partitions;
use super::past::Past;
use super::quarantine;
use crate::durable;
use crate::workspace::Workspace;
use event::Kind;
use text::diagnostic::{Diagnostic, Outcome};

/// A checkpoint that has read nothing, and whose numbers go on behind those in the lake.
pub(super) fn derive_checkpoint(workspace: &Workspace) -> Outcome<Checkpoint> {
    let mut checkpoint = Checkpoint::start();
    for partition in list_partitions(workspace)? {
        for file in &partition.files {
            checkpoint.next_batch = checkpoint.next_batch.max(last_batch(file) + 1);
            if partition.partition.kind == Kind::Run {
                checkpoint.last_run_batch = checkpoint.last_run_batch.max(last_batch(file));
            }
            checkpoint.next_sequence = checkpoint.next_sequence.max(last_sequence(file)? + 1);
        }
    }
    for file in quarantine::list_files(workspace)? {
        checkpoint.next_batch = checkpoint.next_batch.max(last_batch(&file) + 1);
    }
    // The numbers of pruned events are in use too, although their files are gone.
    if let Some(past) = Past::load(workspace)? {
        checkpoint.next_sequence = checkpoint.next_sequence.max(past.last_sequence + 1);
    }
    Ok(checkpoint)
}

/// Whether the lake holds runs.
pub(super) fn has_runs(workspace: &Workspace) -> Outcome<bool> {
    Ok(list_partitions(workspace)?.iter().any(|found| found.partition.kind == Kind::Run && !found.files.is_empty()))
}

/// The number of the last batch that is in the lake.
pub fn last_batch_in_lake(workspace: &Workspace) -> Outcome<u64> {
    let files = list_partitions(workspace)?;
    Ok(files.iter().flat_map(|found| &found.files).map(|file| last_batch(file)).max().unwrap_or(0))
}

/// The number of the last batch in a file: `0000000007.parquet`, or `0000000001-0000000007.parquet` after a rewrite.
pub(super) fn last_batch(file: &Path) -> u64 {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The last landing number in a file, from its statistics.
fn last_sequence(path: &Path) -> Outcome<i64> {
    let file = durable::open_regular(path).map_err(|error| Diagnostic::io("cannot read a file of the lake", path, &error))?;
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(path, error))?;
    let mut last = 0;
    for group in reader.metadata().row_groups() {
        for column in group.columns().iter().filter(|column| column.column_path().string() == "landing_seq") {
            if let Some(Statistics::Int64(statistics)) = column.statistics() {
                last = last.max(statistics.max_opt().copied().unwrap_or(0));
            }
        }
    }
    Ok(last)
}
