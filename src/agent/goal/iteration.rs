//! How far a run has come, as `runs.log` tells it.

use std::io::{self, BufRead};

use super::line::for_each_line;

/// Longer rows are no rows.
const MOST_ROW_BYTES: usize = 64 << 10;

/// The highest iteration among the rows of a run: a run has a row for each, and later ones for its review. None where no row
/// gives one.
pub fn read_highest_iteration(log: impl BufRead, run_id: &str) -> io::Result<Option<i64>> {
    let mut highest = None;
    for_each_line(log, MOST_ROW_BYTES, |row| highest = highest.max(row.and_then(|row| parse_row(row, run_id))))?;
    Ok(highest)
}

/// The iteration of a row: run, time, goal, iteration, and what else there is.
fn parse_row(row: &[u8], run_id: &str) -> Option<i64> {
    let row = String::from_utf8_lossy(row);
    let mut fields = row.split('|').map(str::trim);
    let is_own = fields.next() == Some(run_id.trim());
    let iteration = fields.nth(2).filter(|digits| is_own && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    iteration.parse().ok()
}
