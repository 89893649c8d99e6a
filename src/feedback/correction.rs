//! From a role's text and a validator's to the events that say what is rejected and how well it is founded.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::speech::Speech;
use crate::digest::sha256;
use crate::event::{Draft, fit, limit};
use crate::testimony::{
    Level, Likeness, Quotation, VerdictBlock, accumulated_patterns, evidence_level, evidence_level_where, find_verdict,
    locate_alike,
};

/// What the id of an event is cut to.
const ID_DIGITS: usize = 24;

/// Where a correction takes place.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The project.
    pub project: String,
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
    /// The files that were changed.
    pub files: Vec<String>,
    /// The time of what carries none.
    pub time: Timestamp,
}

/// A role and the validator that judges it.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'p> {
    /// The role that is judged.
    pub role: &'p str,
    /// What it said.
    pub speech: &'p Speech,
    /// The validator.
    pub validator: &'p str,
    /// What the validator said.
    pub judgement: &'p Speech,
}

/// A finding that the validator rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// As the validator names it.
    pub entry: String,
    /// In the judged role's words.
    pub text: String,
    /// How it was found: `exact`, `fuzzy`, or `none` where the judged text does not speak of it.
    pub found: &'static str,
}

/// What a correction comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The events, which count together.
    pub events: Vec<String>,
    /// Whether the work passes.
    pub has_passed: bool,
    /// How well the judged text is founded.
    pub level: Level,
    /// How well the validator's is founded.
    pub validator_level: Level,
    /// What the validator rejects.
    pub rejected: Vec<Finding>,
    /// How many patterns the judged role says it has gathered.
    pub patterns: usize,
    /// What is odd and does not matter.
    pub remarks: Vec<String>,
}

/// Works out what a validator's verdict says of a role's text; nothing, where the validator gives no verdict that can be read.
/// `holds` tells whether a quotation stands where it is said to stand.
pub fn correct(
    pair: Pair<'_>,
    place: &Place,
    likeness: Likeness,
    holds: &dyn Fn(&Quotation) -> bool,
) -> Result<Option<Correction>, String> {
    let Some(block) = find_verdict(&pair.judgement.text) else { return Ok(None) };
    let own = find_verdict(&pair.speech.text).unwrap_or_default();
    let files = first_of(&place.files, &pair.speech.files);
    let (level, validator_level) =
        (evidence_level_where(&pair.speech.text, files, holds), evidence_level(&pair.judgement.text, files));
    let rejected: Vec<Finding> = block.false_positives.iter().map(|entry| find(entry, &own, &pair.speech.text, likeness)).collect();
    let patterns = accumulated_patterns(&pair.speech.text);
    let speech = deliberation(pair.role, pair.speech, place, level)?;
    let judgement = deliberation(pair.validator, pair.judgement, place, validator_level)?;
    let verdict = verdict(
        pair,
        place,
        &Judged { block: &block, own: &own, level, validator_level, rejected: &rejected },
        [&speech.0, &judgement.0],
    )?;
    let odd = |block: &VerdictBlock, role: &str| {
        let ids = block.unknown_ids().into_iter().map(|id| format!("{role} wants {id:?} mended, which is none of its issues"));
        ids.collect::<Vec<_>>()
    };
    Ok(Some(Correction {
        events: vec![speech.1, judgement.1, verdict],
        has_passed: block.passes(),
        level,
        validator_level,
        patterns: patterns.len(),
        remarks: [odd(&own, pair.role), odd(&block, pair.validator)].concat(),
        rejected,
    }))
}

/// What a validator rejects, in the judged role's words: of an issue's id, what the issue says; of that, the line that says it.
fn find(entry: &str, own: &VerdictBlock, text: &str, likeness: Likeness) -> Finding {
    let issue = own.issues.iter().find(|issue| issue.id == entry);
    let needle = issue.map_or(entry, |issue| &issue.summary);
    let (text, found) = match locate_alike(needle, text, likeness) {
        Some(located) if located.is_exact => (located.line, "exact"),
        Some(located) => (located.line, "fuzzy"),
        None => (needle.to_owned(), "none"),
    };
    Finding { entry: entry.to_owned(), text: fit::cut(&text, limit::ITEM_BYTES).to_owned(), found }
}

/// The event of what a role said, and its id. The same words in the same place are the same event, whenever they are told.
fn deliberation(role: &str, speech: &Speech, place: &Place, level: Level) -> Result<(String, String), String> {
    let run = place.run.as_ref().or(speech.run.as_ref());
    let iteration = place.iteration.or(speech.iteration);
    let issue = place.issue.as_ref().or(speech.issue.as_ref());
    let id = identify(&json!(["deliberation", place.project, role, run, iteration, issue, speech.text]));
    let verdict = find_verdict(&speech.text).map(|block| if block.passes() { "PASS" } else { "FAIL" });
    let patterns = accumulated_patterns(&speech.text);
    // What is too long to keep in whole was read in whole.
    let text = fit::cut(&speech.text, limit::TEXT_BYTES);
    let draft = Draft::new("deliberation", speech.time.unwrap_or(place.time), &place.project)
        .with("id", &*id)
        .with("role", role)
        .with_some("run_id", run.cloned())
        .with_some("iteration", iteration)
        .with_some("issue", issue.cloned())
        .with_some("pull_request", place.pull_request.as_ref().or(speech.pull_request.as_ref()).cloned())
        .with_some("phase", place.phase.as_ref().or(speech.phase.as_ref()).cloned())
        .with_items("labels", first_of(&place.labels, &speech.labels).to_vec())
        .with_items("files", first_of(&place.files, &speech.files).to_vec())
        .with("evidence_level", level.number())
        .with_some("verdict", verdict)
        .with_some("model", speech.model.clone())
        .with_some("command", speech.command.clone())
        .with_some("duration_ms", speech.duration_ms)
        .with_some("tokens", speech.tokens)
        .with_items("patterns", patterns)
        .with("text", text);
    Ok((id, draft.finish()?))
}

struct Judged<'j> {
    block: &'j VerdictBlock,
    own: &'j VerdictBlock,
    level: Level,
    validator_level: Level,
    rejected: &'j [Finding],
}

fn verdict(pair: Pair<'_>, place: &Place, judged: &Judged<'_>, [deliberation, validator]: [&str; 2]) -> Result<String, String> {
    let Judged { block, own, level, validator_level, rejected } = judged;
    let speech = pair.speech;
    let issue = |issue: &crate::testimony::Issue| json!({"id": issue.id, "summary": issue.summary});
    let issues: Vec<Value> = own.issues.iter().map(issue).collect();
    Draft::new("verdict", pair.judgement.time.unwrap_or(place.time), &place.project)
        .with("id", identify(&json!(["verdict", deliberation, validator])))
        .with("role", pair.validator)
        .with("adversarial_role", pair.role)
        .with("deliberation_id", deliberation)
        .with("validator_id", validator)
        .with("verdict", if block.passes() { "PASS" } else { "FAIL" })
        .with_some("run_id", place.run.as_ref().or(speech.run.as_ref()).cloned())
        .with_some("iteration", place.iteration.or(speech.iteration))
        .with_some("issue", place.issue.as_ref().or(speech.issue.as_ref()).cloned())
        .with_some("phase", place.phase.as_ref().or(speech.phase.as_ref()).cloned())
        .with_items("labels", first_of(&place.labels, &speech.labels).to_vec())
        .with_items("files", first_of(&place.files, &speech.files).to_vec())
        .with("evidence_level", level.number())
        .with("validator_level", validator_level.number())
        .with_items("must_fix", block.must_fix.clone())
        .with_items("false_positives", block.false_positives.clone())
        .with_items("rejected", rejected.iter().map(|finding| finding.text.clone()).collect())
        .with_some("issues", (!issues.is_empty()).then_some(issues))
        .finish()
}

fn first_of<'l>(own: &'l [String], other: &'l [String]) -> &'l [String] {
    if own.is_empty() { other } else { own }
}

fn identify(value: &Value) -> String {
    sha256(value.to_string().as_bytes())[..ID_DIGITS].to_owned()
}
