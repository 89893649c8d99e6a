//! `outerloop patterns`: lists, cards and decisions.

use serde_json::Value;

use crate::support::Scene;
use crate::support::published::{learned, read};

fn json(scene: &Scene, arguments: &[&str]) -> Value {
    serde_json::from_str(&scene.done(arguments).out).expect("JSON")
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|pattern| pattern["id"].as_str().expect("an id")).collect()
}

#[test]
fn patterns_are_listed_with_their_figures_and_by_flag() {
    let scene = learned(400);
    let all = json(&scene, &["patterns", "list", "--all", "--json"]);
    assert_eq!(ids(&all).len(), usize::try_from(scene.count("select count(*) from pattern")).expect("a number"));
    let mut listed = 0;
    for flag in ["untested", "REVIEW", "[STALE]", "prune"] {
        let flagged = json(&scene, &["patterns", "list", "--flag", flag, "--json"]);
        let word = flag.trim_matches(['[', ']']).to_uppercase();
        assert!(flagged.as_array().expect("a list").iter().all(|pattern| pattern["flag"] == *word), "{flagged}");
        listed += ids(&flagged).len();
    }
    let in_use = json(&scene, &["patterns", "list", "--json"]);
    let unflagged = in_use.as_array().expect("a list").iter().filter(|pattern| pattern["flag"] == "").count();
    assert_eq!(listed + unflagged, ids(&in_use).len());
    assert_eq!(ids(&json(&scene, &["patterns", "list", "--limit", "2", "--json"])), ids(&in_use)[..2]);
    let shown = scene.done(&["patterns", "list", "--limit", "2"]).out;
    assert!(shown.contains("interval") && shown.contains(ids(&in_use)[1]) && shown.lines().count() == 4, "{shown}");
    let outcome = scene.run(&["patterns", "list", "--flag", "sparkling"]);
    assert!(outcome.code == 2 && outcome.error.contains("untested, review, stale, prune"), "{}", outcome.error);
}

#[test]
fn a_pattern_is_shown_on_a_card_and_as_json() {
    let scene = learned(400);
    let pattern = json(&scene, &["patterns", "show", "p-001", "--json"]);
    assert_eq!(pattern["id"], "P-001");
    let card = scene.done(&["patterns", "show", "P-001"]).out;
    let seen = format!("seen {} = {} applied", pattern["seen"], pattern["applied"]);
    assert!(card.starts_with("P-001  ") && card.contains(&seen) && card.contains("captured "), "{card}");
    let outcome = scene.run(&["patterns", "show", "P-999"]);
    assert!(outcome.code == 2 && outcome.error.contains("patterns list --all"), "{}", outcome.error);
}

#[test]
fn a_retired_lesson_that_is_captured_again_stays_retired_until_it_is_restored() {
    let scene = Scene::new();
    let capture = |id: &str| {
        let lesson = format!(
            "{{\"kind\":\"learning\",\"id\":\"{id}\",\"ts\":\"2026-10-01T00:00:00Z\",\"summary\":\"Close file handles as soon as the loop ends\"}}\n"
        );
        assert_eq!(scene.run_with(&["record"], lesson.as_bytes()).code, 0);
        scene.done(&["run", "hourly"]);
    };
    let state = || json(&scene, &["patterns", "show", "P-001", "--json"])["state"].as_str().expect("a state").to_owned();
    let is_in_file = || read(&scene, "org-patterns.toon").contains("Close file handles");
    let decide = |action: &str| {
        let outcome = scene.done(&["patterns", action, "p-001", "--reason", "we close them\nelsewhere", "--actor", "ann"]);
        assert!(outcome.error.contains("takes effect with the next run"), "{}", outcome.error);
    };
    capture("one");
    assert_eq!((state(), is_in_file()), ("learned".to_owned(), true));
    decide("retire");
    assert_eq!(state(), "learned");
    capture("two");
    assert_eq!((state(), is_in_file()), ("retired".to_owned(), false));
    assert_eq!(ids(&json(&scene, &["patterns", "list", "--json"])), [""; 0]);
    assert_eq!(ids(&json(&scene, &["patterns", "list", "--all", "--json"])), ["P-001"]);
    assert!(scene.done(&["patterns", "show", "P-001"]).out.contains("decided by ann: we close them elsewhere"));
    decide("restore");
    capture("three");
    assert_eq!((state(), is_in_file()), ("learned".to_owned(), true));
    assert_eq!(json(&scene, &["patterns", "show", "P-001", "--json"])["captures"], 3);
    decide("reject");
    decide("promote");
    capture("four");
    assert_eq!(state(), "promoted");
    let outcome = scene.run(&["patterns", "retire", "P-002", "--reason", "x"]);
    assert_eq!(outcome.code, 2, "{}", outcome.error);
}
