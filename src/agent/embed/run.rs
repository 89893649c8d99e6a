//! Having texts turned into vectors: what a command is asked and what it must answer.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

use event::Draft;
use event::field::Vector;
use setting::EmbedSettings;
use store::command::{Asked, Asker, Land, Purpose, Terms};
use store::deadline::Deadline;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;
use text::fit::plain_text;

/// What the command is asked for.
pub const PURPOSE: Purpose = Purpose { table: "embed", file: "embed", things: "texts", doing: "embedding" };

/// What it takes to ask.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The workspace, which keeps the budget of calls.
    pub workspace: &'a Workspace,
    /// Who is asked, and how often.
    pub settings: &'a EmbedSettings,
    /// When to stop. What is done by then stands.
    pub deadline: Deadline,
    /// The instant that the events carry, and whose day pays for calls.
    pub now: Timestamp,
}

/// A text of a project that has no vector.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Text {
    /// The project, which alone compares with it.
    pub project: String,
    /// The SHA-256 of the text as it is compared.
    pub text_hash: String,
    pub text: String,
}

/// What became of the texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Embedded {
    pub vectors: usize,
    /// Those that stay without.
    pub left: usize,
    /// How often the command was asked.
    pub calls: u32,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// Has texts turned into vectors, and reports after each call how many of all have been dealt with. Without a command nothing is done.
///
/// The answers of each call are landed before the next is made: whoever is killed in between has nothing to ask twice. Failures of
/// the command, of its budget and of the time leave texts without a vector, with a warning. Where answers cannot be landed, nothing
/// more is asked.
pub fn embed_all(task: &Task<'_>, texts: &[Text], land: &mut Land<'_>, report: &mut dyn FnMut(usize, usize)) -> Outcome<Embedded> {
    let mut embedded = Embedded { left: texts.len(), ..Embedded::default() };
    let Some(mut asker) = Asker::load(task.workspace, terms(task.settings), task.deadline, task.now)? else { return Ok(embedded) };
    let mut dealt_with = 0;
    for part in texts.chunks(task.settings.texts_per_call.max(1)) {
        let answer = ask(&mut asker, &part.iter().map(|text| text.text.as_str()).collect::<Vec<_>>());
        embedded.calls = asker.calls();
        match answer {
            Asked::Answered(vectors) => {
                let lines = part.iter().zip(&vectors).filter_map(|(text, vector)| {
                    let line = line(text, vector, task);
                    line.map_err(|cause| embedded.warnings.push(format!("a vector cannot be recorded: {cause}"))).ok()
                });
                let lines: Vec<String> = lines.collect();
                embedded.vectors += lines.len();
                embedded.left -= lines.len();
                if !lines.is_empty() {
                    land(lines)?;
                }
            }
            Asked::Failed(cause) => embedded.warnings.push(format!("{} texts stay without a vector: {cause}", part.len())),
            Asked::Over(cause) => {
                embedded.warnings.push(cause);
                break;
            }
        }
        if let Some(cause) = asker.despair() {
            embedded.warnings.push(cause);
            break;
        }
        dealt_with += part.len();
        report(dealt_with, texts.len());
    }
    Ok(embedded)
}

/// The vector of one text, which is not kept.
pub fn embed_one(task: &Task<'_>, text: &str) -> Outcome<Vector> {
    let Some(mut asker) = Asker::load(task.workspace, terms(task.settings), task.deadline, task.now)? else {
        let remedy = "name a program with the setting `command` of `[embed]`, or give a vector with --vector";
        return Err(Diagnostic::edit("no embedding command is configured", remedy));
    };
    match ask(&mut asker, &[text]) {
        Asked::Answered(vectors) => vectors.into_iter().next().ok_or_else(|| Diagnostic::bug("no vector for one text")),
        Asked::Failed(cause) | Asked::Over(cause) => {
            let remedy = "check the output of the command of `[embed]`, or give a vector with --vector";
            Err(Diagnostic::new(Exit::Machine, "the text has no vector", remedy).because(cause))
        }
    }
}

fn ask(asker: &mut Asker<'_>, texts: &[&str]) -> Asked<Vec<Vector>> {
    asker.ask(&render_request(texts), texts.len(), |answer| parse_vectors(answer, texts.len()))
}

fn terms(settings: &EmbedSettings) -> Terms<'_> {
    Terms {
        purpose: PURPOSE,
        command: &settings.command,
        timeout_seconds: settings.timeout_seconds,
        retries: settings.retries,
        calls_per_day: settings.calls_per_day,
        most_answer_kib: settings.most_answer_kib,
    }
}

/// The event of a vector. Its id follows from whose text it is and of which model: what is asked about again is the same event.
fn line(text: &Text, vector: &Vector, task: &Task<'_>) -> Result<String, String> {
    let Text { project, text_hash, .. } = text;
    let model = &task.settings.model;
    let key = sha256(json!([project, model, text_hash]).to_string().as_bytes());
    Draft::new("embedding", task.now, project)
        .with("id", format!("embedding-{}", &key[..32]))
        .with("text_hash", text_hash.as_str())
        .with("model", model.as_str())
        .with("vector", vector.get().to_vec())
        .finish()
}

const REASON_CHARACTERS: usize = 300;

/// An answer as it is written. Fields beyond this one change nothing.
#[derive(Debug, Deserialize)]
struct RawAnswer {
    vectors: Vec<Vec<f64>>,
}

/// Parses the answer about so many texts. One vector that is none refutes them all: the others may stand in the wrong places.
pub fn parse_vectors(text: &str, texts: usize) -> Result<Vec<Vector>, String> {
    let raw: RawAnswer = serde_json::from_str(text).map_err(|error| {
        let cause = plain_text(&error.to_string(), REASON_CHARACTERS);
        format!("the answer is not a JSON object with a list `vectors` of lists of numbers: {cause}")
    })?;
    if raw.vectors.len() != texts {
        return Err(format!("the answer holds {} vectors for {texts} texts", raw.vectors.len()));
    }
    let length = raw.vectors.first().map_or(0, Vec::len);
    raw.vectors.into_iter().zip(1..).map(|(numbers, number)| parse_vector(numbers, number, length)).collect()
}

fn parse_vector(numbers: Vec<f64>, number: usize, length: usize) -> Result<Vector, String> {
    if numbers.len() != length {
        return Err(format!("vector {number} of the answer holds {} numbers, and the first one {length}", numbers.len()));
    }
    let vector = Vector::new(numbers).map_err(|rejection| format!("vector {number} of the answer {}", rejection.message))?;
    if vector.is_null() {
        return Err(format!("vector {number} of the answer is zero"));
    }
    Ok(vector)
}

/// The version of what is spoken with a command.
pub const PROTOCOL: u32 = 1;

pub fn render_request(texts: &[&str]) -> String {
    json!({"protocol": PROTOCOL, "texts": texts}).to_string()
}
