//! Sessions that ended and wait to be observed: one line each, appended by hooks, taken away when their events have landed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How long somebody who appends or takes away waits for others, who take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// A session that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The session.
    pub session: String,
    pub project: String,
    pub transcript: PathBuf,
    /// The folder that it worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// When it ended.
    pub at: Timestamp,
    /// How often it was asked about in vain.
    #[serde(default)]
    pub attempts: u32,
}

impl Pending {
    fn is_of(&self, other: &Self) -> bool {
        self.project == other.project && self.session == other.session
    }
}

/// The sessions of a workspace that wait.
#[derive(Debug, Clone)]
pub struct Queue {
    folder: PathBuf,
}

impl Queue {
    /// The queue of a workspace, whether or not anything was ever in it.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        Self { folder: workspace.observing() }
    }

    /// Appends a session. When this returns, it survives a power cut. One that waits already is there twice, and taken once.
    pub fn add(&self, pending: &Pending) -> Outcome<()> {
        durable::create_folder(&self.folder)?;
        let line =
            serde_json::to_string(pending).map_err(|error| Diagnostic::bug(format!("a session cannot be written: {error}")))?;
        let path = self.path();
        let failed = |error: io::Error| Diagnostic::io("cannot add to the queue of sessions", &path, &error);
        let _lock = self.lock()?;
        let (mut file, is_created) = durable::open_for_append(&path).map_err(failed)?;
        append_line(&mut file, &line).map_err(failed)?;
        durable::sync_file(&file, &path)?;
        if is_created { durable::sync_folder(&self.folder) } else { Ok(()) }
    }

    /// The sessions that wait, each once with what was said of it last, those first that waited longest. And how many lines
    /// could not be read.
    pub fn load(&self) -> Outcome<(Vec<Pending>, usize)> {
        let (mut waiting, mut damaged): (Vec<Pending>, usize) = (Vec::new(), 0);
        for line in self.lines()? {
            match serde_json::from_str::<Pending>(&line) {
                Ok(pending) => {
                    let earlier = waiting.iter().position(|known| known.is_of(&pending)).map(|place| waiting.remove(place));
                    let attempts = earlier.map_or(0, |earlier| earlier.attempts).max(pending.attempts);
                    waiting.push(Pending { attempts, ..pending });
                }
                Err(_) => damaged += 1,
            }
        }
        Ok((waiting, damaged))
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> Outcome<bool> {
        Ok(self.lines()?.is_empty())
    }

    /// Takes sessions away that were dealt with, and notes those that were asked about in vain. What was added meanwhile stays.
    pub fn settle(&self, done: &[Pending], failed: &[Pending]) -> Outcome<()> {
        if done.is_empty() && failed.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let is_older =
            |pending: &Pending, than: &[Pending]| than.iter().any(|known| known.is_of(pending) && pending.at <= known.at);
        let kept = self.lines()?.into_iter().filter_map(|line| serde_json::from_str::<Pending>(&line).ok());
        let mut text = String::new();
        for mut pending in kept.filter(|pending| !is_older(pending, done)) {
            pending.attempts = pending.attempts.saturating_add(u32::from(is_older(&pending, failed)));
            let line = serde_json::to_string(&pending);
            text += &line.map_err(|error| Diagnostic::bug(format!("a session cannot be written: {error}")))?;
            text.push('\n');
        }
        durable::replace(&self.path(), text.as_bytes())
    }

    /// Makes this the one process that observes what waits.
    pub fn take_turn(&self) -> Outcome<File> {
        durable::create_folder(&self.folder)?;
        let path = self.folder.join("run.lock");
        let failed = |error: io::Error| Diagnostic::io("cannot lock the queue of sessions", &path, &error);
        let (file, _) = durable::open_for_append(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(Diagnostic::new(
                Exit::Machine,
                "another process is observing the queued sessions",
                "try again when it has ended",
            )
            .at(&path)),
            locked => locked.map(|()| file).map_err(failed),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("queue.jsonl")
    }

    /// Held while the queue changes. A file of its own: the queue is replaced by another one.
    fn lock(&self) -> Outcome<File> {
        let path = self.folder.join("queue.lock");
        let failed = |error: io::Error| Diagnostic::io("cannot lock the queue of sessions", &path, &error);
        let (file, _) = durable::open_for_append(&path).map_err(failed)?;
        durable::lock_within(&file, PATIENCE).map_err(failed)?;
        Ok(file)
    }

    fn lines(&self) -> Outcome<Vec<String>> {
        let text = read(&self.path()).map_err(|error| Diagnostic::io("cannot read the queue of sessions", &self.path(), &error))?;
        Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
    }
}

/// The text of a file; none of one that is not there.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    match durable::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => drop(opened?.read_to_end(&mut bytes)?),
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Appends a whole line, or nothing.
pub(super) fn append_line(file: &mut File, line: &str) -> io::Result<()> {
    let start = file.seek(SeekFrom::End(0))?;
    // Whoever was killed left half a line: it is ended, so that this one does not become its tail.
    let mut last = [b'\n'];
    if start > 0 {
        file.seek(SeekFrom::Start(start - 1))?;
        file.read_exact(&mut last)?;
    }
    let separator = if last[0] == b'\n' { "" } else { "\n" };
    let written = file.write_all(format!("{separator}{line}\n").as_bytes());
    if written.is_err() {
        file.set_len(start)?;
    }
    written
}
