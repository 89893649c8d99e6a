//! `outerloop optimize`: limits, suggestions, and errors that name their place.

use std::fs;

use serde_json::{Value, json};

use super::{governed, overlay, parse};
use crate::support::Scene;

fn scene() -> Scene {
    governed(vec![overlay("github", 0.593, &[]), overlay("fs", 0.8, &[]), overlay("rep", 0.8, &[("io", 3)])])
}

fn optimize(scene: &Scene, tasks: &Value) -> Value {
    let outcome = scene.run_with(&["optimize", "--json"], tasks.to_string().as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    parse(&outcome.out)
}

#[test]
fn tasks_get_the_limits_of_their_adapters_and_suggestions_say_why() {
    let tasks = json!([
        {"id": "t1", "title": "push", "adapterId": "github", "retryLimit": 5},
        {"id": "t2", "title": "write", "adapterId": "fs"},
        {"id": "t3", "title": "try", "adapterId": "new", "retryLimit": 4},
        {"id": "t4", "title": "again", "adapterId": "rep"},
    ]);
    let optimized = optimize(&scene(), &tasks);
    let limits: Vec<&Value> = optimized["tasks"].as_array().expect("a list").iter().map(|task| &task["retryLimit"]).collect();
    assert_eq!(limits, [1, 2, 4, 2]);
    let suggestions: Vec<(&str, &str, &str)> = optimized["suggestions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|suggestion| {
            let of = |name: &str| suggestion[name].as_str().expect("a text");
            (of("id"), of("type"), of("impact"))
        })
        .collect();
    assert_eq!(
        suggestions,
        [
            ("retry-t1", "retry-policy", "high"),
            ("approval-t1", "approval", "high"),
            ("retry-t2", "retry-policy", "medium"),
            ("retry-t4", "retry-policy", "high"),
            ("approval-t4", "approval", "high"),
        ]
    );
    assert!(optimized["suggestions"][1]["reason"].as_str().expect("a text").contains("0.593"));
    assert!(optimized["suggestions"][4]["reason"].as_str().expect("a text").contains("rep::io failed 3 times"));
}

#[test]
fn a_limit_is_never_raised() {
    let tasks = json!([{"id": "a", "adapterId": "fs", "retryLimit": 1}, {"id": "b", "adapterId": "github", "retryLimit": 0}]);
    let optimized = optimize(&scene(), &tasks);
    assert_eq!((&optimized["tasks"][0]["retryLimit"], &optimized["tasks"][1]["retryLimit"]), (&json!(1), &json!(0)));
}

#[test]
fn tasks_keep_what_else_is_said_of_them_and_may_be_spelled_in_other_ways() {
    let more = json!({"tasks": [
        {"id": "a", "adapter": " GitHub ", "retry_limit": 3, "needs": ["x"], "deep": {"b": 1, "a": [null, 2.5]}},
        {"id": "b", "adapter_id": "nobody", "retryLimit": null},
    ]});
    let optimized = optimize(&scene(), &more);
    let wanted = json!({"id": "a", "adapterId": " GitHub ", "retryLimit": 1, "needs": ["x"], "deep": {"b": 1, "a": [null, 2.5]}});
    assert_eq!(optimized["tasks"][0], wanted);
    assert_eq!(optimized["tasks"][1], json!({"id": "b", "adapterId": "nobody"}));
}

#[test]
fn people_get_a_table_from_a_file() {
    let scene = scene();
    let path = scene.root().join("plan.json");
    fs::write(&path, r#"[{"id":"t1","adapterId":"github","retryLimit":5},{"id":"t2","adapterId":"fs"}]"#).expect("a file");
    let shown = scene.done(&["optimize", path.to_str().expect("a path")]).out;
    let line = |start: &str| shown.lines().find(|line| line.trim().starts_with(start)).unwrap_or_default();
    assert!(line("t1").contains("github") && line("t1").contains("5 -> 1"), "{shown}");
    assert!(line("t2").contains("- -> 2"), "{shown}");
    assert!(line("approval-t1").contains("high"), "{shown}");
    let read = scene.run_with(&["optimize", "-"], b"[]");
    assert!(read.code == 0 && read.error.contains("no tasks"), "{}", read.error);
}

#[test]
fn without_policies_tasks_stay_as_they_are() {
    let scene = Scene::new();
    let outcome = scene.run_with(&["optimize", "--json"], br#"[{"id":"a","adapterId":"github","retryLimit":9}]"#);
    assert!(outcome.code == 0 && outcome.error.contains("no policies are published yet"), "{}", outcome.error);
    assert_eq!(parse(&outcome.out), json!({"tasks": [{"id": "a", "adapterId": "github", "retryLimit": 9}], "suggestions": []}));
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let scene = scene();
    for (input, wanted) in [
        ("", "line 1 column 0"),
        ("[{\"id\":\"a\",\n  oops}]", "line 2 column 3"),
        ("7", "neither a list nor an object"),
        ("{\"jobs\":[]}", "the object has no `tasks`"),
        ("{\"tasks\":{}}", "`tasks` is not a list"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\"}, 5]", "`[1]` is `5`"),
        ("{\"tasks\":[{\"adapterId\":\"x\"}]}", "`tasks[0]` has no `id`"),
        ("[{\"id\":\"a\"}]", "`[0]` has no `adapterId`"),
        ("[{\"id\":\"a\",\"adapterId\":\"  \"}]", "`[0].adapterId` is"),
        ("[{\"id\":7,\"adapterId\":\"x\"}]", "`[0].id` is `7`"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\",\"retryLimit\":-1}]", "`[0].retryLimit` is `-1`"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\",\"retry_limit\":1.5}]", "`[0].retry_limit` is `1.5`"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\",\"retryLimit\":4294967296}]", "`[0].retryLimit` is `4294967296`"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\",\"title\":[]}]", "`[0].title` is `[]`"),
        ("[{\"id\":\"a\",\"adapterId\":\"x\",\"adapter\":\"y\"}]", "`[0]` is invalid"),
    ] {
        let outcome = scene.run_with(&["optimize", "--json"], input.as_bytes());
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{input}");
        assert!(outcome.error.contains(wanted) && outcome.error.contains("remedy: "), "{input}: {}", outcome.error);
    }
    assert_eq!(scene.run_with(&["optimize"], b"[\"\xff\"]").code, 2);
    let missing = scene.run(&["optimize", nowhere!("/plan.json")]);
    assert!(missing.code == 2 && missing.error.contains(nowhere!("/plan.json")), "{}", missing.error);
}
