//! The part of a report that finished runs fill.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::{AgentEntry, ThresholdEntry, make_document};
use event::cell::Word as _;
use learn::policy::{
    Annotation, Clear, FailurePattern, Overlay, Policy, Reliability, SkillStat, SuggestionCount, Trigger, effective_confidence,
    fix_for, iso, plain,
};
use learn::{interval, round_half_away};
use setting::Settings;

/// How many adapters are listed as strongest, and as weakest.
const MOST_ADAPTERS: usize = 3;
/// How many failures are listed.
const MOST_FAILURES: usize = 5;

/// What finished runs say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyReport {
    pub runs: i64,
    /// Runs by result.
    pub results: BTreeMap<String, i64>,
    /// Reports of runs that could not be taken: what is missing here may make others look better than they are.
    pub rejected: i64,
    /// The same by reason.
    pub rejections: BTreeMap<String, i64>,
    /// Refused runs that were not recorded properly since, by the adapter that they name.
    pub refused: BTreeMap<String, i64>,
    /// Those that name no adapter.
    pub refused_unknown: i64,
    /// Runs that a gate let through and that never reported, by adapter.
    pub unreported: BTreeMap<String, i64>,
    /// The adapters of the highest scores.
    pub strongest: Vec<AdapterLine>,
    /// The adapters of the lowest scores.
    pub weakest: Vec<AdapterLine>,
    /// All adapters, in the order in which they were first seen.
    pub adapters: Vec<AdapterLine>,
    /// The failures that were seen most often.
    pub failures: Vec<FailureLine>,
    /// How many failures are known.
    pub known_failures: usize,
    /// The rules for the next runs.
    pub overlays: Vec<OverlayLine>,
    /// Adapters whose rules are old.
    pub stale: Vec<String>,
    /// What is known of the agents.
    pub agents: Vec<AgentEntry>,
    /// How much agreement a run needs.
    pub thresholds: ThresholdEntry,
    /// How skills fare, the best first.
    pub skills: Vec<SkillLine>,
    /// What runs suggest to change.
    pub suggestions: Vec<SuggestionLine>,
    /// What people decided.
    pub decisions: Vec<DecisionLine>,
    /// Decisions that could not be followed, and why.
    pub void_decisions: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdapterLine {
    /// The adapter.
    pub adapter: String,
    #[serde(serialize_with = "plain")]
    pub score: f64,
    /// Refused runs that may be its own.
    pub refused: i64,
    /// Runs that a gate let through and that never reported.
    pub unreported: i64,
    /// The score if all of these had failed.
    #[serde(serialize_with = "plain")]
    pub lowest_score: f64,
    /// The score if all of these had succeeded.
    #[serde(serialize_with = "plain")]
    pub highest_score: f64,
    /// Runs that used it.
    pub runs: i64,
    /// The part of these that succeeded.
    #[serde(serialize_with = "plain")]
    pub success_rate: f64,
    /// The lower end of that rate's interval, at 90 percent.
    pub lower: f64,
    /// The upper end of that rate's interval, at 90 percent.
    pub upper: f64,
    /// Retries of a run, on average.
    #[serde(serialize_with = "plain")]
    pub average_retries: f64,
    pub last_used: String,
}

/// A failure in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureLine {
    /// Adapter and type of failure.
    pub id: String,
    /// How often it was seen.
    pub occurrences: i64,
    /// How often since a person cleared it.
    pub since_clear: i64,
    /// The confidence in it.
    #[serde(serialize_with = "plain")]
    pub confidence: f64,
    /// What is left of that at the instant of the report.
    #[serde(serialize_with = "plain")]
    pub effective_confidence: f64,
    pub last_seen: String,
    /// What to do about it.
    pub fix: String,
}

/// An overlay in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverlayLine {
    /// The overlay.
    #[serde(flatten)]
    pub overlay: Overlay,
    /// Whether it differs from having none.
    pub is_active: bool,
    /// Whether its adapter was not used for long.
    pub is_stale: bool,
}

/// A skill in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillLine {
    /// The skill.
    pub skill: String,
    #[serde(serialize_with = "plain")]
    pub score: f64,
    /// Runs that used it.
    pub runs: i64,
    /// Those that succeeded.
    pub successes: i64,
    /// Those that failed.
    pub failures: i64,
}

/// Suggestions of one kind in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuggestionLine {
    /// What they are about.
    pub key: &'static str,
    pub action: &'static str,
    /// How sure they are.
    pub confidence: f64,
    pub reason: &'static str,
    /// How many there were.
    pub made: i64,
    /// How many nobody has decided about.
    pub open: i64,
    /// How many were accepted.
    pub accepted: i64,
    /// How many were dismissed.
    pub dismissed: i64,
    /// The last run that made one.
    pub last_run: String,
}

/// What a person decided about an adapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionLine {
    pub ts: String,
    pub actor: String,
    /// The adapter, or the failure pattern.
    pub target: String,
    /// `clear` or `annotate`.
    pub action: &'static str,
    pub note: String,
}

/// Makes the part of a report that finished runs fill.
#[must_use]
pub fn make_policy_report(policy: &Policy, as_of_micros: i64, settings: &Settings) -> PolicyReport {
    let adapters: Vec<AdapterLine> = policy.adapters.iter().map(AdapterLine::new).collect();
    let (strongest, weakest) = extremes(&adapters);
    let document = make_document(policy, as_of_micros);
    let overlays: Vec<OverlayLine> = policy
        .overlays
        .iter()
        .map(|overlay| OverlayLine {
            is_active: is_active(overlay),
            is_stale: overlay.is_stale(as_of_micros, &settings.overlay),
            overlay: overlay.clone(),
        })
        .collect();
    PolicyReport {
        runs: policy.totals.runs(),
        results: policy.totals.results.clone(),
        rejected: policy.refusals.iter().map(|(_, lines)| lines).sum(),
        rejections: policy.refusals.iter().cloned().collect(),
        refused: policy.refused.by_adapter.clone(),
        refused_unknown: policy.refused.unknown,
        unreported: policy.refused.unreported.clone(),
        strongest,
        weakest,
        adapters,
        failures: most_frequent(policy, as_of_micros, settings),
        known_failures: policy.failures.len(),
        stale: overlays.iter().filter(|line| line.is_stale).map(|line| line.overlay.adapter_id.clone()).collect(),
        overlays,
        agents: document.agents,
        thresholds: document.thresholds,
        skills: rank_skills(&policy.skills),
        suggestions: policy.suggestions.iter().map(SuggestionLine::new).collect(),
        decisions: list_decisions(&policy.curations.clears, &policy.curations.annotations),
        void_decisions: policy.curations.void.clone(),
    }
}

fn is_active(overlay: &Overlay) -> bool {
    let is_neutral = (overlay.risk_multiplier - 1.0).abs() < f64::EPSILON && !overlay.require_approval;
    !is_neutral || overlay.triggers.iter().any(|trigger| matches!(trigger, Trigger::Annotation { .. }))
}

/// The best and the worst few; those that are equal stay in the order in which they were first seen. Where few are known, none is
/// among both.
fn extremes(adapters: &[AdapterLine]) -> (Vec<AdapterLine>, Vec<AdapterLine>) {
    let mut list = adapters.to_vec();
    list.sort_by(|one, other| other.score.total_cmp(&one.score));
    let strongest: Vec<AdapterLine> = list.iter().take(MOST_ADAPTERS.min(list.len().div_ceil(2))).cloned().collect();
    let mut weakest: Vec<AdapterLine> =
        adapters.iter().filter(|line| strongest.iter().all(|other| other.adapter != line.adapter)).cloned().collect();
    weakest.sort_by(|one, other| one.score.total_cmp(&other.score));
    weakest.truncate(MOST_ADAPTERS);
    (strongest, weakest)
}

fn most_frequent(policy: &Policy, as_of_micros: i64, settings: &Settings) -> Vec<FailureLine> {
    let mut list: Vec<&FailurePattern> = policy.failures.iter().collect();
    list.sort_by_key(|failure| -failure.occurrences);
    list.into_iter().take(MOST_FAILURES).map(|failure| FailureLine::new(failure, as_of_micros, settings)).collect()
}

fn rank_skills(skills: &[SkillStat]) -> Vec<SkillLine> {
    let mut list: Vec<SkillLine> = skills.iter().map(SkillLine::new).collect();
    list.sort_by(|one, other| other.score.total_cmp(&one.score));
    list
}

fn list_decisions(clears: &[Clear], annotations: &[Annotation]) -> Vec<DecisionLine> {
    let cleared = clears
        .iter()
        .map(|clear| (clear.micros, "clear", clear.failure.as_ref().unwrap_or(&clear.adapter), &clear.actor, &clear.note));
    let annotated = annotations.iter().map(|said| (said.micros, "annotate", &said.adapter, &said.actor, &said.note));
    let mut list: Vec<_> = cleared.chain(annotated).collect();
    list.sort_by_key(|(micros, ..)| *micros);
    let line = |(micros, action, target, actor, note): (i64, &'static str, &String, &String, &String)| DecisionLine {
        ts: iso(micros),
        actor: actor.clone(),
        target: target.clone(),
        action,
        note: note.clone(),
    };
    list.into_iter().map(line).collect()
}

impl AdapterLine {
    fn new(known: &Reliability) -> Self {
        let rate = known.tally.success_rate();
        let range = interval(rate, known.tally.runs);
        Self {
            adapter: known.adapter.clone(),
            score: known.score,
            refused: known.missing.refused,
            unreported: known.missing.unreported,
            lowest_score: known.lowest,
            highest_score: known.highest,
            runs: known.tally.runs,
            success_rate: round_half_away(rate, 3),
            lower: range.lower,
            upper: range.upper,
            average_retries: round_half_away(known.tally.average_retries(), 3),
            last_used: iso(known.last_micros),
        }
    }
}

impl FailureLine {
    fn new(failure: &FailurePattern, as_of_micros: i64, settings: &Settings) -> Self {
        let confidence = failure.confidence(&settings.reliability);
        Self {
            id: failure.id.clone(),
            occurrences: failure.occurrences,
            since_clear: failure.since_clear,
            confidence,
            effective_confidence: effective_confidence(confidence, failure.last_micros, as_of_micros, &settings.reliability),
            last_seen: iso(failure.last_micros),
            fix: fix_for(failure, &settings.reliability),
        }
    }
}

impl SkillLine {
    fn new(stat: &SkillStat) -> Self {
        Self { skill: stat.skill.clone(), score: stat.score(), runs: stat.runs, successes: stat.successes, failures: stat.failures }
    }
}

impl SuggestionLine {
    fn new(count: &SuggestionCount) -> Self {
        let constraint = count.constraint;
        Self {
            key: constraint.word(),
            action: constraint.action(),
            confidence: constraint.confidence(),
            reason: constraint.reason(),
            made: count.made,
            open: count.open,
            accepted: count.accepted,
            dismissed: count.dismissed,
            last_run: count.last_run.clone(),
        }
    }
}
