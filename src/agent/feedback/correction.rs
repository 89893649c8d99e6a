//! From a role's text and a validator's to the events that say what is rejected and how well it is founded.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::speech::Speech;
use event::{Draft, Utterance, name_event};
use text::review::{
    Issue, Level, Likeness, Quotation, VerdictBlock, accumulated_patterns, evidence_level_where, find_verdict, locate_alike,
};
use text::{fit, limit};

/// The most findings of one verdict that are looked for: each costs a search through the whole text.
const MOST_FINDINGS: usize = 100;

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
    /// Number of patterns that the judged role reports.
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
    let level_of = |speech: &Speech| evidence_level_where(&speech.text, files, holds);
    let (level, validator_level) = (level_of(pair.speech), level_of(pair.judgement));
    let mut entries = block.false_positives.clone();
    entries.dedup();
    let passed_over = entries.len().saturating_sub(MOST_FINDINGS);
    entries.truncate(MOST_FINDINGS);
    let rejected: Vec<Finding> = entries.iter().map(|entry| find(entry, &own, &pair.speech.text, likeness)).collect();
    let (speech, judgement) =
        (utter(pair.role, pair.speech, place, level), utter(pair.validator, pair.judgement, place, validator_level));
    let ids = [speech.id(), judgement.id()];
    let judged = Judged { block: &block, own: &own, level, validator_level, rejected: &rejected };
    let verdict = verdict(pair, place, &judged, &ids);
    let mut remarks = [odd(&own, pair.role), odd(&block, pair.validator)].concat();
    remarks
        .extend((passed_over > 0).then(|| format!("{passed_over} more rejected findings were skipped: too many for one verdict")));
    Ok(Some(Correction {
        events: vec![tell(&speech, pair.speech).finish()?, tell(&judgement, pair.judgement).finish()?, verdict.finish()?],
        has_passed: block.passes(),
        level,
        validator_level,
        patterns: accumulated_patterns(&pair.speech.text).len(),
        remarks,
        rejected,
    }))
}

/// What a role wants mended and has not found fault with.
fn odd(block: &VerdictBlock, role: &str) -> Vec<String> {
    let ids = block.unknown_ids().into_iter();
    ids.map(|id| format!("{role} lists {id:?} in must_fix, but not among its issues")).collect()
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

/// What a role said, in its place. What the place does not say, the record may.
fn utter<'u>(role: &'u str, speech: &'u Speech, place: &'u Place, level: Level) -> Utterance<'u> {
    let either = |own: &'u Option<String>, other: &'u Option<String>| own.as_deref().or(other.as_deref());
    Utterance {
        project: &place.project,
        role,
        time: speech.time.unwrap_or(place.time),
        run: either(&place.run, &speech.run),
        iteration: place.iteration.or(speech.iteration),
        issue: either(&place.issue, &speech.issue),
        pull_request: either(&place.pull_request, &speech.pull_request),
        phase: either(&place.phase, &speech.phase),
        labels: first_of(&place.labels, &speech.labels),
        files: first_of(&place.files, &speech.files),
        level,
        text: &speech.text,
    }
}

fn tell(utterance: &Utterance<'_>, speech: &Speech) -> Draft {
    utterance
        .draft()
        .with_some("status", speech.status.clone())
        .with_some("model", speech.model.clone())
        .with_some("command", speech.command.clone())
        .with_some("duration_ms", speech.duration_ms)
        .with_some("tokens", speech.tokens)
}

struct Judged<'j> {
    block: &'j VerdictBlock,
    own: &'j VerdictBlock,
    level: Level,
    validator_level: Level,
    rejected: &'j [Finding],
}

fn verdict(pair: Pair<'_>, place: &Place, judged: &Judged<'_>, [deliberation, validator]: &[String; 2]) -> Draft {
    let Judged { block, own, level, validator_level, rejected } = judged;
    let speech = pair.speech;
    let either = |own: &Option<String>, other: &Option<String>| own.as_ref().or(other.as_ref()).cloned();
    let issues: Vec<Value> = own.issues.iter().map(|issue: &Issue| json!({"id": issue.id, "summary": issue.summary})).collect();
    let listed = |ids: &[String]| ids.iter().take(limit::LIST_ITEMS).cloned().collect();
    Draft::new("verdict", pair.judgement.time.unwrap_or(place.time), &place.project)
        .with("id", name_event(&json!(["verdict", deliberation, validator])))
        .with("role", pair.validator)
        .with("adversarial_role", pair.role)
        .with("deliberation_id", &**deliberation)
        .with("validator_id", &**validator)
        .with("verdict", if block.passes() { "PASS" } else { "FAIL" })
        .with_some("run_id", either(&place.run, &speech.run))
        .with_some("iteration", place.iteration.or(speech.iteration))
        .with_some("issue", either(&place.issue, &speech.issue))
        .with_some("phase", either(&place.phase, &speech.phase))
        .with_items("labels", first_of(&place.labels, &speech.labels).to_vec())
        .with_items("files", first_of(&place.files, &speech.files).to_vec())
        .with("evidence_level", level.number())
        .with("validator_level", validator_level.number())
        .with_items("must_fix", listed(&block.must_fix))
        .with_items("false_positives", listed(&block.false_positives))
        .with_items("rejected", rejected.iter().map(|finding| finding.text.clone()).collect())
        .with_some("issues", (!issues.is_empty()).then_some(issues))
}

fn first_of<'l>(own: &'l [String], other: &'l [String]) -> &'l [String] {
    if own.is_empty() { other } else { own }
}
