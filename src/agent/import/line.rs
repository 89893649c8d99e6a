//! Bytes to lines, as Python's universal newlines split them, with broken characters repaired line by line.

use std::borrow::Cow;

use memchr::memchr2;

use super::imported::Notes;

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
