//! Runs that a gate let through and that never reported are counted, and no gate stays open because failures were not reported.

use serde_json::{Value, json};

use super::parse;
use crate::support::Scene;
use crate::support::published::{read, set};

fn gate(scene: &Scene) -> (i32, Value) {
    let outcome = scene.run(&["gate", "github", "--json"]);
    (outcome.code, parse(&outcome.out))
}

/// Six successes that reported, and runs that a gate let through and that said nothing since.
fn silent(settings: &str, runs: u32) -> Scene {
    let scene = Scene::new();
    set(&scene, settings);
    let lines = (1..=6).map(|number| {
        let event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}Z"), "run_id": format!("r{number}"),
            "adapters": ["GitHub"], "result": "success"});
        format!("{event}\n")
    });
    scene.run_with(&["record"], lines.collect::<String>().as_bytes());
    for number in 1..=runs {
        assert_eq!(scene.run(&["gate", "GitHub", "--record", &format!("lost-{number}")]).code, 0);
    }
    scene.done(&["run", "hourly"]);
    scene
}

#[test]
fn a_gate_closes_when_runs_that_it_let_through_never_report() {
    let scene = silent("[overlay]\nsettle_hours = 0\n", 6);
    let (code, answer) = gate(&scene);
    assert_eq!((code, &answer["approval"]), (1, &json!(true)), "{answer}");
    assert_eq!((&answer["score"], &answer["unreportedRuns"], &answer["refusedRuns"]), (&json!(1.0), &json!(6), &json!(0)));
    // 0.6 × 6/12 + 0.2 × (1 - 1.5/3) + 0.2 × 6/12
    assert_eq!((&answer["lowestScore"], &answer["highestScore"]), (&json!(0.5), &json!(1.0)));
    assert_eq!(answer["triggers"], json!([{"type": "unreportedRuns", "runs": 6, "score": 0.5}]));
    let said = scene.run(&["gate", "github"]).out;
    assert!(said.contains("6 unreported runs put it between 0.5 and 1"), "{said}");
    let report = scene.done(&["report"]).out;
    assert!(report.contains("Let through by a gate and never reported: 6 of github."), "{report}");
    let explained = scene.done(&["policy", "explain", "github"]).out;
    assert!(explained.contains("6 runs that a gate let through never reported") && explained.contains("between 0.5 and 1"));
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("runs that a gate let through and that never reported: 6 of github"), "{doctor}");
    let figures = read(&scene, "policy.prom");
    assert!(figures.contains("outerloop_learning_unreported_runs{adapter=\"github\"} 6"), "{figures}");
}

#[test]
fn a_run_that_reports_or_is_refused_is_unreported_no_more() {
    let scene = silent("[overlay]\nsettle_hours = 0\n", 6);
    let late = (1..=5).map(|number| {
        format!(
            "{}\n",
            json!({"kind": "run", "run_id": format!("lost-{number}"), "adapters": ["github"],
        "result": "success"})
        )
    });
    scene.run_with(&["record"], late.collect::<String>().as_bytes());
    scene.run_with(&["record"], b"{\"kind\":\"run\",\"run_id\":\"lost-6\",\"adapters\":[\"github\"],\"result\":\"failure\"}\n");
    scene.done(&["run", "hourly"]);
    let (_, answer) = gate(&scene);
    assert_eq!(
        (&answer["runs"], &answer["unreportedRuns"], &answer["refusedRuns"]),
        (&json!(11), &json!(0), &json!(1)),
        "{answer}"
    );
}

#[test]
fn a_run_has_time_to_report_and_settings_decide() {
    for settings in
        ["", "[overlay]\nsettle_hours = 0\ncount_unreported = false\n", "compat = \"closedloop\"\n[overlay]\nsettle_hours = 0\n"]
    {
        let (code, answer) = gate(&silent(settings, 6));
        assert_eq!((code, &answer["score"]), (0, &json!(1.0)), "{settings}: {answer}");
        assert_eq!(answer["unreportedRuns"], json!(if settings.is_empty() { 0 } else { 6 }), "{settings}: {answer}");
    }
}
