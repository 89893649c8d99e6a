//! The files that Code Kit Ultra reads, in its exact shapes, written here from its specification.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;
use serde_json::{Value, json};

use super::generation::published;
use crate::support::Scene;
use crate::support::published::{read, set};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Overlay {
    adapter_id: String,
    risk_multiplier: f64,
    suggested_max_retries: u32,
    require_approval: bool,
    reason: String,
    updated_at: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reliability {
    adapter_id: String,
    success_rate: f64,
    avg_retries: f64,
    reliability_score: f64,
    total_runs: u64,
    updated_at: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Pattern {
    id: String,
    adapter_id: String,
    failure_type: String,
    fix_suggestion: String,
    confidence: f64,
    occurrences: u64,
    last_seen_at: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ThresholdPolicy {
    low_risk_approval_threshold: f64,
    medium_risk_approval_threshold: f64,
    high_risk_approval_threshold: f64,
    max_shift_per_learning_cycle: f64,
    min_threshold: f64,
    max_threshold: f64,
    last_updated_at: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Profile {
    agent: String,
    base_weight: f64,
    reliability: f64,
    can_veto: bool,
    total_runs: u64,
    successes: u64,
    failures: u64,
    last_updated_at: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Store {
    version: u32,
    total_outcomes: u64,
    outcomes: Vec<Value>,
    patterns: Vec<Pattern>,
    reliability: Vec<Reliability>,
    policy_overlays: Vec<Overlay>,
    threshold_policy: ThresholdPolicy,
    agent_profiles: BTreeMap<String, Profile>,
    skill_stats: BTreeMap<String, Value>,
    updated_at: String,
}

fn store(scene: &Scene) -> Store {
    serde_json::from_str(&read(scene, "learning-store.json")).expect("the original's shape")
}

#[test]
fn the_originals_shapes_come_back_through_an_import_with_every_digit() {
    let scene = Scene::new();
    set(&scene, "project = \"shop\"\n");
    let run = |number: u32, members: Value| {
        let mut event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}.000Z"), "run_id": format!("r{number}"),
            "result": "success", "adapters": ["github"], "retries": 1, "duration_ms": 1200});
        event.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        format!("{event}\n")
    };
    let lines = run(1, json!({"quality": 0.123_456_789_012, "rating": 4.5, "feedback": "slow, but right", "notes": "a drill"}))
        + &run(2, json!({"result": "failure", "failure_type": "Auth", "quality": 0.1, "rating": 1}))
        + &run(
            3,
            json!({"risk": "medium", "skills": ["lint"], "issues": ["none"],
            "agent_decisions": [{"agent": "planner", "decision": "approve", "confidence": 0.75}]}),
        );
    assert_eq!(scene.run_with(&["record"], lines.as_bytes()).code, 0);
    scene.done(&["run", "hourly"]);
    let exported = store(&scene);
    let first = &exported.outcomes[0];
    assert_eq!(
        (&first["qualityScore"], &first["userRating"], &first["userFeedback"], &first["notes"], &first["timeTakenMs"]),
        (&json!(0.123_456_789_012), &json!(4.5), &json!("slow, but right"), &json!("a drill"), &json!(1200))
    );
    assert_eq!(exported.outcomes[1]["userRating"], json!(1), "whole numbers are written without a point");
    assert!((exported.threshold_policy.medium_risk_approval_threshold - 0.6335).abs() < 1e-12);
    let overlays: Vec<Overlay> = serde_json::from_str(&read(&scene, "overlays.json")).expect("the original's shape");
    assert_eq!(overlays, exported.policy_overlays);

    let other = Scene::new();
    let folder = other.root().join("project/.codekit/learning");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("learning-store.json"), read(&scene, "learning-store.json")).expect("a store");
    let path = other.root().join("project");
    other.done(&["import", "codekit", path.to_str().expect("text"), "--project", "shop"]);
    other.done(&["run", "hourly"]);
    assert_eq!(store(&other), exported);
    assert_eq!(published(&other, "overlays.json"), published(&scene, "overlays.json"));
}
