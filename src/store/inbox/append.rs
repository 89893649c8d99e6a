//! Appending whole lines durably, from any number of processes at once.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::durable;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// How long a writer waits for others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a batch of lines went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The inbox file.
    pub file: PathBuf,
    /// The bytes written.
    pub bytes: u64,
}

/// Appends whole lines to the inbox file of the day. When this returns, they survive a power cut.
///
/// The lock covers the write only, not the sync: waiting writers share one journal commit of the file system.
pub fn append(inbox: &Path, day: Day, lines: &[u8]) -> Outcome<Appended> {
    append_to(&inbox.join(format!("record-{day}.jsonl")), lines)
}

/// The same for any file of lines.
pub(crate) fn append_to(path: &Path, lines: &[u8]) -> Outcome<Appended> {
    let failed = |what: &str, error: &std::io::Error| Diagnostic::io(what, path, error);
    let (mut file, created) = durable::open_for_append(path).map_err(|error| failed("cannot open the inbox file", &error))?;
    // Another writer takes no longer than a write; one that never ends is not waited for.
    durable::lock_within(&file, PATIENCE).map_err(|error| failed("cannot lock the inbox file", &error))?;
    let bytes = write_whole(&mut file, lines).map_err(|error| failed("cannot append to the inbox file", &error))?;
    flock(&file, FlockOperation::Unlock).map_err(|error| failed("cannot unlock the inbox file", &error.into()))?;
    durable::sync_file(&file, path).map_err(unsure)?;
    if let Some(folder) = path.parent().filter(|_| created) {
        durable::sync_folder(folder).map_err(unsure)?;
    }
    Ok(Appended { file: path.to_path_buf(), bytes })
}

/// Writes all of the lines or none of them.
fn write_whole(file: &mut File, lines: &[u8]) -> std::io::Result<u64> {
    let start = file.seek(SeekFrom::End(0))?;
    // A writer that was killed left half a line: end it, so that ours does not become its tail.
    let torn = start > 0 && !ends_in_newline(file, start)?;
    let written = (if torn { file.write_all(b"\n") } else { Ok(()) }).and_then(|()| file.write_all(lines));
    if let Err(error) = written {
        // On a full disk a part of the lines may stand there. Nobody was told that they landed.
        file.set_len(start)?;
        return Err(error);
    }
    Ok(lines.len() as u64)
}

fn ends_in_newline(file: &mut File, end: u64) -> std::io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::Start(end - 1))?;
    file.read_exact(&mut last)?;
    Ok(last[0] == b'\n')
}

/// After a failed sync the bytes may or may not be on the disk. Sending them again is harmless: an id counts once.
fn unsure(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.remedy =
        String::from("the events may not survive a power cut: send them again with the same ids (an id counts once)");
    diagnostic
}
