//! Sessions that were abandoned: what their hooks still remember is landed, and put away.

use std::fs;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::kept::drop_reports;
use super::memory::{Memory, list_memories};
use super::settlement::{acknowledgment_in, settle};
use super::task::drop_tasks;
use setting::Settings;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// What became of memories that were left behind.
#[derive(Debug, Default)]
pub struct Sweep {
    /// How many were put away.
    pub closed: usize,
    /// Why others could not be.
    pub faults: Vec<Diagnostic>,
}

/// Closes abandoned sessions: records what their notes still hold, and removes the notes.
#[must_use]
pub fn sweep(workspace: &Workspace, settings: &Settings, now: Timestamp) -> Sweep {
    let limit = SignedDuration::from_hours(settings.hook.abandoned_hours.into());
    let is_silent = |path: &PathBuf| {
        let written = fs::symlink_metadata(path).and_then(|found| found.modified()).ok();
        written.and_then(|time| Timestamp::try_from(time).ok()).is_some_and(|time| now.duration_since(time) > limit)
    };
    let mut sweep = Sweep::default();
    for folder in fs::read_dir(workspace.hooks()).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let paths = list_memories(&folder);
        if !paths.iter().all(is_silent) {
            continue;
        }
        for path in paths {
            match put_away(workspace, settings, path, now) {
                Ok(()) => sweep.closed += 1,
                Err(fault) => sweep.faults.push(fault),
            }
        }
        drop_tasks(&folder);
        drop_reports(&folder);
        // A folder that holds anything stays: another hook of the session may be at work again, or it is none of ours.
        let _ = fs::remove_dir(&folder);
    }
    // Coins of units that have ended are needed no more: all that they decided was recorded.
    for path in fs::read_dir(workspace.coins()).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if is_silent(&path) {
            let _ = fs::remove_file(path);
        }
    }
    sweep
}

/// Lands what a memory still holds and puts it away. A file of which no agent began is none of ours.
fn put_away(workspace: &Workspace, settings: &Settings, path: PathBuf, now: Timestamp) -> Outcome<()> {
    let mut memory = Memory::open_at(path)?;
    let acknowledgment = acknowledgment_in(&memory.recollection, None);
    settle(workspace, settings, &mut memory, acknowledgment.as_ref(), now, Vec::new())?;
    if memory.recollection.began.is_some() { memory.forget() } else { Ok(()) }
}
