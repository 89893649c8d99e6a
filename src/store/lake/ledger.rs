//! The ids in the lake, so that a redelivered event counts once.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::Path;

use arrow::array::{Array as _, AsArray as _};
use arrow::datatypes::Int64Type;
use hashbrown::HashTable;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use xxhash_rust::xxh3::xxh3_64;

use super::partition::Partition;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// What tells events apart: a hash of the id, and a hash of the line.
///
/// An event is dropped only if both agree. Two ids whose hashes collide make a conflict, which is kept in quarantine:
/// chance can cost a line its place, never its existence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    id: u64,
    digest: u64,
}

impl Key {
    /// The key of an event.
    #[must_use]
    pub(super) fn new(id: &str, digest: u64) -> Self {
        Self { id: xxh3_64(id.as_bytes()), digest }
    }
}

/// Whether an arriving event is new, a duplicate or a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Its id is new.
    New,
    /// The same event is in the lake.
    Duplicate,
    /// Another event of that id is in the lake.
    Conflict,
}

/// The keys of one partition.
#[derive(Debug, Default)]
pub(super) struct Keys {
    table: HashTable<Key>,
    /// Whether these are all keys of the partition, rather than only those of the batch at hand.
    is_whole: bool,
}

impl Keys {
    /// Judges a key, and remembers it if it is new.
    pub(super) fn judge(&mut self, key: Key) -> Verdict {
        if let Some(verdict) = self.find(key) {
            verdict
        } else {
            self.table.insert_unique(key.id, key, |known| known.id);
            Verdict::New
        }
    }

    /// Remembers a key, beside others of its id: a run may have several versions.
    pub(super) fn remember(&mut self, key: Key) {
        if self.find(key) != Some(Verdict::Duplicate) {
            self.table.insert_unique(key.id, key, |known| known.id);
        }
    }

    /// Whether the files must still be asked about what was judged new.
    #[must_use]
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn find(&self, key: Key) -> Option<Verdict> {
        let mut is_conflict = false;
        let found = self.table.find(key.id, |known| {
            is_conflict |= known.id == key.id;
            *known == key
        });
        found.map(|_| Verdict::Duplicate).or_else(|| is_conflict.then_some(Verdict::Conflict))
    }
}

/// The keys of the partitions that were touched last.
#[derive(Debug)]
pub(super) struct Ledger {
    /// How many keys may be held, over all partitions.
    most_keys: usize,
    held: HashMap<Partition, Held>,
    held_keys: usize,
    /// Partitions with more keys than may be held. Their files are asked batch by batch.
    huge: HashSet<Partition>,
    round: u64,
}

#[derive(Debug)]
struct Held {
    keys: Keys,
    /// The round in which the partition was given back.
    round: u64,
}

impl Ledger {
    /// An empty ledger that holds about so many keys.
    #[must_use]
    pub(super) fn new(most_keys: usize) -> Self {
        Self { most_keys, held: HashMap::new(), held_keys: 0, huge: HashSet::new(), round: 0 }
    }

    /// The keys of a partition, for as long as a batch is being gathered.
    pub(super) fn check_out(&mut self, workspace: &Workspace, partition: Partition) -> Outcome<Keys> {
        if let Some(held) = self.held.remove(&partition) {
            self.held_keys -= held.keys.table.len();
            return Ok(held.keys);
        }
        if self.huge.contains(&partition) {
            return Ok(Keys::default());
        }
        let files = partition.files(workspace)?;
        let readers = files.iter().map(|path| open(path)).collect::<Outcome<Vec<_>>>()?;
        if readers.iter().map(rows_of).sum::<usize>() > self.most_keys {
            self.huge.insert(partition);
            return Ok(Keys::default());
        }
        let mut keys = Keys { table: HashTable::new(), is_whole: true };
        for (reader, path) in readers.into_iter().zip(&files) {
            read_keys(reader, path, |key| keys.remember(key))?;
        }
        Ok(keys)
    }

    /// Gives back the keys of a partition. Must be done before the batch that added to them is written.
    pub(super) fn check_in(&mut self, partition: Partition, keys: Keys) {
        if !keys.is_whole {
            return;
        }
        if keys.table.len() > self.most_keys {
            self.huge.insert(partition);
            return;
        }
        self.held_keys += keys.table.len();
        self.held.insert(partition, Held { keys, round: self.round });
    }

    /// Ends a round: the partitions that were not touched for longest are dropped while too many keys are held.
    ///
    /// Those of the last two rounds stay: the files of the last one may not be in place yet.
    pub(super) fn end_round(&mut self) {
        self.round += 1;
        while self.held_keys > self.most_keys {
            let oldest = self.held.iter().filter(|(_, held)| held.round + 2 < self.round).min_by_key(|(_, held)| held.round);
            let Some((&partition, _)) = oldest else { break };
            if let Some(held) = self.held.remove(&partition) {
                self.held_keys -= held.keys.table.len();
            }
        }
    }
}

/// What the files of a partition say of some keys, which may be too many files to hold all of theirs.
pub(super) fn judge_by_files(workspace: &Workspace, partition: Partition, keys: &[Key]) -> Outcome<Vec<Verdict>> {
    let mut wanted = Keys::default();
    for &key in keys {
        wanted.judge(key);
    }
    let mut found = Keys::default();
    for path in partition.files(workspace)? {
        read_keys(open(&path)?, &path, |key| {
            if wanted.find(key).is_some() {
                found.remember(key);
            }
        })?;
    }
    Ok(keys.iter().map(|&key| found.find(key).unwrap_or(Verdict::New)).collect())
}

fn rows_of(reader: &ParquetRecordBatchReaderBuilder<File>) -> usize {
    usize::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(usize::MAX)
}

pub(super) fn open(path: &Path) -> Outcome<ParquetRecordBatchReaderBuilder<File>> {
    let file =
        crate::durable::open_regular(path).map_err(|error| Diagnostic::io("cannot read a file of the lake", path, &error))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(path, &error))
}

fn read_keys(reader: ParquetRecordBatchReaderBuilder<File>, path: &Path, mut each: impl FnMut(Key)) -> Outcome<()> {
    let columns = ProjectionMask::columns(reader.parquet_schema(), ["id", "landing_digest"]);
    let batches = reader.with_projection(columns).build().map_err(|error| damaged(path, &error))?;
    for batch in batches {
        let batch = batch.map_err(|error| damaged(path, &error))?;
        let (Some(ids), Some(digests)) = (batch.column_by_name("id"), batch.column_by_name("landing_digest")) else {
            return Err(damaged(path, "it has no `id` or no `landing_digest`"));
        };
        let (Some(ids), Some(digests)) = (ids.as_string_opt::<i32>(), digests.as_primitive_opt::<Int64Type>()) else {
            return Err(damaged(path, "its `id` or its `landing_digest` has another type"));
        };
        for row in 0..ids.len() {
            each(Key::new(ids.value(row), digests.value(row).cast_unsigned()));
        }
    }
    Ok(())
}

/// A file of the lake that cannot be read stops the batch: without its ids, redeliveries would count twice.
pub(super) fn damaged(path: &Path, cause: impl std::fmt::Display) -> Diagnostic {
    let remedy = "restore the file from a backup, or run `outerloop doctor --repair`: it moves the file to damaged/ and ingests its events again from the inbox";
    Diagnostic::edit("a file of the lake is damaged", remedy).at(path).because(cause)
}
