//! The partitions of the lake: a table and a day, with the files that hold its rows.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;
use event::Kind;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// A table's rows of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Partition {
    /// The table.
    pub kind: Kind,
    /// The day on which the events happened, UTC.
    pub day: Day,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionFiles {
    /// The partition.
    pub partition: Partition,
    /// Its Parquet files, by name.
    pub files: Vec<PathBuf>,
}

impl Partition {
    /// The partition's folder, relative to the lake.
    #[must_use]
    pub fn folder(self) -> PathBuf {
        Path::new(self.kind.name()).join(format!("date={}", self.day))
    }

    /// The partition's Parquet files. None where the folder does not exist.
    pub fn files(self, workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
        parquet_files(&workspace.lake().join(self.folder()))
    }
}

/// Every partition that has a folder, by table and day.
pub fn list_partitions(workspace: &Workspace) -> Outcome<Vec<PartitionFiles>> {
    let mut found = Vec::new();
    for &kind in Kind::ALL {
        for folder in entries(&workspace.table(kind))? {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(day) = name.strip_prefix("date=").and_then(|day| day.parse().ok()) {
                found.push(PartitionFiles { partition: Partition { kind, day }, files: parquet_files(&folder)? });
            }
        }
    }
    Ok(found)
}

fn parquet_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    Ok(entries(folder)?.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "parquet")).collect())
}

/// What stands in a folder, by name. A folder that does not exist holds nothing.
pub(super) fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let failed = |error: io::Error| Diagnostic::io("cannot list the folder", folder, &error);
    let listing = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(failed)?,
    };
    let mut paths = listing.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect::<Outcome<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
