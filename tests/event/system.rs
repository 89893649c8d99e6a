//! Records of the four systems as they write them, with nothing but a kind added.

use event::{Body, Code};

use crate::event::door::{micros, refused_code, taken};
use crate::event::plain::assert_body;

#[test]
fn a_codekit_governance_outcome_lands() {
    assert_body!(
        r#"{"kind":"run","ts":"2026-03-14T09:26:53Z","runId":"run-7","result":"failure","issues":["bash: command not found"],"humanOverride":true,"rollbackOccurred":false,"postExecutionScore":0.4,"riskLevel":"high","selectedSkills":["refactor","refactor"],"agentDecisions":[{"agent":"reviewer","decision":"approve","confidence":0.9}]}"#,
        Run {
            run_id: "run-7",
            result: "failure",
            success: false,
            quality: 0.4,
            retries: null,
            rollback: false,
            human_override: true,
            risk: "high",
            adapters: null,
            failure_type: null,
            skills: ["refactor"],
            agent_decisions: [{"agent": "reviewer", "decision": "approve", "confidence": 0.9}],
            issues: ["bash: command not found"],
            tokens: null,
            duration_ms: null,
            iterations: null,
            command: null,
            session: null,
            rating: null,
            feedback: null,
            notes: null,
            unit: null,
        }
    );
}

#[test]
fn a_codekit_adapter_outcome_lands() {
    assert_body!(
        r#"{"kind":"run","runId":"run-7","status":"failed","success":false,"retryCount":3,"timeTakenMs":5400,"qualityScore":0,"adaptersUsed":["terminal","github","terminal"],"dominantFailureType":"step-failed","notes":"n","userFeedback":"f","userRating":2,"createdAt":"2026-03-14T09:26:53.123Z"}"#,
        Run {
            run_id: "run-7",
            result: "failure",
            success: false,
            quality: 0.0,
            retries: 3,
            rollback: null,
            human_override: null,
            risk: null,
            adapters: ["terminal", "github"],
            failure_type: "step-failed",
            skills: null,
            agent_decisions: null,
            issues: null,
            tokens: null,
            duration_ms: 5400,
            iterations: null,
            command: null,
            session: null,
            rating: 2.0,
            feedback: "f",
            notes: "n",
            unit: null,
        }
    );
}

#[test]
fn a_closedloop_goal_outcome_lands_at_the_time_of_its_evaluation() {
    let outcome = r#"{
  "kind": "goal",
  "goal": "reduce-failures",
  "run_id": "20260314-092653-a1b2",
  "success": true,
  "score": 0.83,
  "metrics": {
    "iterations": 1,
    "target": 3
  },
  "details": "1 iterations (target: 3)",
  "evaluated_at": "2026-03-14T09:26:53.000042Z"
}"#;
    assert_eq!(taken(outcome).time_micros, micros("2026-03-14T09:26:53.000042Z"));
    assert_body!(
        outcome,
        Goal {
            run_id: "20260314-092653-a1b2",
            iteration: null,
            application_id: null,
            goal: "reduce-failures",
            success: true,
            measured: null,
            score: 0.83,
            metrics: {"iterations": 1, "target": 3},
            details: "1 iterations (target: 3)",
            unit: null,
        }
    );
}

#[test]
fn a_closedloop_goal_whose_name_is_a_number_keeps_its_digits() {
    let outcome = r#"{"kind":"goal","goal":5,"run_id":"r","success":false,"score":0,"metrics":{},"details":"","evaluated_at":"2026-03-14T09:26:53Z"}"#;
    let Body::Goal(goal) = taken(outcome).body else { panic!("another kind") };
    assert_eq!(goal.goal.get(), "5");
}

#[test]
fn a_closedloop_evaluator_that_says_success_in_quotes_is_refused() {
    let outcome =
        r#"{"kind":"goal","goal":"custom","run_id":"r","success":"false","score":7.123456,"evaluated_at":"2026-03-14T09:26:53Z"}"#;
    assert_eq!(refused_code(outcome), Code::WrongType);
}

#[test]
fn a_closedloop_build_result_lands_with_its_iteration_in_quotes() {
    for (status, has_passed) in [("passed", true), ("failed", false)] {
        let result = format!(
            "{{\"kind\": \"build\", \"status\": \"{status}\", \"timestamp\": \"2026-03-14T09:26:53Z\", \"iteration\": \"3\", \"run_id\": \"r-1\"}}\n"
        );
        assert_body!(
            &result,
            Build { run_id: "r-1", iteration: 3, agent: null, passed: has_passed, application_id: null, details: null }
        );
    }
}

#[test]
fn a_build_status_other_than_passed_or_failed_is_refused() {
    for status in [r#""pass""#, r#""PASSED""#, r#""""#, "1", "[]"] {
        let result = format!(r#"{{"kind":"build","status":{status},"timestamp":"2026-03-14T09:26:53Z","run_id":"r-1"}}"#);
        assert_eq!(refused_code(&result), Code::OutOfRange, "{status}");
    }
}

#[test]
fn a_closedloop_relevance_score_lands() {
    assert_body!(
        r#"{"kind":"relevance","ts":"2026-03-14T09:26:53Z","run_id":"r-1","pattern_id":"P-003","score":0.6,"method":"context_tags","matched_concepts":["auth","api"]}"#,
        Relevance {
            run_id: "r-1",
            iteration: null,
            application_id: null,
            pattern_id: "P-003",
            trigger: null,
            score: 0.6,
            method: "context_tags",
            matched_concepts: ["auth", "api"],
            raw_score: null,
        }
    );
}

#[test]
fn a_closedloop_pending_learning_lands_in_either_shape() {
    let lesson = r#"{"kind":"learning","ts":"2026-03-14T09:26:53Z","what_happened":"w","why":"y","fix_applied":"f","pattern_to_remember":"remember this sentence","applies_to":["*"],"context":{"file":"a.py","line":3,"function":"main"}}"#;
    let Body::Learning(learning) = taken(lesson).body else { panic!("another kind") };
    assert_eq!(learning.summary.expect("a summary").get(), "remember this sentence");
    let nothing = r#"{"kind":"learning","ts":"2026-03-14T09:26:53Z","no_learnings": true, "reason": "trivial change"}"#;
    let Body::Learning(learning) = taken(nothing).body else { panic!("another kind") };
    assert_eq!(learning.reason.expect("a reason").get(), "trivial change");
}

#[test]
fn a_devflow_observation_lands_under_its_own_id_and_keeps_the_rest() {
    let row = r#"{"kind":"observation","ts":"2026-05-10T12:00:00Z","id":"obs_aa11bb","type":"workflow","pattern":"Squash-merge, then pull!","confidence":0.33,"observations":1,"status":"observing","evidence":["q1","q2"],"details":"1. squash\n2. pull","quality_ok":false}"#;
    let row = row.replace("2026-05", "2026-02");
    let event = taken(&row);
    assert_eq!(event.id, "obs_aa11bb");
    assert_eq!(event.extra.as_deref(), Some(r#"{"confidence":0.33,"observations":1,"status":"observing"}"#));
}

#[test]
fn a_jkz_deliberation_lands() {
    assert_body!(
        r#"{"kind":"deliberation","role":"auditor","timestamp":"2026-03-14T09:26:53+01:00","status":"done","response":"Accumulated Patterns","model":"m","pr":12,"issue":7,"iter":2,"phase":"Plan","command":"plan","duration_ms":10,"tokens":20}"#,
        Deliberation {
            run_id: null,
            iteration: 2,
            role: "auditor",
            phase: "Plan",
            issue: "7",
            pull_request: "12",
            labels: null,
            files: null,
            evidence_level: 3,
            status: "done",
            verdict: null,
            text: "Accumulated Patterns",
            model: "m",
            command: "plan",
            tokens: 20,
            duration_ms: 10,
            session: null,
            patterns: null,
            prior: null,
            evidence_by: null,
        }
    );
}
