//! The sessions of a run's folder: the oldest go, whole, and never one that is at work.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;

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
    /// How many went.
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
