//! Sessions as they are read from their transcripts.

use std::fs;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::transcript::{Exchange, MOST_TURNS, Mentions, Reading, Transcript, read_transcript};
use render::artifact::find_mentions;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::{fit, limit};

/// How much of a transcript is read at a time.
const BUFFER_BYTES: usize = 256 << 10;
/// The folder with the transcripts of a session's agents, below that of the session. Older hosts put `agent-*.jsonl` beside it.
const AGENTS: &str = "subagents";
/// Folders are searched so deep: a host keeps its sessions by project, and agents' below them.
const MOST_DEPTH: usize = 8;

/// A session as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The session.
    pub session: String,
    pub project: String,
    /// When the last of what counts was said.
    pub time: Timestamp,
    /// What people said, each with what the agent said before.
    pub exchanges: Vec<Exchange>,
    /// How often people spoke, also where that is no longer kept.
    pub user_turns: u64,
    /// How often people and the agent spoke.
    pub turns: u64,
    /// The artifacts that were cited and used.
    pub mentions: Mentions,
}

impl Source {
    /// A session of a transcript. What the transcript does not tell, its file does.
    #[must_use]
    pub fn new(transcript: &Transcript, path: &Path, project: String, now: Timestamp) -> Self {
        let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let session = transcript.session.clone().or_else(stem).and_then(|session| fit::name(&session));
        // Whoever calls an artifact uses it: that is no sighting of what it says.
        let is_use = |exchange: &&Exchange| exchange.command.as_deref().is_some_and(|name| !find_mentions(name).is_empty());
        Self {
            session: session.unwrap_or_else(|| "unknown".to_owned()),
            project,
            time: time_of(transcript, path, now),
            exchanges: transcript.exchanges.iter().filter(|exchange| !is_use(exchange)).cloned().collect(),
            user_turns: transcript.user_turns,
            turns: transcript.turns,
            mentions: transcript.mentions.clone(),
        }
    }

    /// The turns of people among the last turns, as a model gets them. What the agent said before the window is not in it.
    #[must_use]
    pub fn window(&self) -> Vec<Exchange> {
        let inside = self.exchanges.iter().filter(|exchange| exchange.place + MOST_TURNS > self.turns);
        let shown = |exchange: &Exchange| {
            let prior = exchange.prior.clone().filter(|_| exchange.place + MOST_TURNS > self.turns + 1);
            Exchange { prior, ..exchange.clone() }
        };
        inside.map(shown).collect()
    }

    /// How many characters people typed.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.exchanges.iter().map(|exchange| exchange.user.chars().count()).sum()
    }
}

/// Whether an event may carry a time that a transcript tells.
#[must_use]
pub fn is_possible(time: Timestamp, now: Timestamp) -> bool {
    let latest = now.as_microsecond().saturating_add(limit::AHEAD_MICROS / 2);
    (limit::EARLIEST_MICROS..=latest).contains(&time.as_microsecond())
}

/// The time of the last turn; else that of the file; else now. A time that no event may carry is none.
fn time_of(transcript: &Transcript, path: &Path, now: Timestamp) -> Timestamp {
    let is_possible = |time: &Timestamp| is_possible(*time, now);
    let written = || fs::metadata(path).and_then(|found| found.modified()).ok().and_then(|time| Timestamp::try_from(time).ok());
    transcript.time.filter(is_possible).or_else(|| written().filter(is_possible)).unwrap_or(now)
}

/// Reads a transcript. However long it is, a few megabytes of it are held.
pub fn load_session(path: &Path) -> io::Result<Transcript> {
    read_transcript(BufReader::with_capacity(BUFFER_BYTES, durable::open_regular(path)?))
}

/// What the agents of a session say about artifacts, which keep transcripts of their own below the session's.
#[must_use]
pub fn load_agents_mentions(path: &Path) -> Mentions {
    let mut mentions = Mentions::default();
    let Ok(entries) = fs::read_dir(path.with_extension("").join(AGENTS)) else { return mentions };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| is_transcript(path)).collect();
    paths.sort_unstable();
    // One that cannot be read has nothing to say; the session itself counts all the same.
    paths.iter().filter_map(|path| load_session(path).ok()).for_each(|transcript| mentions.extend(transcript.mentions));
    mentions
}

fn is_transcript(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

/// The transcripts that some paths name: files themselves, and of folders all `*.jsonl` below them, by name, but for those of
/// sub-agents, whose prompts an agent wrote. Each with whether it was named itself.
pub fn find_transcripts(paths: &[PathBuf]) -> Outcome<Vec<(PathBuf, bool)>> {
    let mut found = Vec::new();
    for path in paths {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => {
                let remedy = "name a transcript (*.jsonl), or a folder with some below it";
                Diagnostic::edit("there is no such file or folder", remedy).at(path)
            }
            _ => Diagnostic::io("cannot read the transcript", path, &error),
        };
        let path = fs::canonicalize(path).map_err(failed)?;
        if !path.is_dir() {
            found.push((path, true));
            continue;
        }
        let before = found.len();
        let mut below = Vec::new();
        search(&path, MOST_DEPTH, &mut below)?;
        below.sort_unstable();
        found.extend(below.into_iter().map(|path| (path, false)));
        if found.len() == before {
            return Err(
                Diagnostic::edit("the folder holds no transcripts", "name a file, or a folder with *.jsonl below it").at(&path)
            );
        }
    }
    Ok(found)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Outcome<()> {
    let failed = |error: io::Error| Diagnostic::io("cannot search the folder for transcripts", folder, &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let path = entry.path();
        let is_agents = entry.file_name().to_str().is_some_and(|name| name == AGENTS || name.starts_with("agent-"));
        if is_agents {
            continue;
        }
        if kind.is_dir() && depth > 0 {
            search(&path, depth - 1, found)?;
        } else if kind.is_file() && is_transcript(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// Why a file is no transcript, if not a single line of it is one's.
#[must_use]
pub fn fault_of(reading: &Reading, path: &Path) -> Option<Diagnostic> {
    if reading.rows > 0 {
        return None;
    }
    let place = reading.first_fault.as_ref().map(|(line, cause)| format!("line {line}: {cause}"));
    let cause = place.unwrap_or_else(|| match reading.long_lines {
        0 => "it is empty".to_owned(),
        _ => "all of its lines are too long".to_owned(),
    });
    let remedy = "name a transcript in JSONL: one JSON object per line, as agents' hosts keep them below ~/.claude/projects";
    Some(Diagnostic::edit("no line of the transcript is a JSON object", remedy).at(path).because(cause))
}
