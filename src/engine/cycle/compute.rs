//! From the events to the figures of every pattern.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inquiry::Inquiry;
use super::observation::compute_observations;
use super::policy::compute_policy;
use super::role::compute_roles;
use super::study::Lessons;
use super::{CycleOptions, Phase};
use crate::Arguments;
use event::row::Rows;
use learn::observation::ObservationFindings;
use learn::policy::Policy;
use learn::role::RoleFindings;
use learn::{Attribution, Basis, HISTORY_WEEKS, History, Ranking, Score, closedloop, gather_evidence, parse_iterations};
use score::{score_patterns, trace_patterns};
use setting::Compat;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::DAY_MICROS;

/// What the events say.
pub struct Findings {
    /// The pattern registry, and the lessons about the tool itself.
    pub lessons: Rc<Lessons>,
    /// Which events count for which pattern.
    pub attribution: Rc<Attribution>,
    /// The patterns with their figures, by number.
    pub scores: Vec<Score>,
    /// Their order for each purpose.
    pub ranking: Ranking,
    pub roles: RoleFindings,
    pub observations: ObservationFindings,
    /// What finished runs say.
    pub policy: Policy,
    /// What changed in the last days and weeks.
    pub history: History,
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
    let (scores, ranking) = score_patterns(lessons.registry.patterns(), &bases, settings)?;
    report(Phase::Roles);
    let roles = compute_roles(inquiry)?;
    report(Phase::Observations);
    let observations = compute_observations(inquiry)?;
    report(Phase::Policy);
    let policy = compute_policy(inquiry)?;
    let history = load_history(inquiry, &bases)?;
    Ok(Findings { lessons, attribution, scores, ranking, roles, observations, policy, history })
}

/// What changed in the last days and weeks. The original's way of counting knows no single days.
fn load_history(inquiry: &Inquiry<'_>, bases: &BTreeMap<u32, Basis>) -> Outcome<History> {
    const WEEK_MICROS: i64 = 7 * DAY_MICROS;
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    let traces = match settings.compat {
        Compat::None => trace_patterns(bases, &inquiry.load("recent_evidence", Rows::read)?, settings)?,
        Compat::ClosedLoop => BTreeMap::new(),
    };
    let after = horizon.as_of_micros.saturating_sub(HISTORY_WEEKS * WEEK_MICROS);
    let span = Arguments::values([("as_of_us", horizon.as_of_micros.into()), ("after_us", after.into())]);
    Ok(History {
        traces,
        runs: inquiry.ask("week_run", &span, Rows::read)?,
        goals: inquiry.ask("week_goal", &span, Rows::read)?,
        adapters: inquiry.ask("week_adapter", &span, Rows::read)?,
    })
}

/// What the figures rest on, for each pattern that the inquiry is about.
pub(super) fn load_bases(inquiry: &Inquiry<'_>) -> Outcome<BTreeMap<u32, Basis>> {
    let CycleOptions { settings, .. } = inquiry.options()?;
    match settings.compat {
        Compat::None => {
            let evidence = inquiry.load("merge_evidence", Rows::read)?;
            Ok(gather_evidence(evidence, &inquiry.load("merge_iteration", parse_iterations)?, settings.flag.stale_after))
        }
        Compat::ClosedLoop => count_as_the_original(inquiry),
    }
}

event::row! {
    struct Highest {
        iteration: Option<i64>,
    }
}

fn count_as_the_original(inquiry: &Inquiry<'_>) -> Outcome<BTreeMap<u32, Basis>> {
    if inquiry.has_past() {
        return Err(Diagnostic::edit(
            "compat mode needs single rows, but pruned days keep only sums",
            "set `compat` to \"none\"; or move past/ away and ingest the inbox again, if it still holds those days",
        ));
    }
    let highest: Vec<Highest> = inquiry.load("compat_iteration", Rows::read)?;
    let iteration = highest.into_iter().filter_map(|row| row.iteration).max();
    let tallies = inquiry.load("compat_outcome", closedloop::tally)?;
    let bases = tallies.into_iter().map(|(pattern, tally)| {
        let since = iteration.zip(tally.iteration).map_or(0, |(highest, own)| highest.saturating_sub(own));
        let basis = Basis {
            evidence: tally.evidence,
            fixed_weight: tally.rate().map(|rate| tally.published_weight(rate)),
            fixed_rate: tally.rate(),
            iterations_since: since.max(0),
            is_stale: tally.is_stale(iteration),
            ..Basis::default()
        };
        (pattern, basis)
    });
    Ok(bases.collect())
}
