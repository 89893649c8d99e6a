//! The shared files in a plain folder: one writer at a time, who waits for others, and nothing half written for readers.

use std::fs::{File, OpenOptions, Permissions};
use std::io::Read as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rustix::fs::{FlockOperation, OFlags, flock};

use super::document::{Remark, State};
use super::merge::{Local, Merged, merge};
use super::signature::Signer;
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The name of the file with the patterns.
pub(super) const DOCUMENT: &str = "org-patterns.json";
/// The name of the file that says where they came from.
pub(super) const SOURCES: &str = "sources.json";
/// The largest shared file that is read.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Brings the patterns of a project into a folder, which is created if need be, with the modes of the user's mask.
pub(super) fn push(folder: &Path, local: &Local<'_>, signer: &Signer) -> Outcome<(Merged, Vec<Remark>)> {
    if !folder.exists() {
        // Not private as all else is: the folder is there for others, as far as the user's mask lets them in.
        fs::create_dir_all(folder).map_err(|error| Diagnostic::io("cannot create the shared folder", folder, &error))?;
    }
    let mode = file_mode(folder)?;
    let _lock = take_exclusive(&folder.join(".lock"), mode)?;
    let mut state = read(folder)?;
    state.check_org(local.org_id)?;
    let merged = merge(&mut state, local, signer);
    if merged.is_changed {
        // The records first: a reader in between finds the earlier record of each entry inside the later one. The other way
        // round it would find entries that nobody vouches for.
        for (name, text) in [(SOURCES, state.sources.render()), (DOCUMENT, state.document.render())] {
            within_bounds(name, &text)?;
            durable::replace_as(&folder.join(name), text.as_bytes(), Some(Permissions::from_mode(mode)))?;
        }
    }
    Ok((merged, state.remarks))
}

/// Reads the files of a folder while nobody changes them.
pub(super) fn load(folder: &Path) -> Outcome<State> {
    if !folder.is_dir() {
        return Err(Diagnostic::edit("the shared folder does not exist", "check its path, or push to it first").at(folder));
    }
    let _lock = take_shared(&folder.join(".lock"))?;
    read(folder)
}

/// Fails if a shared file would grow beyond what its readers take.
pub(super) fn within_bounds(name: &str, text: &str) -> Outcome<()> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    Err(Diagnostic::edit(
        format!("the shared `{name}` would have {} bytes, more than the {MOST_BYTES} that are read", text.len()),
        "share with fewer projects through this place, or remove unneeded entries",
    ))
}

/// The text of a shared file.
pub(super) fn text_of(name: &str, bytes: Vec<u8>) -> Outcome<String> {
    let broken = |cause: &str| {
        Diagnostic::edit(format!("the shared `{name}` cannot be read"), "repair or remove it in the shared place, then try again")
            .because(cause)
    };
    if bytes.len() > MOST_BYTES {
        return Err(broken("it is larger than 16 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8"))
}

/// The patterns first: records that are later than them can tell what they were before, but not the other way round.
fn read(folder: &Path) -> Outcome<State> {
    let document = read_file(folder, DOCUMENT)?;
    let sources = read_file(folder, SOURCES)?;
    State::parse(document.as_deref(), sources.as_deref())
}

fn read_file(folder: &Path, name: &str) -> Outcome<Option<String>> {
    let path = folder.join(name);
    let failed = |error: &io::Error| Diagnostic::io("cannot read the shared file", &path, error);
    let file = match durable::open_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| failed(&error))?,
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    text_of(name, bytes).map(Some).map_err(|diagnostic| diagnostic.at(&path))
}

/// Whoever may use the folder may use the files in it: a folder of several people would else be one person's.
fn file_mode(folder: &Path) -> Outcome<u32> {
    let metadata = fs::metadata(folder).map_err(|error| Diagnostic::io("cannot use the shared folder", folder, &error))?;
    Ok(metadata.permissions().mode() & 0o666 | 0o600)
}

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
