//! How often a day a command is called, and how soon again. A call is counted before it is made, so that a crash cannot make it free.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use rustix::fs::{FlockOperation, flock};
use serde::Deserialize;
use serde_json::json;

use super::asker::Purpose;
use crate::durable;
use crate::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// How often a command may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The calls of a day, failed ones included.
    pub calls_per_day: u32,
    /// How far two calls lie apart.
    pub pause: SignedDuration,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Go,
    /// The last one was too short a while ago. The next may be made then.
    TooSoon(Timestamp),
    /// The calls of the day are used up.
    UsedUp,
}

/// The calls of one purpose and day, UTC: a line each in a file of the workspace's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    purpose: Purpose,
    folder: PathBuf,
    day: Day,
    used: u64,
}

/// What is read of a line.
#[derive(Deserialize)]
struct Call {
    ts: Timestamp,
}

impl Budget {
    /// The budget of a day, with what was used of it already.
    pub fn load(workspace: &Workspace, purpose: Purpose, day: Day) -> Outcome<Self> {
        let mut budget = Self { purpose, folder: workspace.history(), day, used: 0 };
        budget.used = budget.read(day, 0, |file| Ok(count_calls(file)?.0))?;
        Ok(budget)
    }

    /// How many calls were made that day, as far as is known.
    pub const fn used(&self) -> u64 {
        self.used
    }

    /// Takes one call about so many things out of the budget, if one may be made.
    ///
    /// When this says yes, the call is on the disk. Other processes that ask at the same time wait for their turn.
    pub fn take(&mut self, limit: Limit, things: usize, program: &str, now: Timestamp) -> Outcome<Start> {
        durable::create_folder(&self.folder)?;
        let path = self.path(self.day);
        let failed = |error: io::Error| Diagnostic::io("cannot write the budget of calls", &path, &error);
        let (mut file, is_created) = durable::open_for_append(&path).map_err(failed)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let (calls, is_torn) = count_calls(&mut file).map_err(failed)?;
        self.used = calls;
        if calls >= u64::from(limit.calls_per_day) {
            return Ok(Start::UsedUp);
        }
        if limit.pause.is_positive()
            && let Some(next) = self.last(now)?.and_then(|last| last.checked_add(limit.pause).ok()).filter(|next| *next > now)
        {
            return Ok(Start::TooSoon(next));
        }
        let line = json!({"ts": now.to_string(), (self.purpose.things): things, "program": program});
        // A call whose line was cut off was made, or about to be: its line stays, and counts.
        let line = format!("{}{line}\n", if is_torn { "\n" } else { "" });
        file.write_all(line.as_bytes()).map_err(failed)?;
        durable::sync_file(&file, &path)?;
        if is_created {
            durable::sync_folder(&self.folder)?;
        }
        self.used = calls + 1;
        Ok(Start::Go)
    }

    /// When the last call was made, today or the day before. One that a clock put into the future holds nobody back.
    fn last(&self, now: Timestamp) -> Outcome<Option<Timestamp>> {
        let mut last = None;
        for day in [self.day.earlier_by(1), self.day] {
            let times = self.read(day, Vec::new(), |file| {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                let lines = bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Call>(line).ok());
                Ok(lines.map(|call| call.ts).filter(|time| *time <= now).collect())
            })?;
            last = times.into_iter().max().max(last);
        }
        Ok(last)
    }

    /// What a day's file says, or what holds where there is none.
    fn read<T>(&self, day: Day, nothing: T, parse: impl FnOnce(&mut File) -> io::Result<T>) -> Outcome<T> {
        let path = self.path(day);
        let read = match durable::open_regular(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(nothing),
            opened => opened.and_then(|mut file| parse(&mut file)),
        };
        read.map_err(|error| Diagnostic::io("cannot read the budget of calls", &path, &error))
    }

    fn path(&self, day: Day) -> PathBuf {
        self.folder.join(format!("{}-{day}.jsonl", self.purpose.file))
    }
}

/// How many lines a file has, and whether the last of them is cut off.
fn count_calls(file: &mut File) -> io::Result<(u64, bool)> {
    file.seek(SeekFrom::Start(0))?;
    let (mut calls, mut last) = (0, b'\n');
    let mut block = [0; 8192];
    loop {
        let read = match file.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        let Some(end) = block[..read].last() else { break };
        last = *end;
        calls += memchr::memchr_iter(b'\n', &block[..read]).count() as u64;
    }
    let is_torn = last != b'\n';
    Ok((calls + u64::from(is_torn), is_torn))
}
