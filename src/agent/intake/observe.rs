//! Observing the sessions that wait.

use std::collections::HashSet;

use super::artifact::{ArtifactOptions, cite_session};
use crate::observe::{self, Known, Mention, Observed};
use crate::published::load_observations;
use learn::observation::{ObservationScore, Status};
use setting::Settings;
use store::clock;
use store::deadline::Deadline;
use store::publish::find_current;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// Observes the sessions that wait. What is seen lands in the inbox.
pub fn observe_waiting(
    workspace: &Workspace,
    settings: &Settings,
    deadline: Deadline,
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Observed> {
    let known = known_observations(workspace);
    let task = observe::Task { workspace, settings, deadline, now: clock::now(), known: &known };
    let mut cite = |mention: &Mention| count_mention(workspace, settings, mention);
    let mut observed = observe::observe_queued(&task, &mut cite, report)?;
    let mut told = HashSet::new();
    observed.warnings.retain(|warning| told.insert(warning.clone()));
    Ok(observed)
}

/// Counts what a session says about artifacts. Each counts once in a session, however often the session is read.
pub fn count_mention(workspace: &Workspace, settings: &Settings, mention: &Mention) -> Outcome<()> {
    let options = ArtifactOptions { settings, folder: None, project: Some(&mention.project), is_dry: false, now: None };
    cite_session(workspace, options, &mention.said, &mention.session).map(drop)
}

/// The published observations that are in use, the surest first. Where none can be read, whoever observes does without.
pub fn known_observations(workspace: &Workspace) -> Vec<Known> {
    let current = find_current(workspace).ok().flatten();
    let mut scores = current.and_then(|generation| load_observations(&generation).ok()).unwrap_or_default();
    // What was taken out of use must not come back because somebody was reminded of it.
    scores.retain(|score| score.status != Status::Deprecated);
    scores.sort_by(|one, other| other.confidence.total_cmp(&one.confidence).then_with(|| one.id.cmp(&other.id)));
    let known = |score: ObservationScore| Known {
        id: score.id,
        project: score.project,
        kind: score.observation_type,
        pattern: score.pattern,
        evidence: score.evidence,
    };
    scores.into_iter().map(known).collect()
}
