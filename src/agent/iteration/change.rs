//! What is found out about one iteration of a run, as events: what it changed, how relevant patterns were to that, whether its
//! build passed.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use event::Draft;
use learn::change::{ChangedFile, Changes, Lines};
use learn::relevance::{METHOD, Rater};
use render::toon::Row;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::{fit, limit};

/// The most ranges that are told of one file.
const MOST_RANGES: usize = 1000;
/// The most that paths and details may take of a line. The rest is for the other fields.
const PART_BYTES: usize = limit::LINE_BYTES - (64 << 10);
const ID_DIGITS: usize = 32;

/// The `change` events of an iteration: one, or several if one line cannot hold all files. Without changes it has no files.
///
/// Counts of lines are those of the event's own files, so that they add up. The details say of each file its `path`, its
/// `status`, the path it came `from`, the ranges `added` as pairs of first line and count, and the lines that others were
/// `deleted_after`. Of a file with more than 1000 ranges the first ones are told, and `cut` is true. The same changes at the
/// same instant give the same lines.
pub fn change_lines(turn: &Turn, repo_name: &str, changes: &Changes) -> Outcome<Vec<String>> {
    let mut lines = Vec::new();
    let mut part = Part::default();
    for file in &changes.files {
        let (path, details) = (fit_label(&file.path), describe(file));
        let size_bytes = Value::from(&*path).to_string().len() + details.to_string().len() + 2;
        if part.paths.len() == limit::LIST_ITEMS || part.size_bytes + size_bytes > PART_BYTES {
            lines.push(std::mem::take(&mut part).finish(turn, repo_name, changes, lines.len())?);
        }
        part.size_bytes += size_bytes;
        part.added_lines += file.added_lines;
        part.removed_lines += file.removed_lines;
        part.paths.push(path);
        part.details.push(details);
    }
    if !part.paths.is_empty() || lines.is_empty() {
        lines.push(part.finish(turn, repo_name, changes, lines.len())?);
    }
    Ok(lines)
}

/// The files of one event.
#[derive(Debug, Default)]
struct Part {
    paths: Vec<String>,
    details: Vec<Value>,
    added_lines: u64,
    removed_lines: u64,
    size_bytes: usize,
}

impl Part {
    fn finish(self, turn: &Turn, repo_name: &str, changes: &Changes, number: usize) -> Outcome<String> {
        let details = Value::from(self.details);
        let head = changes.head.as_deref();
        let identity = json!([
            turn.project,
            turn.run_id,
            turn.iteration,
            turn.time.to_string(),
            repo_name,
            changes.base,
            head,
            number,
            sha256(details.to_string().as_bytes()),
        ]);
        let event = turn
            .draft("change")
            .with("id", identify("change", &identity))
            .with("base", fit_label(&changes.base))
            .with_some("head", head.map(fit_label))
            .with("repo", fit_label(repo_name))
            .with_items("files", self.paths)
            .with("added_lines", self.added_lines)
            .with("removed_lines", self.removed_lines)
            .with("details", details);
        event.finish().map_err(|reason| Diagnostic::bug("the event of a change is too large").because(reason))
    }
}

/// An id that is the same whenever the same is said.
pub(super) fn identify(kind: &str, identity: &Value) -> String {
    format!("{kind}-{}", &sha256(identity.to_string().as_bytes())[..ID_DIGITS])
}

fn describe(file: &ChangedFile) -> Value {
    let mut told = Map::new();
    told.insert("path".to_owned(), fit_label(&file.path).into());
    told.insert("status".to_owned(), file.status.name().into());
    if let Some(from) = &file.from {
        told.insert("from".to_owned(), fit_label(from).into());
    }
    let pair = |lines: &Lines| json!([lines.first, lines.count]);
    told.insert("added".to_owned(), file.added.iter().take(MOST_RANGES).map(pair).collect());
    told.insert("deleted_after".to_owned(), file.deleted_after.iter().take(MOST_RANGES).copied().collect());
    if file.is_binary {
        told.insert("binary".to_owned(), true.into());
    }
    if file.added.len().max(file.deleted_after.len()) > MOST_RANGES {
        told.insert("cut".to_owned(), true.into());
    }
    told.into()
}

/// Rates every pattern, each by its id. Without any changed file there is nothing to rate by, and nothing is said.
pub fn relevance_lines(turn: &Turn, patterns: &[Row], rater: &Rater) -> Result<Vec<String>, String> {
    patterns
        .iter()
        .map(|pattern| {
            let relevance = rater.rate(&pattern.summary, &pattern.context);
            turn.draft("relevance")
                .with_some("pattern_id", fit::name(&pattern.id))
                .with("score", relevance.score)
                .with("method", METHOD)
                .with_items("matched_concepts", relevance.matched)
                .finish()
        })
        .collect()
}

/// What a `build-result.json` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildResult {
    /// The run it belongs to, where it says so.
    pub run_id: Option<String>,
    /// The iteration it belongs to, where it says so.
    pub iteration: Option<i64>,
    pub passed: bool,
}

/// Reads a `build-result.json`. None for a status that is neither passed nor failed: there was no build to speak of.
pub fn parse_build_result(text: &[u8]) -> Result<Option<BuildResult>, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("is not JSON: {error}"))?;
    let object = value.as_object().ok_or("is not an object")?;
    let passed = match object.get("status").and_then(Value::as_str) {
        Some("passed") => true,
        Some("failed") => false,
        _ => return Ok(None),
    };
    let iteration = match object.get("iteration") {
        // The original writes the number as a text.
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(number) => number.as_i64(),
        None => None,
    };
    let run_id = object.get("run_id").and_then(Value::as_str).filter(|run| !run.is_empty()).map(str::to_owned);
    Ok(Some(BuildResult { run_id, iteration, passed }))
}

pub fn build_line(turn: &Turn, passed: bool, details: Option<&str>) -> Result<String, String> {
    turn.draft("build").with("passed", passed).with_some("details", details).finish()
}

/// The event of a build that was read from a file. The same file gives the same event, however often it is read; a file that
/// was written later gives another one, even if it says the same.
pub fn build_file_line(turn: &Turn, result: &BuildResult, text: &[u8], modified: Timestamp) -> Result<String, String> {
    let turn = Turn {
        run_id: result.run_id.clone().unwrap_or_else(|| turn.run_id.clone()),
        iteration: result.iteration.or(turn.iteration),
        ..turn.clone()
    };
    let identity = json!([turn.project, turn.run_id, turn.iteration, modified.as_nanosecond().to_string(), sha256(text)]);
    turn.draft("build").with("id", identify("build", &identity)).with("passed", result.passed).finish()
}

/// An iteration of a run, and the instant at which it is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The project that the run belongs to.
    pub project: String,
    pub run_id: String,
    pub iteration: Option<i64>,
    /// The instant that the events carry.
    pub time: Timestamp,
}

impl Turn {
    /// An event of this iteration.
    pub fn draft(&self, kind: &'static str) -> Draft {
        Draft::new(kind, self.time, &self.project).of_turn(&self.run_id, self.iteration)
    }
}

/// What stands for a text of which nothing can be shown.
const NOTHING: &str = "\u{fffd}";

/// A label: what cannot be printed becomes a space, and what is too long is cut. It is never empty.
pub(super) fn fit_label(text: &str) -> String {
    fit::label(text).unwrap_or_else(|| NOTHING.to_owned())
}
