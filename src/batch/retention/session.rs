//! The sessions of a run's folder: the oldest go, whole, and never one that is at work.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::{fs, io};

use jiff::Timestamp;

use super::policy::Policy;
use super::workdir::{PruneOptions, age_seconds, changed, is_folder};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// Where sessions go on their way out, inside of the run's folder: a rename never crosses file systems there.
const TRASH: &str = ".pruned";

/// What became of the sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    pub removed: u64,
    /// The names of those that stay.
    pub kept: Vec<OsString>,
}

struct Session {
    name: OsString,
    changed: Timestamp,
}

/// Removes the oldest sessions beyond the limit. Those that are protected stay, however many they are.
pub(super) fn prune(learnings: &Path, policy: &Policy, options: &PruneOptions<'_>, notes: &mut Vec<String>) -> Outcome<Sessions> {
    let folder = learnings.join("sessions");
    if !options.is_dry {
        empty_trash(learnings, notes);
    }
    if !is_folder(&folder, notes) {
        return Ok(Sessions::default());
    }
    let mut sessions = list(&folder)?;
    sessions.sort_by(|one, other| (one.changed, &one.name).cmp(&(other.changed, &other.name)));
    let mut excess = sessions.len().saturating_sub(policy.max_sessions);
    let mut result = Sessions::default();
    let own = options.protect_run.map(|run| OsString::from(format!("run-{run}")));
    for session in sessions {
        let window = i64::from(policy.protected_window_minutes) * 60;
        let is_protected = own.as_ref() == Some(&session.name) || age_seconds(session.changed, options.now) < window;
        if excess == 0 || is_protected {
            result.kept.push(session.name);
            continue;
        }
        excess -= 1;
        if !options.is_dry {
            throw_away(learnings, &folder.join(&session.name), result.removed)?;
        }
        result.removed += 1;
    }
    if !options.is_dry {
        empty_trash(learnings, notes);
    }
    Ok(result)
}

/// The ids of the runs that sessions belong to.
pub(super) fn run_ids(sessions: &[OsString]) -> impl Iterator<Item = &[u8]> {
    sessions.iter().filter_map(|name| name.as_encoded_bytes().strip_prefix(b"run-"))
}

fn list(folder: &Path) -> Outcome<Vec<Session>> {
    let failed = |error: io::Error| Diagnostic::io("cannot list the sessions", folder, &error);
    let mut sessions = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // What vanishes while it is looked at needs no pruning.
        if let Some(changed) = last_change(&entry.path()) {
            sessions.push(Session { name: entry.file_name(), changed });
        }
    }
    Ok(sessions)
}

/// When a session last changed: a file that is written again does not touch its folder. Links are not followed.
fn last_change(path: &Path) -> Option<Timestamp> {
    let metadata = path.symlink_metadata().ok()?;
    let own = changed(&metadata);
    if !metadata.is_dir() {
        return Some(own);
    }
    let within = fs::read_dir(path).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    Some(within.map(|metadata| changed(&metadata)).fold(own, Ord::max))
}

/// Moves a session out of sight in one step, so that nobody ever finds half of one.
fn throw_away(learnings: &Path, session: &Path, number: u64) -> Outcome<()> {
    let trash = learnings.join(TRASH);
    durable::create_folder(&trash)?;
    // The session's own name may be as long as names can be, and anything.
    durable::rename(session, &free_name(&trash, number))
}

fn free_name(trash: &Path, number: u64) -> std::path::PathBuf {
    let mut name = number.to_string();
    while trash.join(&name).symlink_metadata().is_ok() {
        name.push('+');
    }
    trash.join(name)
}

/// Removes what was moved out of sight, by this run or by one that was killed. What cannot be removed is no session any
/// more and keeps nobody from going on.
fn empty_trash(learnings: &Path, notes: &mut Vec<String>) {
    let trash = learnings.join(TRASH);
    let Ok(metadata) = trash.symlink_metadata() else { return };
    let removed = if metadata.is_dir() { remove_all(&trash) } else { fs::remove_file(&trash) };
    if let Err(error) = removed {
        notes.push(format!("{} could not be emptied: {error}", OsStr::new(TRASH).display()));
    }
}

/// Removes a folder with everything in it. Links are removed, not followed.
fn remove_all(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Which signal tells of a broken lease: `F_SETSIG`, the same number on every processor that this program runs on.
#[cfg(target_os = "linux")]
const SET_SIGNAL: i32 = 10;

/// Whether any process has the file open for writing. None where the system cannot tell. The file is open for reading.
///
/// The kernel grants a read lease only on a file that nobody has open for writing. It is given back at once: what is asked
/// is the answer, not the lease. A program that opens the file in between waits for that instant, and the signal that it
/// would cause is one that does nothing.
#[cfg(target_os = "linux")]
pub(super) fn is_open_for_writing(file: &File) -> Option<bool> {
    use std::io;
    use std::os::fd::AsRawFd as _;
    let descriptor = file.as_raw_fd();
    // SAFETY: the descriptor is open for as long as `file` lives, and the calls take numbers only.
    let set = |command, value: i32| match unsafe { libc::fcntl(descriptor, command, value) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    };
    set(SET_SIGNAL, libc::SIGURG).ok()?;
    match set(libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => set(libc::F_SETLEASE, libc::F_UNLCK).ok().map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Some(true),
        Err(_) => None,
    }
}

/// Whether any process has the file open for writing: not known here.
#[cfg(not(target_os = "linux"))]
pub fn is_open_for_writing(_file: &File) -> Option<bool> {
    None
}
