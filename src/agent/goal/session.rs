//! The transcript of a session: where it lies, and what the session spent.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use super::evaluate::{Situation, Threshold};
use super::outcome::{GoalOutcome, number};
use super::start::for_each_line;
use store::durable;
use text::fit::is_unprintable;

/// How many projects are looked into for a transcript.
const MOST_PROJECTS: usize = 10_000;
const MOST_NAME_BYTES: usize = 200;

/// Judges a run by what its session spent.
///
/// Without a transcript there is no score. A middling one would be a measurement that nobody made, and runs without transcripts
/// would look better than runs that were measured and spent too much.
pub(super) fn judge_tokens(goal: &str, threshold: &Threshold, situation: &Situation) -> GoalOutcome {
    let failed = |error: &str, details: &str| GoalOutcome::unmeasured(goal, error, details);
    let path = match find_transcript(situation) {
        Found::File(path) => path,
        Found::Nothing => return failed("session_file_not_found", "the transcript of the session was not found"),
        Found::Refused => return failed("session_id_refused", "the session's id is not a plain file name"),
    };
    let counted = durable::open_regular(&path).and_then(|file| count_tokens(BufReader::with_capacity(1 << 16, file)));
    match counted {
        Err(error) => failed("session_file_unreadable", &format!("the transcript of the session cannot be read: {error}")),
        Ok(counts) if counts.messages == 0 => {
            failed("usage_not_found", "the transcript of the session has no token counts").with("unread_lines", counts.unread_lines)
        }
        Ok(counts) => judge(goal, threshold, &counts),
    }
}

fn judge(goal: &str, threshold: &Threshold, counts: &TokenCounts) -> GoalOutcome {
    #[expect(clippy::cast_precision_loss, reason = "no session spends that much")]
    let total = counts.total() as f64;
    let outcome = GoalOutcome::measured(goal, threshold.is_reached(total), Some(threshold.score(total)))
        .with("input_tokens", counts.input)
        .with("output_tokens", counts.output)
        .with("cache_tokens", counts.cache)
        .with("total_tokens", counts.total())
        .with("target", number(threshold.target))
        .saying(&format!("{} tokens; the target is {}", counts.total(), threshold.target));
    match counts.unread_lines {
        0 => outcome,
        unread => outcome.noting(&format!("unreadable lines of the transcript that were skipped: {unread}")),
    }
}

enum Found {
    File(PathBuf),
    Nothing,
    /// What is said to be a session could lead anywhere.
    Refused,
}

fn find_transcript(situation: &Situation) -> Found {
    if let Some(file) = &situation.session_file {
        return if file.exists() { Found::File(file.clone()) } else { Found::Nothing };
    }
    let Some(id) = situation.session_id.as_deref().filter(|id| !id.is_empty()) else { return Found::Nothing };
    if !is_file_name(id) {
        return Found::Refused;
    }
    let name = format!("{id}.jsonl");
    let claude = situation.home.as_ref().map(|home| home.join(".claude"));
    let sessions = situation.sessions.clone().or_else(|| claude.as_ref().map(|claude| claude.join("sessions")));
    let near = sessions.map(|sessions| sessions.join(&name)).filter(|path| is_file(path));
    near.or_else(|| find_below(&claude?.join("projects"), &name)).map_or(Found::Nothing, Found::File)
}

/// A file of that name in a folder of a folder: the first one, in the order of the names.
fn find_below(projects: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(projects).ok()?.take(MOST_PROJECTS).filter_map(Result::ok);
    entries.map(|entry| entry.path().join(name)).filter(|path| is_file(path)).min()
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

fn is_file_name(id: &str) -> bool {
    id.len() <= MOST_NAME_BYTES
        && !matches!(id, "." | "..")
        && !id.contains(|letter| matches!(letter, '/' | '\\') || is_unprintable(letter))
}

/// A line holds what was said, and pictures with it. What is longer is passed over.
const MOST_LINE_BYTES: usize = 16 << 20;
/// How many messages are remembered to recognise one that comes again. It comes again within a few lines.
const MOST_REMEMBERED: usize = 1 << 16;

/// What a session spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenCounts {
    pub input: u64,
    pub output: u64,
    /// Tokens that went into the cache or came out of it.
    pub cache: u64,
    pub messages: u64,
    /// How many lines could not be read.
    pub unread_lines: u64,
}

impl TokenCounts {
    /// What counts: tokens of the cache do not.
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    fn add(&mut self, usage: Usage) {
        self.input = self.input.saturating_add(usage.input());
        self.output = self.output.saturating_add(usage.output());
        self.cache = self.cache.saturating_add(usage.cache());
    }

    fn take_back(&mut self, usage: Usage) {
        self.input = self.input.saturating_sub(usage.input());
        self.output = self.output.saturating_sub(usage.output());
        self.cache = self.cache.saturating_sub(usage.cache());
    }
}

/// Counts the tokens of a transcript, a JSON object a line. Usage stands in a line or in its message. A message is written once
/// for each of its parts with the usage so far: the last one counts. A line that sums up its session counts only where no
/// message says anything.
pub fn count_tokens(transcript: impl BufRead) -> io::Result<TokenCounts> {
    let mut tally = Tally::default();
    for_each_line(transcript, MOST_LINE_BYTES, |line| tally.take(line))?;
    let Tally { messages, sums, .. } = tally;
    Ok(if messages.messages > 0 { messages } else { TokenCounts { unread_lines: messages.unread_lines, ..sums } })
}

#[derive(Debug, Default)]
struct Tally {
    messages: TokenCounts,
    sums: TokenCounts,
    remembered: HashMap<u128, Usage>,
    order: VecDeque<u128>,
}

impl Tally {
    fn take(&mut self, line: Option<&[u8]>) {
        match line.map(<[u8]>::trim_ascii) {
            Some([]) => {}
            Some(line) => match parse_line(line) {
                Some(Entry { usage: Some(usage), is_sum: true, .. }) => {
                    self.sums.messages += 1;
                    self.sums.add(usage);
                }
                Some(Entry { usage: Some(usage), message, .. }) => self.count(usage, message),
                Some(_) => {}
                None => self.messages.unread_lines += 1,
            },
            None => self.messages.unread_lines += 1,
        }
    }

    fn count(&mut self, usage: Usage, message: Option<u128>) {
        self.messages.add(usage);
        if let Some(earlier) = message.and_then(|message| self.remembered.insert(message, usage)) {
            self.messages.take_back(earlier);
            return;
        }
        self.messages.messages += 1;
        self.order.extend(message);
        if self.order.len() > MOST_REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.remembered.remove(&oldest);
        }
    }
}

/// What a line says.
struct Entry {
    usage: Option<Usage>,
    message: Option<u128>,
    is_sum: bool,
}

#[derive(Deserialize)]
struct RawLine<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    cached: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    recalled: Option<u64>,
}

impl Usage {
    fn input(&self) -> u64 {
        self.input.unwrap_or(0)
    }

    fn output(&self) -> u64 {
        self.output.unwrap_or(0)
    }

    fn cache(&self) -> u64 {
        self.cached.unwrap_or(0).saturating_add(self.recalled.unwrap_or(0))
    }
}

/// Parses a line. None where it cannot be read.
fn parse_line(line: &[u8]) -> Option<Entry> {
    // A list would be taken for the members in their order.
    if line.first() != Some(&b'{') {
        return None;
    }
    let line: RawLine = serde_json::from_slice(line).ok()?;
    let message = match line.message.filter(|message| is_object(message)) {
        Some(message) => Some(serde_json::from_str::<RawMessage>(message.get()).ok()?),
        None => None,
    };
    let id = message.as_ref().and_then(|message| message.id).filter(|id| id.get().starts_with('"'));
    let within = message.as_ref().and_then(|message| message.usage);
    let usage = match line.usage.filter(|usage| is_object(usage)).or(within.filter(|usage| is_object(usage))) {
        Some(usage) => Some(serde_json::from_str(usage.get()).ok()?),
        None => None,
    };
    let is_sum = line.kind.is_some_and(|kind| kind.get() == "\"result\"");
    Some(Entry { usage, message: id.map(|id| xxh3_128(id.get().as_bytes())), is_sum })
}

fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}
