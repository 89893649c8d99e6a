//! The transcript of an agent: what it said last.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde_json::value::RawValue;

use crate::transcript::json::text;
use crate::transcript::{Row, visit_blocks};
use store::durable::open_regular;

/// How much of a transcript is read at a time, in bytes. The last words mostly stand in the last block.
const BLOCK_BYTES: usize = 64 << 10;
/// How far back a transcript is read, in bytes: far beyond one result of a tool, and a bound for what a turn can cost.
const MOST_BYTES: u64 = 16 << 20;

/// The text of the last message of an agent that has any, from a transcript in JSONL.
///
/// A message may take several lines, one for each part of its content; the texts of all lines with its id are joined by line
/// ends, whatever else lies between them but for another message of an agent. Lines that are no JSON, such as one that is
/// still being written, are passed over. Only the last 16 MiB are read. None: there is no such message.
pub fn last_words(path: &Path, speaker: Speaker) -> io::Result<Option<String>> {
    find_last_words(&open_regular(path)?, speaker, BLOCK_BYTES, MOST_BYTES)
}

/// Whose words are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// Whoever speaks: the transcript is an agent's own.
    Anyone,
    /// The session itself, in whose transcript its agents may speak too.
    Session,
}

/// The same for an open file, with the bytes that are read at a time, and at most.
pub fn find_last_words(file: &File, speaker: Speaker, block_bytes: usize, most_bytes: u64) -> io::Result<Option<String>> {
    let mut lines = LinesFromEnd::new(file, block_bytes, most_bytes)?;
    let mut message = Message::default();
    while let Some(line) = lines.next_line()? {
        let Some(part) = parse_line(&String::from_utf8_lossy(&line), speaker) else { continue };
        if !message.is_continued_by(&part) {
            if !message.texts.is_empty() {
                break;
            }
            message.id = part.id;
        }
        // Lines come from the last to the first, and the texts of each are put in the same order.
        message.texts.extend(part.texts.into_iter().rev());
    }
    message.texts.reverse();
    Ok((!message.texts.is_empty()).then(|| message.texts.join("\n")))
}

/// A message of an agent, or the part of it that stands on one line.
#[derive(Debug, Default)]
struct Message {
    id: Option<String>,
    texts: Vec<String>,
}

impl Message {
    fn is_continued_by(&self, part: &Self) -> bool {
        self.id.is_some() && self.id == part.id
    }
}

/// What an agent says on a line. None if the line is no message of an agent.
fn parse_line(line: &str, speaker: Speaker) -> Option<Message> {
    let row = Row::parse(line).ok()?;
    // Lines of another type may carry a message of an agent too, as a copy of what stands elsewhere.
    if row.has_kind() && row.kind().as_deref() != Some("assistant") {
        return None;
    }
    if speaker == Speaker::Session && row.is_sidechain() {
        return None;
    }
    let message = row.inner_message()?;
    if message.role().as_deref() != Some("assistant") || message.is_synthetic() {
        return None;
    }
    Some(Message { id: message.id(), texts: message.content().map(texts).unwrap_or_default() })
}

/// The texts of a content, which is a list of blocks or a text itself. Blank ones say nothing.
fn texts(content: &RawValue) -> Vec<String> {
    let mut found: Vec<String> = text(content).into_iter().collect();
    visit_blocks(content, |_, said| found.extend(said));
    found.retain(|text| !text.trim().is_empty());
    found
}

/// The lines of a file from the last to the first.
struct LinesFromEnd<'a> {
    file: &'a File,
    block_bytes: usize,
    /// What lies before this place is not read.
    floor: u64,
    /// Where the block begins that was read last.
    start: u64,
    /// What of that block belongs to lines that were not given yet.
    block: Vec<u8>,
    /// The pieces of a line whose beginning was not found yet, the last piece first.
    pieces: Vec<Vec<u8>>,
    is_done: bool,
}

impl<'a> LinesFromEnd<'a> {
    fn new(file: &'a File, block_bytes: usize, most_bytes: u64) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let floor = length.saturating_sub(most_bytes);
        Ok(Self {
            file,
            block_bytes: block_bytes.max(1),
            floor,
            start: length,
            block: Vec::new(),
            pieces: Vec::new(),
            is_done: false,
        })
    }

    /// The next line towards the beginning, without its end. A line that begins before what is read is not given.
    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        while !self.is_done {
            if let Some(end) = memchr::memrchr(b'\n', &self.block) {
                let piece = self.block.split_off(end + 1);
                self.block.pop();
                return Ok(Some(self.finish_line(piece)));
            }
            let piece = std::mem::take(&mut self.block);
            if self.start > self.floor {
                self.pieces.push(piece);
                self.read_block()?;
            } else {
                self.is_done = true;
                let line = self.finish_line(piece);
                return Ok((self.floor == 0).then_some(line));
            }
        }
        Ok(None)
    }

    fn finish_line(&mut self, mut line: Vec<u8>) -> Vec<u8> {
        self.pieces.drain(..).rev().for_each(|piece| line.extend(piece));
        line
    }

    fn read_block(&mut self) -> io::Result<()> {
        let length = (self.start - self.floor).min(self.block_bytes as u64);
        self.start -= length;
        self.block = vec![0; usize::try_from(length).unwrap_or(self.block_bytes)];
        self.file.read_exact_at(&mut self.block, self.start)
    }
}
