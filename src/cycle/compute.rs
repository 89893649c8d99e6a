//! From the events to the figures of every pattern.

use std::collections::BTreeMap;

use super::inquiry::Inquiry;
use super::{CycleOptions, Phase};
use crate::diagnostic::Outcome;
use crate::engine::{Horizon, Query, number_at};
use crate::learn::{
    Attribution, Basis, Evidence, Iterations, ProjectEvidence, Ranking, Score, attribute, closedloop, parse_evidence,
    parse_iterations, parse_subjects, rank, score_pattern,
};
use crate::pattern::{Book, Entry, FoldRule, fold_book, parse_decisions, parse_lessons};
use crate::setting::{Compat, Settings};

/// What the events say.
pub struct Findings {
    /// The pattern book.
    pub book: Book,
    /// Which events count for which pattern.
    pub attribution: Attribution,
    /// The patterns with their figures, by number.
    pub scores: Vec<Score>,
    /// Their order for each purpose.
    pub ranking: Ranking,
}

/// Works out the figures of every pattern. Afterwards the session knows the tables that the figures came from.
pub fn compute(inquiry: &Inquiry, options: CycleOptions<'_>, mut report: impl FnMut(Phase)) -> Outcome<Findings> {
    let settings = options.settings;
    let mut report = |phase: Phase| {
        tracing::debug!(phase = phase.describe(), "phase");
        report(phase);
    };
    report(Phase::Book);
    let book = load_book(inquiry, options.horizon, settings)?;
    let subjects = inquiry.load(Query::Subject, parse_subjects)?;
    report(Phase::Matching(subjects.len()));
    let attribution = attribute(&book, &subjects, &settings.attribution, settings.compat)?;
    inquiry.check()?;
    inquiry.session.load_table("attribution", Attribution::COLUMNS, &[attribution.table(&subjects)?])?;
    drop(subjects);
    report(Phase::Counting);
    let bases = match settings.compat {
        Compat::None => count(inquiry, settings)?,
        Compat::ClosedLoop => count_as_the_original(inquiry)?,
    };
    report(Phase::Scoring);
    let scores: Vec<Score> =
        book.patterns().map(|pattern| score_pattern(pattern, bases.get(&pattern.number).unwrap_or(&NOTHING), settings)).collect();
    let ranking = rank(&scores, settings.publish.cap)?;
    Ok(Findings { book, attribution, scores, ranking })
}

/// What the figures of a pattern rest on that nobody has seen.
const NOTHING: Basis = Basis { evidence: Evidence::NOTHING, fixed: None, iterations_since: 0, is_stale: false };

fn load_book(inquiry: &Inquiry, horizon: Horizon, settings: &Settings) -> Outcome<Book> {
    let lessons = inquiry.load(Query::Lesson, parse_lessons)?;
    let decisions = inquiry.load(Query::Decision, parse_decisions)?;
    let mut entries: Vec<Entry> =
        lessons.into_iter().map(Entry::Lesson).chain(decisions.into_iter().map(Entry::Decision)).collect();
    entries.sort_by_key(|entry| entry.source().sequence);
    Ok(fold_book(entries, FoldRule { overlap: settings.merge.overlap, as_of_micros: horizon.as_of_micros }))
}

fn count(inquiry: &Inquiry, settings: &Settings) -> Outcome<BTreeMap<u32, Basis>> {
    inquiry.define_table("finding", Query::Finding)?;
    inquiry.define_view("outcome", Query::Outcome)?;
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
