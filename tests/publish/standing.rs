//! Where nothing changed, nothing is published: the generation stands.

use std::fs;

use engine::Horizon;
use engine::cycle::{CycleOptions, find_standing};
use store::deadline::Deadline;
use store::lake::Checkpoint;
use store::workspace::load_settings;
use text::time::DAY_MICROS;

use crate::support::Scene;
use crate::support::published::{current, generations, learned, put_file, set};

/// Runs the job, which must publish nothing.
#[track_caller]
fn assert_stands(scene: &Scene, generation: &str) {
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains(&format!("nothing new since {generation}")), "{}", outcome.error);
    assert_eq!(current(scene), generation);
}

/// Runs the job, which must publish another generation.
#[track_caller]
fn assert_published(scene: &Scene, why: &str) -> String {
    let before = generations(scene);
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("published "), "{why}: {}", outcome.error);
    let now = current(scene);
    assert!(!before.contains(&now), "{why}: {now}");
    now
}

#[test]
fn a_second_run_without_news_publishes_nothing_and_says_so() {
    let scene = learned(60);
    let generation = current(&scene);
    let before = generations(&scene);
    assert_stands(&scene, &generation);
    assert_eq!(generations(&scene), before);
    let told: serde_json::Value = serde_json::from_str(&scene.done(&["run", "hourly", "--json"]).out).expect("JSON");
    let learn = told["steps"].as_array().expect("steps").iter().find(|step| step["step"] == "learn").expect("a step");
    assert_eq!((&learn["outcome"], &learn["stands"]), (&"done".into(), &generation.as_str().into()));
    let outcome = scene.done(&["run", "hourly", "--full"]);
    assert!(outcome.error.contains("published "), "{}", outcome.error);
    scene.done(&["run", "verify"]);
}

#[test]
fn whatever_figures_depend_on_makes_the_next_run_publish() {
    let scene = learned(60);
    scene.run_with(&["record", "--kind", "goal"], br#"{"run_id":"r-new","goal":"g","success":true,"project":"p"}"#);
    let landed = assert_published(&scene, "an event");
    assert_stands(&scene, &landed);
    scene.land("b.jsonl", b"{\"kind\":\"goal\"\n");
    let refused = assert_published(&scene, "a line that is refused");
    assert_stands(&scene, &refused);
    set(&scene, "[flag]\nstale_after = 3\n");
    let changed = assert_published(&scene, "a setting");
    assert_stands(&scene, &changed);
    let text = scene.done(&["sql", "show", "refusal", "--builtin"]).out;
    put_file(&scene, "refusal", &format!("{text}-- Our own.\n"));
    let own = assert_published(&scene, "a query");
    assert_stands(&scene, &own);
}

#[test]
fn a_damaged_generation_or_note_is_made_anew() {
    let scene = learned(60);
    let note = scene.workspace.standing();
    for damage in ["", "{", "{\"generation\":\"x\",\"inputs\":\"y\",\"until_micros\":9223372036854775807}"] {
        fs::write(&note, damage).expect("damage");
        let anew = assert_published(&scene, damage);
        assert_stands(&scene, &anew);
    }
    fs::remove_file(&note).expect("the note");
    assert_published(&scene, "no note");
    let report = scene.workspace.current().join("report.md");
    fs::write(&report, "changed").expect("damage");
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("published "), "{}", outcome.error);
    assert_ne!(fs::read_to_string(scene.workspace.current().join("report.md")).expect("a report"), "changed");
}

#[test]
fn copies_that_somebody_removed_are_written_again() {
    let scene = learned(60);
    set(&scene, "[[publish.targets]]\nfile = \"report.md\"\nto = \"copy.md\"\n");
    let generation = assert_published(&scene, "a target");
    let copy = scene.root().join("copy.md");
    fs::remove_file(&copy).expect("the copy");
    assert_stands(&scene, &generation);
    assert!(copy.is_file(), "the copy is back");
}

#[test]
fn time_alone_is_looked_at_once_a_day_and_nothing_stands_over_what_a_gate_waits_for() {
    let scene = learned(60);
    let settings = load_settings(&scene.workspace).expect("settings");
    let through = Checkpoint::load(&scene.workspace).expect("readable").map(|checkpoint| checkpoint.next_sequence - 1);
    let manifest = store::publish::load_current(&scene.workspace).expect("readable").expect("a generation").manifest;
    let stands_at = |as_of_micros: i64| {
        let horizon = Horizon { as_of_micros, through };
        let options = CycleOptions { settings: &settings, horizon, deadline: Deadline::NEVER, program: &manifest.program };
        find_standing(&scene.workspace, options).expect("found out").is_some()
    };
    let midnight = (manifest.as_of_micros / DAY_MICROS + 1) * DAY_MICROS;
    assert!(stands_at(manifest.as_of_micros) && stands_at(midnight - 1));
    assert!(!stands_at(midnight), "a day has passed");
    assert!(!stands_at(manifest.as_of_micros - 1), "the clock went back");

    let gate = br#"{"adapter":"git","run_id":"r-let-through","approval":false,"project":"p"}"#;
    scene.run_with(&["record", "--kind", "gate"], gate);
    assert_published(&scene, "a gate");
    assert_published(&scene, "a run that has not reported yet");
}
