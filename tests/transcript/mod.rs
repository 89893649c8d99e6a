//! Transcripts: which lines are turns, what is kept of them, and what reading them costs.

mod bound;
mod filter;
mod memory;
mod paste;
mod person;

use std::io::Cursor;

use agent::transcript::{Transcript, read_transcript};
use serde_json::{Value, json};

/// What a transcript of some lines says.
fn read(lines: &str) -> Transcript {
    read_transcript(Cursor::new(lines.as_bytes())).expect("memory can be read")
}

/// The signals of people in some lines.
fn signals(lines: &str) -> Vec<String> {
    read(lines).channels().user_signals
}

/// A line with a message.
fn said(role: &str, content: impl Into<Value>) -> Value {
    json!({"type": role, "message": {"role": role, "content": content.into()}})
}

/// Rows as the lines of a transcript.
fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}
