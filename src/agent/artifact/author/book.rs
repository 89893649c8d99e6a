//! What a command wrote about observations so far: in the lake, and in a file of the workspace until it is there.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde::Deserialize;

use super::super::work::{Land, Task};
use super::{Authored, key};
use event::{Draft, Kind};
use learn::observation::ObservationScore;
use store::workspace::Workspace;
use store::{durable, lake};
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

/// What came of asking about an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Kept(Authored),
    /// The answer would have done harm; why.
    Refused(String),
}

/// What is known, by observation and by what it said.
pub(super) struct Book {
    words: HashMap<[String; 2], Word>,
    folder: PathBuf,
}

/// A line of the file: the event that landed.
#[derive(Deserialize)]
struct Line {
    project: String,
    observation_id: String,
    content_hash: String,
    title: Option<String>,
    details: Option<String>,
    reason: Option<String>,
}

impl Book {
    pub(super) fn load(workspace: &Workspace, project: &str) -> Outcome<Self> {
        let mut book = Self { words: HashMap::new(), folder: workspace.artifacts() };
        let columns = ["project", "action", "observation_id", "content_hash", "title", "details", "reason"];
        lake::read_texts(workspace, Kind::Artifact, columns, |[of, action, id, key, title, details, reason]| {
            if of == project && action == "authored" {
                book.add(id, key, title, details, reason);
            }
        })?;
        let path = book.path();
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| Diagnostic::io("cannot read the words of artifacts", &path, &error))?,
        };
        // Half a line is one that landed all the same: at worst it is asked for again.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()).filter(|line| line.project == project) {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            book.add(&line.observation_id, &line.content_hash, &part(&line.title), &part(&line.details), &part(&line.reason));
        }
        Ok(book)
    }

    fn path(&self) -> PathBuf {
        self.folder.join("authored.jsonl")
    }

    fn add(&mut self, id: &str, key: &str, title: &str, details: &str, reason: &str) {
        let word = if title.is_empty() {
            Word::Refused(reason.to_owned())
        } else {
            Word::Kept(Authored { title: title.to_owned(), details: details.to_owned() })
        };
        self.words.insert([id.to_owned(), key.to_owned()], word);
    }

    /// What was written about what an observation says now.
    pub(super) fn find(&self, row: &ObservationScore) -> Option<&Word> {
        self.words.get(&[row.id.clone(), key(row)])
    }

    /// Lands an answer. When this returns, it survives a power cut.
    pub(super) fn put(&mut self, row: &ObservationScore, task: Task<'_>, word: Word, land: Land<'_>) -> Outcome<()> {
        let key = key(row);
        let (words, reason) = match &word {
            Word::Kept(words) => (Some(words), None),
            Word::Refused(reason) => (None, Some(reason.as_str())),
        };
        let id = sha256([task.project, &*row.id, &*key].join("\0").as_bytes());
        let line = Draft::new("artifact", task.now, task.project)
            .with("id", format!("authored-{}", &id[..32]))
            .with("action", "authored")
            .with("observation_id", &*row.id)
            .with("type", row.observation_type.get())
            .with("content_hash", &*key)
            .with_some("title", words.map(|words| &*words.title))
            .with_some("details", words.map(|words| &*words.details))
            .with_some("reason", reason);
        let line = line.finish().map_err(|reason| Diagnostic::bug(format!("an event does not fit: {reason}")))?;
        land(std::slice::from_ref(&line))?;
        self.remember(&line)?;
        self.words.insert([row.id.clone(), key], word);
        Ok(())
    }

    fn remember(&self, line: &str) -> Outcome<()> {
        durable::create_folder(&self.folder)?;
        let path = self.path();
        let failed = |error: io::Error| Diagnostic::io("cannot write the words of artifacts", &path, &error);
        let (mut file, _) = durable::open_for_append(&path).map_err(failed)?;
        file.write_all(format!("{line}\n").as_bytes()).map_err(failed)?;
        durable::sync_file(&file, &path)
    }
}

/// What an observation says, by which its words are found again.
pub(super) fn key_of(kind: &str, pattern: &str, details: &str) -> String {
    sha256([kind, pattern, details].join("\0").as_bytes())[..32].to_owned()
}
