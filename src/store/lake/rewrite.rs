//! Rewriting: the small files of old partitions become one, and no reader ever sees both or neither.
//!
//! The new set of files is built in a folder of its own, which then changes places with the partition's folder in one
//! step. Large files are not copied: both folders name the same ones.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::checkpoint::Checkpoint;
use super::commit::recover;
use super::derive::last_batch;
use super::ledger::{self, damaged};
use super::partition::{Partition, PartitionFiles, entries, list_partitions};
use super::{stage, table};
use crate::durable;
use crate::workspace::Workspace;
use event::Kind;
use text::day::Day;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Which files are worth merging.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Partitions of this day and later are still growing.
    pub growing_since: Day,
    /// Below this size a file is small.
    pub small_bytes: u64,
    /// How many small files make a merge worth its cost.
    pub least_files: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Partitions whose files were merged.
    pub partitions: usize,
    pub files_before: usize,
    pub files_after: usize,
    /// Partitions that were left for the next time because someone was reading.
    pub busy: usize,
}

/// Merges the small files of old partitions. The caller holds the workspace's lock.
///
/// `swap` runs its argument while no reader of ours is at work, or says that it could not.
pub fn rewrite(
    workspace: &Workspace,
    policy: Policy,
    swap: impl Fn(&mut dyn FnMut() -> Outcome<()>) -> Outcome<bool>,
) -> Outcome<Rewrite> {
    if let Some(mut checkpoint) = Checkpoint::load(workspace)? {
        recover(workspace, &mut checkpoint)?;
    }
    let mut done = Rewrite::default();
    for found in list_partitions(workspace)? {
        let Some(plan) = plan_merge(&found, policy)? else { continue };
        let staged = stage_merge(workspace, found.partition, &plan)?;
        let place = workspace.lake().join(found.partition.folder());
        if swap(&mut || exchange(&staged, &place))? {
            done.partitions += 1;
            done.files_before += found.files.len();
            done.files_after += plan.large.len() + 1;
        } else {
            done.busy += 1;
        }
        // After the exchange this holds the old files; without one, the new ones.
        fs::remove_dir_all(&staged).map_err(|error| Diagnostic::io("cannot remove the old files", &staged, &error))?;
    }
    Ok(done)
}

struct Merge {
    small: Vec<PathBuf>,
    large: Vec<PathBuf>,
}

fn plan_merge(found: &PartitionFiles, policy: Policy) -> Outcome<Option<Merge>> {
    if found.partition.day >= policy.growing_since {
        return Ok(None);
    }
    let mut merge = Merge { small: Vec::new(), large: Vec::new() };
    let mut is_old = false;
    for file in &found.files {
        let size = fs::metadata(file).map_err(|error| Diagnostic::io("cannot inspect a file of the lake", file, &error))?.len();
        let lacks_key = lacks_key(file, found.partition.kind)?;
        is_old |= lacks_key;
        if lacks_key || size < policy.small_bytes { merge.small.push(file.clone()) } else { merge.large.push(file.clone()) }
    }
    // A stranger's file would be lost with the old folder.
    let folder = found.files.first().and_then(|file| file.parent());
    let strangers = folder.map_or(Ok(0), |folder| entries(folder).map(|all| all.len() - found.files.len()))?;
    let is_worth_it = is_old || merge.small.len() >= policy.least_files.max(2);
    Ok((is_worth_it && strangers == 0).then_some(merge))
}

/// Whether an earlier version wrote a file, without the keys by which its events are grouped.
fn lacks_key(path: &Path, kind: Kind) -> Outcome<bool> {
    let Some((name, _)) = kind.key() else { return Ok(false) };
    let schema = ledger::open(path)?.schema().clone();
    Ok(schema.field_with_name(name).is_err())
}

/// Builds the partition's new folder in the staging area.
fn stage_merge(workspace: &Workspace, partition: Partition, plan: &Merge) -> Outcome<PathBuf> {
    let folder = workspace.staging().join(format!("rewrite.{}.{}", partition.kind.name(), partition.day));
    durable::create_folder(&folder)?;
    for file in &plan.large {
        let name = folder.join(file.file_name().unwrap_or_default());
        fs::hard_link(file, &name).map_err(|error| Diagnostic::io("cannot link a file of the lake", &name, &error))?;
    }
    let numbers = plan.small.iter().map(|file| last_batch(file));
    let (first, last) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
    let merged = folder.join(format!("{first:010}-{last:010}.parquet"));
    merge_files(&plan.small, &merged, partition)?;
    durable::sync_many(&[merged, folder.clone()], &folder)?;
    Ok(folder)
}

/// Files are named in the order of landing, so that reading them in that order keeps it.
fn merge_files(files: &[PathBuf], target: &Path, partition: Partition) -> Outcome<()> {
    let mut writer = stage::writer(durable::create_file(target)?, partition.kind, stage::compressed(), target)?;
    let mut rows = 0;
    for path in files {
        let file = durable::open_regular(path).map_err(|error| Diagnostic::io("cannot read a file of the lake", path, &error))?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(path, error))?;
        rows += reader.metadata().file_metadata().num_rows();
        for batch in reader.build().map_err(|error| damaged(path, error))? {
            let batch = table::conform(&batch.map_err(|error| damaged(path, error))?, partition.kind)?;
            writer.write(&batch).map_err(|error| stage::unwritable(target, error))?;
        }
    }
    stage::finish(writer, target)?;
    audit(target, rows)
}

/// The merged file must hold as many rows as went into it before anything is swapped.
fn audit(target: &Path, rows: i64) -> Outcome<()> {
    let file = durable::open_regular(target).map_err(|error| Diagnostic::io("cannot read the merged file", target, &error))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(target, error))?;
    let merged = reader.metadata().file_metadata().num_rows();
    if merged == rows {
        return Ok(());
    }
    Err(Diagnostic::new(
        Exit::Bug,
        format!("a merged file has {merged} rows instead of {rows}"),
        "the old files were left in place; please report this",
    )
    .at(target))
}

fn exchange(staged: &Path, place: &Path) -> Outcome<()> {
    durable::exchange(staged, place).map_err(|error| Diagnostic::io("cannot swap the partition's folder", place, &error))?;
    [place.parent(), staged.parent()].into_iter().flatten().try_for_each(durable::sync_folder)
}
