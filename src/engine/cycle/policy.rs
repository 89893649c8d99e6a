//! From finished runs to policies: sums in bulk, folds over the end of the log, and the story of the last runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};

use super::CycleOptions;
use super::inquiry::Inquiry;
use crate::Query;
use event::Kind;
use learn::policy;
use learn::policy::{
    Clear, Constraint, Curations, FailurePattern, FinishedRun, Fold, Folded, Grounds, Ledger, Overlay, PastState, Policy, Recovery,
    Reliability, RunTotals, Since, StepCounts, Strictest, Suggested, SuggestionCount, Sums, Thresholds,
};
use setting::Settings;
use text::diagnostic::{Diagnostic, Outcome};

/// So many runs fit into memory without anybody noticing.
const FEW_RUNS: usize = 20_000;

/// Works out what finished runs say.
pub fn compute_policy(inquiry: &Inquiry, options: CycleOptions<'_>) -> Outcome<Policy> {
    let settings = options.settings;
    inquiry.session.hold_if_few(Kind::Run, FEW_RUNS)?;
    prepare(inquiry, settings)?;
    let curations = inquiry.load(Query::PolicyCuration, policy::parse_curations)?;
    load_clears(inquiry, &curations.clears)?;
    let totals = inquiry.load(Query::PolicyTotal, policy::parse_totals)?;
    let adapters = inquiry.load(Query::PolicyAdapter, |rows| policy::parse_adapters(rows, &settings.reliability))?;
    let (failures, since) = load_failures(inquiry, settings, &curations)?;
    let lowest = load_strictest(inquiry, settings, i64::MAX)?;
    let as_of = options.horizon.as_of_micros;
    let overlays = build_overlays(&adapters, &failures, &lowest, &curations, as_of, settings);
    let skills = inquiry.load(Query::PolicySkill, |rows| rows.read())?;
    let counts = StepCounts { agents: inquiry.load(Query::PolicyAgent, policy::parse_agents)?, risks: totals.risks.clone() };
    let recent = load_recent(inquiry, &totals, settings.recent.runs)?;
    let mark = recent.first().map_or(i64::MAX, |run| run.sequence);
    let folded = load_fold(inquiry, settings, &totals, &counts, mark)?;
    let past = load_past(inquiry, settings, &failures, &since, &recent, &curations)?;
    let sums = Sums { adapters: &adapters, failures: &failures, skills: &skills, past: &past };
    let ledger = Ledger::before(settings, sums, &recent, folded.at_mark);
    let graph = policy::replay(ledger, &recent, &curations.clears);
    let [low, medium, high] = folded.at_end.thresholds;
    Ok(Policy {
        overlays,
        agents: policy::profile_agents(&settings.agent, &folded.at_end.reliability, &counts.agents),
        thresholds: Thresholds { low, medium, high, last_micros: totals.last_risk_micros },
        suggestions: load_suggestions(inquiry, &totals, &recent, &curations)?,
        refusals: inquiry.load(Query::PolicyRefusal, policy::parse_refused_runs)?,
        gates: inquiry.load(Query::PolicyGate, |rows| rows.read())?,
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

fn load_clears(inquiry: &Inquiry, clears: &[Clear]) -> Outcome<()> {
    let kinds = clears.iter().map(|clear| {
        let id = clear.failure.as_deref()?;
        Some(id.strip_prefix(&*clear.adapter).and_then(|rest| rest.strip_prefix("::")).unwrap_or(id))
    });
    let rows = table([
        ("adapter", Arc::new(StringArray::from_iter_values(clears.iter().map(|clear| &clear.adapter))) as ArrayRef),
        ("failure_type", Arc::new(kinds.collect::<StringArray>())),
        ("seq", Arc::new(Int64Array::from_iter_values(clears.iter().map(|clear| clear.sequence)))),
        ("ts_us", Arc::new(Int64Array::from_iter_values(clears.iter().map(|clear| clear.micros)))),
    ])?;
    inquiry.session.load_table("cleared", "adapter varchar, failure_type varchar, seq bigint, ts_us bigint", &[rows])
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
    let recoveries = load_recoveries(inquiry, settings, i64::MAX)?;
    for failure in &mut failures {
        failure.since_clear = count_since(failure, &since, curations, (i64::MAX, i64::MAX)).unwrap_or(failure.occurrences);
        failure.successes_since = recoveries.get(&failure.id).copied().unwrap_or_default();
    }
    Ok((failures, since))
}

/// How often a failure was seen since it was last cleared before a moment; none if it never was.
fn count_since(failure: &FailurePattern, since: &Since, curations: &Curations, before: (i64, i64)) -> Option<i64> {
    let clear = curations.last_clear(&failure.adapter, &failure.id, before)?;
    since.get(&failure.id)?.get(&clear.sequence).copied()
}

fn load_recoveries(inquiry: &Inquiry, settings: &Settings, until: i64) -> Outcome<Recovery> {
    if settings.overlay.release_after_successes.is_none() {
        return Ok(Recovery::new());
    }
    look_at(inquiry, i64::MIN, until)?;
    inquiry.load(Query::PolicyRecovery, policy::parse_recoveries)
}

fn load_strictest(inquiry: &Inquiry, settings: &Settings, until: i64) -> Outcome<Strictest> {
    if !settings.overlay.ratchet {
        return Ok(Strictest::new());
    }
    look_at(inquiry, i64::MIN, until)?;
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
    let mut failures_of: BTreeMap<&str, Vec<&FailurePattern>> = BTreeMap::new();
    for failure in failures {
        failures_of.entry(&failure.adapter).or_default().push(failure);
    }
    let build = |adapter: &str, reliability: Option<&Reliability>| {
        let annotations = curations.annotations_of(adapter, as_of_micros);
        let failures = failures_of.get(adapter).map_or(&[][..], Vec::as_slice);
        let lowest = lowest.get(adapter).copied();
        let grounds = Grounds { adapter, reliability, failures, lowest, annotations: &annotations };
        policy::build_overlay(grounds, &settings.overlay)
    };
    let mut overlays: Vec<Overlay> = adapters.iter().map(|known| build(&known.adapter, Some(known))).collect();
    for annotation in &curations.annotations {
        let is_known = overlays.iter().any(|overlay| overlay.adapter_id == annotation.adapter);
        if !is_known && !curations.annotations_of(&annotation.adapter, as_of_micros).is_empty() {
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
        ("ts_us", Arc::new(Int64Array::from_iter_values(decisions.iter().map(|decision| decision.micros)))),
    ])?;
    let columns = "suggestion varchar, run_id varchar, status varchar, seq bigint, ts_us bigint";
    inquiry.session.load_table("constraint_decision", columns, &[rows])?;
    let mut counts: Vec<SuggestionCount> = inquiry.load(Query::PolicySuggestion, |rows| rows.read())?;
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
        let after = mark.min(last).saturating_sub(stretch(totals, i64::from(settings.recent.folded_runs))).max(first - 1);
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

/// How things stood before the last runs, where the sums over all of them do not tell.
fn load_past(
    inquiry: &Inquiry,
    settings: &Settings,
    failures: &[FailurePattern],
    since: &Since,
    recent: &[FinishedRun],
    curations: &Curations,
) -> Outcome<PastState> {
    let Some(first) = recent.first() else { return Ok(PastState::default()) };
    let begin = (first.micros, first.sequence);
    let cleared: Vec<Clear> = curations.clears.iter().filter(|clear| clear.moment() < begin).cloned().collect();
    if settings.overlay.ratchet {
        // What is cleared later does not change what held then.
        load_clears(inquiry, &cleared)?;
    }
    Ok(PastState {
        counted: count_before(failures, since, recent, curations, begin),
        recovered: load_recoveries(inquiry, settings, first.sequence - 1)?,
        lowest: load_strictest(inquiry, settings, first.sequence - 1)?,
        cleared,
    })
}

/// How often each failure counted for approval before the last runs: since the last clear before them.
fn count_before(
    failures: &[FailurePattern],
    since: &Since,
    recent: &[FinishedRun],
    curations: &Curations,
    begin: (i64, i64),
) -> BTreeMap<String, i64> {
    let mut seen_recently: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    for run in recent {
        if let Some(id) = policy::failure_id_of(run) {
            seen_recently.entry(id).or_default().push((run.micros, run.sequence));
        }
    }
    let mut counted = BTreeMap::new();
    for failure in failures {
        let clear = curations.last_clear(&failure.adapter, &failure.id, begin).map(Clear::moment);
        let total = count_since(failure, since, curations, begin).unwrap_or(failure.occurrences);
        let moments = seen_recently.get(&failure.id).into_iter().flatten();
        let recently = moments.filter(|moment| clear.is_none_or(|clear| **moment > clear)).count();
        counted.insert(failure.id.clone(), total - i64::try_from(recently).unwrap_or_default());
    }
    counted
}

fn table<const N: usize>(columns: [(&'static str, ArrayRef); N]) -> Outcome<RecordBatch> {
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .map_err(|error| Diagnostic::bug(format!("rows do not fit their table: {error}")))
}
