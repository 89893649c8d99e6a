//! `outerloop hud`: one line, in no time, whatever is broken.

use std::fs;
use std::path::PathBuf;

use learn::observation::ObservationScore;

use crate::support::Scene;
use crate::support::observed::{created, observation, publish};

fn folder(scene: &Scene) -> PathBuf {
    scene.root().parent().expect("a folder").to_path_buf()
}

fn hud(scene: &Scene, more: &[&str]) -> String {
    let mut command = scene.command(&[&["hud"], more].concat());
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("OUTERLOOP_PROJECT").stdin(std::process::Stdio::null());
    let output = command.output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn notify(scene: &Scene, text: &str) {
    fs::create_dir_all(folder(scene).join(".memory")).expect("a folder");
    fs::write(folder(scene).join(".memory/.notifications.json"), text).expect("a file");
}

#[test]
fn what_exists_and_what_waits_stands_in_one_line() {
    let scene = Scene::new();
    let mut flagged = created("obs_000005", "decision", "Five");
    flagged.needs_review = true;
    let mut missing = observation("obs_000006", "pitfall", "Six");
    missing.stale_reason = Some("src/gone.rs".to_owned());
    let retired = ObservationScore { status: "deprecated".to_owned(), ..missing.clone() };
    let faded = ObservationScore { is_faded: true, ..missing.clone() };
    let elsewhere = ObservationScore { project: "another".to_owned(), ..created("obs_000009", "workflow", "Nine") };
    publish(
        &scene,
        &[
            created("obs_000001", "workflow", "One"),
            created("obs_000002", "workflow", "Two"),
            created("obs_000003", "procedural", "Three"),
            flagged,
            missing,
            retired,
            faded,
            elsewhere,
        ],
    );
    assert_eq!(hud(&scene, &[]), "Learning: 2 workflows, 1 skill, 1 decision  ⚠ 2 need review\n");
    assert_eq!(hud(&scene, &["--project", "another"]), "Learning: 1 workflow\n");
    let json: serde_json::Value = serde_json::from_str(&hud(&scene, &["--json"])).expect("JSON");
    assert_eq!((&json["created"]["skills"], &json["need_review"], &json["capacity"]), (&1.into(), &2.into(), &().into()));
}

#[test]
fn what_waits_is_shown_although_nothing_exists_yet() {
    let scene = Scene::new();
    let mut one = observation("obs_000001", "decision", "One");
    one.is_blocked = true;
    publish(&scene, &[one]);
    assert_eq!(hud(&scene, &[]), "Learning: ⚠ 1 needs review\n");
}

#[test]
fn the_most_urgent_notice_that_nobody_dismissed_stands_below() {
    let scene = Scene::new();
    publish(&scene, &[created("obs_000001", "pitfall", "One")]);
    notify(
        &scene,
        r#"{"knowledge-capacity-decisions":{"active":true,"threshold":70,"count":73,"ceiling":100,"dismissed_at_threshold":60,"severity":"warning"},
            "knowledge-capacity-pitfalls":{"active":true,"threshold":50,"count":99,"severity":"dim"},"another":{"active":true,"count":1}}"#,
    );
    let below = "⚠ Knowledge: decisions at 73/100: run outerloop learn review --capacity\n";
    assert_eq!(hud(&scene, &[]), format!("Learning: 1 pitfall\n{below}"));
    let colored = hud(&scene, &["--color", "always"]);
    assert!(colored.starts_with("\u{1b}[2mLearning: 1 pitfall\u{1b}[0m\n\u{1b}[33m⚠ Knowledge"), "{colored:?}");
    scene.done(&["learn", "dismiss"]);
    assert_eq!(hud(&scene, &[]), "Learning: 1 pitfall\n");
}

#[test]
fn whatever_is_broken_nothing_is_shown_of_it() {
    let scene = Scene::new();
    assert_eq!(hud(&scene, &[]), "");
    publish(&scene, &[created("obs_000001", "workflow", "One")]);
    notify(&scene, "{\"knowledge-capacity-decisions\":3}");
    assert_eq!(hud(&scene, &[]), "Learning: 1 workflow\n");
    fs::write(scene.workspace.current().join("observations.parquet"), "PAR1 but not really").expect("a file");
    assert_eq!(hud(&scene, &[]), "");
    fs::write(scene.workspace.settings(), "[hook\n").expect("settings");
    assert_eq!(hud(&scene, &[]), "");
    fs::remove_dir_all(scene.root()).expect("it goes");
    assert_eq!(hud(&scene, &[]), "");
}

/// The limit is a tenth of a second for the program as it is shipped; a debug build gets more.
#[test]
fn thousands_of_observations_take_no_time() {
    let scene = Scene::new();
    let many: Vec<ObservationScore> = (0..5000)
        .map(|number| {
            let mut one = created(&format!("obs_{number:06}"), "decision", &format!("Decision number {number} about something"));
            one.evidence = vec!["a quotation of some length that nobody needs here".repeat(4); 8];
            one
        })
        .collect();
    publish(&scene, &many);
    let begin = std::time::Instant::now();
    assert_eq!(hud(&scene, &[]), "Learning: 5000 decisions\n");
    assert!(begin.elapsed() < std::time::Duration::from_secs(1), "{:?}", begin.elapsed());
}
