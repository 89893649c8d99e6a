//! The tasks of agents that are about to begin: the host tells of a task before its agent has a name.
//!
//! Each waits in a file of its own beside the session's notes. An agent that begins takes the one for agents of its name and its prompt.
//! Where several of one name are started at once, the host does not tell which of them begins, nor do they begin in the order of their
//! tasks: then each sees what fits any of these tasks, and what fits its own as soon as its transcript names it, which is before it uses
//! its first tool.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::memory::{file_name, make_folders};
use super::payload::Task;
use crate::transcript::json;
use crate::transcript::{Row, visit_blocks};
use event::redact::redact;
use learn::recall::short_name;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit;

/// What the files of tasks begin and end with.
const TASK: &str = "task-";
const ENDING: &str = ".json";
/// What the files end with that say that an agent has begun.
const TICKED: &str = "begun";
/// The most bytes of a transcript's first line.
const MOST_LINE_BYTES: u64 = 1 << 20;
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
struct Waiting {
    at: Timestamp,
    agent: String,
    /// The prompt that it goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// Its words, without secrets.
    text: String,
}

impl Waiting {
    fn is_for(&self, agent: &str, prompt: Option<&str>) -> bool {
        let is_same = self.prompt.as_deref().zip(prompt).is_none_or(|(own, prompt)| own == prompt);
        is_same && file_name(&self.agent) == file_name(short_name(agent))
    }
}

/// What an agent that begins is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    /// The words of its task, or of all tasks that it may be.
    pub(super) text: String,
    /// Whether it is known which one.
    pub(super) is_certain: bool,
}

/// Leaves a task for the agent that is about to begin.
pub(super) fn leave_task(folder: &Path, task: &Task, prompt: Option<&str>, now: Timestamp) -> Outcome<()> {
    if list(folder).len() >= MOST_WAITING {
        return Ok(());
    }
    let agent = short_name(task.agent_type.as_deref().unwrap_or(USUAL)).to_owned();
    let text = redact(fit::cut(&task.text, MOST_TEXT_BYTES)).text.into_owned();
    let waiting = Waiting { at: now, agent, prompt: prompt.map(str::to_owned), text };
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

/// Takes the task that waits for an agent of a name. Of several that wait one is ticked off and all are told; the last agent to begin
/// removes them.
pub(super) fn take_task(folder: &Path, agent: &str, prompt: Option<&str>, now: Timestamp) -> Option<Taken> {
    let found = list_for(folder, agent, prompt, now);
    let mut texts: Vec<&str> = found.iter().map(|(_, waiting)| &*waiting.text).collect();
    texts.sort_unstable();
    texts.dedup();
    let taken = Taken { text: texts.join("\n"), is_certain: texts.len() == 1 };
    // Agents that begin at once tick off different tasks: whoever makes the mark has it. A task keeps its name, so that an agent that
    // is reading all of them at this moment misses none and takes no other for its own.
    found.iter().find(|(path, _)| File::create_new(mark_of(path)).is_ok())?;
    let waiting = list_for(folder, agent, prompt, now);
    if waiting.iter().all(|(path, _)| mark_of(path).exists()) {
        for (path, _) in &waiting {
            remove(path);
        }
    }
    Some(taken)
}

/// The tasks that wait for agents of a name. Those that nobody takes any more are removed.
fn list_for(folder: &Path, agent: &str, prompt: Option<&str>, now: Timestamp) -> Vec<(PathBuf, Waiting)> {
    let mut found = Vec::new();
    for path in list(folder) {
        match read(&path) {
            Some(waiting) if now.duration_since(waiting.at) > PATIENCE => remove(&path),
            Some(waiting) if waiting.is_for(agent, prompt) => found.push((path, waiting)),
            _ => {}
        }
    }
    found
}

/// The file that says that an agent has begun with a task, while others of its name may still begin.
fn mark_of(path: &Path) -> PathBuf {
    path.with_extension(TICKED)
}

fn remove(path: &Path) {
    // Without its mark a task would wait again.
    let _ = fs::remove_file(path).and_then(|()| fs::remove_file(mark_of(path)));
}

/// The task of an agent as its own transcript opens with it, which lies beside the session's.
pub(super) fn own_task(transcript: &str, agent: &str) -> Option<String> {
    let name = format!("agent-{}.jsonl", Some(agent).filter(|agent| file_name(agent) == **agent)?);
    let path = Path::new(transcript.strip_suffix(".jsonl")?).join("subagents").join(name);
    let mut bytes = Vec::new();
    durable::open_regular(&path).ok()?.take(MOST_LINE_BYTES).read_to_end(&mut bytes).ok()?;
    let line = String::from_utf8_lossy(bytes.split(|byte| *byte == b'\n').next()?).into_owned();
    let row = Row::parse(&line).ok().filter(|row| row.kind().as_deref() == Some("user"))?;
    let message = row.inner_message()?;
    let content = message.content()?;
    let mut said: Vec<String> = json::text(content).into_iter().collect();
    visit_blocks(content, |_, text| said.extend(text));
    let text = said.join("\n");
    (!text.trim().is_empty()).then(|| redact(fit::cut(&text, MOST_TEXT_BYTES)).text.into_owned())
}

/// Removes the tasks that wait: their agents will not begin any more.
pub(super) fn drop_tasks(folder: &Path) {
    for path in list(folder) {
        remove(&path);
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

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    /// An agent that took one of the tasks for the only one would be shown what fits another's.
    #[test]
    fn agents_that_begin_at_the_same_instant_all_see_every_task() {
        const AGENTS: usize = 6;
        let folder = tempfile::tempdir().expect("a folder");
        let now = Timestamp::UNIX_EPOCH;
        for round in 0..100 {
            for number in 0..AGENTS {
                let task = Task { agent_type: None, text: format!("task {number} of round {round}") };
                leave_task(folder.path(), &task, None, now).expect("left");
            }
            let start = Barrier::new(AGENTS);
            let taken: Vec<Taken> = thread::scope(|scope| {
                let begin = || {
                    start.wait();
                    take_task(folder.path(), USUAL, None, now).expect("a task")
                };
                let agents: Vec<_> = (0..AGENTS).map(|_| scope.spawn(begin)).collect();
                agents.into_iter().map(|agent| agent.join().expect("an agent")).collect()
            });
            for taken in taken {
                assert_eq!((taken.text.lines().count(), taken.is_certain), (AGENTS, false), "round {round}: {taken:?}");
            }
            assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "round {round}");
        }
    }
}
