//! What lands after its day was pruned, and numbers that go on.

use std::fs;

use serde_json::json;
use store::lake::Checkpoint;

use super::{KNOWN, event, figures, instant, land, past, prune, publish, scene};

#[test]
fn an_application_of_a_pruned_day_goes_to_quarantine_and_counts_nowhere() {
    let scene = scene();
    let then = instant();
    prune(&scene);
    let wanted = figures(&scene, &publish(&scene, then));
    let turn = json!({"run_id": "run-40", "iteration": 1, "trigger": KNOWN, "status": "applied"});
    land(&scene, &[event("application", "too-late", 40, turn)]);
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("0 taken + 0 duplicates + 1 quarantined"), "{}", outcome.error);
    assert_eq!(scene.count("select count(*) from quarantine where code = 'too_late' and text like '%too-late%'"), 1);
    assert!(scene.done(&["status"]).out.contains("too_late"));
    assert_eq!(figures(&scene, &publish(&scene, then)), wanted);
    assert_eq!(scene.count("select count(*) from application where id = 'too-late'"), 0);
}

#[test]
fn what_is_found_out_late_about_pruned_applications_changes_no_figure() {
    let scene = scene();
    let then = instant();
    prune(&scene);
    let wanted = figures(&scene, &publish(&scene, then));
    let of_run = |more: serde_json::Value| {
        let mut members = json!({"run_id": "run-40", "iteration": 1});
        super::merge(&mut members, more);
        members
    };
    let rated = json!({"trigger": KNOWN, "score": 1.0, "method": "context_tags"});
    let cited = json!({"trigger": KNOWN, "path": "a.rs", "cited_line": 1, "verified": false});
    land(
        &scene,
        &[
            event("relevance", "old-rating", 40, of_run(rated.clone())),
            event("build", "old-build", 40, of_run(json!({"passed": true}))),
            event("relevance", "late-rating", 2, of_run(rated)),
            event("citation", "late-citation", 2, of_run(cited)),
            event("build", "late-build", 2, of_run(json!({"passed": true}))),
            event("goal", "late-goal", 2, json!({"run_id": "run-40", "goal": "other-goal", "success": false})),
            event("run", "old-run", 40, json!({"run_id": "run-40", "result": "success", "adapters": ["terminal"]})),
        ],
    );
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("5 taken + 0 duplicates + 2 quarantined"), "{}", outcome.error);
    assert_eq!(figures(&scene, &publish(&scene, then)), wanted);
    assert!(super::read_report(&scene).contains("other-goal"), "the goal of a run counts, however late it is judged");
}

#[test]
fn goals_and_lessons_are_never_pruned() {
    let scene = scene();
    let count = |table: &str| scene.count(&format!("select count(*) from {table}"));
    let kept = ["goal", "learning"].map(count);
    assert_eq!(kept, [5, 1]);
    prune(&scene);
    assert_eq!(["goal", "learning"].map(count), kept);
    assert_eq!(["application", "relevance", "citation", "build"].map(count), [9, 3, 3, 3]);
}

#[test]
fn a_lost_checkpoint_makes_nothing_count_twice_after_pruning() {
    let scene = scene();
    let then = instant();
    prune(&scene);
    let wanted = figures(&scene, &publish(&scene, then));
    let last = past(&scene).last_sequence;
    assert_eq!(last, i64::try_from(super::story().len()).expect("few"), "the events that landed last were pruned");
    fs::remove_file(scene.workspace.checkpoint()).expect("a checkpoint");
    let refused = scene.count("select count(*) from quarantine");
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from quarantine"), refused, "what stands in the sums is no refusal");
    let next = Checkpoint::load(&scene.workspace).expect("it can be read").expect("a checkpoint").next_sequence;
    assert_eq!(next, last + 1);
    assert_eq!(figures(&scene, &publish(&scene, then)), wanted);
    land(&scene, &[event("application", "after", 1, json!({"run_id": "run-1", "trigger": KNOWN, "status": "applied"}))]);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select landing_seq from application where id = 'after'"), last + 1);
    assert_ne!(figures(&scene, &publish(&scene, then)), wanted);
}
