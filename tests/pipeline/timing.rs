//! Where the time of runs went, and how goals were met, from the log to the report.

use std::fs;
use std::io::Write as _;

use serde_json::{Value, json};

use super::{Shop, application, json_of, known, lines, record, tell};
use crate::support::Scene;
use crate::support::published::read;

/// Two iterations with their steps, phases and agents.
fn perf(shop: &Shop) {
    let events = [
        json!({"event": "iteration", "run_id": "r1", "iteration": 1, "started_at": "2026-11-01T10:00:00Z",
            "ended_at": "2026-11-01T10:01:00Z", "duration_s": 60, "claude_exit_code": 0, "status": "ok"}),
        json!({"event": "iteration", "run_id": "r1", "iteration": 2, "started_at": "2026-11-01T10:01:00Z",
            "ended_at": "2026-11-01T10:03:00Z", "duration_s": 120, "claude_exit_code": 0, "status": "completed"}),
        json!({"event": "pipeline_step", "run_id": "r1", "iteration": 1, "step": 8.5, "step_name": "write_merged_patterns",
            "started_at": "2026-11-01T10:00:50Z", "ended_at": "2026-11-01T10:00:53Z", "duration_s": 3, "exit_code": 0, "skipped": false}),
        json!({"event": "agent", "run_id": "r1", "iteration": 1, "agent_id": "a1", "agent_type": "code:builder",
            "agent_name": "builder", "started_at": "2026-11-01T10:00:05Z", "ended_at": "2026-11-01T10:00:45Z", "duration_s": 40}),
        json!({"event": "phase", "run_id": "r1", "iteration": 1, "phase": "planning", "status": "in_progress", "start_sha": "abc",
            "started_at": "2026-11-01T10:00:00Z"}),
        json!({"event": "phase", "run_id": "r1", "iteration": 1, "phase": "building", "status": "in_progress", "start_sha": "abc",
            "started_at": "2026-11-01T10:00:20Z"}),
        json!({"event": "iteration", "run_id": "r0", "iteration": 1, "started_at": "2026-10-31T10:00:00Z",
            "ended_at": "2026-10-31T10:00:30Z", "duration_s": 30, "claude_exit_code": 0, "status": "ok"}),
    ];
    fs::write(shop.work().join("perf.jsonl"), lines(&events)).expect("a log");
}

#[test]
fn timings_are_summed_up_from_the_file_and_lines_that_cannot_be_read_are_told() {
    let (scene, shop) = Shop::known();
    perf(&shop);
    let work = shop.work();
    fs::OpenOptions::new()
        .append(true)
        .open(work.join("perf.jsonl"))
        .and_then(|mut log| log.write_all(b"half a li\n"))
        .expect("a line");
    let folder = ["--workdir", work.to_str().expect("a path")];
    let outcome = scene.done(&[&["timing"], &folder[..]].concat());
    assert!(outcome.error.contains("perf.jsonl:8: "), "{}", outcome.error);
    for wanted in ["write_merged_patterns", "builder", "planning"] {
        assert!(outcome.out.contains(wanted), "{wanted} in {}", outcome.out);
    }
    let summary = json_of(&scene, &[&["timing", "--json", "--run", "r1"], &folder[..]].concat());
    let iterations = &summary["iterations"]["summary"];
    assert_eq!((&iterations["count"], iterations["total_s"].as_f64()), (&2.into(), Some(180.0)), "{summary}");
    let timeline = scene.done(&[&["timing", "--timeline"], &folder[..]].concat()).out;
    let (planning, building) = (timeline.find("planning").expect("a phase"), timeline.find("building").expect("a phase"));
    assert!(planning < building, "{timeline}");
    fs::remove_file(work.join("perf.jsonl")).expect("removed");
    assert_eq!(scene.run(&[&["timing"], &folder[..]].concat()).code, 2);
}

#[test]
fn imported_timings_stand_in_the_report() {
    let (scene, shop) = Shop::known();
    perf(&shop);
    for _ in 0..2 {
        scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
        scene.done(&["run", "hourly"]);
    }
    assert_eq!(scene.count("select count(*) from timing"), 7);
    let page = read(&scene, "report.md");
    assert!(page.contains("## Time per phase") && page.contains("| agent | builder | 1 |"), "{page}");
    let report: Value = serde_json::from_str(&read(&scene, "report.json")).expect("JSON");
    assert_eq!(report["timing"]["iterations"]["summary"]["count"], 3, "{}", report["timing"]);
    scene.done(&["run", "verify"]);
}

#[test]
fn goals_have_statistics_once_there_are_runs_enough() {
    let (scene, shop) = Shop::known();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    let goals = |scene: &Scene| {
        scene.done(&["run", "hourly"]);
        let report: Value = serde_json::from_str(&read(scene, "report.json")).expect("JSON");
        report["goals"].clone()
    };
    for number in 1..=5_u32 {
        let run = format!("r{number}");
        record(&scene, &[application((&run, 1), "builder", "P-001", "applied", &[])]);
        // A run is judged after each of its iterations, and the last word counts.
        tell(&scene, &["goal"], &shop.turn(&run, 1));
        tell(&scene, &["goal"], &shop.turn(&run, if number == 5 { 4 } else { 2 }));
        if number == 4 {
            let few = goals(&scene);
            assert_eq!((&few[0]["runs"], &few[0]["shortage"]["needed"]), (&4.into(), &5.into()), "{few}");
        }
    }
    let enough = goals(&scene);
    assert_eq!((&enough[0]["goal"], &enough[0]["shortage"]), (&"reduce-failures".into(), &Value::Null), "{enough}");
    assert_eq!((&enough[0]["runs"], &enough[0]["passed"]), (&5.into(), &4.into()), "{enough}");
    assert_eq!(enough[0]["pass_rate"].as_f64(), Some(0.8), "{enough}");
    assert_eq!(enough[0]["contributing"][0]["pattern"], 1, "{enough}");
    let page = read(&scene, "report.md");
    assert!(page.contains("## Goals") && page.contains("| reduce-failures | 5 | 4 |"), "{page}");
}
