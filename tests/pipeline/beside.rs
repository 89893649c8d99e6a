//! Beside ClosedLoop: files that both read alike, timings whose folder is gone, iterations that showed nothing, and hooks of both.

use std::fs;

use serde_json::{Value, json};

use super::{Shop, application, figures, known, lessons, record};
use crate::support::Scene;
use crate::support::published::{read, set};

#[test]
fn a_lesson_for_everybody_and_for_one_agent_is_for_everybody_in_closedloops_reader() {
    let scene = Scene::new();
    for name in ["*", "builder"] {
        let mut lesson = known("P-001", "Retry API calls with backoff", "api");
        lesson["applies_to"] = json!([name]);
        record(&scene, &[lesson]);
    }
    scene.done(&["run", "hourly"]);
    let file = read(&scene, "org-patterns.toon");
    assert!(file.contains(",*,api,*") && !file.contains("*|"), "{file}");
}

#[test]
fn the_dialect_of_closedloop_keeps_quotes_backslashes_and_two_decimals() {
    let scene = Scene::new();
    set(&scene, "[publish]\ndialect = \"closedloop\"\n");
    record(&scene, &[known("P-001", "Quote \"every\" path such as C:\\new", "shell")]);
    record(&scene, &[application(("r1", 1), "builder", "P-001", "applied", &[])]);
    scene.done(&["run", "hourly"]);
    let file = read(&scene, "org-patterns.toon");
    assert!(file.contains("\"Quote \"\"every\"\" path such as C:\\new\",high,1,1.00,,"), "{file}");
    let again = Scene::new();
    let folder = again.root().join("work/.learnings");
    fs::create_dir_all(&folder).expect("folders");
    fs::write(folder.join("org-patterns.toon"), file).expect("patterns");
    again.done(&["import", "closedloop", again.root().join("work").to_str().expect("a path")]);
    again.done(&["run", "hourly"]);
    let told: Value = serde_json::from_str(&again.done(&["patterns", "show", "P-001", "--json"]).out).expect("JSON");
    assert_eq!(told["summary"], "Quote \"every\" path such as C:\\new");
}

#[test]
fn iterations_without_any_application_make_a_pattern_stale() {
    let scene = Scene::new();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    record(&scene, &[application(("r1", 1), "builder", "P-001", "applied", &[])]);
    let goals: Vec<Value> = (2..=11)
        .map(|iteration| json!({"kind": "goal", "ts": super::now(), "project": "shop", "run_id": "r1", "iteration": iteration, "goal": "g", "success": true}))
        .collect();
    record(&scene, &goals[..9]);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 1.00 high"]);
    record(&scene, &goals[9..]);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 1.00 high STALE"]);
}

#[test]
fn a_classifier_that_fails_gives_way_to_the_built_in_one_if_the_setting_allows() {
    for (setting, waiting) in [("false", 1), ("true", 0)] {
        let scene = Scene::new();
        set(&scene, &format!("[classify]\ncommand = [\"false\"]\nretries = 0\nfall_back = {setting}\n"));
        let lesson = json!({"kind": "learning", "ts": super::now(), "project": "shop", "pending": true,
            "summary": "Release the database lock before waiting for other workers"});
        record(&scene, &[lesson]);
        let told = scene.run(&["run", "hourly"]);
        assert_eq!(lessons(&scene).0.len(), waiting, "{}", told.error);
        assert_eq!(told.error.contains("the built-in classifier decided about 1 lessons"), waiting == 0, "{}", told.error);
    }
}

#[test]
fn timings_of_a_folder_that_is_gone_are_read_from_the_lake() {
    let (scene, shop) = (Scene::new(), Shop::new());
    let event = json!({"event": "iteration", "run_id": "r1", "iteration": 1, "started_at": "2026-11-01T10:00:00Z",
        "ended_at": "2026-11-01T10:01:00Z", "duration_s": 60, "claude_exit_code": 0, "status": "ok"});
    fs::write(shop.work().join("perf.jsonl"), format!("{event}\n")).expect("a log");
    let work = shop.work();
    let work = work.to_str().expect("a path");
    scene.done(&["import", "closedloop", work]);
    scene.done(&["run", "hourly"]);
    let of_file = scene.done(&["timing", "--workdir", work, "--json"]).out;
    fs::remove_file(shop.work().join("perf.jsonl")).expect("the log");
    assert_eq!(scene.done(&["timing", "--workdir", work, "--json"]).out, of_file);
}

#[test]
fn doctor_sees_the_hooks_of_both() {
    let scene = Scene::new();
    let folder = scene.root().parent().expect("a project").join(".claude");
    fs::create_dir_all(&folder).expect("a folder");
    let both = r#"{"enabledPlugins": {"self-learning@closedloop-ai": true}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "outerloop hook stop"}]}]}}"#;
    fs::write(folder.join("settings.json"), both).expect("settings");
    assert!(scene.run(&["doctor"]).out.contains("two sets of hooks"));
    fs::write(folder.join("settings.json"), both.replace("self-learning@closedloop-ai", "another@place")).expect("settings");
    assert!(!scene.run(&["doctor"]).out.contains("two sets of hooks"));
}
