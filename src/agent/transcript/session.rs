//! The last turns of a session, and the two channels that observations are made from.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use jiff::Timestamp;
use serde::Serialize;

use super::line::{Line, Lines};
use super::row::Row;
use super::turn::{Speaker, Turn, accept};

/// So many accepted turns of a session are kept, the last ones, of people and of the agent together.
pub const MOST_TURNS: usize = 80;
/// A longer line is passed over: results of tools hold images of many megabytes, and no text that anybody typed.
pub const MOST_LINE_BYTES: usize = 8 << 20;

/// What a transcript says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The session, as its last accepted line calls it.
    pub session: Option<String>,
    /// The folder that it worked in, as its last accepted line says.
    pub folder: Option<String>,
    /// The time of the last accepted turn that has one.
    pub time: Option<Timestamp>,
    /// The last accepted turns.
    pub turns: VecDeque<Turn>,
    /// How many turns of people were accepted, also those that are no longer kept.
    pub user_turns: u64,
    /// What became of its lines.
    pub reading: Reading,
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

/// Reads a transcript, line by line: however long it is, no more than one line and the last turns are held.
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
    Ok(transcript)
}

impl Transcript {
    /// Takes a line into account.
    pub fn take_line(&mut self, number: u64, bytes: &[u8]) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        self.reading.lines += 1;
        match Row::parse(&String::from_utf8_lossy(bytes)) {
            Ok(row) => {
                self.reading.rows += 1;
                if let Some(turn) = accept(&row) {
                    self.take_turn(&row, turn);
                }
            }
            Err(cause) => self.reading.refuse(number, cause),
        }
    }

    fn take_turn(&mut self, row: &Row<'_>, turn: Turn) {
        self.session = row.session().or(self.session.take());
        self.folder = row.folder().or(self.folder.take());
        self.time = turn.time.or(self.time);
        self.user_turns += u64::from(turn.speaker == Speaker::User);
        if self.turns.len() == MOST_TURNS {
            self.turns.pop_front();
        }
        self.turns.push_back(turn);
    }

    /// The turns of people, each with what the agent said just before it.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        let mut prior: Option<&Turn> = None;
        for turn in &self.turns {
            if turn.speaker == Speaker::User {
                let prior = prior.filter(|prior| prior.speaker == Speaker::Assistant);
                exchanges.push(Exchange { prior: prior.map(|prior| prior.text.clone()), user: turn.text.clone() });
            }
            prior = Some(turn);
        }
        exchanges
    }

    /// The two channels.
    #[must_use]
    pub fn channels(&self) -> Channels {
        let exchanges = self.exchanges();
        let user_signals = exchanges.iter().map(|exchange| exchange.user.clone()).collect();
        let pair = |Exchange { prior, user }: Exchange| prior.map(|prior| Pair { prior, user });
        Channels { user_signals, dialog_pairs: exchanges.into_iter().filter_map(pair).collect() }
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

/// A turn of a person, and what the agent said just before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The agent's turn; none where the person spoke first, or twice.
    pub prior: Option<String>,
    /// The person's.
    pub user: String,
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
