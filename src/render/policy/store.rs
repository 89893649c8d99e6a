//! The original's files: `overlays.json`, and `learning-store.json` with both halves of what it learns.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::document::{AgentEntry, make_rules};
use event::field::RunResult;
use learn::policy::{
    AgentDecision, FailurePattern, FinishedRun, Overlay, Policy, Reliability, fix_for, iso, number, plain, quality, skill_json,
};
use learn::round_half_away;
use setting::Settings;
use text::diagnostic::{Diagnostic, Outcome};

/// Renders the overlays as the original serves them: a list, in its exact shape.
pub fn render_overlays(overlays: &[Overlay]) -> Outcome<String> {
    pretty(&overlays.iter().map(OverlayEntry::new).collect::<Vec<_>>())
}

/// Renders the original's store. Of the runs it lists the last ones only; `totalOutcomes` says how many there are.
pub fn render_store(policy: &Policy, settings: &Settings) -> Outcome<String> {
    let document = make_rules(policy);
    let last = policy.totals.last_micros.unwrap_or_default();
    pretty(&Store {
        version: 1,
        total_outcomes: policy.totals.runs(),
        outcomes: policy.recent.iter().map(RunEntry::new).collect(),
        patterns: policy.failures.iter().map(|failure| FailureEntry::new(failure, settings)).collect(),
        reliability: policy.adapters.iter().map(ReliabilityEntry::new).collect(),
        policy_overlays: policy.overlays.iter().map(OverlayEntry::new).collect(),
        threshold_policy: ThresholdPolicy {
            low_risk_approval_threshold: document.thresholds.low,
            medium_risk_approval_threshold: document.thresholds.medium,
            high_risk_approval_threshold: document.thresholds.high,
            max_shift_per_learning_cycle: settings.threshold.most_shift,
            min_threshold: settings.threshold.least,
            max_threshold: settings.threshold.most,
            last_updated_at: document.thresholds.last_updated_at,
        },
        agent_profiles: document.agents.into_iter().map(|agent| (agent.agent.clone(), ProfileEntry::from(agent))).collect(),
        skill_stats: policy.skills.iter().map(|stat| (&*stat.skill, skill_json(stat))).collect(),
        updated_at: iso(last),
    })
}

fn pretty(content: &impl Serialize) -> Outcome<String> {
    serde_json::to_string_pretty(content).map_err(|error| Diagnostic::bug(format!("a file of policies cannot be written: {error}")))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Store<'p> {
    version: u8,
    total_outcomes: i64,
    outcomes: Vec<RunEntry<'p>>,
    patterns: Vec<FailureEntry<'p>>,
    reliability: Vec<ReliabilityEntry<'p>>,
    policy_overlays: Vec<OverlayEntry<'p>>,
    threshold_policy: ThresholdPolicy,
    agent_profiles: BTreeMap<String, ProfileEntry>,
    skill_stats: BTreeMap<&'p str, Value>,
    updated_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OverlayEntry<'p> {
    adapter_id: &'p str,
    #[serde(serialize_with = "plain")]
    risk_multiplier: f64,
    suggested_max_retries: u32,
    require_approval: bool,
    reason: &'p str,
    updated_at: &'p str,
}

impl<'p> OverlayEntry<'p> {
    fn new(overlay: &'p Overlay) -> Self {
        Self {
            adapter_id: &overlay.adapter_id,
            risk_multiplier: overlay.risk_multiplier,
            suggested_max_retries: overlay.suggested_max_retries,
            require_approval: overlay.require_approval,
            reason: &overlay.reason,
            updated_at: &overlay.updated_at,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProfileEntry {
    agent: String,
    #[serde(serialize_with = "plain")]
    base_weight: f64,
    #[serde(serialize_with = "plain")]
    reliability: f64,
    can_veto: bool,
    total_runs: i64,
    successes: i64,
    failures: i64,
    last_updated_at: String,
}

impl From<AgentEntry> for ProfileEntry {
    fn from(agent: AgentEntry) -> Self {
        let AgentEntry { agent, base_weight, reliability, can_veto, total_runs, successes, failures, last_updated_at, .. } = agent;
        Self { agent, base_weight, reliability, can_veto, total_runs, successes, failures, last_updated_at }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThresholdPolicy {
    #[serde(serialize_with = "plain")]
    low_risk_approval_threshold: f64,
    #[serde(serialize_with = "plain")]
    medium_risk_approval_threshold: f64,
    #[serde(serialize_with = "plain")]
    high_risk_approval_threshold: f64,
    #[serde(serialize_with = "plain")]
    max_shift_per_learning_cycle: f64,
    #[serde(serialize_with = "plain")]
    min_threshold: f64,
    #[serde(serialize_with = "plain")]
    max_threshold: f64,
    last_updated_at: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunEntry<'p> {
    run_id: &'p str,
    status: &'static str,
    success: bool,
    retry_count: i64,
    time_taken_ms: i64,
    #[serde(serialize_with = "plain")]
    quality_score: f64,
    adapters_used: &'p [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dominant_failure_type: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_rating: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_feedback: Option<&'p str>,
    created_at: String,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_level: Option<&'static str>,
    rollback_occurred: bool,
    human_override: bool,
    #[serde(serialize_with = "plain")]
    post_execution_score: f64,
    issues: &'p [String],
    selected_skills: &'p [String],
    agent_decisions: Vec<DecisionEntry<'p>>,
}

#[derive(Serialize)]
struct DecisionEntry<'p> {
    agent: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'p str>,
    #[serde(serialize_with = "plain")]
    confidence: f64,
}

impl<'p> RunEntry<'p> {
    fn new(run: &'p FinishedRun) -> Self {
        Self {
            run_id: &run.run_id,
            // One of the originals writes `failed` where the other writes `failure`.
            status: if run.result == RunResult::Failure { "failed" } else { run.result.get() },
            success: run.result == RunResult::Success,
            retry_count: run.retries,
            time_taken_ms: run.duration_millis.unwrap_or_default(),
            quality_score: quality(run),
            adapters_used: &run.adapters,
            dominant_failure_type: run.failure_type.as_deref(),
            notes: run.notes.as_deref(),
            user_rating: run.rating.map(number),
            user_feedback: run.feedback.as_deref(),
            created_at: iso(run.micros),
            result: run.result.get(),
            risk_level: run.risk.map(setting::RiskLevel::name),
            rollback_occurred: run.is_rolled_back,
            human_override: run.is_overridden,
            post_execution_score: quality(run),
            issues: &run.issues,
            selected_skills: &run.skills,
            agent_decisions: run.decisions.iter().map(DecisionEntry::new).collect(),
        }
    }
}

impl<'p> DecisionEntry<'p> {
    fn new(decision: &'p AgentDecision) -> Self {
        Self { agent: &decision.agent, decision: decision.decision.as_deref(), confidence: decision.confidence }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailureEntry<'p> {
    id: &'p str,
    adapter_id: &'p str,
    failure_type: &'p str,
    fix_suggestion: String,
    #[serde(serialize_with = "plain")]
    confidence: f64,
    occurrences: i64,
    last_seen_at: String,
}

impl<'p> FailureEntry<'p> {
    fn new(failure: &'p FailurePattern, settings: &Settings) -> Self {
        Self {
            id: &failure.id,
            adapter_id: &failure.adapter,
            failure_type: &failure.failure_type,
            fix_suggestion: fix_for(failure, &settings.reliability),
            confidence: failure.confidence(&settings.reliability),
            occurrences: failure.occurrences,
            last_seen_at: iso(failure.last_micros),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReliabilityEntry<'p> {
    adapter_id: &'p str,
    #[serde(serialize_with = "plain")]
    success_rate: f64,
    #[serde(serialize_with = "plain")]
    avg_retries: f64,
    #[serde(serialize_with = "plain")]
    reliability_score: f64,
    total_runs: i64,
    updated_at: String,
}

impl<'p> ReliabilityEntry<'p> {
    fn new(known: &'p Reliability) -> Self {
        Self {
            adapter_id: &known.adapter,
            success_rate: round_half_away(known.tally.success_rate(), 3),
            avg_retries: round_half_away(known.tally.average_retries(), 3),
            reliability_score: known.score,
            total_runs: known.tally.runs,
            updated_at: iso(known.last_micros),
        }
    }
}
