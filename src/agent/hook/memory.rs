//! The notes of an agent's hooks: one file per agent, append-only.
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
use serde::{Deserialize, Serialize};

use super::coin::Assigned;
use super::situation::Situation;
use super::touch::Touch;
use crate::iteration::Turn;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

/// How long a hook waits for another one of the same agent: less than its host waits for it.
const PATIENCE: Duration = Duration::from_secs(1);
/// No memory of an agent is longer.
const MOST_BYTES: u64 = 64 << 20;
/// The file of a session's own agent, and what the files of others begin and end with.
const SESSION: &str = "session.jsonl";
const AGENT: &str = "agent-";
const ENDING: &str = ".jsonl";
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
        /// Whether hooks see what it does.
        #[serde(default)]
        watched: bool,
        /// The task, where one is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    /// Its unit of work drew its arms.
    Assigned {
        arms: Vec<Assigned>,
    },
    /// It used a tool.
    Touched(Touch),
    /// Patterns were shown to it.
    Shown {
        /// The patterns.
        patterns: Vec<Remembered>,
        /// The tool beside whose use they were shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// It was told of entries of the project's knowledge.
    Told {
        /// Their anchors.
        anchors: Vec<String>,
    },
    /// Patterns were withheld from it.
    Withheld {
        /// The patterns.
        patterns: Vec<Remembered>,
        /// The tool beside whose use they would have been shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// Whether it is known which task it was started for.
    Task {
        certain: bool,
    },
    /// Its context was cleared or shortened: what it was shown may be gone.
    Forgot,
    /// It said, before it ended, which patterns it used.
    Acknowledged {
        /// There may be none.
        uses: Vec<Claim>,
    },
    /// It captured a lesson.
    Learned,
    /// It was sent back to say what it had not said.
    SentBack {
        /// What it had said, without secrets.
        said: String,
    },
    /// Events are about to land.
    Landing {
        /// What they are about.
        keys: Vec<String>,
        /// The events.
        events: Vec<String>,
    },
    Landed,
}

impl Note {
    /// That an agent of that name begins where its hook stands.
    pub(super) fn begin(agent: &str, situation: &Situation, watched: bool) -> Self {
        let turn = &situation.turn;
        Self::Began {
            agent: agent.to_owned(),
            role: None,
            at: turn.time,
            project: turn.project.clone(),
            run: turn.run_id.clone(),
            iteration: turn.iteration,
            session: situation.session.clone(),
            watched,
            unit: situation.unit.clone(),
        }
    }
}

/// A pattern that was shown or held back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Remembered {
    pub(super) id: String,
    /// Its text as the agent saw it.
    pub(super) text: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    /// The files it was learned at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<String>,
    /// The chance at which it was to be shown, where chance had a say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) propensity: Option<f64>,
    /// The name of the salt by which chance was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) salt_id: Option<String>,
}

/// A pattern that an agent says it used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Its id, where the agent knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How the agent calls it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Where it was used, as `path:line`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<String>,
}

/// A pattern that was shown, and where.
#[derive(Debug, Clone, PartialEq)]
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
    pub(super) role: Option<String>,
    pub(super) began: Option<Timestamp>,
    /// The run that it began in, without an instant of its own.
    pub(super) turn: Option<Turn>,
    /// The session.
    pub(super) session: Option<String>,
    /// Whether hooks see what it does.
    pub(super) is_watched: bool,
    /// The tools that it used, as far as they are kept.
    pub(super) touches: Vec<Touch>,
    /// What it was shown, each pattern once.
    pub(super) shown: Vec<Exposure>,
    /// What it still has in its context.
    pub(super) in_context: BTreeSet<String>,
    /// The entries of the project's knowledge that it still has in its context.
    pub(super) told: BTreeSet<String>,
    /// What was withheld from it.
    pub(super) withheld: Vec<Exposure>,
    /// The task, where one is named.
    pub(super) unit: Option<String>,
    /// The arms of its unit of work, where it is to tell of them.
    pub(super) arms: Vec<Assigned>,
    /// Whether it was started at once with others of its name, so that its task is one of several.
    pub(super) is_unsure: bool,
    /// What it said it used before it ended. None: it has not said so.
    pub(super) acknowledged: Option<Vec<Claim>>,
    /// Whether it captured a lesson.
    pub(super) has_learned: bool,
    /// Its last message each time it was sent back.
    pub(super) said_before: Vec<String>,
    /// What events are about that have landed, or are about to.
    pub(super) recorded: BTreeSet<String>,
    /// Events that may or may not have been recorded.
    pub(super) landing: Vec<String>,
}

impl Recollection {
    /// Whether the agent began in another run or iteration.
    pub(super) fn is_of_other_turn(&self, situation: &Situation) -> bool {
        let turn = &situation.turn;
        let is_other = |own: &Turn| own.run_id != turn.run_id || own.iteration != turn.iteration || self.unit != situation.unit;
        self.turn.as_ref().is_some_and(is_other)
    }

    fn take(&mut self, note: Note) {
        match note {
            // What an agent was shown in an earlier turn is of that turn.
            Note::Began { agent, role, at, project, run, iteration, session, watched, unit } => {
                let turn = Some(Turn { project, run_id: run, iteration, time: at });
                let session = Some(session);
                let own = Self { agent: Some(agent), role, began: Some(at), session, turn, ..Self::default() };
                *self = Self { is_watched: watched, unit, ..own };
            }
            Note::Touched(touch) => self.touches.push(touch),
            Note::Shown { patterns, tool } => patterns.into_iter().for_each(|pattern| self.show(pattern, tool.as_deref())),
            Note::Assigned { arms } => self.arms.extend(arms),
            Note::Withheld { patterns, tool } => {
                for pattern in patterns {
                    if !self.is_withheld(&pattern.id) {
                        self.withheld.push(Exposure { pattern, tool: tool.clone() });
                    }
                }
            }
            Note::Told { anchors } => self.told.extend(anchors),
            Note::Task { certain } => self.is_unsure = !certain,
            Note::Forgot => {
                self.in_context.clear();
                self.told.clear();
            }
            Note::Acknowledged { uses } => self.acknowledged.get_or_insert_default().extend(uses),
            Note::Learned => self.has_learned = true,
            Note::SentBack { said } => self.said_before.push(said),
            Note::Landing { keys, events } => {
                self.recorded.extend(keys);
                self.landing = events;
            }
            Note::Landed => self.landing.clear(),
        }
    }

    pub(super) fn is_withheld(&self, pattern: &str) -> bool {
        self.withheld.iter().any(|known| known.pattern.id == pattern)
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
        let name = agent.map_or_else(|| SESSION.to_owned(), |agent| format!("{AGENT}{}{ENDING}", file_name(agent)));
        Self::open_at(folder.join(name))
    }

    /// The same by the file's name. A link or a pipe in its place is refused, and so is a link in the place of its folders.
    pub(super) fn open_at(path: PathBuf) -> Outcome<Self> {
        let begin = Instant::now();
        let failed = |error: &io::Error| Diagnostic::io("cannot open the hooks' notes of an agent", &path, error);
        loop {
            make_folders(&path)?;
            match durable::open_for_append(&path) {
                // Another hook has just put the session's folder away.
                Err(error) if error.kind() == io::ErrorKind::NotFound && begin.elapsed() < PATIENCE => {}
                opened => {
                    let (file, _) = opened.map_err(|error| failed(&error))?;
                    if !file.metadata().map_err(|error| failed(&error))?.is_file() {
                        return Err(failed(&io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
                    }
                    durable::lock_within(&file, PATIENCE).map_err(|error| failed(&error))?;
                    // Whoever held it before may have put it away: what is written here would be lost.
                    let own = file.metadata().map_err(|error| failed(&error))?.ino();
                    if fs::symlink_metadata(&path).is_ok_and(|found| found.ino() == own) {
                        let (recollection, is_torn) = recollect(&file).map_err(|error| failed(&error))?;
                        return Ok(Self { path, file, is_torn, recollection });
                    }
                }
            }
        }
    }

    /// Remembers one thing more.
    pub(super) fn note(&mut self, note: Note) -> Outcome<()> {
        let failed = |error: &io::Error| Diagnostic::io("cannot write the hooks' notes of an agent", &self.path, error);
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

    /// Whether it is that of a session's own agent.
    pub(super) fn is_of_session(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == SESSION)
    }

    /// The name of its file, which tells it from all others of the session.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Makes what was noted survive a power cut.
    pub(super) fn sync(&self) -> Outcome<()> {
        durable::sync_file(&self.file, &self.path)
    }

    /// Puts the memory away.
    pub(super) fn forget(self) -> Outcome<()> {
        fs::remove_file(&self.path)
            .map_err(|error| Diagnostic::io("cannot archive the hooks' notes of an agent", &self.path, &error))
    }
}

/// Makes the folders of a memory. A repository may bring a link in their place, which could lead anywhere.
pub(super) fn make_folders(path: &Path) -> Outcome<()> {
    let Some(session) = path.parent() else { return Ok(()) };
    for folder in session.parent().into_iter().chain([session]) {
        durable::create_folder(folder)?;
        if fs::symlink_metadata(folder).is_ok_and(|found| !found.is_dir()) {
            return Err(
                Diagnostic::edit("a link is in the place of the hooks' notes folder", "put a folder in its place").at(folder)
            );
        }
    }
    Ok(())
}

/// Whether anything is remembered of an agent.
pub(super) fn is_known(folder: &Path, agent: &str) -> bool {
    folder.join(format!("{AGENT}{}{ENDING}", file_name(agent))).is_file()
}

/// The memories in a session's folder, by name. What is no memory is left alone, and so are links.
pub(super) fn list_memories(folder: &Path) -> Vec<PathBuf> {
    let is_memory = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_named = name == SESSION || (name.starts_with(AGENT) && name.ends_with(ENDING));
        is_named && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
    };
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_memory).collect();
    paths.sort_unstable();
    paths
}

/// The name of a file for a name from outside: itself if it is harmless, else its hash.
pub(super) fn file_name(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.len() <= MOST_NAME_BYTES && !name.is_empty() && name.bytes().all(is_plain) {
        return name.to_owned();
    }
    format!("x-{}", &sha256(name.as_bytes())[..32])
}

/// What is remembered in a file, for somebody who only looks.
pub(super) fn peek(path: &Path) -> Option<Recollection> {
    let (recollection, _) = recollect(&durable::open_regular(path).ok()?).ok()?;
    recollection.began.is_some().then_some(recollection)
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
