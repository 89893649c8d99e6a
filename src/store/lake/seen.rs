//! Runs that were reported before, on whatever day.
//!
//! A run is one run, but its reports stand in the partitions of their days. Asking every day about every report would cost more with
//! each day; so one file remembers all runs in a filter of about two bytes a run. Its answer "not seen" is certain, and its answer
//! "seen" may rarely be wrong: it only marks the report, and a query compares the marked ones. The file is a cache: where it does not
//! cover the last batch that holds runs, it is made anew from the lake.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use arrow::array::{Array as _, AsArray as _};
use parquet::arrow::ProjectionMask;

use super::ledger::{damaged, open};
use super::partition::list_partitions;
use crate::durable;
use crate::workspace::Workspace;
use event::{Kind, hash_run};
use text::diagnostic::{Diagnostic, Outcome};

const MAGIC: u64 = u64::from_le_bytes(*b"OLSEEN01");
/// Magic, the last batch that is covered, and the number of runs.
const HEADER_BYTES: u64 = 24;
const BLOCK_BYTES: u64 = 32;
const WORDS: usize = 8;
/// How many runs share a block: sixteen bits each, which is wrong about one new run in a thousand.
const RUNS_IN_BLOCK: u64 = 16;
/// The blocks of the first segment. Each further one has four times as many, so that few have to be asked.
const FIRST_BLOCKS: u64 = 1 << 13;
/// Odd numbers that spread a hash over the words of a block, those of the Parquet format's filters.
const SALT: [u32; WORDS] = [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

type Block = [u32; WORDS];

/// Runs that were reported before.
pub(super) struct Seen {
    path: PathBuf,
    /// None until the first run was remembered.
    file: Option<File>,
    runs: u64,
    /// Blocks that were looked at or changed since the file was opened.
    blocks: HashMap<u64, Block>,
    /// Those of them that the file does not hold yet.
    changed: HashSet<u64>,
}

impl Seen {
    /// Opens the filter. One that does not cover the last batch with runs is made anew.
    pub(super) fn open(workspace: &Workspace, last_batch: u64) -> Outcome<Self> {
        let path = workspace.seen_runs();
        let mut seen = Self { file: None, runs: 0, blocks: HashMap::new(), changed: HashSet::new(), path };
        if last_batch == 0 {
            return Ok(seen);
        }
        match seen.load(last_batch) {
            Ok(true) => Ok(seen),
            Ok(false) => seen.rebuild(workspace, last_batch),
            Err(error) => Err(failed("cannot read the filter of runs", &seen.path, &error)),
        }
    }

    /// Whether the file covers that batch.
    fn load(&mut self, last_batch: u64) -> io::Result<bool> {
        let file = match File::options().read(true).write(true).open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            file => file?,
        };
        let mut header = [0; 24];
        if file.read_exact_at(&mut header, 0).is_err() {
            return Ok(false);
        }
        let number = |place: usize| header[place..place + 8].try_into().map_or(0, u64::from_le_bytes);
        if number(0) != MAGIC || number(8) != last_batch {
            return Ok(false);
        }
        (self.runs, self.file) = (number(16), Some(file));
        Ok(true)
    }

    /// Whether a run was reported, as far as the filter tells: none if it does not cover the lake, and a rare yes may be wrong.
    pub(super) fn look(workspace: &Workspace, last_batch: u64, run: u64) -> Outcome<Option<bool>> {
        let path = workspace.seen_runs();
        let mut seen = Self { file: None, runs: 0, blocks: HashMap::new(), changed: HashSet::new(), path };
        if last_batch == 0 {
            return Ok(None);
        }
        match seen.load(last_batch) {
            Ok(true) => seen.remember(run).map(Some),
            Ok(false) => Ok(None),
            Err(error) => Err(failed("cannot read the filter of runs", &seen.path, &error)),
        }
    }

    fn rebuild(mut self, workspace: &Workspace, last_batch: u64) -> Outcome<Self> {
        for found in list_partitions(workspace)?.iter().filter(|found| found.partition.kind == Kind::Run) {
            for path in &found.files {
                self.remember_file(path)?;
            }
        }
        // The old one may cover what is gone.
        durable::replace(&self.path, &[])?;
        self.save(last_batch)?;
        Ok(self)
    }

    fn remember_file(&mut self, path: &Path) -> Outcome<()> {
        let reader = open(path)?;
        let columns = ProjectionMask::columns(reader.parquet_schema(), ["project", "run_id"]);
        for batch in reader.with_projection(columns).build().map_err(|error| damaged(path, error))? {
            let batch = batch.map_err(|error| damaged(path, error))?;
            let texts = |name| batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
            let (Some(projects), Some(runs)) = (texts("project"), texts("run_id")) else {
                return Err(damaged(path, "it has no `project` or no `run_id`"));
            };
            for row in 0..projects.len() {
                self.remember(hash_run(projects.value(row), runs.value(row)))?;
            }
        }
        Ok(())
    }

    /// Remembers a run, and tells whether it may have been reported before.
    pub(super) fn remember(&mut self, run: u64) -> Outcome<bool> {
        let (current, mask) = (segment_of(self.runs), mask(run));
        for segment in 0..=current {
            let block = self.block(place(run, segment))?;
            if block.iter().zip(mask).all(|(word, bit)| word & bit != 0) {
                return Ok(true);
            }
        }
        let place = place(run, current);
        let block = self.blocks.entry(place).or_default();
        block.iter_mut().zip(mask).for_each(|(word, bit)| *word |= bit);
        self.changed.insert(place);
        self.runs += 1;
        Ok(false)
    }

    fn block(&mut self, place: u64) -> Outcome<Block> {
        if let Some(block) = self.blocks.get(&place) {
            return Ok(*block);
        }
        let mut bytes = [0; BLOCK_BYTES as usize];
        if let Some(file) = &self.file {
            read_at(file, &mut bytes, HEADER_BYTES + place * BLOCK_BYTES)
                .map_err(|error| failed("cannot read the filter of runs", &self.path, &error))?;
        }
        let mut block = Block::default();
        for (word, bytes) in block.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = bytes.try_into().map_or(0, u32::from_le_bytes);
        }
        self.blocks.insert(place, block);
        Ok(block)
    }

    /// Writes what changed, then that it covers a batch: a file of which only a part was written covers the batch before, and is made
    /// anew.
    pub(super) fn save(&mut self, last_batch: u64) -> Outcome<()> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(&self.path)
                .map_err(|error| failed("cannot create the filter of runs", &self.path, &error))?,
        };
        self.write_blocks(&file).map_err(|error| failed("cannot write the filter of runs", &self.path, &error))?;
        durable::sync_file(&file, &self.path)?;
        let header: Vec<u8> = [MAGIC, last_batch, self.runs].iter().flat_map(|number| number.to_le_bytes()).collect();
        file.write_all_at(&header, 0).map_err(|error| failed("cannot write the filter of runs", &self.path, &error))?;
        durable::sync_file(&file, &self.path)?;
        self.file = Some(file);
        Ok(())
    }

    fn write_blocks(&mut self, file: &File) -> io::Result<()> {
        let mut changed: Vec<u64> = self.changed.drain().collect();
        changed.sort_unstable();
        for place in changed {
            let block = self.blocks.get(&place).copied().unwrap_or_default();
            let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_le_bytes()).collect();
            file.write_all_at(&bytes, HEADER_BYTES + place * BLOCK_BYTES)?;
        }
        Ok(())
    }
}

/// The segment that the next run goes to, after so many.
const fn segment_of(runs: u64) -> u32 {
    let (mut segment, mut room) = (0, FIRST_BLOCKS * RUNS_IN_BLOCK);
    while runs >= room {
        segment += 1;
        room += (FIRST_BLOCKS << (2 * segment)) * RUNS_IN_BLOCK;
    }
    segment
}

/// The number of a run's block in a segment, counted over all segments.
const fn place(run: u64, segment: u32) -> u64 {
    let blocks = FIRST_BLOCKS << (2 * segment);
    // The blocks of the segments before: a geometric series.
    let before = FIRST_BLOCKS * ((1 << (2 * segment)) - 1) / 3;
    before + (run >> 32) % blocks
}

/// The bits of a run, one in each word.
#[expect(clippy::cast_possible_truncation, reason = "the upper half chooses the block")]
fn mask(run: u64) -> Block {
    SALT.map(|salt| 1 << ((run as u32).wrapping_mul(salt) >> 27))
}

/// Reads what the file holds; nothing stands behind its end.
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => return Ok(()),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::io(what, path, error)
}
