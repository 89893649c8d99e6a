//! Rotating a log that other programs append to, without a lock that they would know of.
//!
//! The part that stays is written to a file of its own, which then changes places with the log in one step. Whoever opened
//! the log before that may still write to the file that was swapped out; its lines are carried over to the log once nobody
//! has it open any more. Until then it keeps a name that says how much of it was carried over, so that a later run can go
//! on where a killed one stopped.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use memchr::{memmem, memrchr};

use super::session::is_open_for_writing;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// A longer log is left alone: it would have to be held in memory.
const MOST_BYTES: u64 = 1 << 30;

/// How often it is asked whether writers have left, and how long is waited in between.
const ASKED_TIMES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(5);

/// How often it is waited where the system cannot say who writes.
const BLIND_PAUSES: u32 = 20;

/// A log of a run's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// What became of patterns that were applied.
    Outcomes,
    Acknowledgments,
    Runs,
    /// How long things took.
    Perf,
}

impl Log {
    /// The file's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outcomes => "outcomes.log",
            Self::Acknowledgments => "acknowledgments.log",
            Self::Runs => "runs.log",
            Self::Perf => "perf.jsonl",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotated {
    pub log: Log,
    pub kept_lines: u64,
    /// Lines that went to the file with `.1` behind its name.
    pub dropped_lines: u64,
}

/// Takes over the lines of a log before any of them is dropped.
pub(super) type Land<'l> = dyn FnMut(Log, &[u8]) -> Outcome<()> + 'l;

/// A log in its folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    pub folder: &'p Path,
    pub log: Log,
}

/// Rotates a log if `keep` says that some of its lines go. Every line that goes, and the earlier `.1` that they replace, was
/// handed to `land` before. None where nothing is to be done, or where a note says why nothing was done.
pub(super) fn rotate(
    place: Place<'_>,
    is_dry: bool,
    keep: &mut dyn FnMut(&[&[u8]]) -> Vec<bool>,
    land: &mut Land<'_>,
    notes: &mut Vec<String>,
) -> Outcome<Option<Rotated>> {
    if !is_dry && !place.finish_earlier(land, notes)? {
        return Ok(None);
    }
    let Some(content) = place.load(&place.live(), notes)? else { return Ok(None) };
    let lines: Vec<&[u8]> = content.bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let stays = keep(&lines);
    let part = |wanted: bool| -> Vec<&[u8]> {
        lines.iter().zip(&stays).filter(|(_, stays)| **stays == wanted).map(|(line, _)| *line).collect()
    };
    let (kept, dropped) = (part(true), part(false));
    if dropped.is_empty() || !place.is_previous_fit(notes) {
        return Ok(None);
    }
    let rotated = Rotated { log: place.log, kept_lines: kept.len() as u64, dropped_lines: dropped.len() as u64 };
    if is_dry {
        return Ok(Some(rotated));
    }
    if let Some(previous) = place.load(&place.previous(), notes)? {
        land(place.log, &previous.whole()?)?;
    }
    land(place.log, &content.bytes)?;
    let is_swapped = place.swap(&content, &kept.concat(), &dropped.concat(), notes)?;
    Ok(is_swapped.then_some(rotated))
}

/// The complete lines of a file when it was read.
struct Content {
    file: File,
    bytes: Vec<u8>,
    inode: (u64, u64),
    permissions: Permissions,
    path: PathBuf,
}

impl Content {
    /// Everything in the file, also a line without an end.
    fn whole(&self) -> Outcome<Vec<u8>> {
        read_from(&self.file, 0).map_err(|error| Diagnostic::io("cannot read the log", &self.path, &error))
    }
}

impl Place<'_> {
    fn live(&self) -> PathBuf {
        self.folder.join(self.log.name())
    }

    fn previous(&self) -> PathBuf {
        self.folder.join(format!("{}.1", self.log.name()))
    }

    /// The name of a file that was swapped out, and of which this many bytes were seen to.
    fn aside(&self, seen_bytes: u64) -> PathBuf {
        self.folder.join(format!("{}{seen_bytes}", self.aside_prefix()))
    }

    fn aside_prefix(&self) -> String {
        format!(".{}.rotating-", self.log.name())
    }

    /// The complete lines of a file. None where there is no such file, or where a note says why it is left alone.
    fn load(&self, path: &Path, notes: &mut Vec<String>) -> Outcome<Option<Content>> {
        let failed = |error: io::Error| Diagnostic::io("cannot read the log", path, &error);
        let file = match durable::open_regular(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(failed(error)),
            Err(_) => {
                self.note(notes, "it is not a regular file");
                return Ok(None);
            }
            Ok(file) => file,
        };
        let metadata = file.metadata().map_err(failed)?;
        if metadata.len() > MOST_BYTES {
            self.note(notes, "it is larger than 1 GiB");
            return Ok(None);
        }
        let mut bytes = read_from(&file, 0).map_err(failed)?;
        // Half a line is still being written.
        bytes.truncate(complete(&bytes));
        let inode = (metadata.dev(), metadata.ino());
        Ok(Some(Content { file, bytes, inode, permissions: metadata.permissions(), path: path.to_path_buf() }))
    }

    /// Puts what stays in the log's place. Says whether it could.
    fn swap(&self, content: &Content, kept: &[u8], dropped: &[u8], notes: &mut Vec<String>) -> Outcome<bool> {
        let (live, aside) = (self.live(), self.aside(content.bytes.len() as u64));
        stage(&aside, kept, &content.permissions)?;
        if let Err(error) = durable::exchange(&live, &aside) {
            remove(&aside)?;
            self.note(notes, &format!("it cannot be swapped atomically here: {error}"));
            return Ok(false);
        }
        durable::sync_folder(self.folder)?;
        if inode(&aside)? != content.inode {
            // Another program put a file of its own in the log's place after it was read. Theirs is the log.
            durable::exchange(&live, &aside).map_err(|error| Diagnostic::io("cannot put the log back", &live, &error))?;
            self.carry_over(&aside, kept.len() as u64, false, notes)?;
            self.note(notes, "another program replaced it at the same time");
            return Ok(false);
        }
        durable::replace_as(&self.previous(), dropped, Some(content.permissions.clone()))?;
        self.carry_over(&aside, content.bytes.len() as u64, false, notes)?;
        Ok(true)
    }

    /// Finishes what an earlier run could not. Says whether the log is free to be rotated again.
    fn finish_earlier(&self, land: &mut Land<'_>, notes: &mut Vec<String>) -> Outcome<bool> {
        let mut is_free = true;
        for (aside, seen_bytes) in self.earlier()? {
            let Some(content) = self.load(&aside, notes)? else {
                is_free = false;
                continue;
            };
            // The part that stays is always shorter than the log that it was made of: this one was never swapped in.
            if (content.whole()?.len() as u64) < seen_bytes {
                remove(&aside)?;
                continue;
            }
            land(self.log, &content.bytes)?;
            is_free &= self.carry_over(&aside, seen_bytes, true, notes)?;
        }
        Ok(is_free)
    }

    fn earlier(&self) -> Outcome<Vec<(PathBuf, u64)>> {
        let failed = |error: io::Error| Diagnostic::io("cannot list the run's folder", self.folder, &error);
        let prefix = self.aside_prefix();
        let mut found = Vec::new();
        for entry in fs::read_dir(self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(&prefix)).and_then(|number| number.parse().ok());
            found.extend(number.map(|number| (entry.path(), number)));
        }
        found.sort();
        Ok(found)
    }

    /// Appends to the log what arrived in a swapped-out file behind the bytes that were seen, and removes that file. Says
    /// whether it is gone: while a program has it open, it stays for a later run.
    fn carry_over(&self, aside: &Path, seen_bytes: u64, is_repeated: bool, notes: &mut Vec<String>) -> Outcome<bool> {
        let failed = |error: io::Error| Diagnostic::io("cannot copy lines to the log", aside, &error);
        let old = durable::open_regular(aside).map_err(failed)?;
        // Asked first and read afterwards: once nobody writes, nobody can begin to, for the name is known to nobody.
        let is_quiet = wait_for_writers(&old).map_err(failed)?;
        let mut late = read_from(&old, seen_bytes).map_err(failed)?;
        if !is_quiet {
            late.truncate(complete(&late));
        }
        let is_there = late.is_empty() || is_repeated && self.has(&late)?;
        if !is_there {
            self.append(&late)?;
        }
        if is_quiet {
            remove(aside)?;
            return Ok(true);
        }
        let seen = self.aside(seen_bytes + late.len() as u64);
        if seen != aside {
            durable::rename(aside, &seen)?;
        }
        self.note(notes, "a program still writes to the rotated file; its lines were copied to the log");
        Ok(false)
    }

    /// Whether a run that was killed before it could say so carried these lines over already.
    fn has(&self, late: &[u8]) -> Outcome<bool> {
        let content = self.load(&self.live(), &mut Vec::new())?;
        Ok(content.is_some_and(|content| memmem::find(&content.bytes, late).is_some()))
    }

    fn append(&self, late: &[u8]) -> Outcome<()> {
        let live = self.live();
        let (mut file, _) =
            durable::open_for_append(&live).map_err(|error| Diagnostic::io("cannot open the log", &live, &error))?;
        // One write, so that it stands together whoever else appends.
        file.write_all(late).map_err(|error| Diagnostic::io("cannot append to the log", &live, &error))?;
        durable::sync_file(&file, &live)
    }

    /// Whether the place of the dropped lines is free, or holds earlier ones.
    fn is_previous_fit(&self, notes: &mut Vec<String>) -> bool {
        let is_fit = match self.previous().symlink_metadata() {
            Ok(metadata) => metadata.is_file() && metadata.len() <= MOST_BYTES,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_fit {
            self.note(notes, "its `.1` file is not a regular file of less than 1 GiB");
        }
        is_fit
    }

    fn note(&self, notes: &mut Vec<String>, why: &str) {
        notes.push(format!("skipped {}: {why}", self.log.name()));
    }
}

/// Waits a little until nobody has a file open for writing. Says whether that is so.
fn wait_for_writers(file: &File) -> io::Result<bool> {
    let mut size = file.metadata()?.len();
    let mut blind_pauses = 0;
    for _ in 0..ASKED_TIMES {
        match is_open_for_writing(file) {
            Some(false) => return Ok(true),
            Some(true) => {}
            // Where nobody can say, a file that does not grow for a while is taken for finished.
            None if blind_pauses >= BLIND_PAUSES => return Ok(true),
            None => {
                let grown = file.metadata()?.len();
                blind_pauses = if grown == size { blind_pauses + 1 } else { 0 };
                size = grown;
            }
        }
        thread::sleep(PAUSE);
    }
    Ok(false)
}

fn stage(path: &Path, bytes: &[u8], permissions: &Permissions) -> Outcome<()> {
    let mut file = durable::create_file(path)?;
    let written = file.set_permissions(permissions.clone()).and_then(|()| file.write_all(bytes));
    written.map_err(|error| Diagnostic::io("cannot write the rest of the log", path, &error))?;
    durable::sync_file(&file, path)
}

fn read_from(mut file: &File, offset: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn complete(bytes: &[u8]) -> usize {
    memrchr(b'\n', bytes).map_or(0, |at| at + 1)
}

fn inode(path: &Path) -> Outcome<(u64, u64)> {
    let metadata = path.symlink_metadata().map_err(|error| Diagnostic::io("cannot inspect the log", path, &error))?;
    Ok((metadata.dev(), metadata.ino()))
}

fn remove(path: &Path) -> Outcome<()> {
    fs::remove_file(path).map_err(|error| Diagnostic::io("cannot remove leftovers of a rotation", path, &error))
}
