//! Reading a file onwards from where it was left, in blocks of complete lines, in bounded memory.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use text::limit;

/// How much is read at once: large enough that system calls do not show, small enough to stay in the caches.
const BLOCK_BYTES: usize = 1 << 20;

/// One complete line of a source.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The bytes without the line end.
    pub bytes: &'a [u8],
    /// The same as text, where the whole block is known to be UTF-8: one check for all instead of one for each.
    pub text: Option<&'a str>,
    /// Where the line starts in the file.
    pub offset: u64,
    /// The bytes of the line in the file, with its end. Greater than `bytes` where a line was too long to be held.
    pub length: u64,
}

/// Some complete lines that stand together.
#[derive(Debug)]
pub struct Block {
    content: Content,
    /// Where the block starts in the file.
    pub offset: u64,
    /// The length in the file of the one line whose start this block is, where it is too long to be held.
    pub oversized: Option<u64>,
}

#[derive(Debug)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Block {
    fn new(bytes: Vec<u8>, offset: u64, oversized: Option<u64>) -> Self {
        let content = String::from_utf8(bytes).map_or_else(|error| Content::Bytes(error.into_bytes()), Content::Text);
        Self { content, offset, oversized }
    }

    /// The bytes; each line in it ends in a newline, unless it is oversized.
    pub fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// The memory of the block, to be used again.
    #[must_use]
    pub fn into_memory(self) -> Vec<u8> {
        match self.content {
            Content::Text(text) => text.into_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// How many bytes of the file it covers.
    pub fn length(&self) -> u64 {
        self.oversized.unwrap_or(self.bytes().len() as u64)
    }

    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let text = match &self.content {
            Content::Text(text) => Some(text.as_str()),
            Content::Bytes(_) => None,
        };
        let bytes = self.bytes();
        let mut start = 0;
        std::iter::from_fn(move || {
            if self.oversized.is_some() {
                return None;
            }
            let end = start + memchr::memchr(b'\n', &bytes[start..])?;
            let line = Line {
                bytes: &bytes[start..end],
                text: text.and_then(|text| text.get(start..end)),
                offset: self.offset + start as u64,
                length: (end + 1 - start) as u64,
            };
            start = end + 1;
            Some(line)
        })
    }
}

/// Reads a file from an offset to the last complete line before an end.
#[derive(Debug)]
pub struct LineReader<'f> {
    file: &'f File,
    /// What was read and not handed out: no complete line.
    rest: Vec<u8>,
    /// Where `rest` starts in the file.
    offset: u64,
    end: u64,
    block_bytes: usize,
}

impl<'f> LineReader<'f> {
    /// A reader of `file` from `offset` to `end`, with blocks of about `most_bytes` at the most.
    pub fn new(file: &'f File, offset: u64, end: u64, most_bytes: u64) -> Self {
        let block_bytes = BLOCK_BYTES.min(usize::try_from(most_bytes).unwrap_or(BLOCK_BYTES)).max(1);
        Self { file, rest: Vec::new(), offset, end, block_bytes }
    }

    /// The next block of complete lines, in memory that may have been used before. None when only half a line, or nothing,
    /// is left.
    pub fn next_block(&mut self, mut memory: Vec<u8>) -> io::Result<Option<Block>> {
        memory.clear();
        memory.reserve(self.block_bytes + self.rest.len());
        memory.append(&mut self.rest);
        // Only what is read anew can hold a line end.
        let mut searched = 0;
        loop {
            if let Some(last) = memchr::memrchr(b'\n', &memory[searched..]) {
                let length = searched + last + 1;
                self.rest.extend_from_slice(&memory[length..]);
                memory.truncate(length);
                let offset = self.offset;
                self.offset += length as u64;
                return Ok(Some(Block::new(memory, offset, None)));
            }
            searched = memory.len();
            if searched > limit::LINE_BYTES {
                return self.oversized_line(memory);
            }
            if self.fill(&mut memory)? == 0 {
                self.rest = memory;
                return Ok(None);
            }
        }
    }

    fn fill(&self, memory: &mut Vec<u8>) -> io::Result<usize> {
        let position = self.offset + memory.len() as u64;
        let wanted = (self.block_bytes as u64).min(self.end.saturating_sub(position));
        let mut file = self.file;
        file.seek(SeekFrom::Start(position))?;
        // Unlike a read into a slice, this fills memory that nobody had to clear before.
        file.take(wanted).read_to_end(memory)
    }

    /// A line beyond the limit: its start is kept for the quarantine, the rest is passed over.
    fn oversized_line(&mut self, kept: Vec<u8>) -> io::Result<Option<Block>> {
        let mut position = self.offset + kept.len() as u64;
        let mut window = vec![0; BLOCK_BYTES];
        while position < self.end {
            let wanted = window.len().min(usize::try_from(self.end - position).unwrap_or(usize::MAX));
            let read = self.file.read_at(&mut window[..wanted], position)?;
            if read == 0 {
                break;
            }
            if let Some(at) = memchr::memchr(b'\n', &window[..read]) {
                let (start, length) = (self.offset, position + at as u64 + 1 - self.offset);
                self.offset += length;
                return Ok(Some(Block::new(kept, start, Some(length))));
            }
            position += read as u64;
        }
        Ok(None)
    }
}
