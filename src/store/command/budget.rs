//! The daily call limit of a command. A call is counted before it is made, so that a crash cannot make it free.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde_json::json;

use super::purpose::Purpose;
use crate::durable;
use crate::workspace::Workspace;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// The calls of one purpose and day, UTC: a line each in a file of the workspace's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    purpose: Purpose,
    folder: PathBuf,
    path: PathBuf,
    used: u64,
}

impl Budget {
    /// The budget of a day, with what was used of it already.
    pub fn load(workspace: &Workspace, purpose: Purpose, day: Day) -> Outcome<Self> {
        let folder = workspace.history();
        let path = folder.join(format!("{}-{day}.jsonl", purpose.file));
        let used = match durable::open_regular(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            opened => opened.and_then(|mut file| count_calls(&mut file)).map(|(calls, _)| calls),
        };
        let used = used.map_err(|error| Diagnostic::io("cannot read the budget of calls", &path, &error))?;
        Ok(Self { purpose, folder, path, used })
    }

    /// How many calls were made that day, as far as is known.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.used
    }

    /// Takes one call about so many things out of a budget of so many calls. False: it is used up.
    ///
    /// When this says yes, the call is on the disk. Other processes that ask at the same time wait for their turn.
    pub fn take(&mut self, most_calls: u32, things: usize, program: &str, now: Timestamp) -> Outcome<bool> {
        durable::create_folder(&self.folder)?;
        let failed = |error: io::Error| Diagnostic::io("cannot write the budget of calls", &self.path, &error);
        let (mut file, is_created) = durable::open_for_append(&self.path).map_err(failed)?;
        flock(&file, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let (calls, is_torn) = count_calls(&mut file).map_err(failed)?;
        self.used = calls;
        if calls >= u64::from(most_calls) {
            return Ok(false);
        }
        let line = json!({"ts": now.to_string(), (self.purpose.things): things, "program": program});
        // A call whose line was cut off was made, or about to be: its line stays, and counts.
        let line = format!("{}{line}\n", if is_torn { "\n" } else { "" });
        file.write_all(line.as_bytes()).map_err(failed)?;
        durable::sync_file(&file, &self.path)?;
        if is_created {
            durable::sync_folder(&self.folder)?;
        }
        self.used = calls + 1;
        Ok(true)
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
