//! What a control service asks: an answer right after a run, unknown adapters, risks of its own scale, figures.

use serde_json::json;

use super::{governed, overlay, parse};
use crate::support::Scene;
use crate::support::published::current;

fn failure(number: u32) -> String {
    let event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}Z"), "run_id": format!("r{number}"),
        "result": "failure", "adapters": ["github"], "failure_type": "auth"});
    format!("{event}\n")
}

#[test]
fn policies_alone_are_published_right_after_a_run() {
    let scene = Scene::new();
    scene.run_with(&["record"], failure(1).replace("failure", "success").as_bytes());
    scene.done(&["run", "hourly"]);
    let generation = current(&scene);
    assert_eq!(scene.run(&["gate", "github"]).code, 0);
    scene.run_with(&["record"], (2..9).map(failure).collect::<String>().as_bytes());
    let told = scene.done(&["run", "learn", "--only", "policy"]).error;
    assert!(told.contains("policies: 8 runs; 1 of 1 adapters need approval"), "{told}");
    assert_eq!(scene.run(&["gate", "github"]).code, 1, "what was recorded a moment ago counts");
    assert_eq!(current(&scene), generation, "the generation stays");
    let figures = std::fs::read_to_string(scene.workspace.metrics()).expect("figures");
    assert!(figures.contains("outerloop_learning_overlay_requires_approval{adapter=\"github\"} 1"), "{figures}");
    // A later generation takes over.
    scene.done(&["policy", "annotate", "github", "--no-approve", "--override", "--reason", "watched"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.run(&["gate", "github"]).code, 0);
    std::fs::write(scene.workspace.latest_policy(), "{").expect("a file");
    assert_eq!(scene.run(&["gate", "github"]).code, 2, "a broken file never opens a gate");
}

#[test]
fn policies_alone_equal_those_of_a_whole_cycle() {
    let scene = Scene::new();
    scene.run_with(&["record"], (1..9).map(failure).collect::<String>().as_bytes());
    scene.done(&["run", "learn", "--only", "policy"]);
    scene.done(&["run", "learn"]);
    let document = |text: &str| {
        let mut document = parse(text);
        let members = document.as_object_mut().expect("an object");
        // Where it stands in the log is what the manifest says of a generation.
        for name in ["asOfMicros", "throughSequence"] {
            members.remove(name);
        }
        document
    };
    let alone = std::fs::read_to_string(scene.workspace.latest_policy()).expect("policies");
    assert_eq!(document(&alone), document(&crate::support::published::read(&scene, "policy.json")));
}

#[test]
fn unknown_adapters_need_approval_where_the_caller_says_so() {
    let scene = governed(vec![overlay("github", 0.95, &[])]);
    assert_eq!(scene.run(&["gate", "stranger"]).code, 0);
    let outcome = scene.run(&["gate", "stranger", "--require-known", "--json"]);
    assert_eq!((outcome.code, &parse(&outcome.out)["approval"]), (1, &json!(true)), "{}", outcome.out);
    assert!(outcome.out.contains("only known ones are allowed"), "{}", outcome.out);
    assert_eq!(scene.run(&["gate", "github", "--require-known"]).code, 0);
    assert_eq!(Scene::new().run(&["gate", "github", "--require-known"]).code, 1, "nothing is published");
}

#[test]
fn a_risk_may_be_a_number() {
    let scene = governed(vec![overlay("github", 0.6, &[])]);
    let risk = |given: &str| {
        let outcome = scene.run(&["gate", "github", "--risk", given, "--json"]);
        (outcome.code, if outcome.out.is_empty() { json!(null) } else { parse(&outcome.out)["risk"].clone() })
    };
    assert_eq!(risk("0.3"), (1, json!(0.42)));
    assert_eq!(risk("7"), (1, json!(1.0)), "a risk has its bound");
    assert_eq!(risk("medium"), (1, json!(0.7)));
    for wrong in ["-1", "NaN", "inf", "extreme"] {
        assert_eq!(risk(wrong).0, 2, "{wrong}");
    }
    let shown = scene.run(&["gate", "github", "--risk", "0.3"]).out;
    assert!(shown.contains("risk     0.42 (0.3 × 1.4)"), "{shown}");
}

#[test]
fn counters_are_counters_and_old_rules_stand_out_in_figures() {
    let scene = Scene::new();
    scene.run_with(&["record"], failure(1).as_bytes());
    scene.done(&["run", "hourly"]);
    let figures = crate::support::published::read(&scene, "policy.prom");
    for line in [
        "# TYPE outerloop_learning_outcomes_total counter",
        "# TYPE outerloop_learning_reliability_score gauge",
        "outerloop_learning_overlay_stale{adapter=\"github\"} 1",
        "outerloop_learning_overlay_updated_timestamp_seconds{adapter=\"github\"} 1777629601",
        "# TYPE outerloop_learning_policy_timestamp_seconds gauge",
    ] {
        assert!(figures.contains(line), "{line} in\n{figures}");
    }
}

#[test]
fn votes_may_stand_under_their_own_name() {
    let scene = Scene::new();
    let vote = json!({"agent": "planner", "decision": "approve", "confidence": 0.9});
    for input in [json!({"votes": [vote]}), json!({"agentDecisions": [vote]}), json!([vote])] {
        let outcome = scene.run_with(&["consensus", "--risk", "low", "--json"], input.to_string().as_bytes());
        assert_eq!((outcome.code, &parse(&outcome.out)["verdict"]), (0, &json!("approve")), "{input}");
    }
    assert_eq!(scene.run_with(&["consensus", "--risk", "low"], b"{\"polls\":[]}").code, 2);
}

#[test]
fn a_report_of_runs_alone_begins_with_them() {
    let scene = Scene::new();
    scene.run_with(&["record"], failure(1).as_bytes());
    scene.done(&["run", "hourly"]);
    let report = scene.done(&["report"]).out;
    let lines: Vec<&str> = report.lines().filter(|line| !line.is_empty()).collect();
    let begin = lines.iter().position(|line| *line == "## Runs in numbers").expect("a heading");
    assert_eq!(lines[begin + 1..begin + 3], ["1 runs; 1 of 1 adapters need approval. No lessons yet.", "## Runs"], "{report}");
    assert!(!report.contains("## Strongest\n") && report.matches("## Runs\n").count() == 1, "{report}");
}
