//! The times of records and of files, as our door takes them.

use jiff::Timestamp;

use super::imported::{Notes, Refusal};
use event::parse_time;
use text::fit::quoted;
use text::limit;

/// The time of a row. What the door would refuse as too early is refused here.
pub(super) fn parse_row_time(text: &str) -> Result<Timestamp, Refusal> {
    let micros = parse_time(text).ok_or_else(|| format!("the time {} is not RFC 3339", quoted(text)))?;
    if micros < limit::EARLIEST_MICROS {
        return Err(format!("the time {} is before 2000", quoted(text)));
    }
    Timestamp::from_microsecond(micros).map_err(|_| format!("the time {} is too far in the future", quoted(text)))
}

/// The time of a file. A file may have lost its own: one from before 2000 is moved there.
pub(super) fn fit_file_time(modified: Timestamp, notes: &mut Notes) -> Timestamp {
    let micros = modified.as_microsecond();
    if micros < limit::EARLIEST_MICROS {
        notes.add(format!("the file's time {modified} is before 2000 and was set to 2000"));
    }
    Timestamp::from_microsecond(micros.max(limit::EARLIEST_MICROS)).unwrap_or(modified)
}
