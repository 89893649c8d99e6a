//! From the events to the figures of every pattern.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::inquiry::Inquiry;
use super::observation::compute_observations;
use super::policy::compute_policies;
use super::role::compute_roles;
use super::study::Lessons;
use super::truth::{compute_truth, rule_of};
use super::{CycleOptions, Phase};
use crate::Arguments;
use event::row::Rows;
use learn::observation::ObservationFindings;
use learn::pattern::pattern_number;
use learn::policy::Policies;
use learn::role::RoleFindings;
use learn::truth::{Judgement, Lift, Subject, Verdict};
use learn::{Attribution, Basis, HISTORY_WEEKS, History, Ranking, Score, TaskRow, closedloop, gather_evidence, parse_iterations};
use score::{Verdicts, count_tasks, score_patterns, trace_patterns, weigh_truth};
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
    /// What the coins say of them, of the loop and of experiments.
    pub truth: Truth,
    pub roles: RoleFindings,
    pub observations: ObservationFindings,
    /// What finished runs say.
    pub policies: Policies,
    /// What changed in the last days and weeks.
    pub history: History,
}

/// What the coins say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Truth {
    pub verdicts: Verdicts,
    /// Whether coins are tossed from here on.
    pub is_on: bool,
    /// How many coins were ever tossed.
    pub coins: i64,
    /// The lifts of patterns at the ends of the last days on which coins fell, by number.
    pub lifts: BTreeMap<u32, Vec<(i64, Option<Lift>)>>,
}

/// Works out the figures of every pattern.
pub fn compute(inquiry: &Inquiry<'_>, mut report: impl FnMut(Phase)) -> Outcome<Findings> {
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
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
    let mut bases = load_bases(inquiry)?;
    let tossed = compute_truth(inquiry)?;
    for number in tossed.judgement.helping() {
        bases.entry(number).or_default().is_proven = true;
    }
    report(Phase::Scoring);
    let (mut scores, ranking) = score_patterns(lessons.registry.patterns(), &bases, settings)?;
    let numbered: Vec<(u32, &Score)> = lessons.registry.patterns().map(|pattern| pattern.number).zip(&scores).collect();
    let verdicts = weigh_truth(&tossed.judgement, &rule_of(settings, horizon), &numbered, tossed.is_on, settings)?;
    take_verdicts(&mut scores, &verdicts);
    let truth = Truth { verdicts, is_on: tossed.is_on, coins: tossed.holding.coins, lifts: lifts_of(tossed.judgement) };
    report(Phase::Roles);
    let roles = compute_roles(inquiry)?;
    report(Phase::Observations);
    let observations = compute_observations(inquiry)?;
    report(Phase::Policy);
    let policies = compute_policies(inquiry)?;
    let history = load_history(inquiry, &bases)?;
    Ok(Findings { lessons, attribution, scores, ranking, truth, roles, observations, policies, history })
}

fn lifts_of(judgement: Judgement) -> BTreeMap<u32, Vec<(i64, Option<Lift>)>> {
    let patterns = judgement.findings.into_iter().filter_map(|(subject, finding)| match subject {
        Subject::Pattern(number) => Some((number, finding.lifts)),
        _ => None,
    });
    patterns.collect()
}

/// Puts what the coins say beside the figures of each pattern.
fn take_verdicts(scores: &mut [Score], verdicts: &Verdicts) {
    let known: BTreeMap<&str, &Verdict> = verdicts.verdicts.iter().map(|verdict| (&*verdict.subject, verdict)).collect();
    for score in scores {
        if let Some(verdict) = known.get(&*score.id) {
            score.take_verdict(verdict);
        }
        let coin = pattern_number(&score.id).and_then(|number| verdicts.coins.get(&number));
        score.coin = coin.and_then(|(coin, _)| *coin);
    }
}

/// What changed in the last days and weeks. The original's way of counting knows no single days.
fn load_history(inquiry: &Inquiry<'_>, bases: &BTreeMap<u32, Basis>) -> Outcome<History> {
    const WEEK_MICROS: i64 = 7 * DAY_MICROS;
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    let traces = match settings.compat {
        Compat::None => trace_patterns(bases, &inquiry.load("merge_evidence", Rows::read)?, settings)?,
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
            let iterations = inquiry.load("merge_iteration", parse_iterations)?;
            let mut bases = gather_evidence(evidence, &iterations, settings.flag.stale_after);
            count_tasks(&mut bases, &inquiry.load("task", Rows::read::<TaskRow>)?, settings)?;
            Ok(bases)
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
