//! From finished runs to policies: sums in bulk, folds over the end of the log, and the story of the last runs.

use std::collections::BTreeMap;

use super::inquiry::Inquiry;
use crate::Arguments;
use event::Kind;
use learn::policy;
use learn::policy::{
    Clear, Constraint, Curations, Division, FailurePattern, FinishedRun, Fold, Folded, Grounds, Ledger, Overlay, PastState,
    Policies, Policy, Recovery, Refusals, Reliability, RunTotals, Since, StepCounts, Strictest, Suggested, SuggestionCount, Sums,
    Thresholds,
};
use setting::{Compat, Settings};
use text::diagnostic::{Diagnostic, Outcome};

const HOUR_MICROS: i64 = 3_600_000_000;
/// So many runs fit into memory without anybody noticing.
const FEW_RUNS: i64 = 20_000;

/// Works out what finished runs say. Each project has policies of its own, unless all share them.
pub fn compute_policies(inquiry: &Inquiry<'_>) -> Outcome<Policies> {
    let settings = inquiry.options()?.settings;
    let whole = compute_policy(inquiry)?;
    if !settings.divides_policies() {
        return Ok(Policies { whole, division: Division::Shared });
    }
    let mut projects = inquiry.load("policy_project", event::row::Rows::read::<ProjectRow>)?;
    if projects.len() < 2 {
        return Ok(Policies { whole, division: Division::One(projects.pop().map(|row| row.project)) });
    }
    let mut apart = BTreeMap::new();
    for ProjectRow { project } in projects {
        let policy = compute_policy(&inquiry.of_project(&project)?)?;
        apart.insert(project, policy);
    }
    Ok(Policies { whole, division: Division::Apart(apart) })
}

event::row! {
    struct ProjectRow {
        project: String,
    }
}

fn compute_policy(inquiry: &Inquiry<'_>) -> Outcome<Policy> {
    let options = inquiry.options()?;
    let settings = &rules_of(options.settings);
    inquiry.hold_if_few(Kind::Run, FEW_RUNS)?;
    let curations = inquiry.curations()?;
    let totals = inquiry.load("policy_total", policy::parse_totals)?;
    let refused = load_missing(inquiry, options.settings, options.horizon.as_of_micros)?;
    let adapters = inquiry.load("policy_adapter", |rows| policy::parse_adapters(rows, &refused, &settings.reliability))?;
    let (failures, since) = load_failures(inquiry, settings, &curations)?;
    let lowest = load_strictest(inquiry, settings, EVER)?;
    let as_of = options.horizon.as_of_micros;
    let known = Known { adapters: &adapters, failures: &failures, refused: &refused, lowest: &lowest };
    let overlays = build_overlays(&known, &curations, as_of, settings);
    let skills = inquiry.load("policy_skill", event::row::Rows::read)?;
    let counts = StepCounts { agents: inquiry.load("policy_agent", policy::parse_agents)?, risks: totals.risks.clone() };
    let recent = load_recent(inquiry, &totals, settings.recent.runs)?;
    let mark = recent.first().map_or(i64::MAX, |run| run.sequence);
    let folded = load_fold(inquiry, settings, &totals, &counts, mark)?;
    let past = load_past(inquiry, settings, &failures, &since, &recent, &curations)?;
    let sums = Sums { adapters: &adapters, failures: &failures, skills: &skills, refused: &refused, past: &past };
    let ledger = Ledger::before(settings, sums, &recent, folded.at_mark);
    let graph = policy::replay(ledger, &recent, &curations.clears);
    let [low, medium, high] = folded.at_end.thresholds;
    Ok(Policy {
        overlays,
        agents: policy::profile_agents(&settings.agent, &folded.at_end.reliability, &counts.agents),
        thresholds: Thresholds { low, medium, high, last_micros: totals.last_risk_micros },
        suggestions: load_suggestions(inquiry, &totals, &recent, &curations)?,
        refusals: inquiry.load("policy_refusal", policy::parse_refused_runs)?,
        gates: inquiry.load("policy_gate", event::row::Rows::read)?,
        totals,
        refused,
        adapters,
        failures,
        skills,
        curations: Curations::clone(&curations),
        recent,
        graph,
    })
}

fn load_failures(inquiry: &Inquiry<'_>, settings: &Settings, curations: &Curations) -> Outcome<(Vec<FailurePattern>, Since)> {
    let mut failures = inquiry.load("policy_failure", policy::parse_failures)?;
    // Most workspaces have neither, and each costs a pass over the runs.
    let since = if curations.clears.is_empty() { Since::new() } else { inquiry.load("policy_since", policy::parse_since)? };
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

fn load_recoveries(inquiry: &Inquiry<'_>, settings: &Settings, until: i64) -> Outcome<Recovery> {
    if settings.overlay.release_after_successes.is_none() {
        return Ok(Recovery::new());
    }
    inquiry.ask("policy_recovery", &Arguments::values([("until_seq", until.into())]), policy::parse_recoveries)
}

/// A part of the log, and the moment whose clears still count there.
#[derive(Clone, Copy)]
struct Until {
    sequence: i64,
    cleared_before: (i64, i64),
}

const EVER: Until = Until { sequence: i64::MAX, cleared_before: (i64::MAX, i64::MAX) };

fn load_strictest(inquiry: &Inquiry<'_>, settings: &Settings, until: Until) -> Outcome<Strictest> {
    if !settings.overlay.ratchet {
        return Ok(Strictest::new());
    }
    let weights = &settings.reliability;
    let arguments = Arguments::values([
        ("until_seq", until.sequence.into()),
        ("before_us", until.cleared_before.0.into()),
        ("before_seq", until.cleared_before.1.into()),
        ("success_weight", weights.success_weight.into()),
        ("retry_weight", weights.retry_weight.into()),
        ("quality_weight", weights.quality_weight.into()),
        ("most_retries", weights.most_retries.into()),
    ]);
    inquiry.ask("policy_strictest", &arguments, policy::parse_strictest)
}

/// The runs that are missing: refused ones, and those that a gate let through and that had time to report.
pub fn load_missing(inquiry: &Inquiry<'_>, settings: &Settings, as_of_micros: i64) -> Outcome<Refusals> {
    let settled = settled_micros(settings, as_of_micros);
    let unreported = inquiry.run("policy_unreported", &Arguments::values([("settled_us", settled.into())]))?;
    let rules = Arguments::values([("replaces", settings.run.replace.into())]);
    inquiry.ask("policy_refused", &rules, |refused| policy::parse_refusals(refused, &unreported))
}

/// Runs that a gate let through by then have had time to report.
pub(super) fn settled_micros(settings: &Settings, as_of_micros: i64) -> i64 {
    as_of_micros.saturating_sub(i64::from(settings.overlay.settle_hours) * HOUR_MICROS)
}

/// The settings that rules follow. Where the originals are reproduced, refused and few runs say nothing.
fn rules_of(settings: &Settings) -> Settings {
    let mut rules = settings.clone();
    if settings.compat != Compat::None {
        rules.overlay.count_refused = false;
        rules.overlay.count_unreported = false;
        rules.overlay.least_runs = 0;
    }
    rules
}

/// What is known of all adapters.
struct Known<'k> {
    adapters: &'k [Reliability],
    failures: &'k [FailurePattern],
    refused: &'k Refusals,
    lowest: &'k Strictest,
}

/// One overlay an adapter that a run used; one an adapter of which all runs were refused; and one an adapter that only people spoke of.
fn build_overlays(known: &Known<'_>, curations: &Curations, as_of_micros: i64, settings: &Settings) -> Vec<Overlay> {
    let Known { adapters, failures, refused, lowest } = *known;
    let mut failures_of: BTreeMap<&str, Vec<&FailurePattern>> = BTreeMap::new();
    for failure in failures {
        failures_of.entry(&failure.adapter).or_default().push(failure);
    }
    let build = |adapter: &str, reliability: Option<&Reliability>| {
        let annotations = curations.annotations_of(adapter, as_of_micros);
        let failures = failures_of.get(adapter).map_or(&[][..], Vec::as_slice);
        let lowest = lowest.get(adapter).copied();
        let missing = refused.of(adapter);
        let grounds = Grounds { adapter, reliability, missing, failures, lowest, annotations: &annotations };
        policy::build_overlay(grounds, &settings.overlay)
    };
    let mut overlays: Vec<Overlay> = adapters.iter().map(|known| build(&known.adapter, Some(known))).collect();
    let annotated = curations.annotations.iter().map(|annotation| &annotation.adapter);
    let annotated = annotated.filter(|adapter| !curations.annotations_of(adapter, as_of_micros).is_empty());
    for adapter in refused.by_adapter.keys().chain(refused.unreported.keys()).chain(annotated) {
        if !overlays.iter().any(|overlay| overlay.adapter_id == *adapter) {
            overlays.push(build(adapter, None));
        }
    }
    overlays
}

/// Where nobody has decided about any, all suggestions are open, and the totals know how many there are. Otherwise it takes a
/// look at each.
fn load_suggestions(
    inquiry: &Inquiry<'_>,
    totals: &RunTotals,
    recent: &[FinishedRun],
    curations: &Curations,
) -> Outcome<Vec<SuggestionCount>> {
    if curations.constraints.is_empty() {
        let all = totals.suggested.iter();
        return all.map(|(constraint, suggested)| load_open(inquiry, recent, *constraint, *suggested)).collect();
    }
    let mut counts: Vec<SuggestionCount> = inquiry.load("policy_suggestion", event::row::Rows::read)?;
    counts.sort_by_key(|count| count.constraint);
    Ok(counts)
}

fn load_open(
    inquiry: &Inquiry<'_>,
    recent: &[FinishedRun],
    constraint: Constraint,
    suggested: Suggested,
) -> Outcome<SuggestionCount> {
    let Suggested { made, last_sequence } = suggested;
    let last = if let Some(run) = recent.iter().find(|run| run.sequence == last_sequence) {
        Some(run.clone())
    } else {
        inquiry.ask("policy_recent", &span(last_sequence - 1, last_sequence), policy::parse_runs)?.pop()
    };
    let (last_run, last_micros) = last.map(|run| (run.run_id, run.micros)).unwrap_or_default();
    Ok(SuggestionCount { constraint, made, open: made, accepted: 0, dismissed: 0, last_run, last_micros })
}

/// How much of the log is looked at in one go when the end of it does not settle everything.
const PART: i64 = 4_000_000;

/// The last runs, so many at most.
fn load_recent(inquiry: &Inquiry<'_>, totals: &RunTotals, most: usize) -> Outcome<Vec<FinishedRun>> {
    let Some((first, last)) = totals.reach.filter(|_| most > 0) else { return Ok(Vec::new()) };
    let wanted = i64::try_from(most).unwrap_or(i64::MAX);
    let mut length = stretch(totals, wanted.saturating_mul(2));
    loop {
        let after = last.saturating_sub(length).max(first - 1);
        let mut runs = inquiry.ask("policy_recent", &span(after, last), policy::parse_runs)?;
        if runs.len() >= most || after < first {
            runs.drain(..runs.len().saturating_sub(most));
            let after = runs.first().map_or(last, |run| run.sequence - 1);
            inquiry.ask("policy_recent_decision", &span(after, last), |rows| policy::put_decisions(&mut runs, rows))?;
            return Ok(runs);
        }
        length = length.saturating_mul(8);
    }
}

/// Folds the end of the log; all of it, part by part, where that leaves anything open.
fn load_fold(inquiry: &Inquiry<'_>, settings: &Settings, totals: &RunTotals, counts: &StepCounts, mark: i64) -> Outcome<Folded> {
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

fn take_part(inquiry: &Inquiry<'_>, fold: &mut Fold<'_>, after: i64, until: i64) -> Outcome<()> {
    let span = span(after, until);
    fold.take_agents(&inquiry.run("policy_agent_step", &span)?)?;
    fold.take_thresholds(&inquiry.run("policy_threshold_step", &span)?)
}

/// About how much of the order of landing so many runs take up: other events lie between them.
fn stretch(totals: &RunTotals, runs: i64) -> i64 {
    let Some((first, last)) = totals.reach else { return 0 };
    let (length, all) = (i128::from(last - first + 1), i128::from(totals.runs().max(1)));
    i64::try_from(length * i128::from(runs) / all + 1).unwrap_or(i64::MAX)
}

fn span(after: i64, until: i64) -> Arguments {
    Arguments::values([("after_seq", after.into()), ("until_seq", until.into())])
}

/// How things stood before the last runs, where the sums over all of them do not tell.
fn load_past(
    inquiry: &Inquiry<'_>,
    settings: &Settings,
    failures: &[FailurePattern],
    since: &Since,
    recent: &[FinishedRun],
    curations: &Curations,
) -> Outcome<PastState> {
    let Some(first) = recent.first() else { return Ok(PastState::default()) };
    let begin = (first.micros, first.sequence);
    let cleared: Vec<Clear> = curations.clears.iter().filter(|clear| clear.moment() < begin).cloned().collect();
    Ok(PastState {
        counted: count_before(failures, since, recent, curations, begin),
        recovered: load_recoveries(inquiry, settings, first.sequence - 1)?,
        // What is cleared later does not change what held then.
        lowest: load_strictest(inquiry, settings, Until { sequence: first.sequence - 1, cleared_before: begin })?,
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
