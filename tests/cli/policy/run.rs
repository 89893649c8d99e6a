//! `outerloop report --run-id`: what one run changed.

use serde_json::{Value, json};

use super::{parse, publish};
use crate::support::Scene;

fn event(run: &str, kind: &str, data: &Value) -> String {
    json!({"timestamp": "2026-10-01T00:00:00.000Z", "runId": run, "type": kind, "data": data}).to_string() + "\n"
}

fn scene() -> Scene {
    let scene = Scene::new();
    let graph: String = [
        event("r1", "outcome_recorded", &json!({"result": "failure"})),
        event("r1", "reliability_changed", &json!({"adapterId": "github", "before": 0.689, "after": 0.619})),
        event("r2", "outcome_recorded", &json!({"result": "success"})),
        event("", "overlay_cleared", &json!({"adapterId": "github"})),
        event("evil|\u{1b}[2J", "outcome_recorded", &json!({"result": "x\n# Forged"})),
    ]
    .concat();
    publish(&scene, "one", &[("graph-events.jsonl", &graph), ("report.md", "all\n"), ("changes.md", "since\n")]);
    scene
}

#[test]
fn a_run_is_reported_by_itself() {
    let scene = scene();
    let shown = scene.done(&["report", "--run-id", "r1"]).out;
    assert!(shown.starts_with("# Effect of run r1\n") && shown.contains("github: 0.689 -> 0.619"), "{shown}");
    let events = parse(&scene.done(&["report", "--run-id", "r1", "--format", "json"]).out);
    let kinds: Vec<&Value> = events.as_array().expect("a list").iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["outcome_recorded", "reliability_changed"]);
    assert_eq!(scene.done(&["report", "--run-id", "r2", "--generation", "one"]).out.matches("success").count(), 1);
    assert_eq!(scene.done(&["report"]).out, "all\nsince\n");
}

#[test]
fn a_run_that_is_not_published_is_said_to_be_no_longer_there() {
    let scene = scene();
    for run in ["r3", "", "R1"] {
        let outcome = scene.run(&["report", "--run-id", run]);
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{run:?}");
        assert!(outcome.error.contains("`recent.runs`"), "{}", outcome.error);
    }
}

#[test]
fn what_a_run_is_called_forges_no_report() {
    let shown = scene().done(&["report", "--run-id", "evil|\u{1b}[2J"]).out;
    assert!(!shown.contains('\u{1b}') && !shown.contains("\n# Forged"), "{shown:?}");
}
