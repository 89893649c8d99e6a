//! `outerloop policy annotate`, `clear`, `accept`, `dismiss` and `reopen`: each lands the event that the cycle understands.

use std::fs;

use engine::Horizon;
use engine::cycle::Inquiry;
use learn::policy::{Curations, parse_curations};
use serde_json::{Value, json};
use store::deadline::Deadline;

use super::{governed, landed, overlay, parse};
use crate::support::Scene;

/// What the cycle makes of the decisions that landed.
fn understood(scene: &Scene) -> Curations {
    scene.done(&["run", "compact"]);
    let inquiry = Inquiry::open(&scene.workspace, Horizon::EVERYTHING, Deadline::NEVER).expect("the engine opens");
    inquiry.load("policy_curation", parse_curations).expect("decisions")
}

fn assert_holds(event: &Value, wanted: &Value) {
    for (name, value) in wanted.as_object().expect("an object") {
        assert_eq!(&event[name], value, "{name} of {event}");
    }
}

#[test]
fn an_annotation_lands_with_everything_that_was_said() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    let outcome = scene.done(&[
        "policy",
        "annotate",
        " GitHub ",
        "--reason",
        "change freeze",
        "--actor",
        "ann",
        "--approve",
        "--retries",
        "0",
        "--multiplier",
        "1.5",
        "--until",
        "2999-12-31",
        "--override",
        "--json",
    ]);
    assert!(
        outcome.error.contains("annotate github: recorded") && outcome.error.contains("outerloop run hourly"),
        "{}",
        outcome.error
    );
    let events = landed(&scene);
    assert_eq!(events, [parse(&outcome.out)], "what is printed is what landed");
    assert_holds(
        &events[0],
        &json!({
            "kind": "curation", "action": "annotate", "target": "github", "actor": "ann", "reason": "change freeze",
            "value": {
                "forceApproval": true, "maxRetries": 0, "riskMultiplier": 1.5, "expiresAt": "2999-12-31T23:59:59.999999Z",
                "override": true,
            },
        }),
    );
    let curations = understood(&scene);
    assert_eq!(curations.void, []);
    let annotation = curations.annotations_of("github", 0).pop().expect("an annotation");
    assert_eq!((annotation.force_approval, annotation.max_retries, annotation.risk_multiplier), (Some(true), Some(0), Some(1.5)));
    assert!(annotation.is_override && !annotation.is_withdrawn && annotation.expires_micros.is_some());
    assert_eq!((&*annotation.actor, &*annotation.note), ("ann", "change freeze"));
}

#[test]
fn an_annotation_is_withdrawn() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    scene.done(&["policy", "annotate", "github", "--approve", "--reason", "freeze"]);
    scene.done(&["policy", "annotate", "github", "--withdraw", "--reason", "thaw"]);
    assert_holds(&landed(&scene)[1], &json!({"action": "annotate", "target": "github", "value": {"withdrawn": true}}));
    let curations = understood(&scene);
    assert_eq!((curations.annotations.len(), curations.annotations_of("github", 0)), (2, Vec::new()));
}

#[test]
fn annotations_that_make_no_sense_are_refused_or_remarked() {
    let scene = governed(vec![overlay("github", 0.593, &[])]);
    for arguments in [
        &["--approve"][..],
        &["--approve", "--reason", "  "],
        &["--approve", "--no-approve", "--reason", "r"],
        &["--withdraw", "--retries", "1", "--reason", "r"],
        &["--withdraw", "--override", "--reason", "r"],
        &["--retries", "-1", "--reason", "r"],
        &["--multiplier", "0", "--reason", "r"],
        &["--multiplier", "NaN", "--reason", "r"],
        &["--multiplier", "inf", "--reason", "r"],
        &["--until", "2020-01-01", "--reason", "r"],
        &["--until", "soon", "--reason", "r"],
        &["--until", "2999-01-01", "--reason", "nothing is said"],
        &["--approve", "--reason", "r", "--actor", ""],
    ] {
        let outcome = scene.run(&[&["policy", "annotate", "github"], arguments].concat());
        assert_eq!(outcome.code, 2, "{arguments:?}: {}", outcome.error);
    }
    assert_eq!(landed(&scene), Vec::<Value>::new());
    let mild = scene.done(&["policy", "annotate", "github", "--no-approve", "--reason", "r"]);
    assert!(mild.error.contains("without --override, --no-approve changes nothing"), "{}", mild.error);
    assert_holds(&landed(&scene)[0], &json!({"value": {"forceApproval": false}}));
    let stranger = scene.done(&["policy", "annotate", "gitub", "--approve", "--reason", "r"]);
    assert!(stranger.error.contains("gitub is not in the published policies"), "{}", stranger.error);
}

#[test]
fn failures_are_cleared_by_type_by_id_or_all_at_once() {
    let scene = governed(vec![overlay("github", 0.95, &[("auth", 3)])]);
    scene.done(&["policy", "clear", "GitHub", "--failure", "Auth", "--reason", "token renewed", "--actor", "ann"]);
    scene.done(&["policy", "clear", "github", "--failure", "github::Network", "--reason", "r"]);
    scene.done(&["policy", "clear", "github", "--failure", "github::std::io", "--reason", "r"]);
    scene.done(&["policy", "clear", "github", "--reason", "r"]);
    let events = landed(&scene);
    assert_holds(
        &events[0],
        &json!({
            "kind": "curation", "action": "clear", "target": "github", "actor": "ann", "reason": "token renewed",
            "value": {"failurePattern": "github::auth"},
        }),
    );
    assert!(events[3].get("value").is_none(), "{}", events[3]);
    let curations = understood(&scene);
    let failures: Vec<Option<&str>> = curations.clears.iter().map(|clear| clear.failure.as_deref()).collect();
    assert_eq!(failures, [Some("github::auth"), Some("github::network"), Some("github::std::io"), None]);
    assert!(curations.clears.iter().all(|clear| clear.adapter == "github") && curations.void.is_empty());
    assert!(curations.clears[0].covers("github", "github::auth"));
}

#[test]
fn clears_that_would_clear_nothing_are_refused() {
    let scene = governed(vec![overlay("github", 0.95, &[("auth", 3)])]);
    for arguments in [
        &["github"][..],
        &["github", "--reason", ""],
        &["github", "--failure", "slack::auth", "--reason", "r"],
        &["github", "--failure", " ", "--reason", "r"],
        &["github", "--failure", "github::", "--reason", "r"],
        &["constraint:mutation-scope", "--reason", "r"],
        &["", "--reason", "r"],
    ] {
        assert_eq!(scene.run(&[&["policy", "clear"], arguments].concat()).code, 2, "{arguments:?}");
    }
    assert_eq!(landed(&scene), Vec::<Value>::new());
}

#[test]
fn suggestions_are_accepted_dismissed_and_opened_again() {
    let scene = Scene::new();
    scene.done(&["policy", "accept", "mutation-scope"]);
    scene.done(&["policy", "dismiss", "Approval-Pauses", "--run", "Run-7", "--reason", "a drill", "--actor", "ann"]);
    let last = scene.done(&["policy", "reopen", "shell-pattern-blocklist"]);
    assert!(last.error.contains("reopen shell-pattern-blocklist: recorded"), "{}", last.error);
    let events = landed(&scene);
    assert_holds(&events[0], &json!({"kind": "curation", "action": "promote", "target": "constraint:mutation-scope"}));
    assert!(events[0].get("value").is_none(), "{}", events[0]);
    let dismissed = json!({
        "action": "reject", "target": "constraint:approval-pauses", "value": {"runId": "Run-7"}, "reason": "a drill", "actor": "ann",
    });
    assert_holds(&events[1], &dismissed);
    assert_holds(&events[2], &json!({"action": "restore", "target": "constraint:shell-pattern-blocklist"}));
    let curations = understood(&scene);
    let statuses: Vec<(&str, Option<&str>, &str)> =
        curations.constraints.iter().map(|decision| (&*decision.key, decision.run_id.as_deref(), decision.status)).collect();
    assert_eq!(
        statuses,
        [
            ("mutation-scope", None, "accepted"),
            ("approval-pauses", Some("Run-7"), "dismissed"),
            ("shell-pattern-blocklist", None, "open"),
        ]
    );
    let unknown = scene.run(&["policy", "accept", "everything"]);
    assert!(
        unknown.code == 2 && unknown.error.contains("mutation-scope, approval-pauses, shell-pattern-blocklist"),
        "{}",
        unknown.error
    );
    assert_eq!(scene.run(&["policy", "accept", "mutation-scope", "--run", " "]).code, 2);
}

#[test]
fn a_secret_in_a_reason_neither_lands_nor_is_printed() {
    let scene = Scene::new();
    let secret = format!("AK{}", "IAZ7Q2M4X9P3L8K5T1");
    let outcome = scene.done(&["policy", "clear", "github", "--reason", &format!("key {secret}"), "--json"]);
    assert!(!outcome.out.contains(&secret) && outcome.out.contains("[REDACTED:"), "{}", outcome.out);
    assert_eq!(landed(&scene), [parse(&outcome.out)]);
}

#[test]
fn decisions_can_be_made_while_the_published_policies_are_broken() {
    let scene = governed(vec![overlay("github", 0.95, &[])]);
    fs::write(scene.workspace.current().join("policy.json"), "{").expect("damage");
    scene.done(&["policy", "clear", "github", "--reason", "r"]);
    assert_eq!(landed(&scene).len(), 1);
}

/// Two languages fold these letters differently, so a clear had no effect on them.
#[test]
fn a_clear_resets_failures_in_any_script() {
    for (adapter, kind, spelling) in [("github", "ΟΔΟΣ", "οδος"), ("ΓΕΦΥΡΑΣ", "İO", "İO"), ("github", "Straße\u{a0}", "STRASSE")]
    {
        let scene = Scene::new();
        let run = |number: u32| {
            json!({"kind": "run", "ts": format!("2026-05-01T10:0{number}:00Z"), "run_id": format!("r{number}"), "result": "failure",
                "adapters": [adapter], "failure_type": kind})
        };
        scene.land("a.jsonl", (1..=3).map(|number| format!("{}\n", run(number))).collect::<String>().as_bytes());
        scene.done(&["run", "compact"]);
        scene.done(&["run", "learn"]);
        let repeated = |scene: &Scene| {
            let shown = parse(&scene.done(&["policy", "show", adapter, "--json"]).out);
            shown["triggers"].as_array().expect("a list").iter().any(|trigger| trigger["type"] == "repeatedFailure")
        };
        assert!(repeated(&scene), "{kind}: seen three times");
        scene.done(&["policy", "clear", adapter, "--failure", spelling, "--reason", "mended"]);
        scene.done(&["run", "compact"]);
        scene.done(&["run", "learn"]);
        assert!(!repeated(&scene), "{kind}: cleared as {spelling}");
    }
}
