//! What people decide about adapters, and rules that only tighten.

use learn::policy::FinishedRun;
use serde_json::{Value, json};

use super::generation::{learn, published};
use super::scene::{failure, success};
use crate::support::Scene;
use crate::support::published::set;

/// Multiplier, retries and approval of an adapter.
fn rules(scene: &Scene, adapter: &str) -> (Value, Value, Value) {
    let overlays = published(scene, "overlays.json");
    let found = overlays.as_array().expect("a list").iter().find(|overlay| overlay["adapterId"] == *adapter).cloned();
    let overlay = found.unwrap_or_else(|| panic!("no overlay of {adapter} in {overlays}"));
    (overlay["riskMultiplier"].clone(), overlay["suggestedMaxRetries"].clone(), overlay["requireApproval"].clone())
}

/// Lands a person's decision, and learns.
fn decide(scene: &Scene, decision: &Value) {
    let mut event =
        json!({"kind": "curation", "project": "shop", "ts": "2026-09-25T10:00:00Z", "actor": "ada", "reason": "looked into it"});
    for (name, value) in decision.as_object().expect("an object") {
        event[name] = value.clone();
    }
    scene.land("decisions.jsonl", format!("{event}\n").as_bytes());
    scene.done(&["run", "hourly"]);
}

/// Three failures of `auth`, made good by many successes.
fn recovered() -> Vec<FinishedRun> {
    let mut runs: Vec<FinishedRun> = (0..3).map(|number| failure(number, "github", "auth")).collect();
    runs.extend((3..40).map(|number| success(number, "github")));
    runs
}

#[test]
fn a_failure_that_a_person_cleared_counts_from_nought() {
    let scene = Scene::new();
    learn(&scene, &recovered());
    assert_eq!(rules(&scene, "github"), (json!(0.9), json!(2), json!(true)));
    decide(&scene, &json!({"action": "clear", "target": "GitHub", "value": {"failurePattern": "auth"}}));
    assert_eq!(rules(&scene, "github"), (json!(0.9), json!(2), json!(false)));
    learn(&scene, &[failure(10_050, "github", "auth"), failure(10_051, "github", "auth")]);
    assert_eq!(rules(&scene, "github").2, json!(false), "two since then are not three");
    learn(&scene, &[failure(10_052, "github", "auth")]);
    assert_eq!(rules(&scene, "github").2, json!(true));
    let report = published(&scene, "report.json");
    assert_eq!(report["policy"]["failures"][0]["occurrences"], json!(6));
    assert_eq!(report["policy"]["failures"][0]["since_clear"], json!(3));
    assert_eq!(report["policy"]["decisions"][0]["actor"], json!("ada"));
    let cleared = crate::support::published::read(&scene, "graph-events.jsonl");
    assert!(cleared.contains("\"occurrencesAtClear\":{\"github::auth\":3}"), "{cleared}");
}

#[test]
fn clearing_another_failure_leaves_this_one() {
    let scene = Scene::new();
    learn(&scene, &recovered());
    decide(&scene, &json!({"action": "clear", "target": "github", "value": {"failurePattern": "github::network"}}));
    assert_eq!(rules(&scene, "github").2, json!(true));
    decide(&scene, &json!({"action": "clear", "target": "github"}));
    assert_eq!(rules(&scene, "github").2, json!(false), "all of the adapter's");
}

#[test]
fn rules_only_tighten_where_that_is_set_until_a_person_clears_them() {
    let scene = Scene::new();
    set(&scene, "[overlay]\nratchet = true\n");
    let mut runs = vec![failure(0, "github", "auth")];
    runs.extend((1..60).map(|number| success(number, "github")));
    learn(&scene, &runs);
    assert_eq!(rules(&scene, "github"), (json!(1.4), json!(1), json!(true)), "the first run scored 0.2");
    decide(&scene, &json!({"action": "clear", "target": "github"}));
    assert_eq!(rules(&scene, "github"), (json!(0.9), json!(2), json!(false)));
    learn(&scene, &(10_060..10_070).map(|number| failure(number, "github", &format!("kind-{number}"))).collect::<Vec<_>>());
    let tight = rules(&scene, "github");
    learn(&scene, &(10_070..10_200).map(|number| success(number, "github")).collect::<Vec<_>>());
    assert_eq!(rules(&scene, "github").0, json!(1), "it was trusted no more since the clear");
    assert_eq!(rules(&scene, "github"), tight);
}

#[test]
fn how_often_the_cycle_runs_makes_no_difference_to_the_ratchet() {
    let runs: Vec<FinishedRun> =
        (0..30).map(|number| if number % 4 == 0 { failure(number, "fs", "io") } else { success(number, "fs") }).collect();
    let (often, once) = (Scene::new(), Scene::new());
    for scene in [&often, &once] {
        set(scene, "[overlay]\nratchet = true\n");
    }
    for part in runs.chunks(4) {
        learn(&often, part);
    }
    learn(&once, &runs);
    assert_eq!(published(&often, "overlays.json"), published(&once, "overlays.json"));
}

#[test]
fn an_annotation_makes_rules_stricter_until_it_expires_or_is_taken_back() {
    let scene = Scene::new();
    learn(&scene, &(0..20).map(|number| success(number, "fs")).collect::<Vec<_>>());
    let annotate = |value: Value| json!({"action": "annotate", "target": "fs", "value": value});
    decide(&scene, &annotate(json!({"forceApproval": true, "maxRetries": 5, "riskMultiplier": 1.2})));
    assert_eq!(rules(&scene, "fs"), (json!(1.2), json!(2), json!(true)), "the stricter of both");
    decide(&scene, &annotate(json!({"maxRetries": 5, "riskMultiplier": 0.5, "forceApproval": false, "override": true})));
    assert_eq!(rules(&scene, "fs"), (json!(0.5), json!(5), json!(false)), "in the place of what was learned");
    decide(&scene, &annotate(json!({"forceApproval": true, "expiresAt": "2026-09-25T10:00:01Z"})));
    assert_eq!(rules(&scene, "fs"), (json!(0.5), json!(5), json!(false)), "what has expired leaves the others as they were");
    decide(&scene, &annotate(json!({"forceApproval": true})));
    decide(&scene, &annotate(json!({"maxRetries": 1})));
    assert_eq!(rules(&scene, "fs"), (json!(0.5), json!(1), json!(true)), "both hold, side by side");
    decide(&scene, &annotate(json!({"withdrawn": true})));
    assert_eq!(rules(&scene, "fs"), (json!(0.9), json!(2), json!(false)));
    decide(&scene, &json!({"action": "annotate", "target": "brand-new", "value": {"forceApproval": true}}));
    assert_eq!(rules(&scene, "brand-new"), (json!(1), json!(2), json!(true)), "an adapter that no run used");
}

#[test]
fn a_decision_that_cannot_be_followed_is_reported() {
    let scene = Scene::new();
    learn(&scene, &[success(0, "fs")]);
    decide(&scene, &json!({"action": "annotate", "target": "fs", "value": {"riskMultiplier": -1}}));
    decide(&scene, &json!({"action": "promote", "target": "fs"}));
    decide(&scene, &json!({"action": "annotate", "target": "fs"}));
    let void = published(&scene, "report.json")["policy"]["void_decisions"].clone();
    assert_eq!(void.as_array().map(Vec::len), Some(3), "{void}");
}

#[test]
fn suggestions_are_open_until_somebody_decides() {
    let scene = Scene::new();
    let rolled_back = |number: i64| FinishedRun { is_rolled_back: true, ..success(number, "fs") };
    learn(&scene, &[rolled_back(0), rolled_back(1)]);
    let counts = || {
        let list = published(&scene, "report.json")["policy"]["suggestions"].clone();
        [&list[0]["key"], &list[0]["made"], &list[0]["open"], &list[0]["accepted"], &list[0]["dismissed"]].map(Clone::clone)
    };
    assert_eq!(counts(), [json!("mutation-scope"), json!(2), json!(2), json!(0), json!(0)]);
    decide(&scene, &json!({"action": "promote", "target": "constraint:mutation-scope", "value": {"runId": "run-0"}}));
    assert_eq!(counts()[2..], [json!(1), json!(1), json!(0)]);
    decide(&scene, &json!({"action": "reject", "target": "constraint:mutation-scope"}));
    assert_eq!(counts()[2..], [json!(0), json!(0), json!(2)]);
    learn(&scene, &[rolled_back(10_002)]);
    assert_eq!(counts()[1..], [json!(3), json!(1), json!(0), json!(2)], "what comes later is open");
    let later = json!({"ts": "2026-09-30T10:00:00Z", "action": "restore", "target": "constraint:mutation-scope"});
    decide(&scene, &later);
    assert_eq!(counts()[2..], [json!(3), json!(0), json!(0)]);
}

#[test]
fn a_clear_that_is_taken_in_before_the_failures_it_is_about_still_clears_them() {
    let scene = Scene::new();
    let clear = json!({"kind": "curation", "ts": "2026-09-25T10:00:00Z", "actor": "ada", "reason": "mended", "action": "clear", "target": "github"});
    // Files are taken by their names, so the clear lands first.
    scene.land("a-decisions.jsonl", format!("{clear}\n").as_bytes());
    learn(&scene, &recovered());
    assert_eq!(rules(&scene, "github").2, json!(false));
}

#[test]
fn a_failure_that_is_made_good_is_released_through_the_engine_too() {
    let scene = Scene::new();
    set(&scene, "[overlay]\nrelease_after_successes = 5\n[recent]\nruns = 6\n");
    let mut runs: Vec<FinishedRun> = (0..20).map(|number| success(number, "github")).collect();
    runs.extend((20..23).map(|number| failure(number, "github", "auth")));
    runs.extend((23..27).map(|number| success(number, "github")));
    learn(&scene, &runs);
    assert_eq!(rules(&scene, "github").2, json!(true));
    learn(&scene, &[success(27, "github"), success(28, "github")]);
    assert_eq!(rules(&scene, "github").2, json!(false));
    let story = crate::support::published::read(&scene, "graph-events.jsonl");
    let released: Vec<Value> = story
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|event: &Value| {
            event["data"]["before"]["requireApproval"] == json!(true) && event["data"]["after"]["requireApproval"] == json!(false)
        })
        .collect();
    assert_eq!(released.iter().map(|event| &event["runId"]).collect::<Vec<_>>(), [&json!("run-27")], "the fifth success");
}

#[test]
fn a_failure_that_was_cleared_twice_counts_since_the_second_time() {
    let scene = Scene::new();
    learn(&scene, &recovered());
    decide(&scene, &json!({"action": "clear", "target": "github"}));
    learn(&scene, &(10_000..10_003).map(|number| failure(number, "github", "auth")).collect::<Vec<_>>());
    learn(&scene, &(10_010..10_060).map(|number| success(number, "github")).collect::<Vec<_>>());
    assert_eq!(rules(&scene, "github").2, json!(true), "three since the first time");
    decide(&scene, &json!({"ts": "2026-09-30T10:00:00Z", "action": "clear", "target": "github"}));
    assert_eq!(rules(&scene, "github").2, json!(false), "none since the second");
}
