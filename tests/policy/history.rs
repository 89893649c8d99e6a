//! How policies changed from one generation to the next, and the history that keeps it.

use std::fs;

use learn::policy::FinishedRun;
use serde_json::{Value, json};
use setting::RiskLevel;

use super::generation::{learn, published};
use super::scene::{failure, success};
use crate::support::Scene;
use crate::support::published::{read, set};

fn history(scene: &Scene) -> Vec<Value> {
    let text = fs::read_to_string(scene.workspace.policy_history()).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect()
}

#[test]
fn each_generation_says_what_it_changed_and_the_history_keeps_it() {
    let scene = Scene::new();
    set(&scene, "[overlay]\nleast_runs = 1\n");
    learn(&scene, &[success(0, "fs")]);
    let first = published(&scene, "policy-diff.json");
    assert_eq!((&first["changes"], &first["overlays"]), (&json!({}), &json!([])), "it begins");
    let risky = FinishedRun { risk: Some(RiskLevel::High), ..failure(1, "fs", "io") };
    learn(&scene, &[risky]);
    let diff = published(&scene, "policy-diff.json");
    assert_eq!(diff["changes"], json!({"high": {"before": 0.75, "after": 0.8}}));
    assert_eq!(
        diff["overlays"],
        json!([{"adapterId": "fs",
            "before": {"riskMultiplier": 0.9, "suggestedMaxRetries": 2, "requireApproval": false},
            "after": {"riskMultiplier": 1.4, "suggestedMaxRetries": 1, "requireApproval": true}}])
    );
    let kept = history(&scene);
    let fields: Vec<&str> = kept.iter().filter_map(|change| change["field"].as_str()).collect();
    assert_eq!(fields, ["threshold", "riskMultiplier", "suggestedMaxRetries", "requireApproval"]);
    assert_eq!(
        (&kept[0]["scope"], &kept[0]["key"], &kept[0]["before"], &kept[0]["after"]),
        (&json!("threshold"), &json!("high"), &json!(0.75), &json!(0.8))
    );
    assert!(read(&scene, "changes.md").contains("| high risk | threshold | 0.75 | 0.8 |"));
    let told = scene.done(&["run", "hourly", "--full"]).error;
    assert!(told.contains("policies: 2 runs; 1 of 1 adapters need approval; 0 changes"), "{told}");
    assert_eq!(history(&scene).len(), 4, "nothing changed, nothing is added");
}

/// A workspace whose last generation changed something, and the history as it then is.
fn changed() -> (Scene, String) {
    let scene = Scene::new();
    learn(&scene, &[success(0, "fs")]);
    learn(&scene, &[failure(1, "fs", "io")]);
    let whole = fs::read_to_string(scene.workspace.policy_history()).expect("a history");
    assert_eq!(whole.lines().count(), 3);
    (scene, whole)
}

#[test]
fn a_history_that_a_killed_run_left_unwritten_is_made_good() {
    let (scene, whole) = changed();
    let path = scene.workspace.policy_history();
    fs::remove_file(&path).expect("it goes");
    scene.done(&["run", "hourly"]);
    assert_eq!(fs::read_to_string(&path).expect("a history"), whole);
}

#[test]
fn a_history_that_a_killed_run_left_torn_is_made_good() {
    let (scene, whole) = changed();
    let path = scene.workspace.policy_history();
    let torn = &whole[..whole.len() - 20];
    fs::write(&path, torn).expect("it is cut");
    scene.done(&["run", "hourly"]);
    let mended = fs::read_to_string(&path).expect("a history");
    assert!(mended.starts_with(torn));
    let lines: Vec<&str> = mended.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).collect();
    assert_eq!(lines, whole.lines().collect::<Vec<_>>());
}

#[test]
fn monitoring_gets_the_figures_of_runs() {
    let scene = Scene::new();
    learn(&scene, &[success(0, "fs"), failure(1, "fs", "io")]);
    let text = fs::read_to_string(scene.workspace.metrics()).expect("metrics");
    for wanted in [
        "outerloop_learning_outcomes_total{result=\"failure\"} 1",
        "outerloop_learning_pattern_occurrences{adapter=\"fs\",type=\"io\"} 1",
        "outerloop_learning_reliability_score{adapter=\"fs\"} 0.6",
        "outerloop_learning_overlay_risk_multiplier{adapter=\"fs\"} 1.4",
        "outerloop_learning_cycle_seconds",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
}
