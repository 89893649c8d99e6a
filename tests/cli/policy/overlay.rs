//! `outerloop policy list`, `show`, `check`, `suggestions` and `history`.

use std::fs;

use serde_json::{Value, json};

use super::{governed, overlay, parse, publish};
use crate::support::Scene;

#[test]
fn overlays_are_listed_for_people_and_for_programs() {
    let scene = governed(vec![overlay("github", 0.593, &[("auth", 3)]), overlay("fs", 0.95, &[])]);
    let shown = scene.done(&["policy"]).out;
    assert_eq!(scene.done(&["policy", "list"]).out, shown, "listing is what is done when nothing is said");
    let line = |adapter: &str| shown.lines().find(|line| line.trim().starts_with(adapter)).unwrap_or_default();
    assert!(line("github").contains("needed") && line("github").contains("1.4"), "{shown}");
    assert!(line("fs").contains("0.9") && !line("fs").contains("needed"), "{shown}");
    let list = parse(&scene.done(&["policy", "list", "--json"]).out);
    assert_eq!(parse(&scene.done(&["policy", "--json"]).out), list);
    let names: Vec<&String> = list[0].as_object().expect("an object").keys().collect();
    let wanted = [
        "adapterId",
        "riskMultiplier",
        "suggestedMaxRetries",
        "requireApproval",
        "reason",
        "updatedAt",
        "triggers",
        "basis",
        "stale",
    ];
    assert_eq!(names, wanted);
    assert_eq!((&list[0]["adapterId"], &list[1]["adapterId"]), (&json!("github"), &json!("fs")));
}

#[test]
fn one_adapter_is_shown_with_what_made_its_rules() {
    let scene = governed(vec![overlay("github", 0.593, &[("auth", 3)])]);
    let shown = scene.done(&["policy", "show", "GITHUB"]).out;
    assert!(shown.starts_with("github: approval needed\n"), "{shown}");
    assert!(shown.contains("low score: 0.593") && shown.contains("repeated failure: github::auth, 3 times"), "{shown}");
    let value = parse(&scene.done(&["policy", "show", "github", "--json"]).out);
    assert_eq!(value["triggers"][1], json!({"type": "repeatedFailure", "patternId": "github::auth", "occurrences": 3}));
    let unknown = scene.run(&["policy", "show", "nobody"]);
    assert!(unknown.code == 2 && unknown.error.contains("unknown adapter `nobody`"), "{}", unknown.error);
}

#[test]
fn lists_say_what_to_do_before_anything_is_published() {
    let scene = Scene::new();
    for arguments in [&["policy"][..], &["policy", "show", "x"], &["policy", "suggestions"], &["report", "--run-id", "x"]] {
        let outcome = scene.run(arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert!(outcome.error.contains("nothing is published yet") && outcome.error.contains("run hourly"), "{}", outcome.error);
    }
    publish(&scene, "before-policies", &[("report.json", "{}")]);
    for arguments in [&["policy"][..], &["policy", "suggestions"]] {
        let outcome = scene.run(arguments);
        assert!(outcome.code == 2 && outcome.error.contains("policies"), "{}", outcome.error);
    }
    assert_eq!(scene.run(&["policy", "check"]).code, 0);
}

#[test]
fn rules_are_stale_a_millisecond_after_thirty_days() {
    let scene = governed(vec![overlay("github", 0.593, &[]), overlay("fs", 0.95, &[])]);
    let check = |time: &str| scene.run(&["policy", "check", "--as-of", time, "--json"]);
    let on_time = check("2026-10-31T00:00:00Z");
    assert_eq!((on_time.code, parse(&on_time.out)), (0, json!([])));
    let late = check("2026-10-31T00:00:00.001Z");
    assert_eq!(late.code, 1);
    assert_eq!(parse(&late.out)[0], json!({"adapterId": "github", "updatedAt": "2026-10-01T00:00:00.000Z", "idleDays": 30}));
    let shown = scene.run(&["policy", "check", "--as-of", "2027-01-01"]);
    assert!(shown.code == 1 && shown.out.contains("fs"), "{}", shown.out);
    assert!(shown.error.contains("2 of 2 adapters were not used for more than 30 days"), "{}", shown.error);
    fs::write(scene.workspace.settings(), "[overlay]\nstale_days = 31\n").expect("settings");
    assert_eq!(check("2026-10-31T00:00:00.001Z").code, 0);
}

#[test]
fn only_the_adapters_that_nobody_used_are_stale_at_the_present() {
    let mut old = overlay("old", 0.95, &[]);
    old.updated_at = "2020-01-01T00:00:00.000Z".to_owned();
    let mut recent = overlay("recent", 0.95, &[]);
    recent.updated_at = "2999-01-01T00:00:00.000Z".to_owned();
    let scene = governed(vec![old, recent.clone()]);
    let outcome = scene.run(&["policy", "check", "--json"]);
    let stale = parse(&outcome.out);
    assert_eq!((outcome.code, stale.as_array().map(Vec::len), &stale[0]["adapterId"]), (1, Some(1), &json!("old")));
    assert_eq!(governed(vec![recent]).done(&["policy", "check"]).out, "");
}

#[test]
fn suggestions_come_from_the_published_report() {
    let scene = Scene::new();
    let report = json!({"policy": {"suggestions": [{
        "key": "mutation-scope", "action": "tighten", "confidence": 0.87, "reason": "a run was rolled back",
        "made": 3, "open": 2, "accepted": 1, "dismissed": 0, "last_run": "r\u{1b}[2J9",
    }]}});
    publish(&scene, "one", &[("report.json", &report.to_string())]);
    let shown = scene.done(&["policy", "suggestions"]).out;
    assert!(shown.contains("mutation-scope") && shown.contains("0.87") && shown.contains("r [2J9"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(parse(&scene.done(&["policy", "suggestions", "--json"]).out), report["policy"]["suggestions"]);
    publish(&scene, "two", &[("report.json", "{\"policy\":")]);
    assert_eq!(scene.run(&["policy", "suggestions"]).code, 2);
}

fn change(key: &str, scope: &str, field: &str, before: &Value, after: &Value) -> String {
    let time = "2026-10-01T00:00:00Z";
    json!({"generation": "g1", "ts": time, "scope": scope, "key": key, "field": field, "before": before, "after": after})
        .to_string()
}

#[test]
fn history_tells_how_policies_changed() {
    let scene = Scene::new();
    let empty = scene.done(&["policy", "history"]);
    assert!(empty.out.is_empty() && empty.error.contains("no policy changed"), "{}", empty.error);
    assert_eq!(parse(&scene.done(&["policy", "history", "--json"]).out), json!([]));
    let lines = [
        change("high", "threshold", "threshold", &json!(0.75), &json!(0.8)),
        change("github", "overlay", "requireApproval", &json!(false), &json!(true)),
        "{\"generation\":\"torn".to_owned(),
        change("fs", "overlay", "riskMultiplier", &Value::Null, &json!(1.4)),
        change("high", "overlay", "suggestedMaxRetries", &json!(2), &json!(1)),
    ];
    fs::create_dir_all(scene.workspace.history()).expect("a folder");
    fs::write(scene.workspace.policy_history(), lines.join("\n") + "\n").expect("a history");
    let shown = scene.done(&["policy", "history"]);
    assert!(shown.out.contains("high risk") && shown.out.contains("requireApproval"), "{}", shown.out);
    assert!(shown.error.contains("1 lines of history/policies.jsonl cannot be read"), "{}", shown.error);
    assert_eq!(parse(&scene.done(&["policy", "history", "--json"]).out).as_array().map(Vec::len), Some(4));
    let of = |adapter: &str| parse(&scene.done(&["policy", "history", "--adapter", adapter, "--json"]).out);
    assert_eq!(of("GitHub")[0]["field"], "requireApproval");
    assert_eq!(of("high")[0]["scope"], "overlay", "a risk is no adapter of that name");
    assert_eq!(of("nobody"), json!([]));
}
