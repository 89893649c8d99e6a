//! Reading a file onwards from where it was left, in blocks of complete lines, in bounded memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::event::limit;

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
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The bytes; each line in it ends in a newline.
    pub bytes: &'a [u8],
    /// Where the block starts in the file.
    pub offset: u64,
    /// Whether this is the start of one line that is too long to be held, rather than complete lines.
    pub oversized: Option<u64>,
}

impl<'a> Block<'a> {
    /// The lines.
    pub fn lines(self) -> impl Iterator<Item = Line<'a>> {
        let text = std::str::from_utf8(self.bytes).ok();
        let mut rest = self.bytes;
        let mut offset = self.offset;
        let mut start = 0;
        std::iter::from_fn(move || {
            let end = memchr::memchr(b'\n', rest)?;
            let (line, behind) = rest.split_at(end + 1);
            let text = text.and_then(|text| text.get(start..start + end));
            let found = Line { bytes: &line[..end], text, offset, length: line.len() as u64 };
            rest = behind;
            start += line.len();
            offset += line.len() as u64;
            Some(found)
        })
    }
}

/// Reads a file from an offset to the last complete line before an end.
#[derive(Debug)]
pub struct LineReader<'f> {
    file: &'f File,
    buffer: Vec<u8>,
    /// The bytes of the buffer that hold data.
    filled: usize,
    /// The bytes at the start of the buffer that were handed out.
    taken: usize,
    /// Where the buffer starts in the file.
    offset: u64,
    end: u64,
}

impl<'f> LineReader<'f> {
    /// A reader of `file` from `offset` to `end`, with blocks of about `most_bytes` at the most.
    #[must_use]
    pub fn new(file: &'f File, offset: u64, end: u64, most_bytes: u64) -> Self {
        // A short file does not need a whole block.
        let most = end.saturating_sub(offset).min(most_bytes);
        let block = BLOCK_BYTES.min(usize::try_from(most).unwrap_or(BLOCK_BYTES)).max(1);
        Self { file, buffer: vec![0; block], filled: 0, taken: 0, offset, end }
    }

    /// The next block of complete lines. None when only half a line, or nothing, is left.
    pub fn next_block(&mut self) -> io::Result<Option<Block<'_>>> {
        self.drop_taken();
        loop {
            if let Some(last) = memchr::memrchr(b'\n', &self.buffer[..self.filled]) {
                self.taken = last + 1;
                return Ok(Some(Block { bytes: &self.buffer[..=last], offset: self.offset, oversized: None }));
            }
            if self.filled > limit::LINE_BYTES {
                return self.oversized_line();
            }
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
    }

    fn drop_taken(&mut self) {
        self.buffer.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.offset += self.taken as u64;
        self.taken = 0;
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let position = self.offset + self.filled as u64;
        let room = self.buffer.len() - self.filled;
        let wanted = room.min(usize::try_from(self.end.saturating_sub(position)).unwrap_or(room));
        let read = self.file.read_at(&mut self.buffer[self.filled..self.filled + wanted], position)?;
        self.filled += read;
        Ok(read)
    }

    /// A line beyond the limit: its start is kept for the quarantine, the rest is passed over.
    fn oversized_line(&mut self) -> io::Result<Option<Block<'_>>> {
        let mut position = self.offset + self.filled as u64;
        let mut window = vec![0; BLOCK_BYTES];
        while position < self.end {
            let wanted = window.len().min(usize::try_from(self.end - position).unwrap_or(usize::MAX));
            let read = self.file.read_at(&mut window[..wanted], position)?;
            if read == 0 {
                break;
            }
            if let Some(at) = memchr::memchr(b'\n', &window[..read]) {
                let length = position + at as u64 + 1 - self.offset;
                let start = self.offset;
                self.offset += length;
                self.taken = 0;
                let kept = std::mem::replace(&mut self.filled, 0);
                return Ok(Some(Block { bytes: &self.buffer[..kept], offset: start, oversized: Some(length) }));
            }
            position += read as u64;
        }
        Ok(None)
    }
}
