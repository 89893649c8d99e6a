//! What an import reads and gives back: lines as Python splits them, the events, and an account of every record.

use std::borrow::Cow;

use memchr::memchr2;

use event::redact::redact;

/// The most characters of a record that are shown beside a reason.
const SHOWN_CHARACTERS: usize = 200;

/// What became of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The events, one JSON object each, without a newline, in the order of their records.
    pub lines: Vec<String>,
    /// Where each of the events comes from.
    pub places: Vec<Place>,
    /// What was repaired and what was left out, in the order of the records.
    pub odd: Vec<Odd>,
    /// The records that were left out, in whole, without their secrets: what is missing is counted.
    pub refused: Vec<RefusedRecord>,
    /// How many records met which fate.
    pub counts: Counts,
    /// The last record of which the door refused an event.
    last_refused: Option<usize>,
}

/// The record that an event was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the record in its file, from 1.
    pub record: usize,
    /// Its line in the file, from 1; 0 where the whole file is meant.
    pub line: usize,
}

/// A record that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecord {
    /// The line in the file, from 1.
    pub line: usize,
    /// The record, without its secrets.
    pub text: String,
    pub reason: String,
}

/// Something about a record that the importer had to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    /// The line in the file, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// The beginning of the record. Data from outside: whoever shows it must neutralise it first.
    pub text: String,
    pub reason: String,
    /// Whether the record was imported nevertheless, with a repair. Otherwise it was left out.
    pub taken: bool,
}

/// How many records met which fate: `records` is the sum of the others.
///
/// A record is a line of a log, an object of a file, an item of its list, or a row of patterns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub records: usize,
    /// Those that became events.
    pub taken: usize,
    /// Those that only tell a part of a run, whose event another record became.
    pub parts: usize,
    /// Those that tell again what another record told.
    pub duplicates: usize,
    pub blank: usize,
    /// Those that were left out; each has its [`Odd`].
    pub left_out: usize,
}

/// What was repaired in one record, in words.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, reason: impl Into<String>) {
        self.0.push(reason.into());
    }

    pub(super) fn into_reasons(self) -> Vec<String> {
        self.0
    }
}

/// What a record turned out to be.
#[derive(Debug)]
pub(super) enum Record {
    /// The events it became; at least one.
    Events(Vec<String>),
    /// A part of a run whose event another record becomes.
    Part,
    Duplicate,
}

/// Why a record is left out.
pub(super) type Refusal = String;

impl Imported {
    /// Books what one record became. The notes of a record that is left out go with it: its refusal says enough.
    pub(super) fn book(&mut self, line: usize, text: &str, notes: Notes, outcome: Result<Record, Refusal>) {
        self.counts.records += 1;
        let refusal = match outcome {
            Ok(Record::Events(mut events)) => {
                self.counts.taken += 1;
                let place = Place { record: self.counts.records, line };
                self.places.extend(events.iter().map(|_| place));
                self.lines.append(&mut events);
                None
            }
            Ok(Record::Part) => {
                self.counts.parts += 1;
                None
            }
            Ok(Record::Duplicate) => {
                self.counts.duplicates += 1;
                None
            }
            Err(reason) => {
                self.counts.left_out += 1;
                let text = redact(text).text.into_owned();
                self.refused.push(RefusedRecord { line, text, reason: reason.clone() });
                Some(reason)
            }
        };
        let taken = refusal.is_none();
        let reasons = refusal.map_or(notes.0, |reason| vec![reason]);
        self.odd.extend(reasons.into_iter().map(|reason| Odd { line, text: shown(text), reason, taken }));
    }

    /// Books that the door refused an event: its record counts as left out, once, however many of its events are refused.
    pub fn book_refused(&mut self, event: usize, reason: String) {
        let place = self.places.get(event).copied().unwrap_or(Place { record: 0, line: 0 });
        let text = self.lines.get(event).map(|line| shown(line)).unwrap_or_default();
        self.odd.push(Odd { line: place.line, text, reason, taken: false });
        if self.last_refused != Some(place.record) {
            self.last_refused = Some(place.record);
            self.counts.taken = self.counts.taken.saturating_sub(1);
            self.counts.left_out += 1;
        }
    }

    /// Books a record that holds nothing.
    pub(super) fn book_blank(&mut self) {
        self.counts.records += 1;
        self.counts.blank += 1;
    }
}

/// The beginning of a record. Its secrets leave it before it is cut: a half of one would not be recognised.
fn shown(text: &str) -> String {
    redact(text).text.chars().take(SHOWN_CHARACTERS).collect()
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One line of a file.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// Its text without the line end.
    pub(super) text: Cow<'a, str>,
    had_mark: bool,
}

impl Line<'_> {
    /// Notes what had to be repaired to read the line.
    pub(super) fn note_repairs(&self, notes: &mut Notes) {
        note_repairs(&self.text, self.had_mark, notes);
    }
}

/// The lines of a file. LF, CR LF and a lone CR end a line; the last one needs no end.
pub(super) fn split_lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = bytes;
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (line, behind) = rest.split_at(end);
        rest = behind.strip_prefix(b"\r\n").unwrap_or_else(|| behind.get(1..).unwrap_or_default());
        number += 1;
        // Only editors write a mark, and only at the start of a file.
        let unmarked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1);
        Some(Line { number, text: String::from_utf8_lossy(unmarked.unwrap_or(line)), had_mark: unmarked.is_some() })
    })
}

/// The text of a whole file, repaired as the lines of a log are.
pub(super) fn decode_file<'a>(bytes: &'a [u8], notes: &mut Notes) -> Cow<'a, str> {
    let unmarked = bytes.strip_prefix(BYTE_ORDER_MARK);
    let text = String::from_utf8_lossy(unmarked.unwrap_or(bytes));
    note_repairs(&text, unmarked.is_some(), notes);
    text
}

/// Decoding allocates only where it replaces something, which tells a repaired text from one that was sound.
#[expect(clippy::ptr_arg, reason = "what matters is whether the text is borrowed")]
fn note_repairs(text: &Cow<'_, str>, had_mark: bool, notes: &mut Notes) {
    if had_mark {
        notes.add("a leading byte order mark was ignored");
    }
    if matches!(text, Cow::Owned(_)) {
        notes.add("bytes that are not UTF-8 were replaced by `\u{fffd}`");
    }
}
