//! What of a file was imported before, so that importing it again lands what is new.
//!
//! The logs of the other system are not only appended to: its steps add markers to rows they wrote long ago, and its pruner drops the
//! oldest rows. A position in the file would say nothing then. So the cursor holds a hash of every event that the file gave: rows that
//! moved, and rows behind a cut, are recognised wherever they stand.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use store::durable;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// Opens every cursor file.
const HEADER: &[u8] = b"outerloop cursor 1\n";

/// When an event of a file happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// At the time that its record gives.
    OfRecord,
    /// When the file was written. Writing the same again is nothing new.
    OfFile,
}

/// How far a file was imported.
#[derive(Debug)]
pub struct Cursor {
    path: PathBuf,
    timing: Timing,
    known: HashSet<u64>,
}

impl Cursor {
    /// The cursor of a file in a project. One that cannot be read knows nothing: then everything lands again, and ids tell that it is
    /// known.
    pub fn load(workspace: &Workspace, file: &Path, project: &str, timing: Timing) -> Self {
        let file = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
        let name = xxh3_128(format!("{project}\n{}", file.to_string_lossy()).as_bytes());
        let path = folder(workspace).join(format!("{name:032x}"));
        let known = fs::read(&path).ok().and_then(|bytes| parse(&bytes)).unwrap_or_default();
        Self { path, timing, known }
    }

    /// Whether an event was not imported from this file before.
    #[must_use]
    pub fn is_new(&self, line: &str) -> bool {
        !self.known.contains(&self.hash(line))
    }

    /// Remembers the events of the file as it is. Call it when they have landed: whoever is killed in between imports again.
    pub fn save<'l>(&self, lines: impl Iterator<Item = &'l String>) -> Outcome<()> {
        let hashes: HashSet<u64> = lines.map(|line| self.hash(line)).collect();
        if hashes == self.known {
            return Ok(());
        }
        let mut sorted: Vec<u64> = hashes.into_iter().collect();
        sorted.sort_unstable();
        let bytes = HEADER.iter().copied().chain(sorted.into_iter().flat_map(u64::to_le_bytes)).collect::<Vec<u8>>();
        durable::create_folder(self.path.parent().unwrap_or(&self.path))?;
        durable::replace(&self.path, &bytes)
    }

    fn hash(&self, line: &str) -> u64 {
        match (self.timing, line.split_once("\"ts\":\"")) {
            (Timing::OfFile, Some((before, behind))) => {
                let rest = behind.split_once('"').map_or(behind, |(_, rest)| rest);
                xxh3_64(format!("{before}{rest}").as_bytes())
            }
            _ => xxh3_64(line.as_bytes()),
        }
    }
}

/// Where cursors lie.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("imports")
}

/// How many events were imported by cursors.
pub fn count_imported(workspace: &Workspace) -> usize {
    let files = fs::read_dir(folder(workspace)).into_iter().flatten().flatten();
    files.filter_map(|file| parse(&fs::read(file.path()).ok()?)).map(|known| known.len()).sum()
}

fn parse(bytes: &[u8]) -> Option<HashSet<u64>> {
    let (hashes, rest) = bytes.strip_prefix(HEADER)?.as_chunks::<8>();
    rest.is_empty().then(|| hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect())
}
