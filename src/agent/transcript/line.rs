//! The lines of something that is read, of which no more than a bound is ever held.

use std::io::{self, BufRead};

#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Its bytes, without its end.
    Whole(&'a [u8]),
    /// It is longer than what is held; so many bytes were passed over.
    TooLong(u64),
}

/// The lines of something that is read.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    most_bytes: usize,
    held: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The lines of an input, each of at most so many bytes.
    pub const fn new(input: R, most_bytes: usize) -> Self {
        Self { input, most_bytes, held: Vec::new() }
    }

    /// The next line; none at the end.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.held.clear();
        let mut length = 0_u64;
        loop {
            let block = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            if block.is_empty() && length == 0 {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', block);
            let piece = &block[..end.unwrap_or(block.len())];
            length += piece.len() as u64;
            // What goes beyond the bound is only counted, and what was held of it is given back.
            if length > self.most_bytes as u64 {
                self.held = Vec::new();
            } else {
                self.held.extend_from_slice(piece);
            }
            let (used, is_last) = (piece.len() + usize::from(end.is_some()), end.is_some() || block.is_empty());
            self.input.consume(used);
            if is_last {
                break;
            }
        }
        if length > self.most_bytes as u64 { Ok(Some(Line::TooLong(length))) } else { Ok(Some(Line::Whole(&self.held))) }
    }
}
