//! Counts of lake and inbox, from footers and sizes only: no row is read.

use std::fs;
use std::path::{Path, PathBuf};

use parquet::file::reader::{FileReader as _, SerializedFileReader};

use super::checkpoint::Checkpoint;
use super::partition::{Partition, list_partitions};
use super::stream::resolve;
use crate::durable;
use crate::inbox::{Problem, survey};
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// A partition in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionFacts {
    /// The partition.
    pub partition: Partition,
    pub files: u64,
    pub rows: u64,
    /// Their size.
    pub bytes: u64,
    /// Files that cannot be read, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

/// An inbox file and how much of it waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The file's name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// How much of it is not taken yet; half a line at its end counts.
    pub waiting_bytes: u64,
}

/// Looks at every partition.
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
