//! The lock of a run's folder, in the format of the loop that shares it: `run_id=..|pid=..|started=..`.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::workdir::{age_seconds, changed};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::to_seconds;

const MOST_BYTES: u64 = 4 << 10;

/// The names of a lock before it counts and after it was found stale, each with the process that gave it.
const STAGED: &str = ".lock.taking-";
const STALE: &str = ".lock.stale-";

/// The lock of a run's folder, given back when this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    content: Vec<u8>,
}

/// What came of asking for the lock.
#[derive(Debug)]
pub(super) enum Taking {
    Ours(Held),
    /// Somebody else's, in words.
    Theirs(String),
}

/// Takes the lock, unless somebody else holds it. One whose owner lives is held, however old it is. One whose owner is not known
/// here is held until it is older than `stale_hours`: a run in a container has a process that cannot be seen from outside. With
/// 0 hours such a lock is stale at once, and one that names no process never is.
pub(super) fn take(learnings: &Path, stale_hours: u32, now: Timestamp) -> Outcome<Taking> {
    let path = learnings.join(".lock");
    if let Some(found) = Found::load(&path)? {
        if let Some(reason) = found.reason_to_wait(stale_hours, now) {
            return Ok(Taking::Theirs(reason));
        }
        if !remove_stale(&path, &found)? {
            return Ok(Taking::Theirs("another process took the lock at the same time".to_owned()));
        }
    }
    let started = to_seconds(now.as_microsecond());
    let content = format!("run_id=prune|pid={}|started={started}\n", std::process::id()).into_bytes();
    if !create(&path, &content)? {
        return Ok(Taking::Theirs("another process took the lock at the same time".to_owned()));
    }
    let held = Held { path, content };
    sweep(learnings)?;
    Ok(Taking::Ours(held))
}

/// Why the lock could not be taken, without taking it.
pub(super) fn reason_to_wait(learnings: &Path, stale_hours: u32, now: Timestamp) -> Outcome<Option<String>> {
    Ok(Found::load(&learnings.join(".lock"))?.and_then(|found| found.reason_to_wait(stale_hours, now)))
}

impl Drop for Held {
    fn drop(&mut self) {
        // Whoever took it for stale owns it since.
        if read(&self.path).is_some_and(|content| content == self.content) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A lock that stands there.
struct Found {
    /// What it says, where it is a file that can be read.
    content: Option<Vec<u8>>,
    changed: Timestamp,
}

impl Found {
    fn load(path: &Path) -> Outcome<Option<Self>> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Diagnostic::io("cannot inspect the lock of the run's folder", path, &error)),
            Ok(metadata) => Ok(Some(Self { content: read(path), changed: changed(&metadata) })),
        }
    }

    fn reason_to_wait(&self, stale_hours: u32, now: Timestamp) -> Option<String> {
        let pid = self.content.as_deref().and_then(owner);
        let is_old = age_seconds(self.changed, now) > i64::from(stale_hours) * 3600;
        match pid.map(|pid| (pid.as_raw_nonzero(), is_alive(pid))) {
            Some((pid, true)) => Some(format!("process {pid} is using this folder")),
            // A pruning run works on this machine: one that is gone was killed, and what it left is made good by the next.
            Some((_, false)) if stale_hours == 0 || is_old || self.is_of_pruning() => None,
            None if stale_hours > 0 && is_old => None,
            Some((pid, false)) => Some(format!(
                "the lock of this folder is younger than {stale_hours} hours; its process {pid} is unknown here and may run on another machine"
            )),
            None => Some("this folder has a lock that names no process".to_owned()),
        }
    }
}

impl Found {
    fn is_of_pruning(&self) -> bool {
        self.content.as_deref().is_some_and(|content| content.starts_with(OWN_RUN))
    }
}

/// How the lock of a pruning run begins.
const OWN_RUN: &[u8] = b"run_id=prune|";

/// Creates the lock with what it says, in one step: one that is empty because its owner was killed would be held for hours.
/// Whether this process got the lock.
fn create(path: &Path, content: &[u8]) -> Outcome<bool> {
    let staged = own(path, STAGED);
    let written = durable::create_file(&staged)?.write_all(content);
    written.map_err(|error| Diagnostic::io("cannot take the lock of the run's folder", &staged, &error))?;
    let is_created = durable::rename_if_free(&staged, path)?;
    if !is_created {
        fs::remove_file(&staged).map_err(|error| Diagnostic::io("cannot give up the lock", &staged, &error))?;
    }
    Ok(is_created)
}

/// Removes what processes left that were killed while they took the lock.
fn sweep(learnings: &Path) -> Outcome<()> {
    let failed = |error: io::Error| Diagnostic::io("cannot remove a leftover lock", learnings, &error);
    for entry in fs::read_dir(learnings).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(STAGED).or_else(|| name.strip_prefix(STALE)));
        if owner.and_then(process).is_some_and(|pid| !is_alive(pid)) {
            remove(&entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

/// Takes a stale lock away. Says whether it was still the one that was judged.
///
/// It is moved first and looked at afterwards: a lock that was taken in the meantime is put back, and not removed by a
/// judgement about its predecessor.
fn remove_stale(path: &Path, judged: &Found) -> Outcome<bool> {
    let aside = own(path, STALE);
    match durable::rename(path, &aside) {
        // Another process found it stale as well.
        Err(_) if path.symlink_metadata().is_err() => return Ok(false),
        moved => moved?,
    }
    let is_same = Found::load(&aside)?.is_some_and(|found| found.content == judged.content && found.changed == judged.changed);
    if !is_same {
        durable::rename_if_free(&aside, path)?;
        return Ok(false);
    }
    remove(&aside).map_err(|error| Diagnostic::io("cannot remove a stale lock", &aside, &error))?;
    Ok(true)
}

/// A name beside the lock that no other process uses.
fn own(path: &Path, prefix: &str) -> PathBuf {
    path.with_file_name(format!("{prefix}{}", std::process::id()))
}

fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    durable::open_regular(path).ok()?.take(MOST_BYTES).read_to_end(&mut content).ok()?;
    Some(content)
}

fn owner(content: &[u8]) -> Option<Pid> {
    let text = std::str::from_utf8(content).ok()?;
    let number = text.lines().next()?.split('|').find_map(|part| part.trim().strip_prefix("pid="))?;
    process(number.trim())
}

fn process(number: &str) -> Option<Pid> {
    number.parse::<i32>().ok().filter(|number| *number > 0).and_then(Pid::from_raw)
}

/// A process of another user is alive as well: only "no such process" says otherwise.
fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid) != Err(Errno::SRCH)
}
