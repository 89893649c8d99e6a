//! What becomes known after a run: its outcome, a rollback, a person's intervention.

use serde_json::{Value, json};

use super::parse;
use crate::support::Scene;
use crate::support::published::{read, set};

fn scene(settings: &str) -> Scene {
    let scene = Scene::new();
    set(&scene, &format!("project = \"shop\"\n{settings}"));
    let runs = ["plain", "back", "over"].map(|name| {
        let event = json!({"kind": "run", "ts": "2026-05-01T10:00:00Z", "run_id": name, "result": "success", "adapters": ["github"],
            "rollback": name == "back", "human_override": name == "over"});
        format!("{event}\n")
    });
    scene.run_with(&["record"], runs.concat().as_bytes());
    scene
}

fn score(scene: &Scene) -> Value {
    scene.done(&["run", "hourly"]);
    let store: Value = serde_json::from_str(&read(scene, "learning-store.json")).expect("JSON");
    store["reliability"][0]["reliabilityScore"].clone()
}

#[test]
fn an_outcome_takes_the_place_of_what_a_run_said_of_itself() {
    let scene = scene("");
    assert_eq!(score(&scene), json!(1));
    scene.done(&["outcome", "plain", "fail", "--project", "shop", "--reason", "reverted"]);
    // 0.6 × 2/3 + 0.2 + 0.2 × 2/3
    assert_eq!(score(&scene), json!(0.733));
    let explained = parse(&scene.done(&["policy", "explain", "github", "--json"]).out);
    assert_eq!((&explained["sums"]["successes"], &explained["score"]), (&json!(2), &json!(0.733)));
    scene.done(&["outcome", "plain", "pass", "--project", "shop"]);
    assert_eq!(score(&scene), json!(1), "the latest result counts");
}

#[test]
fn settings_say_what_late_truths_count_for() {
    for (settings, wanted) in [
        ("[reliability]\nrollback_fails = true\n", 0.733),
        ("[reliability]\noverride_fails = true\n", 0.733),
        ("[reliability]\nrollback_fails = true\noverride_fails = true\n", 0.467),
        ("[reliability]\nlate_results = false\n", 1.0),
    ] {
        let scene = scene(settings);
        if settings.contains("late_results") {
            scene.done(&["outcome", "plain", "fail", "--project", "shop"]);
        }
        assert_eq!(score(&scene).as_f64(), Some(wanted), "{settings}");
    }
}

#[test]
fn an_outcome_of_an_unknown_run_says_so() {
    let scene = scene("");
    let told = |scene: &Scene, run: &str, project: &str| {
        let outcome = scene.done(&["outcome", run, "fail", "--project", project, "--json"]);
        (parse(&outcome.out)["known"].clone(), outcome.error.contains("unknown run"))
    };
    assert_eq!(told(&scene, "plain", "shop"), (json!(true), false), "it waits in the inbox");
    assert_eq!(told(&scene, "palin", "shop"), (json!(false), true));
    scene.done(&["run", "compact"]);
    assert_eq!(told(&scene, "plain", "shop"), (json!(true), false));
    assert_eq!(told(&scene, "palin", "shop"), (json!(false), true), "its own outcome does not make a run known");
    assert_eq!(told(&scene, "plain", "bank"), (json!(false), true));
}

#[test]
fn an_explanation_names_the_result_that_counts_and_why() {
    let scene = scene("[reliability]\nrollback_fails = true\noverride_fails = true\n");
    scene.done(&["outcome", "plain", "fail", "--project", "shop", "--reason", "reverted"]);
    scene.done(&["run", "hourly"]);
    let explained = parse(&scene.done(&["policy", "explain", "github", "--json"]).out);
    let runs = explained["runs"].as_array().expect("runs");
    let why = |name: &str| {
        let run = runs.iter().find(|run| run["run_id"] == name).expect("the run");
        (run["result"].clone(), run["counts_as"].clone(), run["because"].clone())
    };
    assert_eq!(why("plain"), (json!("success"), json!("failure"), json!("outcome fail: reverted")), "{explained}");
    assert_eq!(why("back"), (json!("success"), json!("failure"), json!("rolled back")));
    assert_eq!(why("over"), (json!("success"), json!("failure"), json!("overruled by a person")));
    let told = scene.done(&["policy", "explain", "github"]).out;
    assert!(told.contains("success, counts as failure: outcome fail: reverted"), "{told}");
}
