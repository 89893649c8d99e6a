//! The tasks of agents that are about to begin: the host tells of a task before its agent has a name.
//!
//! Each waits in a file of its own beside the session's notes. An agent that begins takes the oldest one for agents of its name: of
//! several that are started at once, two of one name may get each other's, and then see what fits the other's task. What was shown
//! is recorded for whoever saw it, so no figure is wrong.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::memory::{file_name, make_folders};
use super::payload::Task;
use event::redact::redact;
use learn::recall::short_name;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit;

/// What the files of tasks begin and end with.
const TASK: &str = "task-";
const ENDING: &str = ".json";
/// How much of a task is kept.
const MOST_TEXT_BYTES: usize = 8 << 10;
/// How many tasks wait at most.
const MOST_WAITING: usize = 200;
/// An agent that has not begun by then never will: somebody said no.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);
/// The agent that the host starts where none is named.
const USUAL: &str = "general-purpose";

/// A task as it waits for its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    at: Timestamp,
    agent: String,
    /// Its words, without secrets.
    pub(super) text: String,
}

/// Leaves a task for the agent that is about to begin.
pub(super) fn leave_task(folder: &Path, task: &Task, now: Timestamp) -> Outcome<()> {
    if list(folder).len() >= MOST_WAITING {
        return Ok(());
    }
    let agent = short_name(task.agent_type.as_deref().unwrap_or(USUAL)).to_owned();
    let text = redact(fit::cut(&task.text, MOST_TEXT_BYTES)).text.into_owned();
    let waiting = Waiting { at: now, agent, text };
    let mut bytes = serde_json::to_vec(&waiting).map_err(|error| Diagnostic::bug(format!("a task cannot be noted: {error}")))?;
    bytes.push(b'\n');
    // The name sorts by time, and tells two tasks of one instant apart.
    let name = format!("{TASK}{:020}-{}{ENDING}", now.as_microsecond(), &sha256(&bytes)[..16]);
    let path = folder.join(name);
    make_folders(&path)?;
    // It need not survive a power cut, as its agent would not.
    let written = durable::open_for_append(&path).and_then(|(mut file, _)| file.write_all(&bytes));
    written.map_err(|error| Diagnostic::io("cannot note the task of an agent", &path, &error))
}

/// Takes the oldest task that waits for an agent of a name. Whoever removes its file has it, and nobody else.
pub(super) fn take_task(folder: &Path, agent: &str, now: Timestamp) -> Option<Waiting> {
    for path in list(folder) {
        let Some(waiting) = read(&path) else { continue };
        if now.duration_since(waiting.at) > PATIENCE {
            let _ = fs::remove_file(&path);
        } else if file_name(&waiting.agent) == file_name(short_name(agent)) && fs::remove_file(&path).is_ok() {
            return Some(waiting);
        }
    }
    None
}

/// Removes the tasks that wait: their agents will not begin any more.
pub(super) fn drop_tasks(folder: &Path) {
    for path in list(folder) {
        let _ = fs::remove_file(path);
    }
}

/// The tasks that wait, the oldest first. Links are none.
fn list(folder: &Path) -> Vec<PathBuf> {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Vec::new();
    }
    let is_task = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(TASK) && name.ends_with(ENDING) && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_task).collect();
    paths.sort_unstable();
    paths
}

fn read(path: &Path) -> Option<Waiting> {
    let mut bytes = Vec::new();
    // Written as JSON, a text may take six times its room.
    durable::open_regular(path).ok()?.take(8 * MOST_TEXT_BYTES as u64).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
