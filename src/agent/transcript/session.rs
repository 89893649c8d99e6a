//! A session as its transcript tells it: what people said, what the agent had said before, and what it did then.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, BufRead};

use jiff::Timestamp;
use serde::Serialize;

use super::backlog::Backlog;
use super::line::{Line, Lines};
use super::paste::own_words;
use super::prompt::{Prompt, judge_queued};
use super::provenance::{ForeignCounts, Provenance};
use super::row::Row;
use super::turn::{Heard, LEAST_UNITS, MOST_BYTES, MOST_UNITS, QueueOperation, Words, head, hear, settled, without_secrets};
use render::artifact::{find_citations, find_mentions};
use text::fit::cut;

/// So many of the last turns, of people and of the agent together, are the window of a model. Built-in rules read all of them.
pub const MOST_TURNS: u64 = 80;
/// A longer line is passed over: results of tools hold images of many megabytes, and no text that anybody typed.
pub const MOST_LINE_BYTES: usize = 8 << 20;
/// Beyond so many bytes of turns the oldest are forgotten: months of talk, and a bound for a file that only looks like it.
const MOST_HELD_BYTES: usize = 8 << 20;
/// How many of the agent's last messages are compared with what a person pastes.
const MOST_RECALLED: usize = 6;
/// How many commands that the agent ran in answer to one turn are kept, and how much of each.
const MOST_RAN: usize = 48;
const MOST_COMMAND_BYTES: usize = 400;
/// More artifacts than a session can speak of.
const MOST_MENTIONS: usize = 1000;

/// What a transcript says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The session, as its last accepted line calls it.
    pub session: Option<String>,
    /// The folder that it was started in.
    pub folder: Option<String>,
    /// The time of the last accepted turn that has one.
    pub time: Option<Timestamp>,
    /// The turns of people, all of them but for sessions beyond any person's.
    pub exchanges: VecDeque<Exchange>,
    /// How many turns of people were accepted, also those that are no longer kept.
    pub user_turns: u64,
    /// How many turns of people and of the agent were accepted.
    pub turns: u64,
    /// What stood in a person's place and was not a person's.
    pub foreign: ForeignCounts,
    /// The artifacts that agents cited and people or agents used.
    pub mentions: Mentions,
    /// What became of its lines.
    pub reading: Reading,
    /// What the agent said since a person spoke last.
    prior: Option<String>,
    recalled: VecDeque<String>,
    backlog: Backlog,
    /// The calls of the last exchange, by their ids.
    calls: HashMap<String, usize>,
    held_bytes: usize,
}

/// What became of the lines of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// All lines but for blank ones.
    pub lines: u64,
    /// Those that are JSON objects.
    pub rows: u64,
    /// Those that are none, and the first of them with its number and why.
    pub faults: u64,
    /// The first of these: its number, and why it is none.
    pub first_fault: Option<(u64, String)>,
    /// Those that were too long to be read.
    pub long_lines: u64,
}

/// A turn of a person, what the agent said just before it, and what it ran then. All of it trimmed, bounded, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The agent's turn, or the question that is answered; none where the person spoke first, or twice.
    pub prior: Option<String>,
    /// Everything that the person sent.
    pub user: String,
    /// The person's own words in it: without logs, code, quotations and reviews that were only pasted. May be empty.
    pub own: String,
    /// How it reached the agent.
    pub provenance: Provenance,
    /// The slash command that it was written behind.
    pub command: Option<String>,
    /// What the agent ran before the person spoke again.
    pub ran: Vec<Ran>,
    /// Its line in the transcript.
    pub line: u64,
    /// Its place among the turns of people and of the agent, from 1.
    pub place: u64,
}

/// A shell command that the agent ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub command: String,
    pub fate: Fate,
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Done,
    Failed,
    /// A person did not let it run.
    Rejected,
}

/// What is said about artifacts in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The anchors of entries that agents go by, each with when a session first did.
    pub cited: BTreeMap<String, Option<Timestamp>>,
    /// The names of commands and skills that were used or named, and when.
    pub used: BTreeMap<String, Option<Timestamp>>,
}

impl Mentions {
    /// What a text says.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut mentions = Self::default();
        mentions.read(text, None);
        mentions
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cited.is_empty() && self.used.is_empty()
    }

    pub fn extend(&mut self, other: Self) {
        other.cited.into_iter().for_each(|(anchor, time)| note_first(&mut self.cited, anchor, time));
        other.used.into_iter().for_each(|(name, time)| note_first(&mut self.used, name, time));
    }

    fn read(&mut self, text: &str, time: Option<Timestamp>) {
        if (text.contains("ADR-") || text.contains("PF-")) && self.cited.len() < MOST_MENTIONS {
            for anchor in find_citations(text) {
                note_first(&mut self.cited, anchor, time);
            }
        }
        self.read_names(text, time);
    }

    fn read_names(&mut self, text: &str, time: Option<Timestamp>) {
        if text.contains("self-learning") && self.used.len() < MOST_MENTIONS {
            for name in find_mentions(text) {
                note_first(&mut self.used, name, time);
            }
        }
    }
}

/// Notes when something was mentioned. A session tells each thing once, and later lines of it must not change when.
fn note_first(known: &mut BTreeMap<String, Option<Timestamp>>, name: String, time: Option<Timestamp>) {
    let first = known.entry(name).or_insert(time);
    *first = match (*first, time) {
        (Some(first), Some(time)) => Some(first.min(time)),
        (first, time) => first.or(time),
    };
}

/// Reads a transcript, line by line: however long it is, no more than one line and a bounded number of turns are held.
pub fn read_transcript(input: impl BufRead) -> io::Result<Transcript> {
    let mut transcript = Transcript::default();
    let mut lines = Lines::new(input, MOST_LINE_BYTES);
    let mut number = 0;
    while let Some(line) = lines.next_line()? {
        number += 1;
        match line {
            Line::TooLong(_) => transcript.reading.pass_over(),
            Line::Whole(bytes) => transcript.take_line(number, bytes),
        }
    }
    for prompt in transcript.backlog.finish() {
        transcript.take_queued(number, None, &prompt);
    }
    // Whoever reads many sessions holds them all, and not what reading took.
    transcript.recalled = VecDeque::new();
    transcript.backlog = Backlog::default();
    transcript.calls = HashMap::new();
    Ok(transcript)
}

impl Transcript {
    /// Takes a line into account.
    fn take_line(&mut self, number: u64, bytes: &[u8]) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        self.reading.lines += 1;
        match Row::parse(&String::from_utf8_lossy(bytes)) {
            Ok(row) => {
                self.reading.rows += 1;
                let heard = hear(&row);
                if heard != Heard::default() {
                    self.take(number, &row, heard);
                }
            }
            Err(cause) => self.reading.refuse(number, cause),
        }
    }

    fn take(&mut self, number: u64, row: &Row<'_>, mut heard: Heard) {
        for foreign in heard.foreign.drain(..) {
            *self.foreign.entry(foreign).or_default() += 1;
        }
        let time = row.timestamp().and_then(|time| time.parse().ok());
        heard.used.iter().for_each(|name| self.mentions.read_names(name, time));
        self.mentions.read(&heard.said, time);
        match heard.queue.take() {
            Some(QueueOperation::Enter(prompt)) => self.backlog.enter(prompt),
            Some(QueueOperation::Deliver(named)) => {
                if let Some(prompt) = self.backlog.deliver(named.as_deref()) {
                    self.take_queued(number, time, &prompt);
                }
            }
            Some(QueueOperation::Leave(named)) => self.backlog.leave(named.as_deref()),
            Some(QueueOperation::Clear) => self.backlog.clear(),
            None => {}
        }
        let is_said = self.take_agent(&heard);
        for words in heard.words {
            if heard.is_attached && !self.backlog.is_first(&words.text) {
                continue;
            }
            self.take_person(number, words);
            self.note(row, time);
        }
        if is_said {
            self.note(row, time);
        }
    }

    fn note(&mut self, row: &Row<'_>, time: Option<Timestamp>) {
        self.session = row.session().or(self.session.take());
        self.folder = self.folder.take().or_else(|| row.folder());
        self.time = time.or(self.time);
    }

    /// What the agent said and ran. Says whether that is a turn.
    fn take_agent(&mut self, heard: &Heard) -> bool {
        for (call, is_rejected) in &heard.failed {
            let ran = self.calls.get(call).copied().and_then(|place| self.exchanges.back_mut()?.ran.get_mut(place));
            if let Some(ran) = ran {
                ran.fate = if *is_rejected { Fate::Rejected } else { Fate::Failed };
            }
        }
        if !heard.is_own {
            return false;
        }
        for (call, command) in &heard.ran {
            let Some(exchange) = self.exchanges.back_mut().filter(|exchange| exchange.ran.len() < MOST_RAN) else { break };
            self.calls.extend(call.clone().map(|call| (call, exchange.ran.len())));
            let command = cut(&without_secrets(command), MOST_COMMAND_BYTES).to_owned();
            self.held_bytes += command.len();
            exchange.ran.push(Ran { command, fate: Fate::Done });
        }
        let said = settled(&heard.said);
        if said.encode_utf16().take(LEAST_UNITS).count() < LEAST_UNITS {
            return false;
        }
        self.turns += 1;
        self.prior = Some(said);
        if self.recalled.len() == MOST_RECALLED {
            self.recalled.pop_front();
        }
        self.recalled.push_back(cut(&heard.said, MOST_BYTES).to_owned());
        true
    }

    /// A prompt from the queue, as it was typed.
    fn take_queued(&mut self, number: u64, time: Option<Timestamp>, prompt: &str) {
        let (text, provenance, command) = match judge_queued(prompt) {
            Prompt::Words(text) => (text, Provenance::Queued, None),
            Prompt::Command { name, argument } => {
                self.mentions.read_names(&name, time);
                if argument.is_empty() {
                    return;
                }
                (argument, Provenance::SlashArgument, Some(name))
            }
            Prompt::Foreign(foreign) => {
                *self.foreign.entry(foreign).or_default() += 1;
                return;
            }
        };
        self.time = time.or(self.time);
        self.take_person(number, Words { text, provenance, asked: None, command });
    }

    fn take_person(&mut self, line: u64, words: Words) {
        let whole = without_secrets(&words.text);
        if whole.is_empty() {
            return;
        }
        let own = own_words(&whole, self.recalled.iter().map(String::as_str));
        let prior = words.asked.as_deref().map(settled).or(self.prior.take());
        self.prior = None;
        self.turns += 1;
        self.user_turns += 1;
        self.calls.clear();
        let exchange = Exchange {
            prior,
            user: head(&whole, MOST_UNITS).to_owned(),
            own: head(&own, MOST_UNITS).to_owned(),
            provenance: words.provenance,
            command: words.command,
            ran: Vec::new(),
            line,
            place: self.turns,
        };
        self.held_bytes += exchange.bytes();
        self.exchanges.push_back(exchange);
        while self.held_bytes > MOST_HELD_BYTES {
            let Some(oldest) = self.exchanges.pop_front() else { break };
            self.held_bytes = self.held_bytes.saturating_sub(oldest.bytes());
        }
    }

    /// The two channels.
    #[must_use]
    pub fn channels(&self) -> Channels {
        let user_signals = self.exchanges.iter().map(|exchange| exchange.user.clone()).collect();
        let pair = |exchange: &Exchange| Some(Pair { prior: exchange.prior.clone()?, user: exchange.user.clone() });
        Channels { user_signals, dialog_pairs: self.exchanges.iter().filter_map(pair).collect() }
    }
}

impl Reading {
    const fn pass_over(&mut self) {
        self.lines += 1;
        self.long_lines += 1;
    }

    fn refuse(&mut self, number: u64, cause: String) {
        self.faults += 1;
        self.first_fault.get_or_insert((number, cause));
    }
}

impl Exchange {
    /// What a person typed right after something that the agent said, if it said anything.
    #[must_use]
    pub fn typed(prior: Option<&str>, user: &str) -> Self {
        let (user, own) = (user.to_owned(), user.to_owned());
        let prior = prior.map(str::to_owned);
        Self { prior, user, own, provenance: Provenance::Typed, command: None, ran: Vec::new(), line: 0, place: 0 }
    }

    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let ran: usize = self.ran.iter().map(|ran| ran.command.len() + size_of::<Ran>()).sum();
        size_of::<Self>() + self.prior.as_ref().map_or(0, String::len) + self.user.len() + self.own.len() + ran
    }
}

/// What people said, and what they said in answer to the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Channels {
    /// Every turn of a person.
    pub user_signals: Vec<String>,
    /// Every turn of a person with the agent's turn right before it.
    pub dialog_pairs: Vec<Pair>,
}

/// A turn of a person right after one of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The agent's.
    pub prior: String,
    /// The person's.
    pub user: String,
}
