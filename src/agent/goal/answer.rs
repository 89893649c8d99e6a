//! What an evaluator answers.

use serde_json::{Map, Value};

use super::outcome::MOST_CHARACTERS;
use render::plain_text;
use text::fit::quoted;

/// How much an evaluator may say in figures, as JSON, in bytes.
const MOST_METRICS_BYTES: usize = 16 << 10;
/// How deep its figures may be nested.
const MOST_DEPTH: usize = 8;

/// What an evaluator answers, made harmless: texts are short and printable, the score lies from 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Whether the goal was reached, if it says so.
    pub success: Option<bool>,
    /// How nearly, if it says so.
    pub score: Option<f64>,
    /// Its figures.
    pub metrics: Map<String, Value>,
    /// The result in a sentence.
    pub details: String,
    /// What was odd and had to be passed over.
    pub notes: Vec<String>,
}

/// Parses the answer of an evaluator: an object with `success`, `score`, `metrics` and `details`. Otherwise says what is wrong.
pub fn parse_answer(bytes: &[u8]) -> Result<Answer, String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    let Value::Object(members) = value else { return Err("it is not an object".to_owned()) };
    let mut answer = Answer { success: parse_success(members.get("success"))?, ..Answer::default() };
    answer.score = match members.get("score") {
        None | Some(Value::Null) => None,
        Some(Value::Number(score)) => score.as_f64().map(|score| clamped(score, &mut answer.notes)),
        Some(_) => {
            answer.notes.push("the score is not a number and is ignored".to_owned());
            None
        }
    };
    match members.get("metrics") {
        None | Some(Value::Null) => {}
        Some(Value::Object(metrics)) => match harmless(metrics) {
            Some(metrics) => answer.metrics = metrics,
            None => answer.notes.push("the metrics are too large or nested too deeply and are ignored".to_owned()),
        },
        Some(_) => answer.notes.push("the metrics are not an object and are ignored".to_owned()),
    }
    if let Some(Value::String(details)) = members.get("details") {
        answer.details = plain_text(details, MOST_CHARACTERS);
    }
    Ok(answer)
}

/// Scripts of shells often put the words in quotes. Anything else could be taken for either.
fn parse_success(success: Option<&Value>) -> Result<Option<bool>, String> {
    match success {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(success)) => Ok(Some(*success)),
        Some(Value::String(word)) if word == "true" => Ok(Some(true)),
        Some(Value::String(word)) if word == "false" => Ok(Some(false)),
        Some(other) => Err(format!("its `success` is {}, neither true nor false", quoted(&other.to_string()))),
    }
}

fn clamped(score: f64, notes: &mut Vec<String>) -> f64 {
    let within = score.clamp(0.0, 1.0);
    if (within - score).abs() > 0.0 {
        notes.push(format!("the score {score} was changed to {within}"));
    }
    within
}

/// The figures with their texts made harmless. None where they are too much.
fn harmless(metrics: &Map<String, Value>) -> Option<Map<String, Value>> {
    let Value::Object(metrics) = harmless_value(&Value::Object(metrics.clone()), MOST_DEPTH)? else { return None };
    serde_json::to_string(&metrics).is_ok_and(|json| json.len() <= MOST_METRICS_BYTES).then_some(metrics)
}

fn harmless_value(value: &Value, depth: usize) -> Option<Value> {
    let deeper = depth.checked_sub(1);
    Some(match value {
        Value::String(text) => Value::String(plain_text(text, MOST_CHARACTERS)),
        Value::Array(items) => Value::Array(items.iter().map(|item| harmless_value(item, deeper?)).collect::<Option<_>>()?),
        Value::Object(members) => {
            let member =
                |(name, value): (&String, &Value)| Some((plain_text(name, MOST_CHARACTERS), harmless_value(value, deeper?)?));
            Value::Object(members.iter().map(member).collect::<Option<_>>()?)
        }
        plain => plain.clone(),
    })
}
