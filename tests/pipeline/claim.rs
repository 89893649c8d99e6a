//! Each claim is judged by its own evidence: by the places that were given for it, and by goals and builds that were measured.

use std::fs;

use serde_json::json;

use super::{Shop, application, assert_near, figures, json_of, known, record, rows, tell, weights};
use crate::support::Scene;
use crate::support::published::{read, set};

const BUILDER: &str = "implementation-subagent";

/// A folder in which ClosedLoop logged one acknowledgment of two patterns. It gives every place of the acknowledgment to each of
/// its rows.
fn acknowledged(evidence: &str) -> (Scene, Shop) {
    let (scene, shop) = (Scene::new(), Shop::new());
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api"), known("P-002", "Await every promise", "javascript")]);
    let now = super::now();
    let row = |text: &str| format!("{now}|r1|1|{BUILDER}|{text}|applied|src/api/client.ts:5,src/api/client.ts:28\n");
    let outcomes = row("Retry API calls with backoff") + &row("Await every promise");
    fs::write(shop.learnings().join("outcomes.log"), outcomes).expect("a log");
    let row = format!("{now}|r1|1|{BUILDER}|true|Retry API calls with backoff,Await every promise|{evidence}\n");
    fs::write(shop.learnings().join("acknowledgments.log"), row).expect("a log");
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    (scene, shop)
}

#[test]
fn a_bad_citation_refutes_the_pattern_that_it_was_made_for_and_no_other() {
    let evidence = "LEARNINGS_ACKNOWLEDGED Applied: \"Retry API calls with backoff\" src/api/client.ts:5 \
        Applied: \"Await every promise\" src/api/client.ts:28";
    let (scene, shop) = acknowledged(evidence);
    let told = tell(&scene, &["citations", "--since", &shop.since], &shop.turn("r1", 1));
    assert!(told.contains("1 citations verified, 1 refuted"), "{told}");
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 1.00 high", "P-002 1 0.00 low REVIEW"]);
}

#[test]
fn where_nobody_can_tell_whose_a_bad_citation_is_it_refutes_nobody() {
    let (scene, shop) = acknowledged("LEARNINGS_ACKNOWLEDGED both, in src/api/client.ts:5 and src/api/client.ts:28");
    let told = tell(&scene, &["citations", "--since", &shop.since], &shop.turn("r1", 1));
    assert!(told.contains("0 citations verified, 0 refuted") && told.contains("cannot be told"), "{told}");
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 1.00 high", "P-002 1 1.00 high"]);
}

#[test]
fn one_agents_bad_citation_says_nothing_about_another_agents_use() {
    let (scene, shop) = Shop::known();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    record(&scene, &["writer", "tester"].map(|agent| application(("r1", 1), agent, "P-001", "applied", &[])));
    let evidence = "Applied: \"Retry API calls with backoff\" src/api/client.ts:28";
    let row = format!("{}|r1|1|writer|true|Retry API calls with backoff|{evidence}\n", super::now());
    fs::write(shop.learnings().join("acknowledgments.log"), row).expect("a log");
    tell(&scene, &["citations", "--since", &shop.since], &shop.turn("r1", 1));
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[0.0, 1.0]);
}

#[test]
fn a_goal_that_cannot_be_measured_says_nothing() {
    let (scene, shop) = Shop::known();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    record(&scene, &[application(("r1", 1), BUILDER, "P-001", "applied", &[])]);
    let told = tell(&scene, &["goal", "--goal", "maximize-coverage", "--exit-code"], &shop.turn("r1", 1));
    assert!(told.contains("maximize-coverage not measured, no score; no coverage report was found"), "{told}");
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[1.0]);
    let told = json_of(&scene, &["explain", "P-001", "--json"]);
    assert_eq!(told["applications"][0]["is_goal_met"], json!(null));
    assert_eq!(rows(&scene, "select success, measured, score from goal"), ["false,false,"], "it is known all the same");
    assert!(!read(&scene, "report.md").contains("maximize-coverage"), "no statistics of what nobody measured");
    // The original takes what it cannot measure for a failure.
    set(&scene, "compat = \"closedloop\"\n");
    scene.done(&["run", "learn"]);
    assert_eq!(figures(&scene), ["P-001 1 0.25 low REVIEW"]);
}

#[test]
fn the_build_marker_of_a_row_judges_that_row() {
    let (scene, shop) = (Scene::new(), Shop::new());
    set(&scene, "[rate]\nfailed_build = 0.0\n");
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api"), known("P-002", "Await every promise", "javascript")]);
    let now = super::now();
    let row = |text: &str, tail: &str| format!("{now}|r1|1|{BUILDER}|{text}|applied||{tail}\n");
    let outcomes = row("Retry API calls with backoff", "build_failed") + &row("Await every promise", "build_passed");
    fs::write(shop.learnings().join("outcomes.log"), outcomes).expect("a log");
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene), ["P-001 1 0.50 medium", "P-002 1 1.00 high"]);
}
