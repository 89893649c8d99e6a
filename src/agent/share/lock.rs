//! Waiting for others who change the same shared files.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};

use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held while shared files are read or changed. Ends with its owner, however that ends.
#[derive(Debug)]
pub(super) struct Lock(#[cfg_attr(not(test), expect(dead_code, reason = "dropping the file releases the lock"))] Option<File>);

/// Waits for everybody else and keeps them out. The lock file is created with those permissions.
pub(super) fn take_exclusive(path: &Path, mode: u32) -> Outcome<Lock> {
    let opened = match open_for_change(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, mode),
        opened => opened,
    };
    let file = opened.map_err(|error| Diagnostic::io("cannot open the lock file", path, &error))?;
    wait(file, FlockOperation::NonBlockingLockExclusive, path)
}

/// Waits for writers. Where there is no lock file, there was never one.
pub(super) fn take_shared(path: &Path) -> Outcome<Lock> {
    match durable::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Lock(None)),
        Err(error) => Err(Diagnostic::io("cannot open the lock file", path, &error)),
        Ok(file) => wait(file, FlockOperation::NonBlockingLockShared, path),
    }
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    match OpenOptions::new().read(true).write(true).create_new(true).mode(mode).custom_flags(flags).open(path) {
        // The mask of this process may have taken away what others need.
        Ok(file) => file.set_permissions(Permissions::from_mode(mode)).map(|()| file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_for_change(path),
        Err(error) => Err(error),
    }
}

/// Network file systems lock for one owner only what is open for writing.
fn open_for_change(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")) }
}

fn wait(file: File, operation: FlockOperation, path: &Path) -> Outcome<Lock> {
    let end = Instant::now() + PATIENCE;
    let mut pause = Duration::from_millis(1);
    while let Err(error) = flock(&file, operation) {
        if !matches!(error, rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) {
            return Err(Diagnostic::io("cannot lock the shared files", path, &error.into()));
        }
        if Instant::now() >= end {
            let what = format!("another process has locked the shared files for {} seconds", PATIENCE.as_secs());
            return Err(Diagnostic::new(Exit::Machine, what, "wait until it ends, then run the command again").at(path));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
    Ok(Lock(Some(file)))
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn whoever_keeps_others_out_has_the_file_open_for_writing() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let path = folder.path().join("lock");
        for state in ["created", "found"] {
            let Lock(file) = take_exclusive(&path, 0o600).expect("a lock");
            let flags = rustix::fs::fcntl_getfl(file.expect("a file")).expect("flags");
            assert!(flags.contains(OFlags::RDWR), "{state}: {flags:?}");
        }
    }
}
