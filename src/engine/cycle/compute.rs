//! From the events to the figures of every pattern.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inquiry::Inquiry;
use super::observation::compute_observations;
use super::policy::compute_policy;
use super::role::compute_roles;
use super::study::Lessons;
use super::{CycleOptions, Phase};
use event::row::number_at;
use learn::observation::ObservationFindings;
use learn::policy::Policy;
use learn::role::RoleFindings;
use learn::{
    Attribution, Basis, Evidence, Iterations, ProjectEvidence, Ranking, Score, closedloop, parse_evidence, parse_iterations,
    score_pattern,
};
use score::rank;
use setting::{Compat, Settings};
use text::diagnostic::{Diagnostic, Outcome};

/// What the events say.
pub struct Findings {
    /// The pattern book, and the lessons about the tool itself.
    pub lessons: Rc<Lessons>,
    /// Which events count for which pattern.
    pub attribution: Rc<Attribution>,
    /// The patterns with their figures, by number.
    pub scores: Vec<Score>,
    /// Their order for each purpose.
    pub ranking: Ranking,
    /// What roles have learned.
    pub roles: RoleFindings,
    /// What was observed in transcripts.
    pub observations: ObservationFindings,
    /// What finished runs say.
    pub policy: Policy,
}

/// Works out the figures of every pattern.
pub fn compute(inquiry: &Inquiry<'_>, mut report: impl FnMut(Phase)) -> Outcome<Findings> {
    let CycleOptions { settings, .. } = inquiry.options()?;
    let mut report = |phase: Phase| {
        tracing::debug!(phase = phase.describe(), "phase");
        report(phase);
    };
    report(Phase::Book);
    let lessons = inquiry.lessons()?;
    let subjects = inquiry.subjects()?;
    report(Phase::Matching(subjects.len()));
    let attribution = inquiry.attribution()?;
    report(Phase::Counting);
    let bases = load_bases(inquiry)?;
    report(Phase::Scoring);
    let patterns = lessons.book.patterns();
    let scores: Vec<Score> = patterns.map(|pattern| score_pattern(pattern, basis_of(&bases, pattern.number), settings)).collect();
    let ranking = rank(&scores, settings.publish.cap)?;
    report(Phase::Roles);
    let roles = compute_roles(inquiry)?;
    report(Phase::Observations);
    let observations = compute_observations(inquiry)?;
    report(Phase::Policy);
    let policy = compute_policy(inquiry)?;
    Ok(Findings { lessons, attribution, scores, ranking, roles, observations, policy })
}

/// What the figures of a pattern rest on that nobody has seen.
const NOTHING: Basis = Basis { evidence: Evidence::NOTHING, fixed: None, iterations_since: 0, is_stale: false };

/// What the figures of a pattern rest on.
pub(super) fn basis_of(bases: &BTreeMap<u32, Basis>, pattern: u32) -> &Basis {
    bases.get(&pattern).unwrap_or(&NOTHING)
}

/// What the figures rest on, for each pattern that the inquiry is about.
pub(super) fn load_bases(inquiry: &Inquiry<'_>) -> Outcome<BTreeMap<u32, Basis>> {
    let CycleOptions { settings, .. } = inquiry.options()?;
    match settings.compat {
        Compat::None => {
            let evidence = inquiry.load("merge_evidence", parse_evidence)?;
            Ok(rest_on(evidence, &inquiry.load("merge_iteration", parse_iterations)?, settings))
        }
        Compat::ClosedLoop => count_as_the_original(inquiry),
    }
}

fn rest_on(evidence: ProjectEvidence, iterations: &Iterations, settings: &Settings) -> BTreeMap<u32, Basis> {
    let bases = evidence.into_iter().map(|(pattern, projects)| {
        let mut sum = Evidence::NOTHING;
        for evidence in projects.values() {
            sum += *evidence;
        }
        let seen_in = projects.iter().filter(|(_, evidence)| evidence.seen > 0).map(|(project, _)| project);
        let since = sum.last_micros.map_or(0, |last| iterations.since(seen_in, last));
        let is_stale = sum.seen > 0 && since >= settings.flag.stale_after;
        (pattern, Basis { evidence: sum, fixed: None, iterations_since: since, is_stale })
    });
    bases.collect()
}

fn count_as_the_original(inquiry: &Inquiry<'_>) -> Outcome<BTreeMap<u32, Basis>> {
    if inquiry.has_past() {
        return Err(Diagnostic::edit(
            "the original's way of counting adds up single rows, and of the days that were pruned only sums are left",
            "set `compat` to \"none\"; or set past/ aside and have the inbox read again, where it still holds those days",
        ));
    }
    let iteration = inquiry.load("compat_iteration", |rows| {
        let mut highest = None;
        for part in rows.parts() {
            highest = highest.max(number_at(part.numbers("iteration")?, 0));
        }
        Ok(highest)
    })?;
    let tallies = inquiry.load("compat_outcome", closedloop::tally)?;
    let bases = tallies.into_iter().map(|(pattern, tally)| {
        let since = iteration.zip(tally.iteration).map_or(0, |(highest, own)| highest.saturating_sub(own));
        let basis = Basis {
            evidence: tally.evidence,
            fixed: tally.rate().map(|rate| (tally.published_weight(rate), rate)),
            iterations_since: u64::try_from(since).unwrap_or(0),
            is_stale: tally.is_stale(iteration),
        };
        (pattern, basis)
    });
    Ok(bases.collect())
}
