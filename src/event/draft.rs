//! Events that this program writes itself: any event under construction, and what a role said as one.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use text::digest::sha256;
use text::review::{Level, accumulated_patterns, find_verdict};
use text::{fit, limit};

/// What an id is cut to.
const ID_DIGITS: usize = 24;

/// The most bytes of a text once it is written as JSON: beside it, the line has room for all that else is told.
const WRITTEN_BYTES: usize = limit::LINE_BYTES / 2;

/// An event under construction: its line without the closing brace. A log has many rows, and a map for each costs more than
/// everything else.
#[derive(Debug, Clone)]
pub struct Draft(String);

impl Draft {
    /// An event of a kind. The kind stands first, where the door looks for it.
    #[must_use]
    pub fn new(kind: &'static str, time: Timestamp, project: &str) -> Self {
        Self::bare(kind, time).with("project", project)
    }

    /// An event of a kind that names no project yet.
    #[must_use]
    pub fn bare(kind: &'static str, time: Timestamp) -> Self {
        Self(format!("{{\"kind\":\"{kind}\"")).with("ts", time.to_string())
    }

    /// The event with one more member, whose name needs no escapes.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, ",\"{name}\":{}", value.into());
        self
    }

    /// The event with one more member, if there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The event with one more list, if there is anything in it.
    #[must_use]
    pub fn with_items(self, name: &'static str, items: Vec<String>) -> Self {
        if items.is_empty() { self } else { self.with(name, items) }
    }

    /// The event with all members of an object.
    #[must_use]
    pub fn with_all(mut self, members: Map<String, Value>) -> Self {
        for (name, value) in members {
            let _ = write!(self.0, ",{}:{value}", Value::from(name));
        }
        self
    }

    /// The event with its run and, if it has one, its iteration.
    #[must_use]
    pub fn of_turn(self, run_id: &str, iteration: Option<i64>) -> Self {
        self.with("run_id", run_id).with_some("iteration", iteration)
    }

    /// The line, or why it would be refused. Fields may each keep to their limits and still be too much together.
    pub fn finish(self) -> Result<String, String> {
        let line = self.0 + "}";
        if line.len() > limit::LINE_BYTES {
            return Err(format!("its event would have {} bytes, more than the {} of a line", line.len(), limit::LINE_BYTES));
        }
        Ok(line)
    }
}

/// What a role said in a pipeline: whoever tells of it, the same words in the same place are the same event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Utterance<'u> {
    /// The project.
    pub project: &'u str,
    /// The role.
    pub role: &'u str,
    pub time: Timestamp,
    /// The run.
    pub run: Option<&'u str>,
    /// The iteration.
    pub iteration: Option<i64>,
    /// The issue.
    pub issue: Option<&'u str>,
    /// The pull request.
    pub pull_request: Option<&'u str>,
    /// The phase.
    pub phase: Option<&'u str>,
    /// The labels of the task.
    pub labels: &'u [String],
    /// The files of the task.
    pub files: &'u [String],
    /// How well it is founded.
    pub level: Level,
    /// Its text, in whole.
    pub text: &'u str,
}

impl Utterance<'_> {
    /// What the event is called, whenever it is told.
    #[must_use]
    pub fn id(&self) -> String {
        let Self { project, role, run, iteration, issue, text, .. } = self;
        name_event(&json!(["deliberation", project, role, run, iteration, issue, text]))
    }

    /// The event. What is too long to keep in whole was read in whole: where it names no patterns, the door looks for none in what is
    /// kept.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.draft_with(accumulated_patterns(self.text))
    }

    /// The event with patterns that somebody else has found.
    #[must_use]
    pub fn draft_with(&self, patterns: Vec<String>) -> Draft {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let verdict = find_verdict(self.text).map(|block| if block.passes() { "PASS" } else { "FAIL" });
        Draft::new("deliberation", self.time, self.project)
            .with("id", self.id())
            .with("role", self.role)
            .with_some("run_id", own(self.run))
            .with_some("iteration", self.iteration)
            .with_some("issue", own(self.issue))
            .with_some("pull_request", own(self.pull_request))
            .with_some("phase", own(self.phase))
            .with_items("labels", self.labels.to_vec())
            .with_items("files", self.files.to_vec())
            .with("evidence_level", self.level.number())
            .with_some("verdict", verdict)
            .with("patterns", patterns)
            .with("text", fitted(self.text))
    }
}

/// The name of an event that is the same whenever the same is told.
#[must_use]
pub fn name_event(parts: &Value) -> String {
    sha256(parts.to_string().as_bytes())[..ID_DIGITS].to_owned()
}

/// The beginning of a text that a field may hold and a line has room for: what cannot be printed takes six times its room there.
fn fitted(text: &str) -> &str {
    let text = fit::cut(text, limit::TEXT_BYTES);
    let mut written = 0;
    let end = text.char_indices().find(|(_, letter)| {
        written += if letter.is_control() || matches!(letter, '"' | '\\') { 6 } else { letter.len_utf8() };
        written > WRITTEN_BYTES
    });
    end.map_or(text, |(place, _)| &text[..place])
}
