//! What one block of lines yields: rows of their partitions, and lines that cannot be taken. Whether an event is new is not
//! decided here, so that blocks can be worked on at the same time.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow::array::RecordBatch;

use super::checkpoint::Counts;
use super::ledger::Key;
use super::partition::Partition;
use super::quarantine::{Place, Quarantined};
use super::table::{Landing, TableBuilder};
use crate::day::Day;
use crate::diagnostic::Outcome;
use crate::event::redact::{Redaction, redact};
use crate::event::{Code, Kind, Latest, Parser, Rejection, limit};
use crate::inbox::{Block, Line};

/// The mark that some editors put in front of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The time at which lines are taken.
#[derive(Debug, Clone)]
pub struct Moment {
    /// The latest time an event may carry.
    pub latest: Latest,
    /// The time, RFC 3339, for the entries of the quarantine.
    pub written: String,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The name of its file.
    pub file: &'a str,
    /// How many lines of the file stand before it.
    pub lines_before: u64,
    /// The landing number of its first line.
    pub first_sequence: i64,
}

/// What a block yields.
#[derive(Debug)]
pub struct Harvest {
    /// The rows of each partition.
    pub sheaves: Vec<Sheaf>,
    /// The lines that cannot be taken.
    pub quarantined: Vec<Quarantined>,
    /// What became of the lines, if every event is new.
    pub counts: Counts,
}

/// The rows of one partition, and what tells whether they are new.
#[derive(Debug)]
pub struct Sheaf {
    /// The partition.
    pub partition: Partition,
    /// The rows.
    pub rows: RecordBatch,
    /// The key of each row.
    pub keys: Vec<Key>,
}

/// Turns blocks into harvests.
pub struct Harvester {
    parser: Parser,
    moment: Moment,
    tables: Vec<(Partition, TableBuilder, Vec<Key>)>,
    by_partition: HashMap<Partition, usize>,
    /// The partition that each kind's last event went to: most events follow one of their own day.
    recent: Vec<Option<(Day, usize)>>,
    quarantined: Vec<Quarantined>,
}

impl Harvester {
    /// A harvester that works as of a moment.
    #[must_use]
    pub fn new(moment: Moment) -> Self {
        Self {
            parser: Parser::new(moment.latest),
            moment,
            tables: Vec::new(),
            by_partition: HashMap::new(),
            recent: vec![None; Kind::ALL.len()],
            quarantined: Vec::new(),
        }
    }

    /// Takes the lines of a block. `suspects` are the places of lines that may hold a secret, in order.
    pub fn harvest(&mut self, block: &Block, suspects: &[usize], standing: Standing<'_>) -> Outcome<Harvest> {
        let mut counts = Counts::default();
        if let Some(length) = block.oversized {
            let line = Line { bytes: block.bytes(), text: None, offset: block.offset, length };
            counts += self.take(line, standing, 0, true);
        }
        let mut suspects = suspects.iter().map(|&at| block.offset + at as u64).peekable();
        for (index, line) in block.lines().enumerate() {
            let is_suspect = suspects.next_if(|at| *at < line.offset + line.length).is_some();
            counts += self.take(line, standing, index as u64, is_suspect);
        }
        self.by_partition.clear();
        self.recent.fill(None);
        let sheaves = self.tables.drain(..).map(|(partition, table, keys)| Ok(Sheaf { partition, rows: table.finish()?, keys }));
        let sheaves = sheaves.collect::<Outcome<Vec<_>>>()?;
        Ok(Harvest { sheaves, quarantined: std::mem::take(&mut self.quarantined), counts })
    }

    fn take(&mut self, line: Line<'_>, standing: Standing<'_>, index: u64, is_suspect: bool) -> Counts {
        let mut counts = Counts { lines: 1, ..Counts::default() };
        let bytes = trimmed(line.bytes);
        if bytes.is_empty() {
            counts.blank = 1;
            return counts;
        }
        match self.parse_and_append(bytes, line, standing, index, is_suspect) {
            Ok(redacted) => {
                counts.taken = 1;
                counts.redacted = u64::from(redacted);
            }
            Err(rejection) => {
                counts.quarantined = 1;
                let place = Place {
                    file: standing.file,
                    line: standing.lines_before + index + 1,
                    offset: line.offset,
                    length: line.length,
                };
                self.quarantined.push(Quarantined::new(place, bytes, &rejection, &self.moment.written));
            }
        }
        counts
    }

    /// Gives the number of secrets that were redacted.
    fn parse_and_append(
        &mut self,
        bytes: &[u8],
        line: Line<'_>,
        standing: Standing<'_>,
        index: u64,
        is_suspect: bool,
    ) -> Result<u32, Rejection> {
        if line.length > limit::LINE_BYTES as u64 {
            return Err(too_long(line.length));
        }
        let known = line.text.map(|text| text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
        let text = known.map_or_else(|| std::str::from_utf8(bytes), Ok).map_err(|error| not_utf8(&error))?;
        let redaction = if is_suspect { redact(text) } else { Redaction { text: Cow::Borrowed(text), count: 0 } };
        let event = self.parser.parse(&redaction.text)?;
        let landing = Landing {
            sequence: standing.first_sequence + index.cast_signed(),
            file: standing.file,
            line: (standing.lines_before + index + 1).cast_signed(),
            offset: line.offset.cast_signed(),
        };
        let kind = event.body.kind();
        let day = Day::of_micros(event.time_micros);
        let at = match self.recent[kind as usize] {
            Some((recent_day, at)) if recent_day == day => at,
            _ => find_or_add(&mut self.tables, &mut self.by_partition, Partition { kind, day }),
        };
        self.recent[kind as usize] = Some((day, at));
        let (_, table, keys) = &mut self.tables[at];
        table.append(&event, landing);
        keys.push(Key::new(&event.id, event.digest));
        Ok(redaction.count)
    }
}

type Tables = Vec<(Partition, TableBuilder, Vec<Key>)>;

fn find_or_add(tables: &mut Tables, by_partition: &mut HashMap<Partition, usize>, partition: Partition) -> usize {
    *by_partition.entry(partition).or_insert_with(|| {
        tables.push((partition, TableBuilder::new(partition.kind), Vec::new()));
        tables.len() - 1
    })
}

/// A line without the white space around it, as JSON knows it, and without the mark that some editors put in front.
pub fn trimmed(bytes: &[u8]) -> &[u8] {
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
