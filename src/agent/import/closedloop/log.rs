//! The logs of ClosedLoop, read line by line.

use super::number::trim;
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::line::split_lines;

/// Reads a log line by line. The reader is handed each line that holds something, without the white space around it.
pub(super) fn import_log(text: &[u8], mut read: impl FnMut(&str, &mut Notes) -> Result<Record, Refusal>) -> Imported {
    let mut imported = Imported::default();
    for line in split_lines(text) {
        let row = trim(&line.text);
        let mut notes = Notes::default();
        line.note_repairs(&mut notes);
        if row.is_empty() {
            imported.book_blank();
            continue;
        }
        let outcome = read(row, &mut notes);
        imported.book(line.number, row, notes, outcome);
    }
    imported
}
