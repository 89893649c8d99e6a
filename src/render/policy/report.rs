//! The part of a report that finished runs fill.

use std::collections::BTreeMap;

use serde::Serialize;

use super::document::{AgentEntry, Rules, ThresholdEntry, make_rules};
use event::cell::Word as _;
use learn::policy::{
    Annotation, Clear, FailurePattern, Overlay, Policies, Policy, Reliability, SkillStat, SuggestionCount, Trigger,
    effective_confidence, fix_for, iso, plain,
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
    /// What is known of the agents of each project, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<ProjectLine>,
}

/// A project in a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProjectLine {
    pub project: String,
    pub runs: i64,
    /// How much agreement a run needs.
    pub thresholds: ThresholdEntry,
    /// What is known of the agents.
    pub agents: Vec<AgentEntry>,
}

/// A name, and its project where each has rules of its own.
#[must_use]
pub fn labelled(name: &str, project: Option<&str>) -> String {
    project.map_or_else(|| name.to_owned(), |project| format!("{name} ({project})"))
}

impl PolicyReport {
    /// Whether adapters are governed, or agents have decided. Every workspace knows some agents by default, and runs of a loop without
    /// adapters say nothing about any.
    pub(crate) fn is_in_use(&self) -> bool {
        !self.overlays.is_empty() || self.agents.iter().any(|agent| agent.total_runs > 0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdapterLine {
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
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
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
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
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
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
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
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
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
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
    /// Its project, where each has rules of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub ts: String,
    pub actor: String,
    /// The adapter, or the failure pattern.
    pub target: String,
    /// `clear` or `annotate`.
    pub action: &'static str,
    pub note: String,
}

/// Makes the part of a report that finished runs fill. Counts are of all runs; what gates follow is listed by project where each has
/// rules of its own.
#[must_use]
pub fn make_policy_report(policies: &Policies, as_of_micros: i64, settings: &Settings) -> PolicyReport {
    let whole = &policies.whole;
    let mut report = PolicyReport {
        runs: whole.totals.runs(),
        results: whole.totals.results.clone(),
        rejected: whole.refusals.iter().map(|(_, lines)| lines).sum(),
        rejections: whole.refusals.iter().cloned().collect(),
        refused: whole.refused.by_adapter.clone(),
        refused_unknown: whole.refused.unknown,
        unreported: whole.refused.unreported.clone(),
        strongest: Vec::new(),
        weakest: Vec::new(),
        adapters: Vec::new(),
        failures: Vec::new(),
        known_failures: 0,
        overlays: Vec::new(),
        stale: Vec::new(),
        agents: whole.agents.iter().map(AgentEntry::new).collect(),
        thresholds: make_rules(whole).thresholds,
        skills: Vec::new(),
        suggestions: Vec::new(),
        decisions: Vec::new(),
        void_decisions: whole.curations.void.clone(),
        projects: Vec::new(),
    };
    for (project, policy) in policies.parts() {
        add_part(&mut report, project, policy, as_of_micros, settings);
    }
    (report.strongest, report.weakest) = extremes(&report.adapters);
    report.failures.sort_by_key(|failure| -failure.occurrences);
    report.failures.truncate(MOST_FAILURES);
    report.skills.sort_by(|one, other| other.score.total_cmp(&one.score));
    report.decisions.sort_by(|one, other| one.ts.cmp(&other.ts));
    report
}

/// Adds what gates of a project follow, or of all where they share it.
fn add_part(report: &mut PolicyReport, project: Option<&str>, policy: &Policy, as_of_micros: i64, settings: &Settings) {
    let named = || project.map(str::to_owned);
    report.adapters.extend(policy.adapters.iter().map(|known| AdapterLine::new(named(), known)));
    let overlays = policy.overlays.iter().map(|overlay| OverlayLine {
        project: named(),
        is_active: is_active(overlay),
        is_stale: overlay.is_stale(as_of_micros, &settings.overlay),
        overlay: overlay.clone(),
    });
    let overlays: Vec<OverlayLine> = overlays.collect();
    let stale = overlays.iter().filter(|line| line.is_stale);
    report.stale.extend(stale.map(|line| labelled(&line.overlay.adapter_id, project)));
    report.overlays.extend(overlays);
    report.known_failures += policy.failures.len();
    report.failures.extend(policy.failures.iter().map(|failure| FailureLine::new(named(), failure, as_of_micros, settings)));
    report.skills.extend(policy.skills.iter().map(|stat| SkillLine::new(named(), stat)));
    report.suggestions.extend(policy.suggestions.iter().map(|count| SuggestionLine::new(named(), count)));
    report.decisions.extend(list_decisions(project, &policy.curations.clears, &policy.curations.annotations));
    if let Some(project) = project {
        let Rules { thresholds, agents, .. } = make_rules(policy);
        report.projects.push(ProjectLine { project: project.to_owned(), runs: policy.totals.runs(), thresholds, agents });
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
    let mut weakest: Vec<AdapterLine> = adapters
        .iter()
        .filter(|line| strongest.iter().all(|other| (&other.adapter, &other.project) != (&line.adapter, &line.project)))
        .cloned()
        .collect();
    weakest.sort_by(|one, other| one.score.total_cmp(&other.score));
    weakest.truncate(MOST_ADAPTERS);
    (strongest, weakest)
}

fn list_decisions(project: Option<&str>, clears: &[Clear], annotations: &[Annotation]) -> Vec<DecisionLine> {
    let cleared = clears
        .iter()
        .map(|clear| (clear.micros, "clear", clear.failure.as_ref().unwrap_or(&clear.adapter), &clear.actor, &clear.note));
    let annotated = annotations.iter().map(|said| (said.micros, "annotate", &said.adapter, &said.actor, &said.note));
    let mut list: Vec<_> = cleared.chain(annotated).collect();
    list.sort_by_key(|(micros, ..)| *micros);
    let line = |(micros, action, target, actor, note): (i64, &'static str, &String, &String, &String)| DecisionLine {
        project: project.map(str::to_owned),
        ts: iso(micros),
        actor: actor.clone(),
        target: target.clone(),
        action,
        note: note.clone(),
    };
    list.into_iter().map(line).collect()
}

impl AdapterLine {
    fn new(project: Option<String>, known: &Reliability) -> Self {
        let rate = known.tally.success_rate();
        let range = interval(rate, known.tally.runs);
        Self {
            project,
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
    fn new(project: Option<String>, failure: &FailurePattern, as_of_micros: i64, settings: &Settings) -> Self {
        let confidence = failure.confidence(&settings.reliability);
        Self {
            project,
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
    fn new(project: Option<String>, stat: &SkillStat) -> Self {
        let SkillStat { skill, runs, successes, failures, .. } = stat;
        Self { project, skill: skill.clone(), score: stat.score(), runs: *runs, successes: *successes, failures: *failures }
    }
}

impl SuggestionLine {
    fn new(project: Option<String>, count: &SuggestionCount) -> Self {
        let constraint = count.constraint;
        Self {
            project,
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
