//! What the hooks of one agent remember between them: one file an agent, to which notes are appended.
//!
//! Hooks of one agent may run at the same time, and each may be killed. A note is one line, written whole under a lock; half a line
//! that a killed hook left counts for nothing. What is to land is noted before it lands, so that whoever finds it lands it again
//! to the byte, and it counts once.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Outcome};
use crate::digest::sha256;
use crate::durable;
use crate::iteration::Turn;

/// How long a hook waits for another one of the same agent.
const PATIENCE: Duration = Duration::from_secs(2);
/// No memory of an agent is longer.
const MOST_BYTES: u64 = 64 << 20;
/// Longer names are hashed.
const MOST_NAME_BYTES: usize = 100;

/// One thing to remember.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Note {
    /// The agent began.
    Began {
        /// Its name, with the plugin that it comes from.
        agent: String,
        /// Its role.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<String>,
        /// The instant.
        at: Timestamp,
        /// The project.
        project: String,
        /// The run.
        run: String,
        /// The iteration.
        iteration: Option<i64>,
        /// The session.
        session: String,
    },
    /// Patterns were shown to it.
    Shown {
        /// The patterns.
        patterns: Vec<Remembered>,
        /// The tool beside whose use they were shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// Patterns were held back from it.
    Withheld {
        /// The patterns.
        patterns: Vec<Remembered>,
    },
    /// Its context was cleared or shortened: what it was shown may be gone.
    Forgot,
    /// It was sent back to say what it had not said.
    SentBack,
    /// Events are about to land.
    Landing {
        /// The patterns that they are about.
        patterns: Vec<String>,
        /// The events.
        events: Vec<String>,
    },
    /// They have landed.
    Landed,
}

/// A pattern that was shown or held back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Its id.
    pub(super) id: String,
    /// Its text as the agent saw it.
    pub(super) text: String,
}

/// A pattern that was shown, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Exposure {
    pub(super) pattern: Remembered,
    /// The tool, if it was shown beside tools only.
    pub(super) tool: Option<String>,
}

/// What is remembered of an agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Recollection {
    /// Its name, with the plugin that it comes from.
    pub(super) agent: Option<String>,
    /// Its role.
    pub(super) role: Option<String>,
    /// When it began.
    pub(super) began: Option<Timestamp>,
    /// The run that it began in, without an instant of its own.
    pub(super) turn: Option<Turn>,
    /// The session.
    pub(super) session: Option<String>,
    /// What it was shown, each pattern once.
    pub(super) shown: Vec<Exposure>,
    /// What it still has in its context.
    pub(super) in_context: BTreeSet<String>,
    /// What was held back from it.
    pub(super) withheld: Vec<Remembered>,
    /// How often it was sent back.
    pub(super) sent_back: u32,
    /// Patterns that events are about which have landed, or are about to.
    pub(super) recorded: BTreeSet<String>,
    /// Events of which nobody knows whether they landed.
    pub(super) landing: Vec<String>,
}

impl Recollection {
    fn take(&mut self, note: Note) {
        match note {
            Note::Began { agent, role, at, project, run, iteration, session } => {
                // An agent that is resumed is still the same one.
                self.agent.get_or_insert(agent);
                self.role = self.role.take().or(role);
                self.began.get_or_insert(at);
                self.session.get_or_insert(session);
                self.turn.get_or_insert(Turn { project, run_id: run, iteration, time: at });
            }
            Note::Shown { patterns, tool } => patterns.into_iter().for_each(|pattern| self.show(pattern, tool.as_deref())),
            Note::Withheld { patterns } => {
                for pattern in patterns {
                    if !self.withheld.iter().any(|known| known.id == pattern.id) {
                        self.withheld.push(pattern);
                    }
                }
            }
            Note::Forgot => self.in_context.clear(),
            Note::SentBack => self.sent_back += 1,
            Note::Landing { patterns, events } => {
                self.recorded.extend(patterns);
                self.landing = events;
            }
            Note::Landed => self.landing.clear(),
        }
    }

    /// A pattern that was shown for the agent's turn counts as that, wherever else it was shown.
    fn show(&mut self, pattern: Remembered, tool: Option<&str>) {
        self.in_context.insert(pattern.id.clone());
        match self.shown.iter_mut().find(|known| known.pattern.id == pattern.id) {
            Some(known) if tool.is_none() => *known = Exposure { pattern, tool: None },
            Some(_) => {}
            None => self.shown.push(Exposure { pattern, tool: tool.map(str::to_owned) }),
        }
    }
}

/// The memory of one agent, held by one hook at a time.
pub(super) struct Memory {
    path: PathBuf,
    file: File,
    /// Whether a hook that was killed left half a line.
    is_torn: bool,
    /// What is remembered.
    pub(super) recollection: Recollection,
}

impl Memory {
    /// Opens the memory of an agent, and waits for its turn.
    pub(super) fn open(folder: &Path, agent: Option<&str>) -> Outcome<Self> {
        let path = folder
            .join(format!("{}.jsonl", agent.map_or_else(|| "session".to_owned(), |agent| format!("agent-{}", file_name(agent)))));
        Self::open_at(path)
    }

    /// The same by the file's name.
    pub(super) fn open_at(path: PathBuf) -> Outcome<Self> {
        let failed = |error: &io::Error| Diagnostic::io("cannot open the memory of an agent", &path, error);
        loop {
            if let Some(folder) = path.parent() {
                durable::create_folder(folder)?;
            }
            let (file, _) = match durable::open_for_append(&path) {
                // Another hook has just put the session's folder away.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(|error| failed(&error))?,
            };
            lock(&file).map_err(|error| failed(&error))?;
            // Whoever held it before may have put it away: what is written here would be lost.
            let is_there = fs::symlink_metadata(&path).is_ok_and(|found| file.metadata().is_ok_and(|own| own.ino() == found.ino()));
            if is_there {
                let (recollection, is_torn) = recollect(&file).map_err(|error| failed(&error))?;
                return Ok(Self { path, file, is_torn, recollection });
            }
        }
    }

    /// Remembers one thing more.
    pub(super) fn note(&mut self, note: Note) -> Outcome<()> {
        let failed = |error: &io::Error| Diagnostic::io("cannot write to the memory of an agent", &self.path, error);
        let mut line = serde_json::to_vec(&note).map_err(|error| Diagnostic::bug(format!("cannot encode a note: {error}")))?;
        line.push(b'\n');
        if self.is_torn {
            line.insert(0, b'\n');
            self.is_torn = false;
        }
        self.file.write_all(&line).map_err(|error| failed(&error))?;
        self.recollection.take(note);
        Ok(())
    }

    /// Puts the memory away.
    pub(super) fn forget(self) -> Outcome<()> {
        fs::remove_file(&self.path).map_err(|error| Diagnostic::io("cannot put the memory of an agent away", &self.path, &error))
    }
}

/// The name of a file for a name from outside: itself if it is harmless, else its hash.
pub(super) fn file_name(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.len() <= MOST_NAME_BYTES && !name.is_empty() && name.bytes().all(is_plain) {
        return name.to_owned();
    }
    format!("x-{}", &sha256(name.as_bytes())[..32])
}

fn lock(file: &File) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(1));
            }
            locked => return locked,
        }
    }
}

/// What a file holds, and whether it ends in the middle of a line.
fn recollect(file: &File) -> io::Result<(Recollection, bool)> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let mut recollection = Recollection::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let Ok(note) = serde_json::from_slice(line) {
            recollection.take(note);
        }
    }
    Ok((recollection, bytes.last().is_some_and(|last| *last != b'\n')))
}
