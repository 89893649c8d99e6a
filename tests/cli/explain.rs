//! `outerloop explain`: the events behind a figure add up to it.

use serde_json::Value;

use crate::support::Scene;
use crate::support::published::{learned, set};

/// How far sums of a few hundred parts of one may differ in their last digits.
const NEAR: f64 = 1e-9;

fn assert_adds_up(scene: &Scene) -> usize {
    let patterns: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let patterns = patterns.as_array().expect("a list");
    for published in patterns {
        let id = published["id"].as_str().expect("an id");
        let told: Value = serde_json::from_str(&scene.done(&["explain", id, "--json"]).out).expect("JSON");
        assert_eq!(&told["pattern"], published);
        let reasons = told["applications"].as_array().expect("a list");
        let counted: Vec<f64> = reasons.iter().filter_map(|reason| reason["weight"].as_f64()).collect();
        let weight: f64 = counted.iter().sum();
        let number = |value: &Value| value.as_f64().expect("a number");
        assert!((weight - number(&published["weight"])).abs() < NEAR, "{id}: {weight} instead of {}", published["weight"]);
        assert!((weight - number(&told["weight"])).abs() < NEAR, "{id}");
        assert_eq!(published["seen"], counted.len(), "{id}");
        let of_status = |status: &str| reasons.iter().filter(|reason| reason["status"] == status).count();
        assert_eq!((&published["withheld"], &published["offered"]), (&of_status("withheld").into(), &of_status("offered").into()));
        assert_eq!(reasons.len() - counted.len(), of_status("withheld") + of_status("offered"), "{id}");
        assert!(reasons.iter().all(|reason| reason["weight"].is_null() != reason["passed_over"].is_null()), "{id}");
        assert_eq!(told["captures"].as_array().expect("a list").len(), published["captures"], "{id}");
        match published["rate"].as_f64() {
            Some(rate) => assert!((weight / number(&published["seen"]) - rate).abs() < NEAR, "{id}: {rate}"),
            None => assert!(counted.is_empty(), "{id}"),
        }
        assert_eq!(told["changed_since"], serde_json::json!([]));
    }
    patterns.len()
}

#[test]
fn the_events_behind_every_figure_add_up_to_it() {
    let scene = learned(700);
    assert!(assert_adds_up(&scene) > 4);
    let shown = scene.done(&["explain", "p-001"]).out;
    for wanted in ["P-001  ", "\nLessons\n", "\nEvents\n", "matched by", "sightings with a total weight of"] {
        assert!(shown.contains(wanted), "{wanted} in {shown}");
    }
    let sum = shown.lines().last().expect("a sum");
    let (left, rate) = sum.split_once(" = ").expect("an equation");
    let (weight, seen) = left.rsplit_once(": ").and_then(|(_, division)| division.split_once(" / ")).expect("a division");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    assert_eq!(format!("{:.2}", number(weight) / number(seen)), rate, "{sum}");
}

#[test]
fn the_figures_of_the_original_add_up_too() {
    let scene = learned(200);
    let patterns: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    set(&scene, "compat = \"closedloop\"\n");
    let outcome = scene.done(&["explain", patterns[0]["id"].as_str().expect("a pattern")]);
    assert!(outcome.error.contains("the settings changed after"), "{}", outcome.error);
    scene.done(&["run", "learn"]);
    assert!(assert_adds_up(&scene) > 0);
    let outcome = scene.run(&["explain", "P-999"]);
    assert!(outcome.code == 2 && outcome.error.contains("patterns list"), "{}", outcome.error);
}

#[test]
fn a_short_list_still_adds_up_to_the_whole() {
    let scene = learned(700);
    let (long, short) =
        (scene.done(&["explain", "P-001", "--limit", "0"]).out, scene.done(&["explain", "P-001", "--limit", "1"]).out);
    assert!(short.lines().count() < long.lines().count() && short.contains("earlier ones, which also count"), "{short}");
    let sum = |shown: &str| shown.split_once("\nSum\n").expect("a sum").1.to_owned();
    assert_eq!(sum(&short), sum(&long));
}
