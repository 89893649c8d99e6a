//! Sums cannot be cut in two: of instants that lie among what they were made from, nothing can be worked out.

use serde_json::json;

use super::{KNOWN, ago, assert_verified, event, figures, land, leftovers, prune, publish, scene};
use crate::support::Scene;
use crate::support::published::set;

#[track_caller]
fn assert_refused(scene: &Scene, as_of: &str) {
    let outcome = scene.run(&["run", "learn", "--as-of", as_of]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    for words in ["was pruned", "--as-of", "outerloop run hourly"] {
        assert!(outcome.error.contains(words), "{words}: {}", outcome.error);
    }
}

#[test]
fn what_was_published_before_pruning_can_be_verified_after_it() {
    let scene = scene();
    scene.done(&["run", "hourly"]);
    let then = ago(0);
    let wanted = publish(&scene, then);
    assert_eq!(prune(&scene).0, 12, "two days with three applications and three findings each");
    assert_verified(&scene);
    assert_eq!(publish(&scene, then), wanted);
    assert_eq!(prune(&scene), (0, 0), "again");
    assert_verified(&scene);
}

#[test]
fn instants_of_pruned_days_are_refused_and_later_ones_are_not() {
    let (scene, then) = (scene(), ago(25));
    let wanted = publish(&scene, then);
    prune(&scene);
    assert_refused(&scene, &ago(35).to_string());
    assert_refused(&scene, &ago(400).to_string());
    assert_eq!(publish(&scene, then), wanted);
    publish(&scene, ago(3));
}

#[test]
fn instants_at_which_less_had_landed_than_the_sums_hold_are_refused() {
    let scene = Scene::new();
    land(&scene, &[event("learning", "lesson", 60, json!({"summary": KNOWN}))]);
    scene.done(&["run", "compact"]);
    let early = ago(0);
    land(&scene, &super::story()[1..]);
    scene.done(&["run", "compact"]);
    let late = ago(0);
    set(&scene, super::KEEP_30);
    let (known_early, known_late) = (publish(&scene, early), publish(&scene, late));
    assert_ne!(figures(&scene, &known_early), figures(&scene, &known_late));
    prune(&scene);
    assert_refused(&scene, &early.to_string());
    assert_eq!(publish(&scene, late), known_late);
}

#[test]
fn instants_at_which_less_was_found_out_than_the_sums_hold_are_refused() {
    let scene = scene();
    scene.done(&["run", "hourly"]);
    // Weeks later somebody judges a run of a day that is about to be pruned.
    let goal =
        event("goal", "late-goal", 3, json!({"run_id": "run-40", "iteration": 1, "goal": "reduce-failures", "success": false}));
    land(&scene, &[goal]);
    scene.done(&["run", "compact"]);
    let (early, late) = (ago(4), ago(2));
    let (known_early, known_late) = (publish(&scene, early), publish(&scene, late));
    assert_ne!(figures(&scene, &known_early), figures(&scene, &known_late));
    prune(&scene);
    assert_refused(&scene, &early.to_string());
    assert_eq!(publish(&scene, late), known_late);
    let outcome = scene.done(&["run", "verify"]);
    assert!(outcome.error.contains("nothing to compare: days pruned since then"), "{}", outcome.error);
    scene.done(&["run", "hourly"]);
    assert_verified(&scene);
}

#[test]
fn findings_that_kept_applications_need_are_kept_with_them() {
    let scene = scene();
    let turn = json!({"run_id": "long-run", "trigger": KNOWN, "method": "context_tags", "score": 0.1});
    let mut shown = event("application", "late-in-a-long-run", 2, json!({"run_id": "long-run", "trigger": KNOWN}));
    shown["status"] = "applied".into();
    let goal = event("goal", "missed", 2, json!({"run_id": "long-run", "goal": "reduce-failures", "success": false}));
    land(&scene, &[event("relevance", "early-in-a-long-run", 44, turn), shown, goal]);
    scene.done(&["run", "compact"]);
    let then = ago(0);
    let wanted = publish(&scene, then);
    prune(&scene);
    assert_eq!(publish(&scene, then), wanted);
    assert_eq!(scene.count("select count(*) from relevance where id = 'early-in-a-long-run'"), 1);
    assert_eq!(leftovers(&scene).len(), 0);
}

#[test]
fn what_is_dated_ahead_of_the_clock_does_not_keep_figures_from_being_published() {
    let scene = scene();
    let ahead = store::clock::now() + jiff::SignedDuration::from_hours(20);
    let mut goal = event("goal", "ahead", 0, json!({"run_id": "run-40", "goal": "reduce-failures", "success": false}));
    goal["ts"] = ahead.to_string().into();
    land(&scene, &[goal]);
    scene.done(&["run", "compact"]);
    let then = ago(0);
    let wanted = publish(&scene, then);
    prune(&scene);
    assert_eq!(publish(&scene, then), wanted);
    scene.done(&["run", "hourly"]);
}
