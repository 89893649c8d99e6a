//! How far the inbox was read. Renaming this file commits a batch.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

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
    /// The last batch that holds runs: what remembers runs must cover it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub last_run_batch: u64,
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
    /// Secrets that were redacted.
    pub redacted: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_none(batch: &u64) -> bool {
    *batch == 0
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
    /// Where the file is staged.
    pub from: PathBuf,
    pub to: PathBuf,
}

impl Checkpoint {
    /// The checkpoint of an empty lake.
    #[must_use]
    pub fn start() -> Self {
        Self {
            version: VERSION,
            next_batch: 1,
            next_sequence: 1,
            streams: Vec::new(),
            publishing: None,
            last_run_batch: 0,
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
    #[must_use]
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
