//! How far the inbox was read. Renaming this file commits a batch; where it is lost it is derived from the lake, which costs time
//! and never an event.

use std::path::{Path, PathBuf};
use std::{fs, io};

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::statistics::Statistics;
use serde::{Deserialize, Serialize};

use super::ledger::damaged;
use super::partition::list_partitions;
use super::past::Past;
use super::quarantine;
use crate::durable;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

const VERSION: u32 = 1;

/// How far the inbox has been taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    version: u32,
    /// The number of the next batch. Files of the lake are named after it.
    pub next_batch: u64,
    /// The number of the next event in the order of landing.
    pub next_sequence: i64,
    /// The inbox files that were read.
    pub streams: Vec<Stream>,
    /// The committed batch whose files may not be in place yet.
    pub publishing: Option<Publishing>,
    /// Counts of inbox files that were fully read and removed since.
    #[serde(default, skip_serializing_if = "Counts::is_zero")]
    pub forgotten: Counts,
}

/// An inbox file, recognised by its content: its name may change and its inode may be used again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// The file's name in the inbox when it was last read.
    pub file: String,
    /// The file's number on the file system when it was last read.
    pub inode: u64,
    /// How many bytes were taken.
    pub offset: u64,
    /// How many bytes at the start of the file `head` covers.
    pub head_bytes: u64,
    /// A hash of the start of the file.
    pub head: u64,
    /// A hash of the bytes before `offset`.
    pub anchor: u64,
    /// What became of the lines that were taken.
    pub counts: Counts,
}

/// Counts of lines. `lines` is the sum of the four fields after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Complete lines read.
    pub lines: u64,
    /// Events that went into the lake.
    pub taken: u64,
    /// Redeliveries of events that were in the lake already.
    pub duplicates: u64,
    /// Lines that went into quarantine.
    pub quarantined: u64,
    /// Empty lines.
    pub blank: u64,
    pub redacted: u64,
}

impl Counts {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.taken += other.taken;
        self.duplicates += other.duplicates;
        self.quarantined += other.quarantined;
        self.blank += other.blank;
        self.redacted += other.redacted;
    }
}

/// A committed batch on its way from the staging area to its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publishing {
    /// The staged files and where they go, both relative to the workspace.
    pub moves: Vec<Move>,
    /// The streams before this batch: where to read again should a staged file be missing.
    pub before: Vec<Stream>,
}

/// A staged file and its place, relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    pub from: PathBuf,
    pub to: PathBuf,
}

impl Checkpoint {
    /// The checkpoint of an empty lake.
    pub fn start() -> Self {
        Self {
            version: VERSION,
            next_batch: 1,
            next_sequence: 1,
            streams: Vec::new(),
            publishing: None,
            forgotten: Counts::default(),
        }
    }

    /// The checkpoint on the disk. None where no batch was ever committed.
    pub fn load(workspace: &Workspace) -> Outcome<Option<Self>> {
        let path = workspace.checkpoint();
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Diagnostic::io("cannot read the checkpoint", &path, &error))?,
        };
        let damaged = |cause: String| {
            let remedy =
                "run `outerloop doctor --repair`: it moves the file away and derives the checkpoint from the lake; nothing is lost";
            Diagnostic::edit("the checkpoint is damaged", remedy).at(&path).because(cause)
        };
        let checkpoint: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if checkpoint.version != VERSION {
            return Err(damaged(format!("its version is {}, this program knows {VERSION}", checkpoint.version)));
        }
        Ok(Some(checkpoint))
    }

    /// Makes this the checkpoint. When this returns, it survives a power cut.
    pub fn save(&self, workspace: &Workspace) -> Outcome<()> {
        // A file that nothing was taken of has nothing to be recognised by.
        let mut kept = self.clone();
        kept.streams.retain(|stream| stream.offset > 0);
        let mut text =
            serde_json::to_vec_pretty(&kept).map_err(|error| Diagnostic::bug(format!("cannot encode the checkpoint: {error}")))?;
        text.push(b'\n');
        durable::replace(&workspace.checkpoint(), &text)
    }

    /// What became of all lines so far.
    pub fn counts(&self) -> Counts {
        let mut counts = self.forgotten;
        for stream in &self.streams {
            counts += stream.counts;
        }
        counts
    }

    /// Forgets a stream whose file was removed: its lines go on counting, and another file of its name is read from its start.
    pub fn forget(&mut self, stream: usize) {
        if stream < self.streams.len() {
            self.forgotten += self.streams.remove(stream).counts;
        }
    }
}

/// A checkpoint that has read nothing, and whose numbers go on behind those in the lake.
pub(super) fn derive_checkpoint(workspace: &Workspace) -> Outcome<Checkpoint> {
    let mut checkpoint = Checkpoint::start();
    for partition in list_partitions(workspace)? {
        for file in &partition.files {
            checkpoint.next_batch = checkpoint.next_batch.max(last_batch(file) + 1);
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
