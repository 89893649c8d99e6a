//! Lessons about the tool itself: a file and numbers of their own.

use serde_json::{Value, json};

use super::record;
use crate::support::Scene;
use crate::support::published::read;

const FILE: &str = "closedloop-learnings.json";

fn lesson(id: &str, time: &str, summary: &str) -> Value {
    json!({"kind": "learning", "id": id, "ts": time, "project": "shop", "summary": summary, "pending": true, "why": "it hung"})
}

/// The published lessons about the tool, as `id summary`.
fn listed(text: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let lessons = document["learnings"].as_array().expect("a list").iter();
    lessons
        .map(|lesson| format!("{} {}", lesson["id"].as_str().expect("an id"), lesson["summary"].as_str().expect("text")))
        .collect()
}

#[test]
fn lessons_about_the_tool_have_a_file_and_numbers_of_their_own() {
    let scene = Scene::new();
    record(
        &scene,
        &[
            lesson("a", "2026-10-01T10:00:00Z", "Have the plan-writer name the files that each task touches"),
            lesson("b", "2026-10-02T10:00:00Z", "Close every file that a test opens"),
            lesson("c", "2026-10-03T10:00:00Z", "Have the plan-writer name the files each task touches"),
            lesson("d", "2026-10-04T10:00:00Z", "Keep the stop hook from blocking an agent more than twice"),
        ],
    );
    scene.done(&["run", "hourly"]);
    let all = listed(&read(&scene, FILE));
    assert_eq!(
        all,
        [
            "SL-001 Have the plan-writer name the files that each task touches",
            "SL-002 Keep the stop hook from blocking an agent more than twice"
        ]
    );
    let document: Value = serde_json::from_str(&read(&scene, FILE)).expect("JSON");
    assert_eq!((&document["schema_version"], &document["learnings"][0]["source_project"]), (&"1.0".into(), &"shop".into()));
    let file = read(&scene, "org-patterns.toon");
    assert!(file.starts_with("patterns[1]{") && file.contains("Close every file that a test opens"), "{file}");
}

#[test]
fn numbers_of_lessons_about_the_tool_do_not_depend_on_the_instant_that_is_asked_for() {
    let scene = Scene::new();
    let classified = |mut event: Value| {
        event["pending"] = false.into();
        event["scope"] = "closedloop".into();
        event
    };
    record(
        &scene,
        &[
            classified(lesson("late", "2026-10-20T10:00:00Z", "Keep the stop hook from blocking an agent more than twice")),
            classified(lesson("early", "2026-10-01T10:00:00Z", "Have the plan-writer name the files that each task touches")),
        ],
    );
    scene.done(&["run", "hourly"]);
    assert_eq!(listed(&read(&scene, FILE)).len(), 2);
    let told: Value = serde_json::from_str(&scene.done(&["run", "learn", "--as-of", "2026-10-10", "--json"]).out).expect("JSON");
    let generation = told["generation"].as_str().expect("a generation");
    let earlier = std::fs::read_to_string(scene.workspace.published().join(generation).join(FILE)).expect("a file");
    assert_eq!(listed(&earlier), ["SL-002 Have the plan-writer name the files that each task touches"]);
}
