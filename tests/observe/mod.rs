//! What is observed in transcripts: the built-in rules, commands of all tempers, the queue, and the command line.

mod answer;
mod builtin;
mod citation;
mod command;
mod corpus;
mod harm;
mod likeness;
mod memory;
mod queue;
mod quota;
mod request;
mod room;

use std::fs;
use std::path::{Path, PathBuf};

use agent::observe::{Known, Sighting, Source, extract};
use agent::transcript::{Exchange, Mentions};
use event::field::ObservationType;
use jiff::Timestamp;
use serde_json::{Value, json};

/// An instant that all tests agree on.
const NOW: &str = "2026-03-14T12:00:00Z";

fn now() -> Timestamp {
    NOW.parse().expect("a time")
}

/// What a person said, and what the agent said before.
fn exchange(prior: Option<&str>, user: &str) -> Exchange {
    Exchange::typed(prior, user)
}

/// What the built-in rules see in some turns.
fn seen(turns: &[(Option<&str>, &str)]) -> Vec<Sighting> {
    extract(&turns.iter().map(|(prior, user)| exchange(*prior, user)).collect::<Vec<_>>())
}

/// A session of the project `shop`.
fn source(session: &str, turns: &[(Option<&str>, &str)]) -> Source {
    Source {
        session: session.to_owned(),
        project: "shop".to_owned(),
        time: now(),
        exchanges: turns.iter().map(|(prior, user)| exchange(*prior, user)).collect(),
        user_turns: turns.len() as u64,
        turns: 0,
        mentions: Mentions::default(),
    }
}

fn known(id: &str, kind: &str, pattern: &str) -> Known {
    Known {
        id: id.to_owned(),
        project: "shop".to_owned(),
        kind: ObservationType::from_name(kind).expect("a type"),
        pattern: pattern.to_owned(),
        evidence: Vec::new(),
    }
}

/// Writes a transcript of turns, a minute apart: the agent's where there is one, then the person's.
fn write_transcript(folder: &Path, session: &str, turns: &[(&str, &str)]) -> PathBuf {
    let start: Timestamp = "2026-03-01T10:00:00Z".parse().expect("a time");
    let mut lines = String::new();
    for (index, (prior, user)) in turns.iter().enumerate() {
        let time = start + jiff::SignedDuration::from_mins(i64::try_from(index).expect("a small number"));
        for (role, text) in [("assistant", prior), ("user", user)] {
            if !text.is_empty() {
                lines += &row(session, role, text, &time.to_string()).to_string();
                lines.push('\n');
            }
        }
    }
    let path = folder.join(format!("{session}.jsonl"));
    fs::write(&path, lines).expect("a transcript");
    path
}

fn row(session: &str, role: &str, text: &str, time: &str) -> Value {
    json!({"type": role, "sessionId": session, "timestamp": time, "cwd": "/home/ann/shop", "message": {"role": role, "content": text}})
}

/// Turns in which all four types are seen.
const TELLING: [(&str, &str); 4] = [
    ("", "Implement the parser, then run the tests, then commit"),
    ("I will amend the last commit and force push it.", "no, do not amend pushed commits. It breaks everybody's checkout"),
    ("I could store the sessions in Postgres.", "Let's keep SQLite because the tests have to run without a server"),
    ("The schema is changed.", "Whenever you change schema.prisma, run `pnpm generate` before the tests"),
];
