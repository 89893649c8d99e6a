//! Runs that are refused are counted, and no gate opens because failures were refused.

use std::fs;

use serde_json::{Value, json};

use super::parse;
use crate::support::Scene;
use crate::support::published::{read, set};

fn run(number: u32, members: &Value) -> String {
    let mut event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}Z"), "run_id": format!("r{number}"),
        "adapters": ["GitHub"]});
    event.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    format!("{event}\n")
}

/// Four successes, and four failures that nobody can take, because they do not say what failed.
fn half_refused() -> String {
    let good = (1..=4).map(|number| run(number, &json!({"result": "success"})));
    good.chain((5..=8).map(|number| run(number, &json!({"result": "failure"})))).collect()
}

fn gate(scene: &Scene, adapter: &str) -> (i32, Value) {
    let outcome = scene.run(&["gate", adapter, "--json"]);
    (outcome.code, parse(&outcome.out))
}

#[test]
fn a_gate_stays_closed_when_failures_are_refused() {
    for by_record in [true, false] {
        let scene = Scene::new();
        if by_record {
            assert_eq!(scene.run_with(&["record"], half_refused().as_bytes()).code, 1);
        } else {
            scene.land("a.jsonl", half_refused().as_bytes());
        }
        scene.done(&["run", "hourly"]);
        assert_eq!(scene.count("select count(*) from quarantine where kind = 'run' and run_id is not null"), 4);
        let (code, answer) = gate(&scene, "github");
        assert_eq!((code, &answer["approval"], &answer["multiplier"]), (1, &json!(true), &json!(1.4)), "{answer}");
        assert_eq!((&answer["score"], &answer["refusedRuns"]), (&json!(1.0), &json!(4)), "the original's score stays visible");
        // 0.6 × 4/8 + 0.2 × (1 - 1.5/3) + 0.2 × 4/8
        assert_eq!((&answer["lowestScore"], &answer["highestScore"]), (&json!(0.5), &json!(1.0)));
        assert_eq!(answer["triggers"], json!([{"type": "refusedRuns", "runs": 4, "score": 0.5}]));
        let said = scene.run(&["gate", "github"]).out;
        assert!(said.contains("4 refused runs put it between 0.5 and 1"), "{said}");
        let report = scene.done(&["report"]).out;
        assert!(
            report.contains("Not recorded properly since: 4 of github.") && report.contains("1.000 (0.500 to 1.000)"),
            "{report}"
        );
        let explained = scene.done(&["policy", "explain", "github"]).out;
        assert!(explained.contains("4 runs were refused") && explained.contains("between 0.5 and 1"), "{explained}");
        let doctor = scene.run(&["doctor"]).out;
        assert!(doctor.contains("4 of github"), "{doctor}");
        let figures = read(&scene, "policy.prom");
        assert!(figures.contains("outerloop_learning_refused_runs{adapter=\"github\"} 4"), "{figures}");
    }
}

#[test]
fn a_refused_run_that_is_recorded_properly_is_missing_no_more() {
    let scene = Scene::new();
    scene.run_with(&["record"], half_refused().as_bytes());
    let mended: String =
        (5..=8).map(|number| run(number, &json!({"result": "failure", "failure_type": format!("kind-{number}")}))).collect();
    scene.run_with(&["record"], mended.as_bytes());
    scene.done(&["run", "hourly"]);
    let (_, answer) = gate(&scene, "github");
    assert_eq!((&answer["refusedRuns"], &answer["score"], &answer["lowestScore"]), (&json!(0), &json!(0.6), &json!(0.6)));
}

#[test]
fn an_adapter_of_which_every_run_was_refused_is_not_allowed() {
    let scene = Scene::new();
    let lines = run(1, &json!({"result": "failure"})) + &run(1, &json!({"result": "failure", "quality": 7}));
    scene.run_with(&["record"], lines.as_bytes());
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["score"]), (1, &json!(1), &Value::Null), "one run, refused twice: {answer}");
    let explained = scene.done(&["policy", "explain", "github"]).out;
    assert!(explained.contains("All runs were refused"), "{explained}");
}

#[test]
fn a_refused_run_without_an_adapter_may_be_anybodys() {
    let scene = Scene::new();
    let good: String = (1..=9).map(|number| run(number, &json!({"result": "success"}))).collect();
    scene.run_with(&["record"], good.as_bytes());
    scene.run_with(&["record", "--kind", "run"], b"{\"run_id\":\"x\",\"result\":\"failure\"}\n");
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["lowestScore"]), (0, &json!(1), &json!(0.9)));
    assert_eq!(answer["multiplier"], json!(1), "0.9 is not above 0.9, so trust is withheld");
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("1 that name no adapter"), "{doctor}");
}

#[test]
fn rules_follow_the_originals_score_where_settings_say_so() {
    for settings in ["[overlay]\ncount_refused = false\nleast_runs = 1\n", "compat = \"closedloop\"\n"] {
        let scene = Scene::new();
        set(&scene, settings);
        scene.run_with(&["record"], half_refused().as_bytes());
        scene.done(&["run", "hourly"]);
        let (code, answer) = gate(&scene, "github");
        assert_eq!((code, &answer["multiplier"], &answer["refusedRuns"]), (0, &json!(0.9), &json!(4)), "{settings}: {answer}");
    }
}

#[test]
fn an_adapter_is_trusted_after_enough_runs() {
    let scene = Scene::new();
    for (number, wanted) in [(1, 1.0), (4, 1.0), (5, 0.9)] {
        let lines: String = (1..=number).map(|number| run(number, &json!({"result": "success"}))).collect();
        scene.run_with(&["record"], lines.as_bytes());
        scene.done(&["run", "hourly"]);
        assert_eq!(gate(&scene, "github").1["multiplier"].as_f64(), Some(wanted), "{number} runs");
    }
}

#[test]
fn an_import_keeps_the_runs_that_it_leaves_out() {
    let scene = Scene::new();
    let folder = scene.root().join("project/.codekit/learning");
    fs::create_dir_all(&folder).expect("a folder");
    let outcome = |id: &str, members: &Value| {
        let mut outcome = json!({"runId": id, "status": "success", "success": true, "retryCount": 0, "timeTakenMs": 1,
            "qualityScore": 1, "adaptersUsed": ["github"], "createdAt": "2026-05-01T10:00:00.000Z"});
        outcome.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        outcome
    };
    let store = json!({"version": 1, "patterns": [], "reliability": [], "policyOverlays": [], "updatedAt": "2026-05-01T10:00:00.000Z",
        "outcomes": [outcome("good", &json!({})), outcome("odd", &json!({"retryCount": "NaN"})),
            outcome("typeless", &json!({"status": "failed", "success": false, "qualityScore": 0}))]});
    fs::write(folder.join("learning-store.json"), store.to_string()).expect("a store");
    let path = scene.root().join("project");
    assert_eq!(scene.run(&["import", "codekit", path.to_str().expect("text"), "--project", "shop"]).code, 1);
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["runs"], &answer["refusedRuns"]), (1, &json!(1), &json!(2)), "{answer}");
}
