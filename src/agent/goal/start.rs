//! When a run began and how far it has come, as `runs.log` or its own name tells it.

use std::io;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use jiff::civil::DateTime;
use jiff::{Timestamp, tz};

use event::parse_time;
use store::durable;

const MOST_ROW_BYTES: usize = 64 << 10;
/// How many hours ahead of UTC the earliest clocks of the world are.
const EARLIEST_ZONE_HOURS: i8 = 14;

/// When a run began: the earlier of the times in its name and of its first row in the folder's `runs.log`, which is written when the
/// first iteration ends. None where neither says so.
pub fn find_start(workdir: &Path, run_id: &str) -> Option<Timestamp> {
    let log = durable::open_regular(&workdir.join("runs.log")).ok();
    // Whoever needs the log says so when it cannot be read; here the name serves as well.
    let row = log.and_then(|file| read_first_time(BufReader::new(file), run_id).ok().flatten());
    [row, parse_run_time(run_id)].into_iter().flatten().min()
}

/// The time of the first row of a run that gives one.
pub fn read_first_time(log: impl BufRead, run_id: &str) -> io::Result<Option<Timestamp>> {
    let mut first = None;
    for_each_line(log, MOST_ROW_BYTES, |row| first = first.or_else(|| parse_row(row?, run_id)))?;
    Ok(first)
}

/// The time in a name of the form `20260131-235959-...`: the earliest that it can mean. It is written by a clock whose zone is not
/// known, and what was made in the run must not be taken for older than it.
pub fn parse_run_time(run_id: &str) -> Option<Timestamp> {
    let (date, rest) = run_id.trim().split_once('-')?;
    let (time, _) = rest.split_once('-')?;
    let is_number = |digits: &str, length: usize| digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(date, 8) || !is_number(time, 6) {
        return None;
    }
    let local = DateTime::strptime("%Y%m%d%H%M%S", format!("{date}{time}")).ok()?;
    tz::offset(EARLIEST_ZONE_HOURS).to_timestamp(local).ok()
}

fn parse_row(row: &[u8], run_id: &str) -> Option<Timestamp> {
    let row = String::from_utf8_lossy(row);
    let mut fields = row.split('|').map(str::trim);
    let is_own = fields.next() == Some(run_id.trim());
    let time = fields.next().filter(|_| is_own)?;
    Timestamp::from_microsecond(parse_time(time)?).ok()
}

/// The highest iteration among the rows of a run: a run has a row for each, and later ones for its review. None where no row
/// gives one.
pub fn read_highest_iteration(log: impl BufRead, run_id: &str) -> io::Result<Option<i64>> {
    let mut highest = None;
    for_each_line(log, MOST_ROW_BYTES, |row| highest = highest.max(row.and_then(|row| parse_iteration(row, run_id))))?;
    Ok(highest)
}

/// The iteration of a row: run, time, goal, iteration, and what else there is.
fn parse_iteration(row: &[u8], run_id: &str) -> Option<i64> {
    let row = String::from_utf8_lossy(row);
    let mut fields = row.split('|').map(str::trim);
    let is_own = fields.next() == Some(run_id.trim());
    let iteration = fields.nth(2).filter(|digits| is_own && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    iteration.parse().ok()
}

/// Hands over each line without its end. One that is longer than `most_bytes` is passed over, and None is handed over.
pub(super) fn for_each_line(mut reader: impl BufRead, most_bytes: usize, mut take: impl FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(most_bytes as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') && line.len() > most_bytes {
            reader.skip_until(b'\n')?;
            take(None);
            continue;
        }
        let bare = line.strip_suffix(b"\n").unwrap_or(&line);
        take(Some(bare.strip_suffix(b"\r").unwrap_or(bare)));
    }
}
