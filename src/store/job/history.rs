//! The history: one line a run, in `history/runs.jsonl`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// A run of a job, as the history keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub job: String,
    pub started: Timestamp,
    pub ended: Timestamp,
    /// `done` or `failed`.
    pub outcome: String,
    #[serde(default)]
    pub exit: u8,
    /// The last event in the order of landing that the lake held afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The instant that generation holds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Timestamp>,
    pub steps: Vec<StepRecord>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A step of a run, as the history keeps it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepRecord {
    pub step: String,
    /// `done`, `failed` or `skipped`.
    #[serde(default)]
    pub outcome: String,
    /// How long it took.
    #[serde(default)]
    pub seconds: f64,
    /// How often it was tried.
    #[serde(default)]
    pub attempts: u32,
    #[serde(default)]
    pub numbers: BTreeMap<String, i64>,
}

/// Adds a line to the history.
pub fn write_history(workspace: &Workspace, record: &Record) -> Outcome<()> {
    let mut text = serde_json::to_vec(record).map_err(|error| Diagnostic::bug(format!("cannot encode the history: {error}")))?;
    text.push(b'\n');
    durable::create_folder(&workspace.history())?;
    let path = workspace.history().join("runs.jsonl");
    let failed = |error: io::Error| Diagnostic::io("cannot write the history", &path, &error);
    let (mut file, _) = durable::open_for_append(&path).map_err(failed)?;
    // A run that was killed left half a line: end it, so that ours does not become its tail.
    if is_torn(&file).map_err(failed)? {
        text.insert(0, b'\n');
    }
    file.write_all(&text).map_err(failed)
}

fn is_torn(file: &File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte != [b'\n'])
}

/// Every run that the history knows. A line that was cut off or edited by hand is passed over.
pub fn load_history(workspace: &Workspace) -> Outcome<Vec<Record>> {
    let path = workspace.history().join("runs.jsonl");
    let failed = |error: io::Error| Diagnostic::io("cannot read the history", &path, &error);
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(failed)?,
    };
    let mut records = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        records.extend(serde_json::from_slice(&line.map_err(failed)?).ok());
    }
    Ok(records)
}

/// The last event that had landed at an instant, where the history reaches back so far.
pub fn landed_by(history: &[Record], instant: Timestamp) -> Option<i64> {
    // What a run has learned from had landed at the instant it learned for, although the run itself ended later. A run that
    // learned for an instant before its own start says nothing of what had landed by then.
    let had_learned = |record: &&Record| record.as_of.is_some_and(|as_of| record.started <= as_of && as_of <= instant);
    let known = history.iter().filter(|record| record.ended <= instant || had_learned(record));
    known.filter_map(|record| record.through).max()
}
