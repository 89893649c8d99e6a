//! Whether what agents cite as evidence holds, as events.

use std::collections::HashSet;

use serde_json::json;

use super::change::identify;
use super::label::fit_label;
use super::turn::Turn;
use crate::repository::Repository;
use learn::change::Changes;
use learn::citation::{ChangeIndex, Facts, Judgement, Place, judge, parse_evidence};
use text::diagnostic::{Diagnostic, Outcome};
use text::{fit, limit};

/// The fields of a row of `acknowledgments.log`.
const FIELDS: usize = 7;
/// Where the writers of that log cut the evidence.
const EVIDENCE_BYTES: usize = 200;

/// A pattern that an agent says it applied, and the places it gives as evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// The application that the claim belongs to, where it is known.
    pub application_id: Option<String>,
    /// The pattern, where its id is known.
    pub pattern_id: Option<String>,
    /// The text of the pattern, as the agent quoted it.
    pub trigger: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The places.
    pub places: Vec<Place>,
}

/// How many places were judged, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// The places that hold.
    pub verified: usize,
    /// The places that do not.
    pub refuted: usize,
    /// The places that turned out to be no citations: single words that name no file.
    pub passed_over: usize,
    /// Whether nothing was judged because nothing has changed.
    pub is_unchanged: bool,
}

/// The claims that the rows of `acknowledgments.log` make about this run and, if the turn has one, this iteration.
///
/// What other runs claimed was about other changes. Bytes that are not UTF-8 are replaced row by row. A `|` in the evidence is
/// part of it. Writers of the log cut the evidence at 200 bytes: the last word of one of that length may lack its end and is
/// not read.
#[must_use]
pub fn claims_of_log(log: &[u8], turn: &Turn) -> Vec<Claim> {
    let log = log.strip_prefix("\u{feff}".as_bytes()).unwrap_or(log);
    log.split(|byte| matches!(byte, b'\n' | b'\r')).flat_map(|row| claims_of_row(row, turn)).collect()
}

/// The `citation` events of some claims: one for each place of each claim, and how many hold.
///
/// If nothing has changed then nothing is judged, for nothing could hold. The same judgement at the same instant gives the same
/// line; of judgements at different instants the last counts.
pub fn citation_lines(
    turn: &Turn,
    claims: &[Claim],
    changes: &Changes,
    tolerance: u32,
    repository: &Repository,
) -> Outcome<(Vec<String>, Summary)> {
    let mut summary = Summary { is_unchanged: changes.files.is_empty(), ..Summary::default() };
    let mut lines = Vec::new();
    if summary.is_unchanged {
        return Ok((lines, summary));
    }
    let index = ChangeIndex::new(changes);
    let locate = |path: &str| repository.locate(path);
    let facts = Facts { roots: repository.roots(), prefix: repository.prefix().to_owned(), locate: &locate };
    let mut seen = HashSet::new();
    for claim in claims {
        for place in claim.places.iter().filter(|place| seen.insert((Who::of(claim), *place))) {
            match judge(place, &index, tolerance, &facts) {
                None => summary.passed_over += 1,
                Some(judgement) => {
                    lines.push(citation_line(turn, claim, place, &judgement)?);
                    if judgement.verified {
                        summary.verified += 1;
                    } else {
                        summary.refuted += 1;
                    }
                }
            }
        }
    }
    Ok((lines, summary))
}

/// Whose claim it is: what makes two places one.
#[derive(PartialEq, Eq, Hash)]
struct Who<'a> {
    application_id: Option<&'a str>,
    pattern_id: Option<&'a str>,
    trigger: Option<&'a str>,
    agent: Option<&'a str>,
}

impl<'a> Who<'a> {
    fn of(claim: &'a Claim) -> Self {
        Self {
            application_id: claim.application_id.as_deref(),
            pattern_id: claim.pattern_id.as_deref(),
            trigger: claim.trigger.as_deref(),
            agent: claim.agent.as_deref(),
        }
    }
}

fn citation_line(turn: &Turn, claim: &Claim, place: &Place, judgement: &Judgement) -> Outcome<String> {
    let identity = json!([
        turn.project,
        turn.run_id,
        turn.iteration,
        turn.time.to_string(),
        claim.application_id,
        claim.pattern_id,
        claim.trigger,
        claim.agent,
        place.path,
        place.line,
        judgement.verified,
        judgement.reason,
    ]);
    let event = turn
        .draft("citation")
        .with("id", identify("citation", &identity))
        .with_some("application_id", claim.application_id.as_deref().map(fit_label))
        .with_some("pattern_id", claim.pattern_id.as_deref().and_then(fit::name))
        .with_some("trigger", claim.trigger.as_deref().map(|trigger| fit::cut(trigger, limit::TEXT_BYTES)))
        .with_some("agent", claim.agent.as_deref().and_then(fit::name))
        .with("path", fit_label(&place.path))
        .with("cited_line", place.line)
        .with("verified", judgement.verified)
        .with("reason", &*judgement.reason);
    event.finish().map_err(|reason| Diagnostic::bug("the event of a citation is too large").because(reason))
}

fn claims_of_row(row: &[u8], turn: &Turn) -> Vec<Claim> {
    // Where a row has too many fields nobody can tell whether the summaries or the evidence held the separators. Leaving the
    // surplus with the evidence loses none of its places.
    let fields: Vec<&[u8]> = row.splitn(FIELDS, |byte| *byte == b'|').collect();
    let [_, run_id, iteration, agent, _, summaries, evidence] = *fields else { return Vec::new() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let is_of_turn = text(run_id) == turn.run_id && turn.iteration.is_none_or(|wanted| read_iteration(&text(iteration)) == wanted);
    if !is_of_turn {
        return Vec::new();
    }
    let evidence = if evidence.len() == EVIDENCE_BYTES { without_last_word(evidence) } else { evidence };
    let agent = Some(text(agent)).filter(|agent| !agent.is_empty());
    let claims = parse_evidence(&text(evidence), &text(summaries)).into_iter();
    let claims =
        claims.map(|claim| Claim { trigger: Some(claim.pattern), agent: agent.clone(), places: claim.places, ..Claim::default() });
    claims.collect()
}

/// The number of an iteration; what is no number stands for the first one, as in the log's other readers.
fn read_iteration(text: &str) -> i64 {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().unwrap_or(0) } else { 0 }
}

fn without_last_word(evidence: &[u8]) -> &[u8] {
    let end = evidence.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0);
    &evidence[..end]
}
