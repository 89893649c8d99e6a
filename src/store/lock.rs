//! Locks of the operating system: they end with their owner, however it ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Held by the one run that changes the lake.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "dropping the file releases the lock")] File);

/// Held by a reader of the lake: no partition is swapped while one is held.
#[derive(Debug)]
pub struct ReaderLock(#[expect(dead_code, reason = "dropping the file releases the lock")] Option<File>);

/// Takes the lock of the workspace, or says at once who holds it.
pub fn take_lock(workspace: &Workspace, now: &str) -> Outcome<Lock> {
    let path = workspace.lock();
    let mut file = open(&path)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let holder = fs::read_to_string(&path).unwrap_or_default();
        let what = format!("another run is active ({})", holder.trim());
        return Err(Diagnostic::new(Exit::Machine, what, "wait until it ends; the next scheduled run does the same work").at(&path));
    }
    // For people only: the lock is the operating system's, not what stands in the file.
    let noted =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "process {} since {now}", std::process::id()));
    noted.map_err(|error| Diagnostic::io("cannot write the lock file", &path, &error))?;
    Ok(Lock(file))
}

/// Joins the readers of the lake. Waits while a partition is being swapped, which takes less than a moment.
pub fn join_readers(workspace: &Workspace) -> Outcome<ReaderLock> {
    let path = workspace.reader_lock();
    let file = match open(&path) {
        Ok(file) => file,
        // A shared lock needs no right to write.
        Err(fault) => match File::open(&path) {
            Ok(file) => file,
            // Who may not write cannot make the file. A swap would show as a file that is not found, never as wrong figures.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ReaderLock(None)),
            Err(_) => return Err(fault),
        },
    };
    flock(&file, FlockOperation::LockShared)
        .map_err(|error| Diagnostic::io("cannot join the readers of the lake", &path, &error.into()))?;
    Ok(ReaderLock(Some(file)))
}

/// Runs something while no reader is at work. Says whether it could.
pub fn without_readers(workspace: &Workspace, work: &mut dyn FnMut() -> Outcome<()>) -> Outcome<bool> {
    let file = open(&workspace.reader_lock())?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(false);
    }
    work().map(|()| true)
}

fn open(path: &Path) -> Outcome<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| Diagnostic::io("cannot open the lock file", path, &error))
}
