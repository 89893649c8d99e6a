//! What a failed build does to rates: nothing, or what the settings say.

use std::time::Duration;

use serde_json::json;

use super::{Shop, application, assert_near, figures, json_of, known, record, rows, tell, weights};
use crate::support::Scene;
use crate::support::published::set;

const BUILDER: &str = "implementation-subagent";

/// Two runs with the same number of an iteration. The build of the first run failed.
fn failed_build() -> (Scene, Shop) {
    let (scene, shop) = Shop::known();
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api"), known("P-002", "Await every promise", "javascript")]);
    for run in ["r1", "r2"] {
        record(
            &scene,
            &[
                application((run, 1), BUILDER, "P-001", "applied", &[]),
                application((run, 1), "plan-writer", "P-001", "applied", &[]),
                application((run, 2), BUILDER, "P-002", "applied", &[]),
            ],
        );
    }
    tell(&scene, &["build", "failed", "--details", "two tests"], &shop.turn("r1", 1));
    tell(&scene, &["build", "passed"], &shop.turn("r1", 2));
    scene.done(&["run", "hourly"]);
    (scene, shop)
}

#[test]
fn failed_builds_change_no_rate_by_default() {
    let (scene, _shop) = failed_build();
    assert_eq!(figures(&scene), ["P-001 4 1.00 high", "P-002 2 1.00 high"]);
    let told = json_of(&scene, &["explain", "P-001", "--json"]);
    assert_eq!(told["applications"][0]["is_build_failed"], true, "it is known all the same");
}

#[test]
fn a_failed_build_counts_against_the_agent_it_judges_in_its_own_iteration_and_run() {
    let (scene, shop) = failed_build();
    set(&scene, "[rate]\nfailed_build = 0.0\n");
    scene.done(&["run", "learn"]);
    assert_eq!(figures(&scene), ["P-001 4 0.88 high", "P-002 2 1.00 high"]);
    // Nobody rated the patterns, which counts as half relevant.
    assert_near(&weights(&scene, "P-001"), &[0.5, 1.0, 1.0, 1.0]);
    assert_near(&weights(&scene, "P-002"), &[1.0, 1.0]);
    set(&scene, "[rate]\nfailed_build = 0.5\nbuild_agents = [\"plan-writer\"]\n");
    scene.done(&["run", "learn"]);
    assert_near(&weights(&scene, "P-001"), &[1.0, 0.75, 1.0, 1.0]);
    // The build is tried again, and its last word counts.
    tell(&scene, &["build", "passed"], &shop.turn("r1", 1));
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[1.0, 1.0, 1.0, 1.0]);
    scene.done(&["run", "verify"]);
}

#[test]
fn a_failed_build_weighs_by_how_relevant_the_claim_was() {
    let (scene, shop) = Shop::known();
    set(&scene, "[rate]\nfailed_build = 0.2\n");
    let ids = ["P-001", "P-002", "P-003", "P-004"];
    let texts =
        ["Retry API calls with backoff", "Await every promise", "Quote every shell variable", "Name branches after their issue"];
    record(&scene, &std::array::from_fn::<_, 4, _>(|at| known(ids[at], texts[at], "x")));
    record(&scene, &ids.map(|id| application(("r1", 1), BUILDER, id, "applied", &[])));
    let time = super::now();
    let rated = [("P-001", 1.0), ("P-002", 0.25), ("P-003", 0.0)].map(|(id, score)| {
        json!({"kind": "relevance", "ts": time, "project": "shop", "run_id": "r1", "iteration": 1, "pattern_id": id, "score": score})
    });
    record(&scene, &rated);
    tell(&scene, &["build", "failed"], &shop.turn("r1", 1));
    scene.done(&["run", "hourly"]);
    // 1 - 0.8 * relevance; what nobody rated is half relevant.
    for (id, weight) in ids.into_iter().zip([0.2, 0.8, 1.0, 0.6]) {
        assert_near(&weights(&scene, id), &[weight]);
    }
    scene.done(&["run", "verify"]);
}

#[test]
fn the_result_of_another_run_counts_for_that_run() {
    let (scene, shop) = Shop::known();
    set(&scene, "[rate]\nfailed_build = 0.0\n");
    record(&scene, &[known("P-001", "Retry API calls with backoff", "api")]);
    record(&scene, &["r1", "r2"].map(|run| application((run, 1), BUILDER, "P-001", "applied", &[])));
    let left_over = r#"{"status": "failed", "run_id": "r1", "iteration": "1"}"#;
    std::fs::write(shop.learnings().join("build-result.json"), left_over).expect("a result");
    let told = tell(&scene, &["iteration", "--since", &shop.since], &shop.turn("r2", 1));
    assert!(told.contains("build: failed, that of the run r1"), "{told}");
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[0.5, 1.0]);
}

#[test]
fn a_result_that_says_nothing_is_removed_and_each_file_is_a_result_of_its_own() {
    let (scene, shop) = Shop::known();
    let file = shop.learnings().join("build-result.json");
    std::fs::write(&file, r#"{"status": "skipped"}"#).expect("a result");
    let told = tell(&scene, &["build"], &shop.turn("r1", 1));
    assert!(told.contains("unknown result") && !file.exists(), "{told}");
    // The builds say the same each time, and are builds of different iterations, or of one that was built again.
    for iteration in [1, 2, 2] {
        std::fs::write(&file, r#"{"status": "passed"}"#).expect("a result");
        tell(&scene, &["build"], &shop.turn("r1", iteration));
    }
    let written = std::time::SystemTime::now() - Duration::from_secs(60);
    // Whoever was killed before the file was removed takes the same file in again.
    for _ in 0..2 {
        std::fs::write(&file, r#"{"status": "failed", "run_id": "r1", "iteration": "3"}"#).expect("a result");
        std::fs::File::open(&file).and_then(|file| file.set_modified(written)).expect("a time");
        tell(&scene, &["build"], &shop.turn("r1", 9));
    }
    scene.done(&["run", "hourly"]);
    let builds = "select iteration, passed, count(*) from build group by iteration, passed order by iteration";
    assert_eq!(rows(&scene, builds), ["1,true,1", "2,true,2", "3,false,1"]);
    let told = tell(&scene, &["build"], &shop.turn("r1", 1));
    assert!(told.contains("build: no result"), "{told}");
}

#[test]
fn a_result_of_nobody_is_refused_and_a_pipe_in_its_place_does_not_hang() {
    let (scene, shop) = Shop::known();
    let file = shop.learnings().join("build-result.json");
    let work = shop.work();
    let arguments = ["build", "--workdir", work.to_str().expect("a path")];
    std::fs::write(&file, r#"{"status": "passed"}"#).expect("a result");
    let outcome = scene.run(&arguments);
    assert!(outcome.code == 2 && outcome.error.contains("CLOSEDLOOP_RUN_ID") && file.exists(), "{}", outcome.error);
    std::fs::remove_file(&file).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo starts");
    assert!(made.success());
    let outcome = scene.run(&arguments);
    assert!(outcome.code != 0 && outcome.error.contains("not a regular file"), "{}", outcome.error);
}
