//! From finished runs to policies: sums in bulk, folds over the end of the log, and the story of the last runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};

use super::CycleOptions;
use super::inquiry::Inquiry;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::engine::Query;
use crate::learn::policy::{
    self, Constraint, Curations, FailurePattern, FinishedRun, Fold, Folded, Grounds, Ledger, Overlay, Policy, Reliability,
    RunTotals, Since, StepCounts, Strictest, Suggested, SuggestionCount, Sums, Thresholds,
};
use crate::setting::Settings;

/// Works out what finished runs say.
pub fn compute_policy(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<Policy> {
    let settings = options.settings;
    prepare(inquiry, settings)?;
    let curations = inquiry.load(Query::PolicyCuration, policy::parse_curations)?;
    load_clears(inquiry, &curations)?;
    let totals = inquiry.load(Query::PolicyTotal, policy::parse_totals)?;
    let adapters = inquiry.load(Query::PolicyAdapter, |rows| policy::parse_adapters(rows, &settings.reliability))?;
    let (failures, since) = load_failures(inquiry, settings, &curations)?;
    let lowest = load_strictest(inquiry, settings)?;
    let as_of = options.horizon.as_of_micros;
    let overlays = build_overlays(&adapters, &failures, &lowest, &curations, as_of, settings);
    let skills = inquiry.load(Query::PolicySkill, policy::parse_skills)?;
    let counts = StepCounts { agents: inquiry.load(Query::PolicyAgent, policy::parse_agents)?, risks: totals.risks.clone() };
    let recent = load_recent(inquiry, &totals, settings.recent.runs)?;
    let mark = recent.first().map_or(i64::MAX, |run| run.sequence);
    let folded = load_fold(inquiry, settings, &totals, &counts, mark)?;
    let counted_before = count_before(&failures, &since, &recent, &curations);
    let sums = Sums { adapters: &adapters, failures: &failures, skills: &skills, counted_before: &counted_before };
    let ledger = Ledger::before(settings, sums, &recent, folded.at_mark);
    let graph = policy::replay(ledger, &recent, &curations.clears);
    let [low, medium, high] = folded.at_end.thresholds;
    Ok(Policy {
        overlays,
        agents: policy::profile_agents(&settings.agent, &folded.at_end.reliability, &counts.agents),
        thresholds: Thresholds { low, medium, high, last_micros: totals.last_risk_micros },
        suggestions: load_suggestions(inquiry, &totals, &recent, &curations)?,
        refusals: inquiry.load(Query::PolicyRefusal, policy::parse_refused_runs)?,
        gates: inquiry.load(Query::PolicyGate, policy::parse_gates)?,
        totals,
        adapters,
        failures,
        skills,
        curations,
        recent,
        graph,
    })
}

/// Where a later report takes an earlier one's place, the earlier ones are found first.
pub(super) fn prepare(inquiry: &Inquiry, settings: &Settings) -> Outcome<()> {
    let replaced = if settings.run.replace { inquiry.run(Query::PolicyReplaced)?.batches } else { Vec::new() };
    inquiry.session.load_table("replaced", "seq bigint", &replaced)
}

fn load_clears(inquiry: &Inquiry, curations: &Curations) -> Outcome<()> {
    let clears = &curations.clears;
    let kinds = clears.iter().map(|clear| {
        let id = clear.failure.as_deref()?;
        Some(id.strip_prefix(&*clear.adapter).and_then(|rest| rest.strip_prefix("::")).unwrap_or(id))
    });
    let rows = table([
        ("adapter", Arc::new(StringArray::from_iter_values(clears.iter().map(|clear| &clear.adapter))) as ArrayRef),
        ("failure_type", Arc::new(kinds.collect::<StringArray>())),
        ("seq", Arc::new(Int64Array::from_iter_values(clears.iter().map(|clear| clear.sequence)))),
    ])?;
    inquiry.session.load_table("cleared", "adapter varchar, failure_type varchar, seq bigint", &[rows])
}

/// The columns of `sql/policy/failure.sql`.
const FAILURE_COLUMNS: &str =
    "adapter varchar, failure_type varchar, occurrences bigint, first_seq bigint, last_seq bigint, last_us bigint";

fn load_failures(inquiry: &Inquiry, settings: &Settings, curations: &Curations) -> Outcome<(Vec<FailurePattern>, Since)> {
    let rows = inquiry.run(Query::PolicyFailure)?;
    let mut failures = policy::parse_failures(&rows)?;
    inquiry.session.load_table("seen_failure", FAILURE_COLUMNS, &rows.batches)?;
    // Most workspaces have neither, and each costs a pass over the runs.
    let since = if curations.clears.is_empty() { Since::new() } else { inquiry.load(Query::PolicySince, policy::parse_since)? };
    let recoveries = match settings.overlay.release_after_successes {
        Some(_) => inquiry.load(Query::PolicyRecovery, policy::parse_recoveries)?,
        None => BTreeMap::new(),
    };
    for failure in &mut failures {
        let last_clear = since.get(&failure.id).and_then(|clears| clears.last_key_value());
        failure.since_clear = last_clear.map_or(failure.occurrences, |(_, counted)| *counted);
        failure.successes_since = recoveries.get(&failure.id).copied().unwrap_or_default();
    }
    Ok((failures, since))
}

fn load_strictest(inquiry: &Inquiry, settings: &Settings) -> Outcome<Strictest> {
    if !settings.overlay.ratchet {
        return Ok(Strictest::new());
    }
    let weights = &settings.reliability;
    let one = |value: f64| Arc::new(Float64Array::from(vec![value])) as ArrayRef;
    let rows = table([
        ("success", one(weights.success_weight)),
        ("retry", one(weights.retry_weight)),
        ("quality", one(weights.quality_weight)),
        ("most_retries", one(weights.most_retries)),
    ])?;
    inquiry.session.load_table("weight", "success double, retry double, quality double, most_retries double", &[rows])?;
    inquiry.load(Query::PolicyStrictest, policy::parse_strictest)
}

/// One overlay an adapter that a run used; and one an adapter that only people spoke of.
fn build_overlays(
    adapters: &[Reliability],
    failures: &[FailurePattern],
    lowest: &Strictest,
    curations: &Curations,
    as_of_micros: i64,
    settings: &Settings,
) -> Vec<Overlay> {
    let build = |adapter: &str, reliability: Option<&Reliability>| {
        let annotation = curations.annotation(adapter, as_of_micros);
        let grounds = Grounds { adapter, reliability, failures, lowest: lowest.get(adapter).copied(), annotation };
        policy::build_overlay(grounds, &settings.overlay)
    };
    let mut overlays: Vec<Overlay> = adapters.iter().map(|known| build(&known.adapter, Some(known))).collect();
    for annotation in &curations.annotations {
        let is_known = overlays.iter().any(|overlay| overlay.adapter_id == annotation.adapter);
        if !is_known && curations.annotation(&annotation.adapter, as_of_micros).is_some() {
            overlays.push(build(&annotation.adapter, None));
        }
    }
    overlays
}

/// Where nobody has decided about any, all suggestions are open, and the totals know how many there are. Otherwise it takes a
/// look at each.
fn load_suggestions(
    inquiry: &Inquiry,
    totals: &RunTotals,
    recent: &[FinishedRun],
    curations: &Curations,
) -> Outcome<Vec<SuggestionCount>> {
    if curations.constraints.is_empty() {
        let all = totals.suggested.iter();
        return all.map(|(constraint, suggested)| load_open(inquiry, recent, *constraint, *suggested)).collect();
    }
    let decisions = &curations.constraints;
    let rows = table([
        ("suggestion", Arc::new(StringArray::from_iter_values(decisions.iter().map(|decision| &decision.key))) as ArrayRef),
        ("run_id", Arc::new(decisions.iter().map(|decision| decision.run_id.as_deref()).collect::<StringArray>())),
        ("status", Arc::new(StringArray::from_iter_values(decisions.iter().map(|decision| decision.status)))),
        ("seq", Arc::new(Int64Array::from_iter_values(decisions.iter().map(|decision| decision.sequence)))),
    ])?;
    let columns = "suggestion varchar, run_id varchar, status varchar, seq bigint";
    inquiry.session.load_table("constraint_decision", columns, &[rows])?;
    let mut counts = inquiry.load(Query::PolicySuggestion, policy::parse_suggestion_counts)?;
    counts.sort_by_key(|count| count.constraint);
    Ok(counts)
}

fn load_open(inquiry: &Inquiry, recent: &[FinishedRun], constraint: Constraint, suggested: Suggested) -> Outcome<SuggestionCount> {
    let Suggested { made, last_sequence } = suggested;
    let last = if let Some(run) = recent.iter().find(|run| run.sequence == last_sequence) {
        Some(run.clone())
    } else {
        look_at(inquiry, last_sequence - 1, last_sequence)?;
        inquiry.load(Query::PolicyRecent, policy::parse_runs)?.pop()
    };
    let (last_run, last_micros) = last.map(|run| (run.run_id, run.micros)).unwrap_or_default();
    Ok(SuggestionCount { constraint, made, open: made, accepted: 0, dismissed: 0, last_run, last_micros })
}

/// How many runs are looked at first, from the end of the log: far more than it takes for what is clamped to forget the rest.
const LAST_RUNS: i64 = 100_000;

/// How much of the log is looked at in one go when the end of it does not settle everything.
const PART: i64 = 4_000_000;

/// The last runs, so many at most.
fn load_recent(inquiry: &Inquiry, totals: &RunTotals, most: usize) -> Outcome<Vec<FinishedRun>> {
    let Some((first, last)) = totals.reach.filter(|_| most > 0) else { return Ok(Vec::new()) };
    let wanted = i64::try_from(most).unwrap_or(i64::MAX);
    let mut length = stretch(totals, wanted.saturating_mul(2));
    loop {
        let after = last.saturating_sub(length).max(first - 1);
        look_at(inquiry, after, last)?;
        let mut runs = inquiry.load(Query::PolicyRecent, policy::parse_runs)?;
        if runs.len() >= most || after < first {
            runs.drain(..runs.len().saturating_sub(most));
            return Ok(runs);
        }
        length = length.saturating_mul(8);
    }
}

/// Folds the end of the log; all of it, part by part, where that leaves anything open.
fn load_fold(inquiry: &Inquiry, settings: &Settings, totals: &RunTotals, counts: &StepCounts, mark: i64) -> Outcome<Folded> {
    let start = || Fold::new(&settings.agent, &settings.threshold, mark);
    let mut fold = start();
    if let Some((first, last)) = totals.reach {
        // The place that is asked about lies before the end; what comes before it must settle too.
        let after = mark.min(last).saturating_sub(stretch(totals, LAST_RUNS)).max(first - 1);
        take_part(inquiry, &mut fold, after, last)?;
        if let Some(folded) = fold.finish(counts) {
            return Ok(folded);
        }
        fold = start();
        let mut after = first - 1;
        while after < last {
            let until = after.saturating_add(PART).min(last);
            take_part(inquiry, &mut fold, after, until)?;
            after = until;
        }
    }
    fold.finish(counts).ok_or_else(|| Diagnostic::bug("runs were counted that the fold over all of them did not meet"))
}

fn take_part(inquiry: &Inquiry, fold: &mut Fold<'_>, after: i64, until: i64) -> Outcome<()> {
    look_at(inquiry, after, until)?;
    fold.take_agents(&inquiry.run(Query::PolicyAgentStep)?)?;
    fold.take_thresholds(&inquiry.run(Query::PolicyThresholdStep)?)
}

/// About how much of the order of landing so many runs take up: other events lie between them.
fn stretch(totals: &RunTotals, runs: i64) -> i64 {
    let Some((first, last)) = totals.reach else { return 0 };
    let (length, all) = (i128::from(last - first + 1), i128::from(totals.runs().max(1)));
    i64::try_from(length * i128::from(runs) / all + 1).unwrap_or(i64::MAX)
}

fn look_at(inquiry: &Inquiry, after: i64, until: i64) -> Outcome<()> {
    let one = |value: i64| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    let rows = table([("after_seq", one(after)), ("until_seq", one(until))])?;
    inquiry.session.load_table("span", "after_seq bigint, until_seq bigint", &[rows])
}

/// How often each failure counted for approval before the last runs: since the last clear that came before them.
fn count_before(
    failures: &[FailurePattern],
    since: &Since,
    recent: &[FinishedRun],
    curations: &Curations,
) -> BTreeMap<String, i64> {
    let first = recent.first().map_or(i64::MAX, |run| run.sequence);
    let mut counted = BTreeMap::new();
    for failure in failures {
        let seen_recently = i64::try_from(recent.iter().filter(|run| policy::fails_with(run, &failure.id)).count()).unwrap_or(0);
        let clears = curations.clears.iter().filter(|clear| clear.covers(&failure.adapter, &failure.id));
        let last_clear = clears.filter(|clear| clear.sequence < first).map(|clear| clear.sequence).max();
        let own = since.get(&failure.id);
        let total = last_clear.and_then(|place| own.and_then(|own| own.get(&place)).copied()).unwrap_or(failure.occurrences);
        counted.insert(failure.id.clone(), total - seen_recently);
    }
    counted
}

fn table<const N: usize>(columns: [(&'static str, ArrayRef); N]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .map_err(|error| Diagnostic::bug(format!("rows do not fit their table: {error}")))
}
