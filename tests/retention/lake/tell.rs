//! What people are told of days that were pruned.

use serde_json::{Value, json};

use super::{ago, event, land, prune, scene};
use crate::support::Scene;

fn told(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().expect("a list")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn sums_and_events_add_up_to_the_figure_that_they_explain() {
    let scene = scene();
    scene.done(&["run", "hourly"]);
    let before = told(&scene, &["explain", "P-001", "--json"]);
    assert_eq!((list(&before, "applications").len(), list(&before, "past").len()), (10, 0));
    prune(&scene);
    let after = told(&scene, &["explain", "P-001", "--json"]);
    assert_eq!(after["pattern"], before["pattern"]);
    assert_eq!(list(&after, "applications").len(), 6);
    let past = list(&after, "past");
    assert_eq!(past.iter().map(|sum| sum["applications"].as_i64().expect("a number")).sum::<i64>(), 4);
    let weight: f64 = list(&after, "applications").iter().chain(past).filter_map(|reason| reason["weight"].as_f64()).sum();
    for wanted in [&before["weight"], &after["weight"], &after["pattern"]["weight"]] {
        assert!((weight - number(wanted)).abs() < 1e-9, "{weight} instead of {wanted}");
    }
    let shown = scene.done(&["explain", "P-001"]).out;
    assert!(shown.contains("Sums of pruned days: 4 applications"), "{shown}");
    assert!(shown.contains("10 sightings with a total weight of"), "{shown}");
    let shown = scene.done(&["explain", "P-001", "--limit", "1"]).out;
    assert!(shown.contains("smaller sums, which also count"), "{shown}");
}

#[test]
fn what_was_only_offered_is_kept_apart_and_counts_for_nothing_afterwards_either() {
    let scene = scene();
    let offer = |id: &str, days_ago: i64| {
        let more = json!({"run_id": "run-40", "iteration": 2, "pattern_id": "P-001", "status": "injected", "tool": "Bash"});
        event("application", id, days_ago, more)
    };
    land(&scene, &[offer("old-offer", 40), offer("late-offer", 1)]);
    scene.done(&["run", "hourly"]);
    let before = told(&scene, &["explain", "P-001", "--json"]);
    assert_eq!((&before["pattern"]["seen"], &before["pattern"]["offered"]), (&10.into(), &2.into()));
    prune(&scene);
    let after = told(&scene, &["explain", "P-001", "--json"]);
    assert_eq!((&after["pattern"], &after["weight"]), (&before["pattern"], &before["weight"]));
    let kept: Vec<&Value> = list(&after, "past").iter().filter(|sum| sum["status"] == "offered").collect();
    assert_eq!((kept.len(), &kept[0]["applications"], &kept[0]["weight"]), (1, &1.into(), &Value::Null));
    super::publish(&scene, ago(0));
    super::assert_verified(&scene);
}

#[test]
fn pruning_raises_no_alarm() {
    let scene = scene();
    scene.done(&["run", "hourly"]);
    let grades = || {
        let findings = told(&scene, &["doctor", "--json"]);
        let findings = findings.as_array().expect("a list").clone();
        findings.into_iter().map(|finding| (finding["check"].clone(), finding["grade"].clone())).collect::<Vec<_>>()
    };
    let wanted = grades();
    assert!(wanted.iter().all(|(_, grade)| grade != "bad"), "{wanted:?}");
    prune(&scene);
    assert_eq!(grades(), wanted);
    assert!(!scene.done(&["status"]).out.contains("too_late"));
    scene.done(&["doctor", "--repair"]);
    scene.done(&["run", "daily"]);
    assert_eq!(grades(), wanted);
    super::publish(&scene, ago(0));
    super::assert_verified(&scene);
}
