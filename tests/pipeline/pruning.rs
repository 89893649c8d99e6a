//! `outerloop prune`: folders of runs shrink, and nothing that was learned from them does.

use std::fs;
use std::time::Duration;

use jiff::SignedDuration;

use super::{Shop, application, backdate, figures, json_of, known, lines, names, put, record};
use crate::support::Scene;
use crate::support::published::set;

const PATTERNS: &str = "patterns[1]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:\n  \
    P-001,pattern,\"Retry API calls with backoff\",medium,0,,\"[UNTESTED]\",*,api,*\n";

/// A folder of runs with 53 old sessions and 25 rows of outcomes, of which 50 and 10 may stay.
fn crowded() -> Shop {
    let shop = Shop::new();
    let learnings = shop.learnings();
    for number in 0..53_u32 {
        let session = learnings.join(format!("sessions/run-{number:02}"));
        put(&session.join("iter-1.json"), "{}");
        let age = Duration::from_secs(86_400 * u64::from(60 - number));
        backdate(&session.join("iter-1.json"), age);
        backdate(&session, age);
    }
    put(&learnings.join("retention.yaml"), "max_sessions: 50\nmax_log_lines: 10\n");
    put(&learnings.join("org-patterns.toon"), PATTERNS);
    let row = |number: u32| {
        let status = if number.is_multiple_of(5) { "injected" } else { "applied" };
        format!("2026-11-01T10:{number:02}:00Z|r{number}|1|builder|Retry API calls with backoff|{status}|")
    };
    put(&learnings.join("outcomes.log"), &lines((0..25).map(row)));
    shop
}

fn prune(scene: &Scene, shop: &Shop, more: &[&str]) -> crate::support::Outcome {
    scene.run(&[&["prune", "--workdir", shop.work().to_str().expect("a path")], more].concat())
}

fn log_lines(shop: &Shop) -> usize {
    fs::read_to_string(shop.learnings().join("outcomes.log")).expect("a log").lines().count()
}

#[test]
fn old_sessions_and_log_lines_go_and_every_dropped_row_is_in_the_lake() {
    let (scene, shop) = (Scene::new(), crowded());
    let outcome = prune(&scene, &shop, &["--json"]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!((&told["workdirs"][0]["sessions"], &told["workdirs"][0]["rotated"][0]["dropped_lines"]), (&3.into(), &15.into()));
    let sessions = names(&shop.learnings().join("sessions"));
    assert_eq!((sessions.len(), &*sessions[0], log_lines(&shop)), (50, "run-03", 10));
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from application where project like 'shop-%'"), 25);
    // What is left in the log is what was landed already.
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from application"), 25);
    assert_eq!(figures(&scene), ["P-001 25 0.80 high"]);
    let again = prune(&scene, &shop, &[]);
    assert!(again.code == 0 && again.error.contains("0 sessions, 0 log lines"), "{}", again.error);
}

#[test]
fn a_dry_run_says_what_would_go_and_changes_nothing() {
    let (scene, shop) = (Scene::new(), crowded());
    let outcome = prune(&scene, &shop, &["--dry-run"]);
    assert!(outcome.code == 0 && outcome.error.contains("3 sessions, 15 log lines"), "{}", outcome.error);
    assert_eq!((names(&shop.learnings().join("sessions")).len(), log_lines(&shop)), (53, 25));
    assert_eq!(names(&scene.workspace.inbox()), [""; 0]);
}

#[test]
fn the_run_at_work_keeps_its_session() {
    let (scene, shop) = (Scene::new(), crowded());
    let outcome = prune(&scene, &shop, &["--keep-run", "00"]);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    assert!(names(&shop.learnings().join("sessions")).contains(&"run-00".to_owned()));
}

#[test]
fn a_retention_file_that_nobody_understands_removes_nothing() {
    let (scene, shop) = (Scene::new(), crowded());
    put(&shop.learnings().join("retention.yaml"), "max_sessions: $(rm -rf .)\n");
    let outcome = prune(&scene, &shop, &[]);
    assert!(outcome.code == 2 && outcome.error.contains("max_sessions"), "{}", outcome.error);
    assert_eq!((names(&shop.learnings().join("sessions")).len(), log_lines(&shop)), (53, 25));
}

#[test]
fn the_daily_job_prunes_the_folders_that_the_settings_name() {
    let (scene, shop) = (Scene::new(), crowded());
    set(&scene, &format!("[capture]\nworkdirs = [{:?}]\n", shop.work()));
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    let before = figures(&scene);
    let told = json_of(&scene, &["run", "daily", "--json"]);
    let pruned = told["steps"].as_array().expect("a list").iter().find(|step| step["step"] == "prune").expect("a step");
    assert_eq!(pruned["outcome"], "done", "{pruned}");
    assert_eq!((names(&shop.learnings().join("sessions")).len(), log_lines(&shop)), (50, 10));
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from application"), 25);
    assert_eq!(figures(&scene), before);
}

#[test]
fn rows_that_were_imported_under_another_name_are_not_counted_again() {
    let (scene, shop) = (Scene::new(), crowded());
    let work = shop.work().to_string_lossy().into_owned();
    scene.run(&["import", "closedloop", &work, "--project", "billing"]);
    scene.done(&["run", "compact"]);
    let before = scene.count("select count(*) from application");
    assert!(before > 10, "{before}");
    assert_eq!(prune(&scene, &shop, &[]).code, 0);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from application"), before);
}

#[test]
fn old_rows_that_still_lie_in_the_inbox_count_before_their_days_are_closed() {
    for command in [&["prune"][..], &["run", "prune"], &["run", "daily"]] {
        let scene = Scene::new();
        set(&scene, "[retention]\nlake_days = 14\n");
        let shown = |run: &str, days_ago: i64| {
            let mut event = application((run, 1), "builder", "P-001", "applied", &[]);
            event["ts"] = (store::clock::now() - SignedDuration::from_hours(24 * days_ago)).to_string().into();
            event
        };
        record(&scene, &[known("P-001", "Retry API calls with backoff", "api"), shown("taken", 40)]);
        scene.done(&["run", "compact"]);
        record(&scene, &[shown("waits", 40), shown("waits", 20), shown("fresh", 1)]);
        scene.done(command);
        scene.done(&["run", "hourly"]);
        assert_eq!(scene.count("select count(*) from quarantine"), 0, "{command:?}");
        assert_eq!(scene.count("select count(*) from application"), 1, "the old days are closed by {command:?}");
        assert_eq!(figures(&scene), ["P-001 4 1.00 high"], "{command:?}");
    }
}
