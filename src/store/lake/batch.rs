//! A batch in the making: lines become rows of their partitions, or entries of the quarantine.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch};

use super::checkpoint::Counts;
use super::ledger::{Key, Keys, Ledger, Verdict, judge_by_files};
use super::partition::Partition;
use super::past::Past;
use super::quarantine::{Place, Quarantined};
use super::seen::Seen;
use super::table::{Landing, TableBuilder};
use crate::inbox::{Line, Source};
use crate::workspace::Workspace;
use event::redact::{Redaction, redact};
use event::{Code, Event, Kind, Latest, Parser, Rejection};
use setting::RunSettings;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};
use text::limit;

/// The mark that some editors put in front of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// When a batch is made, and by which rules.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    /// The latest time an event may carry.
    pub latest: Latest,
    /// What is asked of runs.
    pub rules: RunSettings,
    /// The time, RFC 3339, for the entries of the quarantine.
    pub written: String,
    /// Days that were pruned.
    pub past: Option<Arc<Past>>,
    /// Whether the inbox is read again from its start, because the checkpoint was lost.
    pub is_rereading: bool,
}

/// What is known of the events in the lake.
pub(super) struct Known {
    /// The ids of the partitions that were touched last.
    pub ledger: Ledger,
    /// The runs of all days.
    pub seen: Seen,
}

/// Rows and rejected lines that will be committed together.
pub(super) struct Batch<'w> {
    workspace: &'w Workspace,
    moment: Moment,
    next_sequence: i64,
    partitions: Vec<Gathered>,
    by_partition: HashMap<Partition, usize>,
    /// The partition that each kind's last event went to: most events follow one of their own day.
    recent: Vec<Option<(Day, usize)>>,
    quarantined: Vec<Quarantined>,
    /// The marks of lines that stand in quarantine already.
    known_quarantine: Arc<HashSet<u64>>,
    parser: Parser,
    /// Whether it holds runs.
    has_runs: bool,
}

struct Gathered {
    partition: Partition,
    table: TableBuilder,
    keys: Keys,
    /// The rows, where the partition is too large to know all of its keys before the batch is sealed.
    unsure: Vec<Arrival>,
}

/// How many rows of a partition are encoded together: enough for the encoder, and few enough to stay in the caches.
const CHUNK_ROWS: usize = 8192;

/// What is needed of a row to judge it later, and to find its line again.
struct Arrival {
    key: Key,
    source: usize,
    line: u64,
    offset: u64,
    length: u64,
}

/// Where the lines of a batch come from while they are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position<'a> {
    /// The index of the source among those of this run.
    pub source: usize,
    /// The name of its file.
    pub file: &'a str,
    /// The line's number in the file, from 1.
    pub line: u64,
}

/// A batch that is ready to be written.
#[derive(Debug)]
pub(super) struct Sealed {
    /// The rows of each partition that were not handed out before, in landing order.
    pub tables: Vec<(Partition, RecordBatch)>,
    /// The lines that were not taken.
    pub quarantined: Vec<Quarantined>,
    /// The number of the next event.
    pub next_sequence: i64,
    /// Whether it holds runs.
    pub has_runs: bool,
}

/// What became of a line.
enum Taken {
    New { redacted: u32 },
    Duplicate,
}

impl<'w> Batch<'w> {
    /// An empty batch whose first event gets that number.
    #[must_use]
    pub(super) fn new(workspace: &'w Workspace, moment: Moment, next_sequence: i64, known_quarantine: Arc<HashSet<u64>>) -> Self {
        let parser = Parser::with_rules(moment.latest, moment.rules);
        Self {
            workspace,
            moment,
            next_sequence,
            partitions: Vec::new(),
            by_partition: HashMap::new(),
            recent: vec![None; Kind::ALL.len()],
            quarantined: Vec::new(),
            known_quarantine,
            parser,
            has_runs: false,
        }
    }

    /// Takes one line: into a partition, or into quarantine. `suspect` says that it may hold a secret.
    pub(super) fn take(&mut self, line: Line<'_>, position: Position<'_>, suspect: bool, known: &mut Known) -> Outcome<Counts> {
        let mut counts = Counts { lines: 1, ..Counts::default() };
        let bytes = trimmed(line.bytes);
        if bytes.is_empty() {
            counts.blank = 1;
            return Ok(counts);
        }
        match self.parse_and_append(bytes, line, position, suspect, known)? {
            Ok(Taken::New { redacted }) => {
                counts.taken = 1;
                counts.redacted = u64::from(redacted);
            }
            Ok(Taken::Duplicate) => counts.duplicates = 1,
            Err(rejection) => {
                counts.quarantined = 1;
                self.set_aside(bytes, line, position, &rejection);
            }
        }
        Ok(counts)
    }

    fn parse_and_append(
        &mut self,
        bytes: &[u8],
        line: Line<'_>,
        position: Position<'_>,
        suspect: bool,
        known: &mut Known,
    ) -> Outcome<Result<Taken, Rejection>> {
        if line.length > limit::LINE_BYTES as u64 {
            return Ok(Err(too_long(line.length)));
        }
        let whole = line.text.map(|text| text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
        let text = match whole.map_or_else(|| std::str::from_utf8(bytes), Ok) {
            Ok(text) => text,
            Err(error) => return Ok(Err(not_utf8(&error))),
        };
        let redaction = if suspect { redact(text) } else { Redaction { text: Cow::Borrowed(text), count: 0 } };
        let taken = match self.parser.parse(&redaction.text) {
            Ok(event) => self.append(&event, line, position, known)?.map(|verdict| match verdict {
                Verdict::Duplicate => Taken::Duplicate,
                _ => Taken::New { redacted: redaction.count },
            }),
            Err(rejection) => Err(rejection),
        };
        Ok(taken)
    }

    fn append(
        &mut self,
        event: &Event<'_>,
        line: Line<'_>,
        position: Position<'_>,
        known: &mut Known,
    ) -> Outcome<Result<Verdict, Rejection>> {
        let sequence = self.next_sequence;
        let (kind, day) = (event.body.kind(), Day::of_micros(event.time_micros));
        if let Some(first) = self.moment.past.as_ref().and_then(|past| past.first_kept(kind)).filter(|first| day < *first) {
            // What is read again was read before its day was pruned, and stands in the sums.
            return Ok(if self.moment.is_rereading { Ok(Verdict::Duplicate) } else { Err(too_late(first)) });
        }
        let takes_versions = self.takes_versions(kind);
        let Known { ledger, seen } = known;
        let gathered = self.gathered(kind, day, ledger)?;
        let key = Key::new(&event.id, event.digest);
        let mut verdict = gathered.keys.judge(key);
        if verdict == Verdict::Conflict {
            if !takes_versions {
                return Ok(Err(conflict(kind)));
            }
            gathered.keys.remember(key);
            verdict = Verdict::New;
        }
        if verdict == Verdict::New {
            let is_again = event.run.map(|run| seen.remember(run)).transpose()?;
            let landing = Landing {
                sequence,
                file: position.file,
                line: position.line.cast_signed(),
                offset: line.offset.cast_signed(),
                is_again,
            };
            gathered.table.append(event, landing);
            if !gathered.keys.is_whole() {
                let Line { offset, length, .. } = line;
                gathered.unsure.push(Arrival { key, source: position.source, line: position.line, offset, length });
            }
            self.next_sequence += 1;
            self.has_runs |= kind == Kind::Run;
        }
        Ok(Ok(verdict))
    }

    /// Whether another event under a known id is another version of it rather than a conflict.
    fn takes_versions(&self, kind: Kind) -> bool {
        kind == Kind::Run && self.moment.rules.replace
    }

    fn gathered(&mut self, kind: Kind, day: Day, ledger: &mut Ledger) -> Outcome<&mut Gathered> {
        let index = match self.recent[kind as usize] {
            Some((recent_day, index)) if recent_day == day => index,
            _ => self.find_or_open(Partition { kind, day }, ledger)?,
        };
        self.recent[kind as usize] = Some((day, index));
        Ok(&mut self.partitions[index])
    }

    fn find_or_open(&mut self, partition: Partition, ledger: &mut Ledger) -> Outcome<usize> {
        if let Some(&index) = self.by_partition.get(&partition) {
            return Ok(index);
        }
        let keys = ledger.check_out(self.workspace, partition)?;
        self.partitions.push(Gathered { partition, table: TableBuilder::new(partition.kind), keys, unsure: Vec::new() });
        self.by_partition.insert(partition, self.partitions.len() - 1);
        Ok(self.partitions.len() - 1)
    }

    fn set_aside(&mut self, bytes: &[u8], line: Line<'_>, position: Position<'_>, rejection: &Rejection) {
        let place = Place { file: position.file, line: position.line, offset: line.offset, length: line.length };
        let entry = Quarantined::new(place, bytes, rejection, &self.moment.written);
        if !self.known_quarantine.contains(&entry.mark()) {
            self.quarantined.push(entry);
        }
    }

    /// Hands out the rows of partitions that have gathered enough of them. The rest follows when the batch is sealed.
    pub(super) fn full_chunks(&mut self, mut each: impl FnMut(Partition, RecordBatch) -> Outcome<()>) -> Outcome<()> {
        for gathered in &mut self.partitions {
            // Rows that are not judged yet must wait for the end.
            if gathered.table.len() >= CHUNK_ROWS && gathered.keys.is_whole() {
                let next = TableBuilder::with_capacity_of(&gathered.table);
                let full = std::mem::replace(&mut gathered.table, next);
                each(gathered.partition, full.finish()?)?;
            }
        }
        Ok(())
    }

    /// Whether sealing will ask the files of the lake, which must be complete by then.
    #[must_use]
    pub(super) fn asks_files(&self) -> bool {
        self.partitions.iter().any(|gathered| !gathered.unsure.is_empty())
    }

    /// Closes the batch. `correct` learns what became of lines that were judged by the files of the lake.
    pub(super) fn seal(
        mut self,
        ledger: &mut Ledger,
        sources: &[Source],
        mut correct: impl FnMut(usize, Verdict),
    ) -> Outcome<Sealed> {
        let mut tables = Vec::with_capacity(self.partitions.len());
        for gathered in std::mem::take(&mut self.partitions) {
            let Gathered { partition, table, keys, unsure } = gathered;
            let mut rows = table.finish()?;
            if !unsure.is_empty() {
                let verdicts = self.judge_unsure(partition, &unsure, sources, &mut correct)?;
                rows = keep_new(&rows, &verdicts)?;
            }
            ledger.check_in(partition, keys);
            if rows.num_rows() > 0 {
                tables.push((partition, rows));
            }
        }
        ledger.end_round();
        tables.sort_by_key(|(partition, _)| *partition);
        self.quarantined.sort_by(|one, other| (&one.file, one.offset).cmp(&(&other.file, other.offset)));
        Ok(Sealed { tables, quarantined: self.quarantined, next_sequence: self.next_sequence, has_runs: self.has_runs })
    }

    fn judge_unsure(
        &mut self,
        partition: Partition,
        unsure: &[Arrival],
        sources: &[Source],
        correct: &mut impl FnMut(usize, Verdict),
    ) -> Outcome<Vec<Verdict>> {
        let keys: Vec<Key> = unsure.iter().map(|arrival| arrival.key).collect();
        let mut verdicts = judge_by_files(self.workspace, partition, &keys)?;
        if self.takes_versions(partition.kind) {
            for verdict in verdicts.iter_mut().filter(|verdict| **verdict == Verdict::Conflict) {
                *verdict = Verdict::New;
            }
        }
        for (arrival, &verdict) in unsure.iter().zip(&verdicts).filter(|(_, verdict)| **verdict != Verdict::New) {
            correct(arrival.source, verdict);
            if verdict == Verdict::Conflict {
                self.set_conflict_aside(partition.kind, arrival, &sources[arrival.source])?;
            }
        }
        Ok(verdicts)
    }

    /// The line is read once more: keeping the text of every line for the rare conflict would cost all the others.
    fn set_conflict_aside(&mut self, kind: Kind, arrival: &Arrival, source: &Source) -> Outcome<()> {
        let mut bytes = vec![0; usize::try_from(arrival.length).unwrap_or(0)];
        let read = source.file.read_exact_at(&mut bytes, arrival.offset);
        read.map_err(|error: io::Error| Diagnostic::io("cannot read a line of the inbox again", &source.path, &error))?;
        let line = Line { bytes: &bytes, text: None, offset: arrival.offset, length: arrival.length };
        let position = Position { source: arrival.source, file: &source.name, line: arrival.line };
        self.set_aside(trimmed(&bytes), line, position, &conflict(kind));
        Ok(())
    }
}

fn keep_new(rows: &RecordBatch, verdicts: &[Verdict]) -> Outcome<RecordBatch> {
    let keep: BooleanArray = verdicts.iter().map(|verdict| Some(*verdict == Verdict::New)).collect();
    arrow::compute::filter_record_batch(rows, &keep).map_err(|error| Diagnostic::bug(format!("cannot drop redeliveries: {error}")))
}

/// A line without the white space around it, as JSON knows it, and without the mark that some editors put in front.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes);
    let start = bytes.iter().position(|byte| !is_space(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

fn too_long(length: u64) -> Rejection {
    Rejection::new(
        Code::TooLarge,
        format!("the line has {length} bytes"),
        format!("send at most {}; put long texts into files and cite them", limit::LINE_BYTES),
    )
}

fn not_utf8(error: &std::str::Utf8Error) -> Rejection {
    Rejection::new(Code::NotUtf8, format!("the line is not UTF-8 after byte {}", error.valid_up_to()), "write UTF-8")
}

fn too_late(first: Day) -> Rejection {
    Rejection::new(
        Code::TooLate,
        format!("days before {first} are pruned for this kind"),
        "record events sooner; pruned days stay closed even if `retention.lake_days` changes later",
    )
}

fn conflict(kind: Kind) -> Rejection {
    let remedy = match kind {
        Kind::Run => "give the run an id of its own, or set `run.replace`; the first one under an id counts",
        _ => "give the event an id of its own; the first one under an id counts",
    };
    Rejection::new(Code::IdConflict, "another event with this id is already in the lake", remedy)
}
