//! What the command is asked about an observation, and what it answers.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Authored, PROTOCOL};
use crate::observe::parse_details;
use event::field::ObservationType;
use learn::observation::ObservationScore;
use render::plain_text;

/// The most characters of a title.
const TITLE_CHARACTERS: usize = 120;

/// What is asked: the words of the template, what was quoted, and the rules that the answer is checked by.
pub(super) fn render_request(row: &ObservationScore) -> String {
    let form = match row.observation_type {
        ObservationType::Workflow => "numbered steps, one per line: \"1. ...\\n2. ...\"",
        ObservationType::Procedural => "a few lines of text without headings",
        ObservationType::Decision => "an object with context, decision, rationale",
        ObservationType::Pitfall => "an object with area, issue, impact, resolution",
    };
    json!({
        "protocol": PROTOCOL, "type": row.observation_type.get(), "title": row.pattern, "details": row.details,
        "evidence": row.evidence, "sessions": row.observations, "answer": {"title": "an order on one line", "details": form},
        "rules": ["say what the evidence says and nothing else", "keep all code and every path as it is", "name no command, file, option \
            or program that is in neither the evidence nor the repository", "forbid only what is forbidden"],
    })
    .to_string()
}

/// An answer as it is written. Fields beyond these change nothing.
#[derive(Deserialize)]
struct RawAnswer {
    title: String,
    details: Value,
}

/// Reads an answer: a JSON object by itself, in the only fence of a text, or as the text that a program reports as its `result`.
pub(super) fn parse_answer(text: &str, kind: ObservationType) -> Result<Authored, String> {
    let raw = parse_raw(text)?;
    let title = plain_text(raw.title.trim(), usize::MAX);
    let title = title.trim_end_matches(['.', ' ', ':']).to_owned();
    if title.is_empty() || title.chars().nth(TITLE_CHARACTERS).is_some() {
        return Err(format!("`title` of the answer is empty or has more than {TITLE_CHARACTERS} characters"));
    }
    let details = parse_details(&raw.details, kind)?;
    if details.trim().is_empty() {
        return Err("`details` of the answer is empty".to_owned());
    }
    Ok(Authored { title, details })
}

fn parse_raw(text: &str) -> Result<RawAnswer, String> {
    let text = text.trim().trim_start_matches('\u{feff}');
    let unfit = |error: serde_json::Error| format!("the answer is no JSON object with `title` and `details`: {error}");
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) if object.contains_key("title") => serde_json::from_value(Value::Object(object)).map_err(unfit),
        // Some commands report on their own work in JSON, with the model's words as a text inside of it.
        Ok(Value::Object(object)) => match object.get("result").and_then(Value::as_str) {
            Some(inner) => serde_json::from_str(unfenced(inner)).map_err(unfit),
            None => Err("the answer has no `title`".to_owned()),
        },
        _ => serde_json::from_str(unfenced(text)).map_err(unfit),
    }
}

fn unfenced(text: &str) -> &str {
    let inner = text.trim().strip_prefix("```").map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest));
    inner.trim().strip_suffix("```").unwrap_or(inner).trim()
}
