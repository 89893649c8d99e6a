//! The few ways in which this program changes the disk: private by default, synced before they are named.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use text::diagnostic::{Diagnostic, Outcome};

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// Creates a folder and its parents, readable by this user only. An existing folder is left as it is.
pub fn create_folder(path: &Path) -> Outcome<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_FOLDER)
        .create(path)
        .map_err(|error| Diagnostic::io("cannot create the folder", path, &error))
}

/// Creates an empty file for writing, readable by this user only. What was there is truncated.
pub fn create_file(path: &Path) -> Outcome<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(PRIVATE_FILE)
        .custom_flags(no_follow())
        .open(path)
        .map_err(|error| Diagnostic::io("cannot create the file", path, &error))
}

/// Opens a file for appending, creating it readable by this user only. Says whether it was created.
pub fn open_for_append(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(PRIVATE_FILE).custom_flags(no_follow());
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options.open(path).map(|file| (file, false)),
        created => created.map(|file| (file, true)),
    }
}

/// Opens a file for reading. A symbolic link is refused, and a pipe does not block.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(no_follow() | non_blocking()).open(path)?;
    let kind = file.metadata()?;
    if kind.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Takes a file for oneself, and waits so long for others that have it.
pub fn lock_within(file: &File, patience: Duration) -> io::Result<()> {
    use rustix::fs::{FlockOperation, flock};
    let begin = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && begin.elapsed() < patience => {
                std::thread::sleep(Duration::from_micros(200));
            }
            locked => return locked,
        }
    }
}

/// Makes a file's bytes survive a power cut.
pub fn sync_file(file: &File, path: &Path) -> Outcome<()> {
    file.sync_data().map_err(|error| Diagnostic::io("cannot make the file durable", path, &error))
}

/// Makes the names in a folder survive a power cut. A rename lives in the folder's own cache until then.
pub fn sync_folder(path: &Path) -> Outcome<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|error| Diagnostic::io("cannot make it durable", path, &error))
}

/// How many files or folders are synced one by one. Each sync may wait for the disk; beyond this, one that covers the
/// whole file system waits once.
const SYNCED_SINGLY: usize = 4;

/// Makes files and folders survive a power cut, all of them in the file system of `folder`.
pub fn sync_many(paths: &[PathBuf], folder: &Path) -> Outcome<()> {
    if paths.len() > SYNCED_SINGLY && sync_file_system(folder)? {
        return Ok(());
    }
    paths.iter().try_for_each(|path| sync_folder(path))
}

/// Syncs the file system that holds a folder. Says whether this system can.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> Outcome<bool> {
    use std::os::fd::AsRawFd as _;
    let failed = |error: io::Error| Diagnostic::io("cannot make the files durable", folder, &error);
    let open = File::open(folder).map_err(failed)?;
    // SAFETY: the descriptor is open for as long as `open` lives, and the call touches no memory of ours.
    if unsafe { libc::syncfs(open.as_raw_fd()) } == 0 { Ok(true) } else { Err(failed(io::Error::last_os_error())) }
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_folder: &Path) -> Outcome<bool> {
    Ok(false)
}

/// Puts a finished file or folder in its place, over what is there.
#[expect(clippy::disallowed_methods, reason = "this is the one place that renames")]
pub fn rename(from: &Path, to: &Path) -> Outcome<()> {
    fs::rename(from, to).map_err(|error| Diagnostic::io("cannot put the file in its place", to, &error))
}

/// Replaces a file's content in one step: a reader sees all of the old bytes or all of the new ones.
pub fn replace(path: &Path, content: &[u8]) -> Outcome<()> {
    replace_as(path, content, None)
}

/// The same, with permissions that the file has from the first instant on. Without any it is readable by this user only.
pub fn replace_as(path: &Path, content: &[u8], permissions: Option<Permissions>) -> Outcome<()> {
    let staged = Staged::write(path, content, permissions)?;
    rename(&staged.path, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Writes a file that is not there yet, in one step: a reader sees all of it or nothing. What is there stays as it is. Says whether
/// the name was free. Without permissions it is readable by this user only.
pub fn create_whole(path: &Path, content: &[u8], permissions: Option<Permissions>) -> Outcome<bool> {
    let staged = Staged::write(path, content, permissions)?;
    let is_created = rename_if_free(&staged.path, path)?;
    if !is_created {
        fs::remove_file(&staged.path).map_err(|error| Diagnostic::io("cannot remove the staged file", &staged.path, &error))?;
    }
    path.parent().map_or(Ok(()), sync_folder)?;
    Ok(is_created)
}

/// A whole file that waits for its name. Each file has one such name, so what a killed writer leaves is overwritten by the next; the
/// lock keeps two writers apart, and ends with the file.
struct Staged {
    path: PathBuf,
    _locked: File,
}

impl Staged {
    fn write(target: &Path, content: &[u8], permissions: Option<Permissions>) -> Outcome<Self> {
        let path = staged_name(target);
        let mut file = lock_staged(&path).map_err(|error| Diagnostic::io("cannot create the file", &path, &error))?;
        let written = file
            .set_permissions(permissions.unwrap_or_else(|| Permissions::from_mode(PRIVATE_FILE)))
            // A writer that was killed may have left more bytes than these.
            .and_then(|()| file.set_len(0))
            .and_then(|()| file.write_all(content));
        written.map_err(|error| Diagnostic::io("cannot write the file", &path, &error))?;
        // Without this the rename can reach the disk before the bytes do.
        sync_file(&file, &path)?;
        Ok(Self { path, _locked: file })
    }
}

/// How long a writer waits for another one of the same file.
const PATIENCE: Duration = Duration::from_secs(10);

fn lock_staged(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(PRIVATE_FILE).custom_flags(no_follow() | non_blocking());
    let begin = Instant::now();
    loop {
        let file = options.open(path)?;
        lock_within(&file, PATIENCE.saturating_sub(begin.elapsed()))?;
        let own = file.metadata()?;
        if !own.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        // Whoever had the lock before has given the file its name, or removed it: these bytes are no longer ours to change.
        let is_still_staged = fs::symlink_metadata(path).is_ok_and(|named| (named.dev(), named.ino()) == (own.dev(), own.ino()));
        if is_still_staged {
            return Ok(file);
        }
    }
}

/// Gives a file or folder another name, unless something has that name. Says whether it could.
pub fn rename_if_free(from: &Path, to: &Path) -> Outcome<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Diagnostic::io("cannot put the file in its place", to, &error)),
    }
}

/// Swaps two files or folders atomically, so that readers see one or the other.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

fn staged_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".tmp");
    path.with_file_name(name)
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits().cast_signed()
}

fn non_blocking() -> i32 {
    rustix::fs::OFlags::NONBLOCK.bits().cast_signed()
}
