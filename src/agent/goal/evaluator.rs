//! Goals that a program of their own decides, and what it answers.

use std::path;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

use super::definition::Goal;
use super::evaluate::{Criterion, Situation, Threshold};
use super::outcome::{GoalOutcome, MOST_CHARACTERS, number};
use render::plain_text;
use store::subprocess::{Allowance, Ending, Finished, run};
use text::fit::quoted;

/// The longest answer that is read, in bytes.
const MOST_ANSWER_BYTES: usize = 1 << 20;

/// Judges a run by what an evaluator answers, whatever it ends with. One that gives no answer leaves the goal
/// unmeasured.
pub(super) fn judge_by_evaluator(goal: &Goal, situation: &Situation) -> GoalOutcome {
    let failed = |error: &str, details: &str| GoalOutcome::unmeasured(goal.name(), error, details);
    let Some(mut command) = command(goal, situation) else {
        return failed("no_evaluator", "the goal has no evaluator: name one with `evaluator`, or give it a test command");
    };
    let allowance = Allowance { time: situation.evaluator_limit, output_bytes: MOST_ANSWER_BYTES };
    let finished = match run(&mut command, &[], allowance) {
        Ok(finished) => finished,
        Err(error) => return failed("evaluator_not_started", &format!("the evaluator could not be started: {error}")),
    };
    match finished.ending {
        Ending::TimedOut => {
            failed("timeout", &format!("the evaluator took longer than {:?} and was stopped", situation.evaluator_limit))
        }
        Ending::Exited(status) if status.success() => {
            judge(goal, &finished).unwrap_or_else(|(error, details)| failed(error, &details))
        }
        // Scripts often end with the code of whatever they did last, or give their judgement once more that way.
        Ending::Exited(status) => judge(goal, &finished).map_or_else(
            |_| {
                let said = String::from_utf8_lossy(&finished.stderr);
                failed("evaluator_failed", &format!("the evaluator failed ({status}): {said}"))
            },
            |outcome| outcome.noting(&format!("the evaluator answered and ended with {status}; its answer is used")),
        ),
    }
}

/// The outcome of an answer, or a word and a sentence for why there is none.
fn judge(goal: &Goal, finished: &Finished) -> Result<GoalOutcome, (&'static str, String)> {
    // Too much on stderr is no reason to refuse an answer.
    if finished.is_cut && finished.stdout.len() >= MOST_ANSWER_BYTES {
        return Err(("evaluator_output_too_large", format!("the evaluator wrote more than {MOST_ANSWER_BYTES} bytes")));
    }
    let invalid = |reason: String| ("evaluator_answer_invalid", format!("the answer of the evaluator cannot be used: {reason}"));
    let answer = parse_answer(&finished.stdout).map_err(invalid)?;
    let measured = measured(goal, &answer);
    let Some(success) = answer.success.or_else(|| measured.map(|(threshold, value)| threshold.is_reached(value))) else {
        return Err(invalid("it gives neither `success` nor the metric of the goal's threshold".to_owned()));
    };
    let score = answer.score.or_else(|| measured.map(|(threshold, value)| threshold.score(value)));
    let mut outcome = GoalOutcome::measured(goal.name(), success, score);
    outcome.metrics = answer.metrics;
    outcome.notes = answer.notes;
    if let Some((threshold, value)) = measured.filter(|_| answer.success.is_none() && answer.details.is_empty()) {
        let details = format!("{} is {}; the target is {}", threshold.metric, number(value), threshold.target);
        return Ok(outcome.saying(&details));
    }
    Ok(outcome.saying(&answer.details))
}

/// The goal's threshold and the figure that it is about.
fn measured<'g>(goal: &'g Goal, answer: &Answer) -> Option<(&'g Threshold, f64)> {
    let Some(Criterion::Threshold(threshold)) = goal.criterion() else { return None };
    answer.metrics.get(&threshold.metric).and_then(Value::as_f64).map(|value| (threshold, value))
}

/// The program that judges, with the run as its last arguments. No shell reads them.
fn command(goal: &Goal, situation: &Situation) -> Option<Command> {
    let (program, arguments) = match (goal.evaluator().split_first(), &situation.evaluator) {
        (Some((program, arguments)), _) => (PathBuf::from(program), arguments),
        (None, Some(program)) => (program.clone(), [].as_slice()),
        (None, None) => return None,
    };
    // The evaluator starts in the folder, from where a relative path to it would lead astray.
    let workdir = path::absolute(&situation.workdir).unwrap_or_else(|_| situation.workdir.clone());
    let mut command = Command::new(resolved(program, &workdir));
    command.args(arguments).arg("--run-id").arg(&situation.run_id).arg("--workdir").arg(&workdir).current_dir(&workdir);
    Some(command)
}

/// A program that is a path starts at the folder of the run; one that is a name is searched for where programs are.
fn resolved(program: PathBuf, workdir: &Path) -> PathBuf {
    if program.components().count() > 1 { workdir.join(program) } else { program }
}

/// How much an evaluator may say in figures, as JSON, in bytes.
const MOST_METRICS_BYTES: usize = 16 << 10;
/// How deep its figures may be nested.
const MOST_DEPTH: usize = 8;

/// What an evaluator answers, made harmless: texts are short and printable, the score lies from 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Whether the goal was reached, if it says so.
    pub success: Option<bool>,
    pub score: Option<f64>,
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
