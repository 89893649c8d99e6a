//! Runs one by one, as the original would have taken them: what each of them changed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::adapter::{Refusals, Reliability, Tally};
use super::agent::{AgentStep, step_agent};
use super::curation::Clear;
use super::failure::{FailurePattern, confidence, failure_id};
use super::fold::FoldState;
use super::number::{iso, number};
use super::overlay::{Grounds, Overlay, build_overlay};
use super::run::FinishedRun;
use super::skill::SkillStat;
use super::suggestion::suggest;
use super::threshold::{ThresholdStep, step_threshold};
use event::cell::Word as _;
use setting::{RiskLevel, Settings};

/// Something that a run changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphEvent {
    /// When the run ended.
    pub timestamp: String,
    /// The run; empty for what a person did.
    pub run_id: String,
    /// The project of the run.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// What kind of change.
    #[serde(rename = "type")]
    pub kind: String,
    /// What changed.
    pub data: Value,
}

/// Everything that runs move, at one place in the log.
#[derive(Debug, Clone)]
pub struct Ledger<'s> {
    settings: &'s Settings,
    adapters: BTreeMap<String, Tally>,
    /// By adapter, then by id: free texts may make many of them.
    failures: BTreeMap<String, BTreeMap<String, FailurePattern>>,
    /// The lowest score of each adapter since it was cleared, where rules only tighten.
    lowest: BTreeMap<String, f64>,
    /// What people cleared so far.
    cleared: Vec<Clear>,
    skills: BTreeMap<String, SkillStat>,
    folded: FoldState,
    overlays: BTreeMap<String, Overlay>,
    /// Refused runs, as they stand now: nobody knows where among the others they belong.
    refused: Refusals,
}

impl<'s> Ledger<'s> {
    /// The state before any run.
    #[must_use]
    pub fn start(settings: &'s Settings) -> Self {
        let folded = FoldState {
            reliability: settings.agent.profiles.iter().map(|profile| profile.reliability).collect(),
            thresholds: RiskLevel::ALL.map(|risk| settings.threshold.of(risk)),
        };
        Self {
            settings,
            adapters: BTreeMap::new(),
            failures: BTreeMap::new(),
            lowest: BTreeMap::new(),
            cleared: Vec::new(),
            skills: BTreeMap::new(),
            folded,
            overlays: BTreeMap::new(),
            refused: Refusals::default(),
        }
    }

    /// The state before the last runs: what all of them add up to, less these.
    #[must_use]
    pub fn before(settings: &'s Settings, sums: Sums<'_>, runs: &[FinishedRun], folded: FoldState) -> Self {
        let mut ledger = Self { folded, refused: sums.refused.clone(), ..Self::start(settings) };
        ledger.adapters = sums.adapters.iter().map(|known| (known.adapter.clone(), known.tally)).collect();
        for known in sums.failures {
            ledger.failures.entry(known.adapter.clone()).or_default().insert(known.id.clone(), known.clone());
        }
        ledger.skills = sums.skills.iter().map(|known| (known.skill.clone(), known.clone())).collect();
        for run in runs {
            ledger.take_away(run);
        }
        ledger.adapters.retain(|_, tally| tally.runs > 0);
        ledger.skills.retain(|_, stat| stat.runs > 0);
        for failures in ledger.failures.values_mut() {
            failures.retain(|_, failure| failure.occurrences > 0);
            for (id, failure) in failures {
                failure.since_clear = sums.past.counted.get(id).copied().unwrap_or(failure.occurrences);
                failure.successes_since = sums.past.recovered.get(id).copied().unwrap_or_default();
            }
        }
        ledger.lowest.clone_from(&sums.past.lowest);
        ledger.cleared.clone_from(&sums.past.cleared);
        let names: Vec<String> = ledger.adapters.keys().cloned().collect();
        for adapter in names {
            let overlay = ledger.overlay(&adapter, 0);
            ledger.overlays.insert(adapter, overlay);
        }
        ledger
    }

    fn take_away(&mut self, run: &FinishedRun) {
        if !run.is_denied() {
            for adapter in &run.adapters {
                if let Some(tally) = self.adapters.get_mut(adapter) {
                    tally.remove(run.is_success, run.retries, run.quality_millionths);
                }
            }
        }
        let known = failure_of(run).and_then(|(id, adapter, _)| self.failures.get_mut(&adapter)?.get_mut(&id));
        if let Some(failure) = known {
            failure.occurrences -= 1;
        }
        for skill in &run.skills {
            if let Some(stat) = self.skills.get_mut(skill) {
                stat.remove(run.result);
            }
        }
    }

    /// The values that depend on the order of runs.
    #[must_use]
    pub const fn folded(&self) -> &FoldState {
        &self.folded
    }

    /// The sums of an adapter.
    #[must_use]
    pub fn tally(&self, adapter: &str) -> Option<Tally> {
        self.adapters.get(adapter).copied()
    }

    /// A failure that was seen.
    #[must_use]
    pub fn failure(&self, id: &str) -> Option<&FailurePattern> {
        self.failures.values().find_map(|failures| failures.get(id))
    }

    /// The reliability of a skill.
    #[must_use]
    pub fn skill(&self, skill: &str) -> Option<&SkillStat> {
        self.skills.get(skill)
    }

    /// The overlay that runs alone make, without what people said.
    #[must_use]
    pub fn overlay_of(&self, adapter: &str) -> Option<&Overlay> {
        self.overlays.get(adapter)
    }

    /// Takes a run, and tells what it changed.
    pub fn take(&mut self, run: &FinishedRun) -> Vec<GraphEvent> {
        let mut story = Story { run, events: Vec::new() };
        story.tell(
            "outcome_recorded",
            json!({
                "result": run.result.get(),
                "postExecutionScore": number(quality(run)),
                "rollbackOccurred": run.is_rolled_back,
                "humanOverride": run.is_overridden,
                "riskLevel": run.risk.map(RiskLevel::name),
            }),
        );
        self.take_failure(run, &mut story);
        self.take_adapters(run, &mut story);
        self.take_agents(run, &mut story);
        self.take_threshold(run, &mut story);
        self.take_skills(run, &mut story);
        for constraint in suggest(run) {
            let data = json!({"key": constraint.word(), "action": constraint.action(),
                "confidence": number(constraint.confidence()), "reason": constraint.reason()});
            story.tell("constraint_suggestion_created", data);
        }
        story.events
    }

    /// Takes a person's word that failures are dealt with.
    pub fn clear(&mut self, clear: &Clear) -> Vec<GraphEvent> {
        let mut at_clear = Map::new();
        let own = self.failures.get_mut(&clear.adapter).into_iter().flat_map(BTreeMap::values_mut);
        for failure in own.filter(|failure| clear.covers(&failure.adapter, &failure.id)) {
            at_clear.insert(failure.id.clone(), Value::from(failure.since_clear));
            failure.since_clear = 0;
        }
        if clear.failure.is_none() {
            self.lowest.remove(&clear.adapter);
        }
        self.cleared.push(clear.clone());
        let data = json!({"adapterId": clear.adapter, "patternId": clear.failure, "actor": clear.actor, "note": clear.note,
            "occurrencesAtClear": at_clear});
        let mut events = vec![GraphEvent {
            timestamp: iso(clear.micros),
            run_id: String::new(),
            project: String::new(),
            kind: "overlay_cleared".to_owned(),
            data,
        }];
        // Of an adapter that no run used there is nothing to change.
        let changed =
            if self.adapters.contains_key(&clear.adapter) { self.refresh_overlay(&clear.adapter, clear.micros) } else { None };
        events.extend(changed.map(|data| GraphEvent {
            timestamp: iso(clear.micros),
            run_id: String::new(),
            project: String::new(),
            kind: "overlay_changed".to_owned(),
            data,
        }));
        events
    }

    fn take_failure(&mut self, run: &FinishedRun, story: &mut Story<'_>) {
        let enough = self.settings.overlay.release_after_successes.is_some();
        if enough && run.is_success && !run.is_denied() {
            for adapter in &run.adapters {
                self.failures
                    .get_mut(adapter)
                    .into_iter()
                    .flat_map(BTreeMap::values_mut)
                    .for_each(|failure| failure.successes_since += 1);
            }
        }
        let Some((id, adapter, failure_type)) = failure_of(run) else { return };
        let counts = self.cleared.iter().all(|clear| !clear.covers(&adapter, &id) || clear.moment() < (run.micros, run.sequence));
        let own = self.failures.entry(adapter.clone()).or_default();
        let failure = own.entry(id.clone()).or_insert_with(|| FailurePattern {
            id: id.clone(),
            adapter,
            failure_type,
            occurrences: 0,
            since_clear: 0,
            successes_since: 0,
            last_micros: run.micros,
        });
        failure.occurrences += 1;
        failure.since_clear += i64::from(counts);
        failure.successes_since = 0;
        failure.last_micros = failure.last_micros.max(run.micros);
        let confidence = confidence(failure.occurrences, &self.settings.reliability);
        let data = json!({"id": failure.id, "adapterId": failure.adapter, "failureType": failure.failure_type,
            "occurrences": failure.occurrences, "confidence": number(confidence)});
        story.tell("pattern_updated", data);
    }

    fn take_adapters(&mut self, run: &FinishedRun, story: &mut Story<'_>) {
        if run.is_denied() {
            return;
        }
        for adapter in &run.adapters {
            let tally = self.adapters.entry(adapter.clone()).or_default();
            let before = (tally.runs > 0).then(|| tally.score(&self.settings.reliability));
            tally.add(run.is_success, run.retries, run.quality_millionths);
            let after = tally.score(&self.settings.reliability);
            let is_late =
                |clear: &Clear| clear.failure.is_none() && clear.adapter == *adapter && clear.moment() > (run.micros, run.sequence);
            if self.settings.overlay.ratchet && !self.cleared.iter().any(is_late) {
                let lowest = self.lowest.entry(adapter.clone()).or_insert(after);
                *lowest = lowest.min(after);
            }
            if before != Some(after) {
                let data = json!({"adapterId": adapter, "before": before.map(number), "after": number(after)});
                story.tell("reliability_changed", data);
            }
        }
        for adapter in &run.adapters {
            if let Some(data) = self.refresh_overlay(adapter, run.micros) {
                story.tell("overlay_changed", data);
            }
        }
    }

    /// Builds an overlay anew; what changed, if anything did.
    fn refresh_overlay(&mut self, adapter: &str, micros: i64) -> Option<Value> {
        let after = self.overlay(adapter, micros);
        let before = self.overlays.insert(adapter.to_owned(), after.clone());
        let rules = |overlay: &Overlay| {
            json!({"riskMultiplier": number(overlay.risk_multiplier), "suggestedMaxRetries": overlay.suggested_max_retries,
                "requireApproval": overlay.require_approval})
        };
        let (before, after) = (before.as_ref().map(rules), rules(&after));
        (before.as_ref() != Some(&after)).then(|| json!({"adapterId": adapter, "before": before, "after": after}))
    }

    fn overlay(&self, adapter: &str, micros: i64) -> Overlay {
        let missing = self.refused.of(adapter);
        let known = self.adapters.get(adapter);
        let reliability =
            known.map(|tally| Reliability::new(adapter.to_owned(), *tally, micros, missing, &self.settings.reliability));
        let failures: Vec<&FailurePattern> = self.failures.get(adapter).into_iter().flat_map(BTreeMap::values).collect();
        let lowest = self.lowest.get(adapter).copied();
        let grounds =
            Grounds { adapter, reliability: reliability.as_ref(), missing, failures: &failures, lowest, annotations: &[] };
        build_overlay(grounds, &self.settings.overlay)
    }

    fn take_agents(&mut self, run: &FinishedRun, story: &mut Story<'_>) {
        let settings = &self.settings.agent;
        for decision in run.decisions.iter() {
            let Some(place) = settings.profiles.iter().position(|profile| profile.agent == decision.agent) else { continue };
            let step = AgentStep {
                sequence: run.sequence,
                agent: &decision.agent,
                decision: decision.decision.as_deref(),
                confidence: decision.confidence,
                result: run.result,
                is_rolled_back: run.is_rolled_back,
                is_overridden: run.is_overridden,
            };
            let before = self.folded.reliability[place];
            let after = step_agent(before, &step, settings);
            self.folded.reliability[place] = after;
            let data =
                json!({"agent": decision.agent, "before": number(before), "after": number(after), "result": run.result.get()});
            story.tell("agent_reliability_updated", data);
        }
    }

    fn take_threshold(&mut self, run: &FinishedRun, story: &mut Story<'_>) {
        let Some(risk) = run.risk.filter(|_| !run.is_denied()) else { return };
        let step = ThresholdStep {
            sequence: run.sequence,
            risk,
            result: run.result,
            is_rolled_back: run.is_rolled_back,
            is_overridden: run.is_overridden,
        };
        let before = self.folded.thresholds[risk as usize];
        let after = step_threshold(before, &step, &self.settings.threshold);
        self.folded.thresholds[risk as usize] = after;
        if number(before) != number(after) {
            let mut diff = Map::new();
            diff.insert(risk.name().to_owned(), json!({"before": number(before), "after": number(after)}));
            story.tell("threshold_policy_updated", Value::Object(diff));
        }
    }

    fn take_skills(&mut self, run: &FinishedRun, story: &mut Story<'_>) {
        for skill in &run.skills {
            let stat =
                self.skills.entry(skill.clone()).or_insert_with(|| SkillStat { skill: skill.clone(), ..SkillStat::default() });
            stat.add(run.result);
            stat.last_micros = Some(run.micros);
            story.tell("skill_stat_updated", skill_json(stat));
        }
    }
}

/// What all runs add up to.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'s> {
    pub adapters: &'s [Reliability],
    pub failures: &'s [FailurePattern],
    pub skills: &'s [SkillStat],
    pub refused: &'s Refusals,
    /// What sums do not tell of the time before the last runs.
    pub past: &'s PastState,
}

/// How things stood before the last runs, where the sums over all of them do not tell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PastState {
    /// How often each failure counted for approval.
    pub counted: BTreeMap<String, i64>,
    /// How often adapters had succeeded since each failure was last seen.
    pub recovered: BTreeMap<String, i64>,
    /// The lowest score of each adapter since it was cleared.
    pub lowest: BTreeMap<String, f64>,
    /// What people had cleared.
    pub cleared: Vec<Clear>,
}

/// Tells what the last runs changed, in the order of landing, with what people cleared in between, in the order of time.
#[must_use]
pub fn replay(mut ledger: Ledger<'_>, runs: &[FinishedRun], clears: &[Clear]) -> Vec<GraphEvent> {
    let first = runs.first().map_or((i64::MAX, i64::MAX), |run| (run.micros, run.sequence));
    let mut clears: Vec<&Clear> = clears.iter().filter(|clear| clear.moment() > first).collect();
    clears.sort_by_key(|clear| clear.moment());
    let mut clears = clears.into_iter().peekable();
    let mut events = Vec::new();
    for run in runs {
        while let Some(clear) = clears.next_if(|clear| clear.moment() < (run.micros, run.sequence)) {
            events.extend(ledger.clear(clear));
        }
        events.extend(ledger.take(run));
    }
    for clear in clears {
        events.extend(ledger.clear(clear));
    }
    events
}

/// A skill's figures in the original's shape.
#[must_use]
pub fn skill_json(stat: &SkillStat) -> Value {
    json!({"skillId": stat.skill, "runs": stat.runs, "successes": stat.successes, "failures": stat.failures,
        "score": number(stat.score()), "lastUsedAt": stat.last_micros.map(iso)})
}

/// The quality of a run, from 0 to 1, with all digits that were reported.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "at most a million")]
pub fn quality(run: &FinishedRun) -> f64 {
    run.quality.unwrap_or(run.quality_millionths as f64 / 1e6)
}

/// The id of the failure pattern that a run adds to.
#[must_use]
pub fn failure_id_of(run: &FinishedRun) -> Option<String> {
    failure_of(run).map(|(id, _, _)| id)
}

/// The failure that a run adds to: id, adapter and type. The first adapter is held responsible.
fn failure_of(run: &FinishedRun) -> Option<(String, String, String)> {
    let failure_type = run.failure_type.as_deref().filter(|kind| !kind.is_empty())?;
    if run.is_success || run.is_denied() {
        return None;
    }
    let adapter = run.adapters.first().map_or("unknown", String::as_str);
    Some((failure_id(adapter, failure_type), adapter.to_owned(), failure_type.to_owned()))
}

/// What a run changed so far.
struct Story<'r> {
    run: &'r FinishedRun,
    events: Vec<GraphEvent>,
}

impl Story<'_> {
    fn tell(&mut self, kind: &str, data: Value) {
        self.events.push(GraphEvent {
            timestamp: iso(self.run.micros),
            run_id: self.run.run_id.clone(),
            project: self.run.project.clone(),
            kind: kind.to_owned(),
            data,
        });
    }
}
