//! A batch in the making: harvests in the order of landing, without the events that are in the lake already.

use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use arrow::array::{AsArray as _, BooleanArray, RecordBatch};
use arrow::compute::{concat_batches, filter_record_batch};
use arrow::datatypes::Int64Type;

use super::checkpoint::Counts;
use super::harvest::{Harvest, Sheaf, trimmed};
use super::ledger::{Key, Keys, Ledger, Verdict, judge_by_files};
use super::partition::Partition;
use super::quarantine::{Place, Quarantined};
use super::table;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::event::{Code, Rejection, limit};
use crate::inbox::Source;
use crate::workspace::Workspace;

/// How many rows of a partition are encoded together: enough for the encoder, and few enough to stay in the caches.
const CHUNK_ROWS: usize = 4096;

/// Rows and rejected lines that will be committed together.
pub struct Batch<'w> {
    workspace: &'w Workspace,
    partitions: HashMap<Partition, Gathered>,
    quarantined: Vec<Quarantined>,
    /// The marks of lines that stand in quarantine already.
    known_quarantine: Arc<HashSet<u64>>,
}

/// The rows of a partition that were not handed out yet.
struct Gathered {
    rows: Vec<RecordBatch>,
    keys: Keys,
    /// The keys of the rows, where the partition is too large to know all of its keys before the batch is sealed, and the
    /// index of the source of each.
    unsure: Vec<(Key, usize)>,
}

/// A batch that is ready to be written.
#[derive(Debug)]
pub struct Sealed {
    /// The rows of each partition that were not handed out before, in landing order.
    pub tables: Vec<(Partition, RecordBatch)>,
    /// The lines that were not taken.
    pub quarantined: Vec<Quarantined>,
}

impl<'w> Batch<'w> {
    /// An empty batch.
    #[must_use]
    pub fn new(workspace: &'w Workspace, known_quarantine: Arc<HashSet<u64>>) -> Self {
        Self { workspace, partitions: HashMap::new(), quarantined: Vec::new(), known_quarantine }
    }

    /// Adds what a block yielded. Gives what became of its lines.
    pub fn add(&mut self, harvest: Harvest, source: (usize, &Source), moment: &str, ledger: &mut Ledger) -> Outcome<Counts> {
        let mut counts = harvest.counts;
        for sheaf in harvest.sheaves {
            self.add_sheaf(sheaf, source, moment, ledger, &mut counts)?;
        }
        for entry in harvest.quarantined {
            self.set_aside(entry);
        }
        Ok(counts)
    }

    fn add_sheaf(
        &mut self,
        sheaf: Sheaf,
        (index, source): (usize, &Source),
        moment: &str,
        ledger: &mut Ledger,
        counts: &mut Counts,
    ) -> Outcome<()> {
        let Sheaf { partition, rows, keys } = sheaf;
        let gathered = match self.partitions.entry(partition) {
            std::collections::hash_map::Entry::Occupied(found) => found.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let keys = ledger.check_out(self.workspace, partition)?;
                place.insert(Gathered { rows: Vec::new(), keys, unsure: Vec::new() })
            }
        };
        let verdicts: Vec<Verdict> = keys.iter().map(|&key| gathered.keys.judge(key)).collect();
        if !gathered.keys.is_whole() {
            let new = keys.iter().zip(&verdicts).filter(|(_, verdict)| **verdict == Verdict::New);
            gathered.unsure.extend(new.map(|(key, _)| (*key, index)));
        }
        if verdicts.iter().all(|verdict| *verdict == Verdict::New) {
            gathered.rows.push(rows);
            return Ok(());
        }
        gathered.rows.push(keep_new(&rows, &verdicts)?);
        for (row, &verdict) in verdicts.iter().enumerate().filter(|(_, verdict)| **verdict != Verdict::New) {
            correct(counts, verdict);
            if verdict == Verdict::Conflict {
                let entry = conflict_in(source, &rows, row, moment)?;
                self.set_aside(entry);
            }
        }
        Ok(())
    }

    fn set_aside(&mut self, entry: Quarantined) {
        if !self.known_quarantine.contains(&entry.mark()) {
            self.quarantined.push(entry);
        }
    }

    /// Hands out the rows of partitions that have gathered enough of them. The rest follows when the batch is sealed.
    pub fn full_chunks(&mut self, mut each: impl FnMut(Partition, RecordBatch) -> Outcome<()>) -> Outcome<()> {
        for (&partition, gathered) in &mut self.partitions {
            // Rows that are not judged yet must wait for the end.
            let rows: usize = gathered.rows.iter().map(RecordBatch::num_rows).sum();
            if rows >= CHUNK_ROWS && gathered.keys.is_whole() {
                each(partition, joined(partition, &std::mem::take(&mut gathered.rows))?)?;
            }
        }
        Ok(())
    }

    /// Whether sealing will ask the files of the lake, which must be complete by then.
    #[must_use]
    pub fn asks_files(&self) -> bool {
        self.partitions.values().any(|gathered| !gathered.unsure.is_empty())
    }

    /// Closes the batch. `correct` learns what became of lines that were judged by the files of the lake.
    pub fn seal(
        mut self,
        ledger: &mut Ledger,
        sources: &[Source],
        moment: &str,
        mut correct: impl FnMut(usize, Verdict),
    ) -> Outcome<Sealed> {
        let mut tables = Vec::with_capacity(self.partitions.len());
        for (partition, gathered) in std::mem::take(&mut self.partitions) {
            let Gathered { rows, keys, unsure } = gathered;
            let mut rows = joined(partition, &rows)?;
            if !unsure.is_empty() {
                rows = self.keep_what_files_lack(partition, &rows, &unsure, sources, moment, &mut correct)?;
            }
            ledger.check_in(partition, keys);
            if rows.num_rows() > 0 {
                tables.push((partition, rows));
            }
        }
        ledger.end_round();
        tables.sort_by_key(|(partition, _)| *partition);
        self.quarantined.sort_by(|one, other| (&one.file, one.offset).cmp(&(&other.file, other.offset)));
        Ok(Sealed { tables, quarantined: self.quarantined })
    }

    fn keep_what_files_lack(
        &mut self,
        partition: Partition,
        rows: &RecordBatch,
        unsure: &[(Key, usize)],
        sources: &[Source],
        moment: &str,
        correct: &mut impl FnMut(usize, Verdict),
    ) -> Outcome<RecordBatch> {
        let keys: Vec<Key> = unsure.iter().map(|(key, _)| *key).collect();
        let verdicts = judge_by_files(self.workspace, partition, &keys)?;
        for (row, (verdict, (_, source))) in
            verdicts.iter().zip(unsure).enumerate().filter(|(_, (verdict, _))| **verdict != Verdict::New)
        {
            correct(*source, *verdict);
            if *verdict == Verdict::Conflict {
                let entry = conflict_in(&sources[*source], rows, row, moment)?;
                self.set_aside(entry);
            }
        }
        keep_new(rows, &verdicts)
    }
}

/// Moves a line from the taken ones to where its verdict says that it belongs.
pub fn correct(counts: &mut Counts, verdict: Verdict) {
    match verdict {
        Verdict::New => {}
        Verdict::Duplicate => {
            counts.taken -= 1;
            counts.duplicates += 1;
        }
        Verdict::Conflict => {
            counts.taken -= 1;
            counts.quarantined += 1;
        }
    }
}

fn joined(partition: Partition, rows: &[RecordBatch]) -> Outcome<RecordBatch> {
    match rows {
        [one] => Ok(one.clone()),
        many => concat_batches(&table::schema(partition.kind), many)
            .map_err(|error| Diagnostic::bug(format!("cannot join rows: {error}"))),
    }
}

fn keep_new(rows: &RecordBatch, verdicts: &[Verdict]) -> Outcome<RecordBatch> {
    let keep: BooleanArray = verdicts.iter().map(|verdict| Some(*verdict == Verdict::New)).collect();
    filter_record_batch(rows, &keep).map_err(|error| Diagnostic::bug(format!("cannot drop redeliveries: {error}")))
}

/// The line of a row whose id stands for another event. It is read once more: keeping the text of every line for the rare
/// conflict would cost all the others.
fn conflict_in(source: &Source, rows: &RecordBatch, row: usize, moment: &str) -> Outcome<Quarantined> {
    let number = |name: &str| {
        let column = rows.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
        column.map_or(0, |column| column.value(row).cast_unsigned())
    };
    let (line, offset) = (number("landing_line"), number("landing_offset"));
    let bytes = read_line_at(source, offset)
        .map_err(|error| Diagnostic::io("cannot read a line of the inbox again", &source.path, &error))?;
    let place = Place { file: &source.name, line, offset, length: bytes.len() as u64 };
    Ok(Quarantined::new(place, trimmed(&bytes), &conflict(), moment))
}

/// A line with its end, which is within the limit because the line was taken for an event.
fn read_line_at(source: &Source, offset: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; limit::LINE_BYTES];
    let mut filled = 0;
    while filled < bytes.len() {
        let read = source.file.read_at(&mut bytes[filled..], offset + filled as u64)?;
        let end = memchr::memchr(b'\n', &bytes[filled..filled + read]);
        filled += end.map_or(read, |end| end + 1);
        if read == 0 || end.is_some() {
            break;
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn conflict() -> Rejection {
    Rejection::new(
        Code::IdConflict,
        "another event with this id is in the lake already",
        "give the event an id of its own; the first one under an id counts",
    )
}
