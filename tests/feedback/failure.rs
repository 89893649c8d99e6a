//! What goes wrong inside of a pipeline stops nobody, and is told all the same.

use std::fs;

use serde_json::Value;

use super::{Pipeline, SAYING, report, verdict};
use crate::support::command;

const PASS: &str = r#"{"verdict":"PASS"}"#;

#[test]
fn a_pipeline_goes_on_whatever_is_wrong_and_doctor_tells_of_it() {
    let pipeline = Pipeline::new();
    let arguments =
        ["feedback", "--adversarial-role", "judge", "--validator-role", "lens", "--adversarial", "no.md", "--validator", "no.md"];
    let open = pipeline.scene.run(&arguments);
    assert_eq!((open.code, &*open.out), (0, ""), "{}", open.error);
    assert_eq!(open.error.lines().count(), 1, "{}", open.error);
    let told = pipeline.json(&[&arguments[..], &["--json"]].concat());
    assert!(told["ok"] == false && told["reason"].as_str().is_some_and(|reason| reason.contains("no.md")), "{told}");
    let strict = pipeline.scene.run(&[&arguments[..], &["--strict"]].concat());
    assert!(strict.code == 2 && strict.error.contains("remedy: "), "{}", strict.error);
    let kept = fs::read_to_string(pipeline.scene.workspace.hook_history()).expect("the remarks");
    assert_eq!(kept.lines().filter(|line| line.contains("\"hook\":\"feedback\"")).count(), 2, "{kept}");
    let doctor = pipeline.scene.run(&["doctor"]).out;
    assert!(doctor.contains("the last in feedback"), "{doctor}");
    assert_eq!(pipeline.landed(), 0);
}

#[test]
fn every_verb_of_a_pipeline_fails_open_and_loudly_when_it_is_strict() {
    let pipeline = Pipeline::new();
    let (store, judge) = (["memory", "store", "--role", "judge", "--text"], ["memory", "query", "--role", "judge"]);
    let verbs: [Vec<&str>; 7] = [
        vec!["feedback", "--adversarial-role", "a", "--validator-role", "A", "--adversarial", "x", "--validator", "y"],
        vec!["outcome", " ", "pass"],
        [&store[..], &["short"]].concat(),
        vec!["memory", "ignore", "D-001"],
        vec!["memory", "reinforce", "D-001", "--level", "1"],
        vec!["memory", "reinforce", "D-001", "--level", "3"],
        vec!["memory", "decay"],
    ];
    for verb in verbs {
        let told = pipeline.json(&[&verb[..], &["--json"]].concat());
        assert_eq!(told["ok"], false, "{verb:?}");
        let strict = pipeline.scene.run(&[&verb[..], &["--strict"]].concat());
        assert!(strict.code == 2 && strict.error.contains("remedy: ") && strict.out.is_empty(), "{verb:?}: {}", strict.error);
    }
    // Before anything is published there is nothing to find, which is no failure.
    let told = pipeline.json(&[&judge[..], &["--json", "--strict"]].concat());
    assert_eq!((&told["ok"], &told["patterns"]), (&true.into(), &serde_json::json!([])));
    assert_eq!(pipeline.landed(), 0);
}

#[test]
fn without_a_workspace_a_pipeline_goes_on() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let root = folder.path().join("nothing");
    for (strict, code) in [(&[][..], 0), (&["--strict"][..], 2)] {
        let output = command(&root, &[&["outcome", "r1", "pass", "--json"], strict].concat()).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(code));
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert!(told["ok"] == false && told["reason"].as_str().is_some_and(|reason| reason.contains("outerloop init")), "{told}");
    }
    assert!(!root.exists());
}

#[test]
fn wrong_arguments_are_the_callers_to_mend() {
    let pipeline = Pipeline::new();
    for arguments in
        [&["feedback"][..], &["outcome", "r1", "maybe"], &["memory", "reinforce", "D-001"], &["memory", "store", "--role", "a"]]
    {
        assert_eq!(pipeline.scene.run(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn events_that_the_door_refuses_take_the_others_with_them() {
    let pipeline = Pipeline::new();
    let reports = [&*report(&[SAYING], PASS), &*verdict(PASS)];
    let outcome = pipeline.feed(["judge", "lens/../x"], reports, &["--json"]);
    let told: Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert!(outcome.code == 0 && told["ok"] == false, "{told}");
    assert_eq!(pipeline.landed(), 0);
    let record = serde_json::json!({"timestamp": "1999-01-01T00:00:00Z", "response": "x"}).to_string();
    let outcome = pipeline.feed(["judge", "lens"], [&record, &verdict(PASS)], &["--strict"]);
    assert!(outcome.code == 2 && outcome.error.contains("before 2000"), "{}", outcome.error);
    assert_eq!(pipeline.landed(), 0);
}
