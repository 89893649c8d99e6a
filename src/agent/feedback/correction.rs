//! From a role's text and a validator's to the events that say what is rejected and how well it is founded.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::finding::{Finding, Judged};
use super::speech::Speech;
use crate::hook::{Execution, hash_output};
use event::{Draft, Utterance, name_event};
use text::limit;
use text::review::{
    Issue, Level, Likeness, Quotation, Ran, VerdictBlock, evidence_level_where, find_cited, find_verdict, has_section,
    plain_saying, reported_patterns,
};

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
    /// How well the judged text is founded, where somebody else than the text says so.
    pub evidence: Option<Evidence>,
    /// The commands that the agents' host saw.
    pub ran: Vec<Execution>,
}

/// How well a text is founded, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub level: Level,
    pub by: String,
}

/// Who says how well a text is founded, where nobody but the text does.
const REPORT: &str = "report";
/// Who says so where the text cites what the agents' host saw.
const HOST: &str = "host";

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

#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    /// The events, which count together.
    pub events: Vec<String>,
    /// Whether the work passes.
    pub has_passed: bool,
    /// How well the judged text is founded, and who says so.
    pub evidence: Evidence,
    /// The command of the host's log that the judged text cites.
    pub cited: Option<Execution>,
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
    let evidence_of = |speech: &Speech| evidence_of(speech, place, files, holds);
    // What others say of a report belongs to the verdict: told again with more, the report itself is the same event.
    let shown = evidence_of(pair.speech);
    let evidence = place.evidence.clone().unwrap_or_else(|| shown.clone());
    let judged_by = evidence_of(pair.judgement);
    let validator_level = judged_by.level;
    let patterns = reported_patterns(&pair.speech.text);
    let judged = Judged { text: &pair.speech.text, block: &own, patterns: &patterns, likeness };
    let mut entries = block.false_positives.clone();
    entries.dedup();
    let passed_over = entries.len().saturating_sub(MOST_FINDINGS);
    entries.truncate(MOST_FINDINGS);
    let rejected: Vec<Finding> = entries.iter().flat_map(|entry| judged.find(entry)).take(MOST_FINDINGS).collect();
    let (speech, judgement) =
        (utter(pair.role, pair.speech, place, shown.level), utter(pair.validator, pair.judgement, place, validator_level));
    let ids = [speech.id(), judgement.id()];
    let given = Given { block: &block, judged: &judged, evidence: &evidence, validator_level, rejected: &rejected };
    let verdict = verdict(pair, place, &given, &ids);
    let mut remarks = [odd(&own, pair.role), odd(&block, pair.validator)].concat();
    remarks.extend(unreported(pair.role, &pair.speech.text, patterns.len()));
    remarks
        .extend((passed_over > 0).then(|| format!("{passed_over} more rejected findings were skipped: too many for one verdict")));
    let told = tell(&speech, pair.speech).with("evidence_by", &*shown.by);
    Ok(Some(Correction {
        events: vec![
            told.finish()?,
            tell(&judgement, pair.judgement).with("evidence_by", &*judged_by.by).finish()?,
            verdict.finish()?,
        ],
        cited: cited(pair.speech, place).cloned(),
        has_passed: block.passes(),
        validator_level,
        patterns: patterns.len(),
        remarks,
        rejected,
        evidence,
    }))
}

/// Drafts what a role said, without a verdict on it. Gives the event with its id, its patterns, and what is odd.
pub fn keep(role: &str, speech: &Speech, place: &Place, holds: &dyn Fn(&Quotation) -> bool) -> Result<Kept, String> {
    let files = first_of(&place.files, &speech.files);
    let evidence = place.evidence.clone().unwrap_or_else(|| evidence_of(speech, place, files, holds));
    let utterance = utter(role, speech, place, evidence.level);
    let patterns: Vec<String> =
        reported_patterns(&speech.text).iter().map(|reported| plain_saying(&reported.saying).to_owned()).collect();
    let remarks = unreported(role, &speech.text, patterns.len()).into_iter().collect();
    let event = tell(&utterance, speech).with("evidence_by", &*evidence.by).finish()?;
    Ok(Kept { id: utterance.id(), event, patterns, evidence, remarks })
}

/// How well a text is founded: on what the agents' host saw, if it cites that, else on what it shows itself.
fn evidence_of(speech: &Speech, place: &Place, files: &[String], holds: &dyn Fn(&Quotation) -> bool) -> Evidence {
    match cited(speech, place) {
        Some(_) => Evidence { level: Level::Execution, by: HOST.to_owned() },
        None => Evidence { level: evidence_level_where(&speech.text, files, holds), by: REPORT.to_owned() },
    }
}

/// The command of the host's log that a text cites.
fn cited<'p>(speech: &Speech, place: &'p Place) -> Option<&'p Execution> {
    let ran = place.ran.iter().map(|ran| Ran {
        command: &ran.command,
        exit_code: ran.exit_code,
        output_hash: ran.output_hash.as_deref(),
    });
    place.ran.get(find_cited(&speech.text, &ran.collect::<Vec<_>>(), &|output| hash_output(output))?)
}

/// A report that was kept without a verdict on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    pub id: String,
    /// The event.
    pub event: String,
    pub patterns: Vec<String>,
    /// How well the report is founded.
    pub evidence: Evidence,
    /// What is odd and does not matter.
    pub remarks: Vec<String>,
}

/// Why a report adds no pattern.
fn unreported(role: &str, text: &str, patterns: usize) -> Option<String> {
    let why = match (patterns, has_section(text)) {
        (0, false) => "it has no heading `Accumulated Patterns`",
        (0, true) => "its section `Accumulated Patterns` has no list item of 12 to 400 characters",
        _ => return None,
    };
    Some(format!("no patterns were found in {role}'s report: {why}"))
}

/// What a role wants mended and has not found fault with.
fn odd(block: &VerdictBlock, role: &str) -> Vec<String> {
    let ids = block.unknown_ids().into_iter();
    ids.map(|id| format!("{role} lists {id:?} in must_fix, but not among its issues")).collect()
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

struct Given<'g> {
    block: &'g VerdictBlock,
    judged: &'g Judged<'g>,
    evidence: &'g Evidence,
    validator_level: Level,
    rejected: &'g [Finding],
}

fn verdict(pair: Pair<'_>, place: &Place, given: &Given<'_>, [deliberation, validator]: &[String; 2]) -> Draft {
    let Given { block, judged, evidence, validator_level, rejected } = given;
    let speech = pair.speech;
    let either = |own: &Option<String>, other: &Option<String>| own.as_ref().or(other.as_ref()).cloned();
    let describe = |issue: &Issue| match judged.pattern_of(issue) {
        Some(pattern) => json!({"id": issue.id, "summary": issue.summary, "pattern": pattern}),
        None => json!({"id": issue.id, "summary": issue.summary}),
    };
    let issues: Vec<Value> = judged.block.issues.iter().map(describe).collect();
    let listed = |ids: &[String]| ids.iter().take(limit::LIST_ITEMS).cloned().collect();
    Draft::new("verdict", pair.judgement.time.unwrap_or(place.time), &place.project)
        .with("id", verdict_id(place, evidence, deliberation, validator))
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
        .with("evidence_level", evidence.level.number())
        .with("evidence_by", &*evidence.by)
        .with("validator_level", validator_level.number())
        .with_items("must_fix", listed(&block.must_fix))
        .with_items("false_positives", listed(&block.false_positives))
        .with_items("rejected", rejected.iter().map(|finding| finding.text.clone()).collect())
        .with_some("issues", (!issues.is_empty()).then_some(issues))
}

/// The name of a verdict. Whoever states how well it is founded, or which files it is about, gives another one, which takes the place of
/// the earlier.
fn verdict_id(place: &Place, evidence: &Evidence, deliberation: &str, validator: &str) -> String {
    if evidence.by == REPORT && place.files.is_empty() {
        return name_event(&json!(["verdict", deliberation, validator]));
    }
    name_event(&json!(["verdict", deliberation, validator, evidence.level.number(), evidence.by, place.files]))
}

fn first_of<'l>(own: &'l [String], other: &'l [String]) -> &'l [String] {
    if own.is_empty() { other } else { own }
}
