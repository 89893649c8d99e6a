//! From the events to the figures of every pattern.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};

use super::inquiry::Inquiry;
use super::observation::compute_observations;
use super::policy::compute_policy;
use super::role::compute_roles;
use super::{CycleOptions, Phase};
use crate::{Horizon, Query};
use event::row::number_at;
use learn::observation::ObservationFindings;
use learn::pattern::{Book, Entry, FoldRule, ToolLesson, fold_book, fold_tool_lessons, parse_decisions, parse_lessons};
use learn::policy::Policy;
use learn::role::RoleFindings;
use learn::{
    Attribution, Basis, Evidence, Iterations, ProjectEvidence, Ranking, Score, Subject, attribute, closedloop, parse_evidence,
    parse_iterations, parse_subjects, score_pattern,
};
use score::rank;
use setting::{Compat, Settings};
use text::diagnostic::{Diagnostic, Outcome};

/// What the events say.
pub struct Findings {
    /// The pattern book.
    pub book: Book,
    /// The lessons about the tool itself.
    pub tool_lessons: Vec<ToolLesson>,
    /// Which events count for which pattern.
    pub attribution: Attribution,
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

/// Works out the figures of every pattern. Afterwards the session knows the tables that the figures came from.
pub fn compute(inquiry: &Inquiry, options: CycleOptions<'_>, mut report: impl FnMut(Phase)) -> Outcome<Findings> {
    let settings = options.settings;
    let mut report = |phase: Phase| {
        tracing::debug!(phase = phase.describe(), "phase");
        report(phase);
    };
    let (book, tool_lessons, attribution) = attribute_events(inquiry, options, &mut report)?;
    report(Phase::Counting);
    let bases = match settings.compat {
        Compat::None => count(inquiry, settings)?,
        Compat::ClosedLoop => count_as_the_original(inquiry)?,
    };
    report(Phase::Scoring);
    let scores: Vec<Score> =
        book.patterns().map(|pattern| score_pattern(pattern, bases.get(&pattern.number).unwrap_or(&NOTHING), settings)).collect();
    let ranking = rank(&scores, settings.publish.cap)?;
    report(Phase::Roles);
    let roles = compute_roles(inquiry, options)?;
    report(Phase::Observations);
    let observations = compute_observations(inquiry, options)?;
    report(Phase::Policy);
    let policy = compute_policy(inquiry, options)?;
    Ok(Findings { book, tool_lessons, attribution, scores, ranking, roles, observations, policy })
}

/// Finds out which events count for which pattern, and makes it the table `attribution`. Words that nobody knows count there for
/// a pattern of their own, so that what was found out about them is not lost.
pub fn compute_attribution(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<()> {
    let (book, _) = load_book(inquiry, options.horizon, options.settings)?;
    let subjects = inquiry.load(Query::Subject, parse_subjects)?;
    let attribution = attribute(&book, &subjects, &options.settings.attribution, options.settings.compat)?;
    make_attribution(inquiry, &attribution.with_strangers(&subjects), &subjects)
}

fn attribute_events(
    inquiry: &Inquiry,
    options: CycleOptions<'_>,
    report: &mut impl FnMut(Phase),
) -> Outcome<(Book, Vec<ToolLesson>, Attribution)> {
    let settings = options.settings;
    report(Phase::Book);
    let (book, tool_lessons) = load_book(inquiry, options.horizon, settings)?;
    let subjects = inquiry.load(Query::Subject, parse_subjects)?;
    report(Phase::Matching(subjects.len()));
    let attribution = attribute(&book, &subjects, &settings.attribution, settings.compat)?;
    make_attribution(inquiry, &attribution, &subjects)?;
    Ok((book, tool_lessons, attribution))
}

fn make_attribution(inquiry: &Inquiry, attribution: &Attribution, subjects: &[Subject]) -> Outcome<()> {
    inquiry.check()?;
    inquiry.session.load_table("attribution", Attribution::COLUMNS, &[attribution.table(subjects)?])
}

/// What the figures of a pattern rest on that nobody has seen.
const NOTHING: Basis = Basis { evidence: Evidence::NOTHING, fixed: None, iterations_since: 0, is_stale: false };

fn load_book(inquiry: &Inquiry, horizon: Horizon, settings: &Settings) -> Outcome<(Book, Vec<ToolLesson>)> {
    let lessons = inquiry.load(Query::Lesson, parse_lessons)?;
    let decisions = inquiry.load(Query::Decision, parse_decisions)?;
    let mut entries: Vec<Entry> =
        lessons.into_iter().map(Entry::Lesson).chain(decisions.into_iter().map(Entry::Decision)).collect();
    entries.sort_by_key(|entry| entry.source().sequence);
    let tool_lessons = fold_tool_lessons(&entries, horizon.as_of_micros);
    let rule = FoldRule { overlap: settings.merge.overlap, as_of_micros: horizon.as_of_micros };
    Ok((fold_book(entries, rule), tool_lessons))
}

/// Makes applications with what was found out about them the view `outcome`. The table `attribution` must be there.
pub fn define_outcome(inquiry: &Inquiry, settings: &Settings) -> Outcome<()> {
    inquiry.session.load_table("builder", "agent varchar not null", &[builders(settings)?])?;
    inquiry.define_table("finding", Query::Finding)?;
    inquiry.define_view("outcome", Query::Outcome)
}

/// The agents whose work builds judge.
fn builders(settings: &Settings) -> Outcome<RecordBatch> {
    let agents: BTreeSet<&str> = settings.rate.build_agents.iter().map(String::as_str).collect();
    let column: ArrayRef = Arc::new(StringArray::from_iter_values(agents));
    RecordBatch::try_from_iter([("agent", column)])
        .map_err(|error| Diagnostic::bug(format!("the agents do not fit their table: {error}")))
}

fn count(inquiry: &Inquiry, settings: &Settings) -> Outcome<BTreeMap<u32, Basis>> {
    define_outcome(inquiry, settings)?;
    inquiry.define_table("alike", Query::Alike)?;
    inquiry.define_table("evidence_rollup", Query::EvidenceRollup)?;
    let evidence = inquiry.load(Query::EvidenceMerge, parse_evidence)?;
    inquiry.define_table("iteration_rollup", Query::IterationRollup)?;
    let iterations = inquiry.load(Query::IterationMerge, parse_iterations)?;
    Ok(rest_on(evidence, &iterations, settings))
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

fn count_as_the_original(inquiry: &Inquiry) -> Outcome<BTreeMap<u32, Basis>> {
    if inquiry.has_past {
        return Err(Diagnostic::edit(
            "the original's way of counting adds up single rows, and of the days that were pruned only sums are left",
            "set `compat` to \"none\"; or set past/ aside and have the inbox read again, where it still holds those days",
        ));
    }
    let iteration = inquiry.load(Query::CompatIteration, |rows| {
        let mut highest = None;
        for part in rows.parts() {
            highest = highest.max(number_at(part.numbers("iteration")?, 0));
        }
        Ok(highest)
    })?;
    let tallies = inquiry.load(Query::CompatOutcome, closedloop::tally)?;
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
