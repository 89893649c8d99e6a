//! Running steps: failures, retries, time limits, one run at a time.

use std::process::Stdio;

use super::{last_run, put_job, steps};
use crate::support::published::put_query;
use crate::support::shim::{self, Strike};
use crate::support::{Material, Scene};

const THREE: &str = "description = \"x\"\n[[steps]]\nstep = \"compact\"\n[[steps]]\nstep = \"learn\"\non_failure = \"ACTION\"\n\
                     [[steps]]\nstep = \"rewrite\"\n";

#[test]
fn a_step_that_fails_stops_the_job_or_not_as_its_file_says() {
    let scene = Scene::new();
    put_query(&scene, "lesson", "selec");
    put_job(&scene, "three", &THREE.replace("ACTION", "stop"));
    let outcome = scene.run(&["run", "three"]);
    assert_eq!(outcome.code, 2);
    assert!(outcome.error.contains("rewrite: skipped, because an earlier step failed"), "{}", outcome.error);
    let run = last_run(&scene);
    assert_eq!(steps(&run), [("compact", "done", 1), ("learn", "failed", 1), ("rewrite", "skipped", 0)]);
    assert_eq!((&run["outcome"], &run["exit"]), (&"failed".into(), &2.into()));
    assert!(run["error"].as_str().is_some_and(|error| error.starts_with("learn: ") && error.contains("sql/lesson.sql")), "{run}");

    put_job(&scene, "three", &THREE.replace("ACTION", "go_on"));
    let outcome = scene.run(&["run", "three", "--json"]);
    assert_eq!(outcome.code, 2);
    assert_eq!(steps(&last_run(&scene)), [("compact", "done", 1), ("learn", "failed", 1), ("rewrite", "done", 1)]);
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!((&told["exit"], &told["steps"][2]["outcome"]), (&2.into(), &"done".into()));
    assert!(told["steps"][1]["error"].as_str().is_some_and(|error| error.contains("remedy: ")), "{told}");
}

#[test]
fn a_step_is_tried_again_when_the_machine_got_in_the_way_and_only_then() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(41, 100).bytes);
    put_job(&scene, "again", "description = \"x\"\n[[steps]]\nstep = \"compact\"\nretries = 2\nbackoff_seconds = 0\n");
    let mut command = scene.command(&["run", "again"]);
    shim::load(&mut command, Strike::Fail(1), "sync");
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("temporary failure; retrying"), "{error}");
    assert_eq!(steps(&last_run(&scene)), [("compact", "done", 2)]);
    scene.assert_all_held("after the second attempt");

    put_job(&scene, "once", "description = \"x\"\n[[steps]]\nstep = \"learn\"\nretries = 2\nbackoff_seconds = 60\n");
    put_query(&scene, "lesson", "selec");
    assert_eq!(scene.run(&["run", "once"]).code, 2);
    assert_eq!(steps(&last_run(&scene)), [("learn", "failed", 1)]);
}

#[test]
fn a_step_that_takes_too_long_fails_says_so_and_is_not_tried_again() {
    let scene = Scene::new();
    scene.land("a.jsonl", &Material::made(42, 100).bytes);
    scene.done(&["run", "compact"]);
    for step in ["compact", "rewrite", "learn", "verify"] {
        let text = format!(
            "description = \"x\"\n[[steps]]\nstep = \"{step}\"\ntimeout_minutes = 0\nretries = 3\n[[steps]]\nstep = \"compact\"\n"
        );
        put_job(&scene, "hasty", &text);
        let outcome = scene.run(&["run", "hasty"]);
        assert_eq!(outcome.code, 75, "{step}: {}", outcome.error);
        for wanted in ["took longer than its limit of 0 seconds", "timeout_minutes"] {
            assert!(outcome.error.contains(wanted), "{step}: {}", outcome.error);
        }
        assert_eq!(steps(&last_run(&scene)), [(step, "failed", 1), ("compact", "skipped", 0)]);
    }
    scene.assert_all_held("after the time was over");
}

#[test]
fn a_second_run_of_any_job_exits_at_once_and_leaves_no_trace() {
    let scene = Scene::new();
    let lock = store::lock::take_lock(&scene.workspace, "2026-11-16T00:00:00Z").expect("the lock");
    for job in ["hourly", "learn", "verify"] {
        let outcome = scene.run(&["run", job]);
        assert_eq!(outcome.code, 75);
        assert!(
            outcome.error.contains("another run is active (process ") && outcome.error.contains("remedy: "),
            "{}",
            outcome.error
        );
    }
    assert!(!scene.workspace.history().join("runs.jsonl").exists());
    drop(lock);
    scene.done(&["run", "compact"]);
}

#[test]
fn the_log_is_json_where_wanted_and_every_line_says_of_which_job() {
    let scene = Scene::new();
    put_job(&scene, "again", "description = \"x\"\n[[steps]]\nstep = \"compact\"\nretries = 2\nbackoff_seconds = 0\n");
    scene.land("a.jsonl", &Material::made(43, 50).bytes);
    let mut command = scene.command(&["run", "again", "--log", "json", "-v"]);
    shim::load(&mut command, Strike::Fail(1), "sync");
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines: Vec<serde_json::Value> =
        error.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"))).collect();
    assert!(lines.len() >= 3, "{error}");
    for line in &lines {
        let said = |name: &str| [&line["span"][name], &line["fields"][name]].into_iter().find_map(|value| value.as_str());
        assert_eq!(said("job"), Some("again"), "{line}");
        assert!(line["target"] != "batch::job::runner" || said("step") == Some("compact"), "{line}");
        assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
    }
    assert!(lines.iter().any(|line| line["level"] == "WARN" && line["fields"]["attempts"] == 1), "{error}");
    assert!(!scene.done(&["run", "again"]).error.contains("INFO"));
}
