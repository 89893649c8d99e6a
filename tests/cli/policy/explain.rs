//! `outerloop policy explain`: the runs behind an adapter's score.

use std::fmt::Write as _;

use serde_json::json;

use super::parse;
use crate::support::Scene;
use crate::support::published::{read, set};

/// Runs as they land, each a minute after the one before.
fn land(scene: &Scene, runs: &[(&str, &str, u32, f64, Option<&str>)]) {
    let mut lines = String::new();
    for (number, (adapters, result, retries, quality, failure)) in runs.iter().enumerate() {
        let adapters: Vec<&str> = adapters.split(' ').collect();
        let mut run = json!({
            "kind": "run", "ts": format!("2026-10-01T00:{number:02}:00Z"), "project": "shop", "run_id": format!("r{number}"),
            "result": result, "adapters": adapters, "retries": retries, "quality": quality,
        });
        if let Some(failure) = failure {
            run["failure_type"] = json!(failure);
        }
        let _ = writeln!(lines, "{run}");
    }
    scene.land("runs.jsonl", lines.as_bytes());
}

/// The log of four runs that use two adapters; the last names one of them twice.
fn scene() -> Scene {
    let scene = Scene::new();
    land(
        &scene,
        &[
            ("terminal github", "success", 0, 1.0, None),
            ("github terminal", "failure", 2, 0.0, Some("auth")),
            ("terminal", "success", 1, 0.9, None),
            ("github github", "success", 0, 1.0, None),
            ("github", "failure", 0, 0.0, Some("approval-denied")),
        ],
    );
    scene.done(&["run", "hourly"]);
    scene
}

#[test]
fn runs_add_up_to_the_published_score() {
    let scene = scene();
    let value = parse(&scene.done(&["policy", "explain", " GitHub ", "--json"]).out);
    assert_eq!(value["score"], json!(0.689));
    assert_eq!(value["sums"], json!({"runs": 3, "successes": 2, "retries": 2, "quality": 2}));
    let runs = value["runs"].as_array().expect("a list");
    let names: Vec<&str> = runs.iter().map(|run| run["run_id"].as_str().expect("a name")).collect();
    assert_eq!(names, ["r4", "r3", "r1", "r0"], "the latest first");
    let contributions: Vec<Option<f64>> = runs.iter().map(|run| run["contribution"].as_f64()).collect();
    assert_eq!(contributions[0], None, "what a person did not let happen counts for nothing");
    for (found, wanted) in contributions[1..].iter().zip([1.0, 0.2 / 3.0, 1.0]) {
        assert!((found.expect("a number") - wanted).abs() < 1e-9, "{contributions:?}");
    }
    assert_eq!((&runs[2]["failure_type"], &runs[2]["file"], &runs[2]["line"]), (&json!("auth"), &json!("runs.jsonl"), &json!(2)));
    assert_eq!((&runs[2]["ts"], &runs[2]["project"]), (&json!("2026-10-01T00:01:00Z"), &json!("shop")));
    assert_eq!(value["changed_since"], json!([]));
    let report = parse(&read(&scene, "report.json"));
    let line = report["policy"]["adapters"].as_array().expect("a list").iter().find(|line| line["adapter"] == "github");
    assert_eq!(line.expect("a line")["score"], value["score"]);
    let manifest = parse(&read(&scene, "manifest.json"));
    assert_eq!(value["query"]["name"], "policy/explanation");
    assert_eq!(manifest["queries"]["policy/explanation"], value["query"]["sha256"]);
}

#[test]
fn people_see_the_sum_that_makes_the_score() {
    let scene = scene();
    let shown = scene.done(&["policy", "explain", "terminal"]).out;
    assert!(shown.contains("3 runs count: 2 succeeded, 3 retries, total quality 1.9"), "{shown}");
    assert!(shown.contains("0.6 × 2/3 + 0.2 × (1 - 3/3 / 3) + 0.2 × 1.9/3 = 0.66 -> score 0.66"), "{shown}");
    assert!(shown.contains("runs.jsonl:3") && shown.contains("sql/policy/explanation.sql, SHA-256 "), "{shown}");
    let few = scene.done(&["policy", "explain", "terminal", "--limit", "1"]).out;
    assert!(few.contains("and 2 earlier ones, which also count") && few.contains("3 runs count"), "{few}");
    let listed = parse(&scene.done(&["policy", "explain", "terminal", "--limit", "2", "--json"]).out);
    assert_eq!((listed["runs"].as_array().map(Vec::len), &listed["sums"]["runs"]), (Some(2), &json!(3)));
}

#[test]
fn more_retries_than_count_are_said_to_count_no_more() {
    let scene = Scene::new();
    land(&scene, &[("fs", "success", 10, 1.0, None), ("fs", "success", 0, 1.0, None)]);
    scene.done(&["run", "hourly"]);
    let shown = scene.done(&["policy", "explain", "fs"]).out;
    assert!(shown.contains("(1 - 3 / 3)") && shown.contains("score 0.8"), "{shown}");
    assert!(shown.contains("5 retries on average count as 3"), "{shown}");
}

#[test]
fn what_changed_since_the_generation_is_said() {
    let scene = scene();
    set(&scene, "[reliability]\nsuccess_weight = 0.7\n");
    let outcome = scene.done(&["policy", "explain", "github"]);
    assert!(outcome.error.contains("the settings changed after"), "{}", outcome.error);
}

#[test]
fn an_adapter_without_runs_has_nothing_to_explain() {
    let scene = scene();
    let outcome = scene.run(&["policy", "explain", "nobody"]);
    assert!(outcome.code == 2 && outcome.error.contains("no run used the adapter `nobody`"), "{}", outcome.error);
    assert_eq!(scene.run(&["policy", "explain", "git\u{1b}hub"]).code, 2);
    let unpublished = Scene::new().run(&["policy", "explain", "github"]);
    assert!(unpublished.code == 2 && unpublished.error.contains("nothing is published yet"), "{}", unpublished.error);
}

#[test]
fn an_explanation_follows_the_policies_that_a_gate_follows() {
    let scene = Scene::new();
    let line = |number: u32, adapter: &str| {
        let event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}Z"), "run_id": format!("r{number}"),
            "adapters": [adapter], "result": "success"});
        format!("{event}\n")
    };
    scene.run_with(&["record"], line(1, "github").as_bytes());
    scene.done(&["run", "learn", "--only", "policy"]);
    let explained = parse(&scene.done(&["policy", "explain", "github", "--json"]).out);
    assert_eq!(explained["sums"]["runs"], 1, "before anything else is published: {explained}");
    scene.done(&["run", "hourly"]);
    scene.run_with(&["record"], line(2, "terminal").as_bytes());
    scene.done(&["run", "learn", "--only", "policy"]);
    let explained = scene.done(&["policy", "explain", "terminal"]).out;
    assert!(explained.contains("1 runs count: 1 succeeded"), "{explained}");
    // What landed later counts after the next run.
    scene.run_with(&["record"], line(3, "terminal").as_bytes());
    scene.done(&["run", "compact"]);
    let explained = parse(&scene.done(&["policy", "explain", "terminal", "--json"]).out);
    assert_eq!(explained["sums"]["runs"], 1, "{explained}");
}
