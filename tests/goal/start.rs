//! When a run began, and what that decides for the real program.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use agent::goal::{find_start, parse_run_time, read_first_time};
use serde_json::Value;

use super::place::Place;
use crate::support::Scene;

const TRANSCRIPT: &str = r#"{"usage":{"input_tokens":10,"output_tokens":5}}"#;

fn first(log: &[u8]) -> Option<String> {
    read_first_time(log, "run-1").expect("memory reads").map(|time| time.to_string())
}

/// What the real program says of a run in a folder.
fn judged(scene: &Scene, work: &Path, run: &str, goal: &str) -> Value {
    let arguments = ["goal", "--json", "--run", run, "--workdir", work.to_str().expect("a path"), "--goal", goal];
    let output = scene.command(&arguments).env("CLOSEDLOOP_SESSION_ID", "abc").env("HOME", work).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an outcome")
}

#[test]
fn the_first_row_of_the_run_that_gives_a_time_counts() {
    let log = b"run-0|2026-01-05T09:00:00Z|g|9|x\nrun-1|soon|g|1|x\nrun-1|2026-01-05T10:00:00+01:00|g|2|x\nrun-1|2026-01-05T08:00:00Z|g|3|x\n";
    assert_eq!(first(log).as_deref(), Some("2026-01-05T09:00:00Z"));
    assert_eq!(first(b"run-10|2026-01-05T09:00:00Z|g|9|x\nrun-1\n\xff|\xff\n"), None);
}

#[test]
fn a_name_means_the_earliest_time_that_it_can() {
    let time = |run_id| parse_run_time(run_id).map(|time| time.to_string());
    assert_eq!(time("20260105-100000-0a1b2c3d").as_deref(), Some("2026-01-04T20:00:00Z"));
    for run_id in [
        "",
        "run-1",
        "20260105-100000",
        "20261305-100000-a",
        "20260105-250000-a",
        "2026010-1100000-a",
        "+2026010-100000-a",
        "unknown",
    ] {
        assert_eq!(time(run_id), None, "{run_id}");
    }
}

#[test]
fn the_earlier_of_row_and_name_counts_and_a_log_that_cannot_be_read_gives_none() {
    let place = Place::new();
    let run_id = "20260105-100000-0a1b2c3d";
    let start = |place: &Place| find_start(&place.situation.workdir, run_id).map(|time| time.to_string());
    assert_eq!(start(&place).as_deref(), Some("2026-01-04T20:00:00Z"));
    // A row is written when an iteration ends.
    place.write("runs.log", format!("{run_id}|2026-01-05T09:00:07Z|g|1|in_progress\n"));
    assert_eq!(start(&place).as_deref(), Some("2026-01-04T20:00:00Z"));
    place.write("runs.log", format!("{run_id}|2026-01-03T09:00:07Z|g|1|in_progress\n"));
    assert_eq!(start(&place).as_deref(), Some("2026-01-03T09:00:07Z"));
    fs::remove_file(place.path("runs.log")).expect("removed");
    fs::create_dir(place.path("runs.log")).expect("a folder");
    assert_eq!(start(&place).as_deref(), Some("2026-01-04T20:00:00Z"));
}

#[test]
fn the_program_takes_no_report_from_before_the_run() {
    let (scene, place) = (Scene::new(), Place::new());
    let report = place.write("lcov.info", "SF:a.rs\nDA:1,1\nend_of_record\n");
    let work = place.situation.workdir.clone();
    assert_eq!(judged(&scene, &work, "run-1", "maximize-coverage")["success"], true, "nothing says when the run began");
    place.write("runs.log", "run-1|2026-01-05T10:00:00Z|g|1|in_progress\n");
    let set =
        |time: SystemTime| File::options().write(true).open(&report).and_then(|file| file.set_modified(time)).expect("a time");
    let started = SystemTime::from("2026-01-05T10:00:00Z".parse::<jiff::Timestamp>().expect("a time"));
    set(started - Duration::from_secs(1));
    assert_eq!(judged(&scene, &work, "run-1", "maximize-coverage")["metrics"]["error"], "coverage_report_stale");
    set(started + Duration::from_secs(1));
    assert_eq!(judged(&scene, &work, "run-1", "maximize-coverage")["success"], true);
    assert_eq!(judged(&scene, &work, "20990101-000000-a", "maximize-coverage")["metrics"]["error"], "coverage_report_stale");
}

#[test]
fn the_folder_of_sessions_starts_at_the_workspace() {
    let (scene, place) = (Scene::new(), Place::new());
    fs::write(scene.workspace.settings(), "[goal]\nsessions = \"transcripts\"\n").expect("settings");
    fs::create_dir(scene.root().join("transcripts")).expect("a folder");
    fs::write(scene.root().join("transcripts/abc.jsonl"), TRANSCRIPT).expect("a transcript");
    let outcome = judged(&scene, &place.situation.workdir, "run-1", "minimize-tokens");
    assert_eq!(outcome["metrics"]["total_tokens"], 15, "{outcome}");
}
