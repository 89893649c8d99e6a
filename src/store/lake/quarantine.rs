//! Refused lines with location, reason and remedy: one JSON object per line, in files named after their batch.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::partition::entries;
use crate::durable;
use crate::inbox::append_to;
use crate::workspace::Workspace;
use event::redact::redact;
use event::{Kind, Refused, Rejection, parse_time};
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::instant;

/// A line that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    /// When it was quarantined, RFC 3339.
    pub quarantined_at: String,
    /// The inbox file it stands in.
    pub file: String,
    /// Its line number there, from 1.
    pub line: u64,
    /// Where it starts there, in bytes.
    pub offset: u64,
    /// Its length there, in bytes.
    pub length: u64,
    /// The stable name of the reason.
    pub code: String,
    /// The reason in words.
    pub reason: String,
    /// What its writer can do.
    pub remedy: String,
    /// The line, with secrets redacted; the start of it if it is longer than the limit.
    pub text: String,
    /// `utf-8`, or `latin-1` where the bytes are not UTF-8 and each became the character of its number.
    pub encoding: String,
    /// The kind that the line names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The project of a refused run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The run that a refused line reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The keys of the adapters that a refused run names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<String>,
    /// When the refused report of a run was made, RFC 3339, as it says; not later than it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_at: Option<String>,
}

/// Where a line stands.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The inbox file.
    pub file: &'a str,
    /// The line number, from 1.
    pub line: u64,
    /// Where the line starts, in bytes.
    pub offset: u64,
    /// The length of the line, in bytes.
    pub length: u64,
}

impl Quarantined {
    /// Sets a line aside.
    #[must_use]
    pub fn new(place: Place<'_>, bytes: &[u8], rejection: &Rejection, at: &str) -> Self {
        let (text, encoding) = match std::str::from_utf8(bytes) {
            Ok(text) => (text.to_owned(), "utf-8"),
            Err(_) => (bytes.iter().map(|&byte| char::from(byte)).collect(), "latin-1"),
        };
        let text = redact(&text).text.into_owned();
        let refused = Refused::read(&text);
        let entry = Self {
            quarantined_at: at.to_owned(),
            file: place.file.to_owned(),
            line: place.line,
            offset: place.offset,
            length: place.length,
            code: rejection.code.name().to_owned(),
            reason: redact(&rejection.message).text.into_owned(),
            remedy: rejection.remedy.clone(),
            text,
            encoding: encoding.to_owned(),
            kind: None,
            project: None,
            run_id: None,
            adapters: Vec::new(),
            reported_at: None,
        };
        entry.about(refused)
    }

    /// The same for a record of another tool that is known to be a run, although it does not say so.
    #[must_use]
    pub fn of_run(mut self, project: &str) -> Self {
        let refused = Refused::read_run(&self.text);
        self = self.about(refused);
        self.project = Some(project.to_owned());
        self
    }

    /// The same for a line that was refused in the moment in which it was made: a run that says no time of its own ended just then.
    #[must_use]
    pub(crate) fn at_once(mut self) -> Self {
        if self.kind.as_deref() == Some(Kind::Run.name()) && self.reported_at.is_none() {
            self.reported_at = Some(self.quarantined_at.clone());
        }
        self
    }

    fn about(self, refused: Refused) -> Self {
        let Refused { kind, project, run_id, adapters, micros } = refused;
        // A time in the future would never be reached by the corrected report.
        let refused_at = parse_time(&self.quarantined_at).unwrap_or(i64::MAX);
        let reported_at = micros.map(|micros| instant(micros.min(refused_at)));
        Self { kind: kind.map(|kind| kind.name().to_owned()), project, run_id, adapters, reported_at, ..self }
    }
}

/// Keeps lines that were refused before they reached the inbox. When this returns, they survive a power cut.
pub(crate) fn keep_refused(workspace: &Workspace, day: Day, refused: &[Quarantined]) -> Outcome<()> {
    let mut lines = Vec::new();
    for entry in refused {
        serde_json::to_writer(&mut lines, entry)
            .map_err(|error| Diagnostic::bug(format!("a refused line cannot be encoded: {error}")))?;
        lines.push(b'\n');
    }
    let folder = workspace.quarantine();
    durable::create_folder(&folder)?;
    // Files of batches end in a number; this one must not be taken for one of them.
    append_to(&folder.join(format!("{day}.record.jsonl")), &lines).map(drop)
}

impl Quarantined {
    /// What tells a line in quarantine from every other: its file, its place and its text.
    #[must_use]
    pub fn mark(&self) -> u64 {
        xxh3_64(format!("{}\0{}\0{}", self.file, self.offset, self.text).as_bytes())
    }
}

/// The marks of all lines in quarantine.
pub(super) fn load_marks(workspace: &Workspace) -> Outcome<HashSet<u64>> {
    let mut marks = HashSet::new();
    for path in list_files(workspace)? {
        let file = File::open(&path).map_err(|error| Diagnostic::io("cannot read the quarantine", &path, &error))?;
        for line in BufReader::new(file).lines() {
            let line = line.map_err(|error| Diagnostic::io("cannot read the quarantine", &path, &error))?;
            // What a person edited by hand is no longer the line that was set aside.
            if let Ok(entry) = serde_json::from_str::<Quarantined>(&line) {
                marks.insert(entry.mark());
            }
        }
    }
    Ok(marks)
}

/// The files of the quarantine, by name.
pub fn list_files(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    let files = entries(&workspace.quarantine())?;
    Ok(files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect())
}
