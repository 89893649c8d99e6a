//! The built-in extractor: what recurs, by the words in which people say it. The same for the same session.

use super::decision::find_decisions;
use super::memory::find_kept;
use super::pitfall::find_pitfall;
use super::procedural::find_procedures;
use super::routine::with_commands;
use super::sighting::{Sighting, add_sighting};
use super::speech::{Statement, is_approval, parse_speech};
use super::workflow::find_workflows;
use crate::transcript::{Exchange, Provenance};
use event::field::Lack;

/// Maximum number of sightings per session: more means pasted text.
const MOST_SIGHTINGS: usize = 40;

/// What is seen in a session, each thing once, in the order of its first sighting.
#[must_use]
pub fn extract(exchanges: &[Exchange]) -> Vec<Sighting> {
    let mut sightings = Vec::new();
    for sighting in exchanges.iter().flat_map(find_all) {
        add_sighting(&mut sightings, sighting);
    }
    sightings.truncate(MOST_SIGHTINGS);
    for sighting in &mut sightings {
        if sighting.has_enough_quotes() {
            sighting.lacks = None;
        }
    }
    sightings
}

fn find_all(Exchange { prior, own: user, provenance, ran, .. }: &Exchange) -> Vec<Sighting> {
    if !provenance.is_human() || is_approval(user) {
        return Vec::new();
    }
    let speech = parse_speech(user);
    let prior = prior.as_deref();
    let is_rejected = *provenance == Provenance::Rejected;
    // A tool call may be rejected before the agent has said a word.
    let deed = prior.or(is_rejected.then_some(""));
    let pitfall = deed.and_then(|deed| find_pitfall(&speech, user, deed, is_rejected));
    let corrected = pitfall.as_ref().map(|(_, place)| speech.statements[*place..].iter().take(2).cloned().collect::<Vec<_>>());
    let decisions = find_decisions(&speech, prior);
    let decided: Vec<Statement> = decisions.iter().map(|(_, statement)| statement.clone()).collect();
    // A statement that corrects or decides is told once, with its reason.
    let is_told = |statement: &Statement| {
        decided.contains(statement) || corrected.as_ref().is_some_and(|corrected| corrected.contains(statement))
    };
    let mut procedures = find_procedures(&speech, prior, is_told);
    procedures.extend(find_kept(&speech, prior));
    let mut found = find_workflows(&speech, prior);
    // A rule of one step is no workflow too, and steps in an order are no rule too.
    let is_single = |workflow: &Sighting| workflow.details.lines().count() == 1;
    found.retain(|workflow| !is_single(workflow) || procedures.iter().all(|rule| rule.evidence != workflow.evidence));
    procedures
        .retain(|rule| rule.lacks != Some(Lack::Recurrence) || found.iter().all(|workflow| rule.evidence != workflow.evidence));
    for workflow in &mut found {
        workflow.details = with_commands(&workflow.details, ran);
    }
    found.extend(procedures);
    found.extend(decisions.into_iter().map(|(decision, _)| decision));
    found.extend(pitfall.map(|(pitfall, _)| pitfall));
    found
}
