//! A role's deliberation as a pipeline hands it over: the text alone, or a record around it.

use std::io::Read as _;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Map, Value};

use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// The most bytes of a deliberation.
const MOST_BYTES: u64 = 8 << 20;

/// What a role said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Speech {
    /// Its text, in whole.
    pub text: String,
    /// When it was said, where the record tells.
    pub time: Option<Timestamp>,
    /// The run.
    pub run: Option<String>,
    /// The iteration.
    pub iteration: Option<i64>,
    /// The issue.
    pub issue: Option<String>,
    /// The pull request.
    pub pull_request: Option<String>,
    /// The phase.
    pub phase: Option<String>,
    /// The labels of the task.
    pub labels: Vec<String>,
    /// The files of the task.
    pub files: Vec<String>,
    /// How the call of the model ended.
    pub status: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The command.
    pub command: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// How many tokens it took.
    pub tokens: Option<i64>,
}

/// Reads what a role said from a file. Pipes and devices are not waited for.
pub fn load_speech(path: &Path) -> Outcome<Speech> {
    let failed = |error: &std::io::Error| Diagnostic::io("cannot read the deliberation", path, error);
    let mut bytes = Vec::new();
    let file = durable::open_regular(path).map_err(|error| failed(&error))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    parse_speech(&bytes).map_err(|why| {
        Diagnostic::edit("the deliberation cannot be read", "hand in the role's text, or a JSON record with a `response`")
            .at(path)
            .because(why)
    })
}

/// Reads what a role said: a JSON object with a `response` or a `text`, or else the text itself.
pub fn parse_speech(bytes: &[u8]) -> Result<Speech, String> {
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it has more than {MOST_BYTES} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| format!("it is not UTF-8: {error}"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        return Ok(Speech { text: text.to_owned(), ..Speech::default() });
    }
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(record) => from_record(&record),
        // A text may begin with a brace and be none.
        Err(_) => Ok(Speech { text: text.to_owned(), ..Speech::default() }),
    }
}

fn from_record(record: &Map<String, Value>) -> Result<Speech, String> {
    let find = |names: &[&str]| names.iter().find_map(|name| record.get(*name)).filter(|value| !value.is_null());
    let text = |names: &[&str]| match find(names) {
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let number = |names: &[&str]| find(names).and_then(|value| value.as_i64().or_else(|| value.as_str()?.parse().ok()));
    let list = |names: &[&str]| match find(names) {
        Some(Value::Array(items)) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    Ok(Speech {
        text: text(&["response", "text"]).ok_or("the record has neither a `response` nor a `text`")?,
        time: text(&["timestamp", "ts", "created_at"]).and_then(|time| time.parse().ok()),
        run: text(&["run_id", "runId", "run"]),
        iteration: number(&["iteration", "iter"]).filter(|iteration| *iteration >= 0),
        issue: text(&["issue"]),
        pull_request: text(&["pr", "pull_request"]),
        phase: text(&["phase"]),
        labels: list(&["labels"]),
        files: list(&["files"]),
        status: text(&["status"]),
        model: text(&["model"]),
        command: text(&["command"]),
        duration_ms: number(&["duration_ms", "durationMs"]).filter(|duration| *duration >= 0),
        tokens: number(&["tokens"]).filter(|tokens| *tokens >= 0),
    })
}
