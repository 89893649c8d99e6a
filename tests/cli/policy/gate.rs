//! `outerloop gate`: verdicts, exit codes, and what a broken file must not do.

use std::fs;

use serde_json::json;

use super::{document, governed, landed, overlay, parse, publish, publish_document};
use crate::support::Scene;

/// The verdict as a program reads it: multiplier, retries, approval and the exit code.
fn verdict(scene: &Scene, arguments: &[&str]) -> (f64, u64, bool, i32) {
    let outcome = scene.run(&[&["gate", "--json"], arguments].concat());
    let answer = parse(&outcome.out);
    let of = |name: &str| answer[name].clone();
    let multiplier = of("multiplier").as_f64().expect("a number");
    (multiplier, of("retries").as_u64().expect("a number"), of("approval").as_bool().expect("a flag"), outcome.code)
}

#[test]
fn scores_at_the_borders_of_the_table_get_the_rules_of_their_side() {
    let cases = [
        (0.699, &[][..], (1.4, 1, true, 1)),
        (0.700, &[], (1.0, 1, true, 1)),
        (0.749, &[], (1.0, 1, true, 1)),
        (0.750, &[], (1.0, 2, false, 0)),
        (0.900, &[], (1.0, 2, false, 0)),
        (0.901, &[], (0.9, 2, false, 0)),
        (0.950, &[("auth", 3)], (0.9, 2, true, 1)),
        (0.950, &[("auth", 2), ("network", 2)], (0.9, 2, false, 0)),
    ];
    for (score, failures, wanted) in cases {
        let scene = governed(vec![overlay("github", score, failures)]);
        assert_eq!(verdict(&scene, &["github"]), wanted, "{score} {failures:?}");
    }
}

#[test]
fn what_the_caller_asks_for_is_only_made_stricter() {
    let scene = governed(vec![overlay("github", 0.593, &[]), overlay("fs", 0.8, &[])]);
    let retries = |arguments: &[&str]| verdict(&scene, arguments).1;
    assert_eq!(retries(&["github", "--base-retries", "5"]), 1);
    assert_eq!(retries(&["github", "--base-retries", "0"]), 0);
    assert_eq!(retries(&["fs", "--base-retries", "1"]), 1, "a suggestion of 2 does not loosen a limit of 1");
    assert_eq!(retries(&["nobody", "--base-retries", "7"]), 7);
    assert_eq!(retries(&["nobody"]), 2, "the setting");
    assert_eq!(verdict(&scene, &["fs", "--approval"]), (1.0, 2, true, 1));
    assert_eq!(verdict(&scene, &["nobody", "--approval"]), (1.0, 2, true, 1));
    let asked = scene.run(&["gate", "fs", "--approval"]);
    assert!(asked.out.contains("approval was requested"), "{}", asked.out);
}

#[test]
fn a_risk_is_multiplied_and_ends_at_the_most_there_is() {
    let scene = governed(vec![overlay("github", 0.593, &[]), overlay("fs", 0.95, &[])]);
    let risk = |adapter: &str, level: &str| parse(&scene.run(&["gate", adapter, "--risk", level, "--json"]).out)["risk"].clone();
    let close = |found: serde_json::Value, wanted: f64| (found.as_f64().expect("a number") - wanted).abs() < 1e-9;
    assert!(close(risk("github", "low"), 0.35) && close(risk("github", "medium"), 0.7));
    assert_eq!(risk("github", "high"), json!(1.0), "0.75 times 1.4 is more than there is");
    assert!(close(risk("fs", "high"), 0.675));
    assert!(close(risk("nobody", "medium"), 0.5));
    assert!(parse(&scene.run(&["gate", "fs", "--json"]).out)["risk"].is_null(), "none was given, none comes back");
    assert_eq!(scene.run(&["gate", "fs", "--risk", "huge"]).code, 2);
}

#[test]
fn the_verdict_comes_first_and_the_rest_follows() {
    let scene = governed(vec![overlay("github", 0.593, &[("auth", 3)]), overlay("fs", 0.8, &[])]);
    let refused = scene.run(&["gate", "  GitHub ", "--risk", "medium"]);
    let lines: Vec<&str> = refused.out.lines().collect();
    assert_eq!(refused.code, 1);
    assert_eq!(lines[0], "github: approval needed");
    assert_eq!(lines[1], "  risk     0.7 (medium 0.5 × 1.4)");
    assert_eq!(lines[2], "  retries  1 (at most 2 attempts)");
    assert!(lines[3].contains("score 0.593 is below 0.75; github::auth failed 3 times"), "{}", refused.out);
    let free = scene.run(&["gate", "fs"]);
    assert_eq!((free.code, free.out.lines().next()), (0, Some("fs: go")));
    assert_eq!(free.error, "");
}

#[test]
fn programs_get_every_part_of_the_answer() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let answer = parse(&scene.run(&["gate", "github", "--json"]).out);
    let names: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    let wanted = ["adapter", "approval", "multiplier", "risk", "retries", "attempts", "reason", "triggers", "known", "stale"];
    let basis = ["runs", "score", "refusedRuns", "unreportedRuns", "lowestScore", "highestScore"];
    assert_eq!(names, wanted.iter().chain(&basis).collect::<Vec<_>>());
    assert_eq!(answer["triggers"], json!([{"type": "lowScore", "score": 0.593}]));
    assert_eq!(answer["attempts"], 2);
}

#[test]
fn an_adapter_that_nobody_knows_may_run_and_a_note_says_so() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let outcome = scene.run(&["gate", "nobody"]);
    assert_eq!((outcome.code, outcome.out.lines().next()), (0, Some("nobody: go")));
    assert!(outcome.error.contains("unknown adapter nobody"), "{}", outcome.error);
    let answer = parse(&scene.run(&["gate", "nobody", "--json"]).out);
    assert_eq!((&answer["known"], &answer["stale"], &answer["multiplier"]), (&json!(false), &json!(false), &json!(1)));
}

#[test]
fn before_anything_is_published_everyone_may_run() {
    let scene = Scene::new();
    let outcome = scene.run(&["gate", "github"]);
    assert_eq!((outcome.code, outcome.out.lines().next()), (0, Some("github: go")));
    assert!(outcome.error.contains("no policies are published yet"), "{}", outcome.error);
    publish(&scene, "before-policies", &[("report.json", "{}")]);
    let outcome = scene.run(&["gate", "github"]);
    assert!(outcome.code == 0 && outcome.error.contains("no policies are published yet"), "{}", outcome.error);
}

#[test]
fn a_gate_does_not_open_because_a_file_is_broken() {
    let whole = serde_json::to_string(&document(vec![overlay("github", 0.593, &[])])).expect("JSON");
    let (cut, other) = (whole[..whole.len() / 2].to_owned(), whole.replace("requireApproval", "requiresApproval"));
    for content in ["", "null", "[]", "{}", &cut, &other] {
        let scene = Scene::new();
        publish(&scene, "one", &[("policy.json", content)]);
        for arguments in [&["gate", "github"][..], &["gate", "nobody", "--json"], &["policy"], &["policy", "check"]] {
            let outcome = scene.run(arguments);
            assert_eq!((outcome.code, &*outcome.out), (2, ""), "{arguments:?} with {content}");
            assert!(outcome.error.contains("the published policies cannot be read"), "{}", outcome.error);
            assert!(outcome.error.contains("outerloop run hourly"), "{}", outcome.error);
        }
        for (arguments, input) in [(&["optimize"][..], "[]"), (&["consensus", "--risk", "low"], "[]")] {
            assert_eq!(scene.run_with(arguments, input.as_bytes()).code, 2, "{arguments:?} with {content}");
        }
    }
}

#[test]
fn a_gate_does_not_open_because_a_file_is_lost() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let folder = scene.workspace.published().join("one");
    fs::remove_file(folder.join("policy.json")).expect("the file goes");
    let lost = scene.run(&["gate", "github"]);
    assert!(lost.code == 2 && lost.error.contains("the published policies cannot be read"), "{}", lost.error);
    fs::create_dir(folder.join("policy.json")).expect("a folder in its place");
    assert_eq!(scene.run(&["gate", "github"]).code, 2);
    fs::remove_dir_all(&folder).expect("the generation goes");
    let dangling = scene.run(&["gate", "github"]);
    assert!(dangling.code == 2 && dangling.error.contains("the published generation is damaged"), "{}", dangling.error);
    publish_document(&scene, &document(vec![]));
    assert_eq!(scene.run(&["gate", "github"]).code, 0);
    fs::write(scene.workspace.settings(), "[gate]\nbase_retries = -1\n").expect("settings");
    assert_eq!(scene.run(&["gate", "github"]).code, 2);
}

#[test]
fn nothing_is_written_unless_it_is_asked_for() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    scene.run(&["gate", "github", "--risk", "high"]);
    assert_eq!(landed(&scene), Vec::<serde_json::Value>::new());
}

#[test]
fn a_recorded_gate_lands_as_an_event_of_its_run() {
    let scene = governed(vec![overlay("github", 0.593, &[]), overlay("fs", 0.95, &[])]);
    fs::write(scene.workspace.settings(), "project = \"shop\"\n").expect("settings");
    assert_eq!(scene.run(&["gate", " GitHub", "--risk", "high", "--record", "run-7"]).code, 1);
    assert_eq!(scene.run(&["gate", "fs", "--record", "run-8"]).code, 0);
    let events = landed(&scene);
    let wanted = json!({
        "kind": "gate", "project": "shop", "adapter": "github", "run_id": "run-7", "risk": "high", "approval": true,
        "multiplier": 1.4, "retries": 1, "reason": "score 0.593 is below 0.75",
    });
    for (name, value) in wanted.as_object().expect("an object") {
        assert_eq!(&events[0][name], value, "{name}");
    }
    assert!(events[1].get("risk").is_none() && events[1]["approval"] == false, "{}", events[1]);
    scene.done(&["run", "compact"]);
    let sql = "select count(*) from gate where approval and retries = 1 and multiplier = 1.4 and run_id = 'run-7'";
    assert_eq!(scene.count(sql), 1);
    assert_eq!(scene.count("select count(*) from gate"), 2);
}

#[test]
fn a_gate_that_cannot_be_recorded_does_not_open() {
    let scene = governed(vec![overlay("fs", 0.95, &[])]);
    for run in ["", "../run", "a/b", "a\u{1b}b"] {
        let outcome = scene.run(&["gate", "fs", "--record", run]);
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{run:?}");
        assert!(outcome.error.contains("remedy: "), "{}", outcome.error);
    }
    assert_eq!(landed(&scene), Vec::<serde_json::Value>::new());
}

#[test]
fn a_stale_answer_says_so() {
    let mut old = overlay("fs", 0.95, &[]);
    old.updated_at = "2020-01-01T00:00:00.000Z".to_owned();
    let scene = governed(vec![old]);
    let outcome = scene.run(&["gate", "fs"]);
    assert!(outcome.code == 0 && outcome.out.contains("stale    not used for more than 30 days"), "{}", outcome.out);
    assert_eq!(parse(&scene.run(&["gate", "fs", "--json"]).out)["stale"], true);
    fs::write(scene.workspace.settings(), "[overlay]\nstale_days = 100000\n").expect("settings");
    assert_eq!(parse(&scene.run(&["gate", "fs", "--json"]).out)["stale"], false);
}

#[test]
fn a_lost_link_to_the_generation_that_counts_is_damage() {
    let scene = governed(vec![overlay("github", 0.5, &[])]);
    fs::remove_file(scene.workspace.current()).expect("the link");
    for arguments in [&["gate", "github"][..], &["policy"], &["policy", "show", "github"]] {
        let outcome = scene.run(arguments);
        assert_eq!((outcome.code, &*outcome.out), (2, ""), "{arguments:?}: {}", outcome.error);
        assert!(outcome.error.contains("outerloop run hourly") && outcome.error.contains("link"), "{}", outcome.error);
    }
    assert_eq!(scene.run_with(&["consensus", "--risk", "low"], b"[]").code, 2);
    // What is still being made counts for nothing.
    let fresh = Scene::new();
    fs::create_dir_all(fresh.workspace.published().join(".staging-one")).expect("a folder");
    assert_eq!(fresh.run(&["gate", "github"]).code, 0);
}
