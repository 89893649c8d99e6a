//! `outerloop truth eval` and `outerloop selfcheck`, as a person uses them.

use serde_json::Value;

use crate::support::Scene;

const CELLS: &str = r#"[
  {"id": "*", "cells": [[0.9, 1, 1, 3000], [0.9, 1, 0, 1500], [0.9, 0, 1, 250], [0.9, 0, 0, 250]]},
  {"id": "P-001", "category": "tests", "cells": [[0.8, 1, 1, 504], [0.8, 1, 0, 336], [0.8, 0, 1, 105], [0.8, 0, 0, 105]]},
  {"id": "P-002", "category": "tests", "cells": [[0.5, 1, 1, 20], [0.5, 1, 0, 80], [0.5, 0, 1, 60], [0.5, 0, 0, 40]]}
]"#;

#[test]
fn every_figure_of_a_verdict_follows_from_counts() {
    let scene = Scene::new();
    let outcome = scene.run_with(&["truth", "eval", "--json"], CELLS.as_bytes());
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let rows: Value = serde_json::from_str(&outcome.out).expect("JSON");
    let states: Vec<&str> = rows.as_array().expect("rows").iter().map(|row| row["state"].as_str().expect("a state")).collect();
    assert_eq!(states, ["helps", "not enough data", "hurts"]);
    let second = &rows[1];
    let six = |name: &str| (second[name].as_f64().expect("a number") * 1e6).round() / 1e6;
    assert_eq!(
        [six("ln_helps"), six("ln_hurts"), six("lift"), six("radius"), six("variance")],
        [2.249_013, -3.405_105, 0.1, 0.117_151, 41.824]
    );
    assert!(rows[0]["pooled_lift"].is_null() && rows[2]["pooled_lift"].as_f64().expect("a lift") < 0.0);
}

#[test]
fn the_table_of_verdicts_is_for_people() {
    let outcome = Scene::new().run_with(&["truth", "eval"], CELLS.as_bytes());
    assert!(outcome.out.contains("P-001     not enough data    1050   +10.0   -1.7 to +21.7"), "{}", outcome.out);
    assert!(outcome.out.contains("1e10"), "{}", outcome.out);
}

#[test]
fn counts_that_cannot_be_are_refused_with_their_place() {
    for (cells, wrong) in [
        ("[[0.8, 2, 1, 5]]", "[0.8,2,1,5]"),
        ("[[1, 1, 1, 5]]", "[1,1,1,5]"),
        ("[[0.8, 1, 1.5, 5]]", "[0.8,1,1.5,5]"),
        ("[[0.8, 1, 1, -5]]", "[0.8,1,1,-5]"),
        ("[[0.8, 1, 1]]", "[0.8,1,1]"),
        ("7", "7"),
    ] {
        let input = format!("{{\"patterns\": [{{\"id\": \"P-001\", \"cells\": {cells}}}]}}");
        let outcome = Scene::new().run_with(&["truth", "eval"], input.as_bytes());
        assert_eq!(outcome.code, 2, "{}", outcome.error);
        assert!(outcome.error.contains("`patterns[0].cells` is") && outcome.error.contains(wrong), "{}", outcome.error);
    }
}

#[test]
fn the_selfcheck_counts_false_verdicts_and_repeats_itself() {
    let check = || Scene::new().run_with(&["selfcheck", "--loops", "2", "--json"], b"");
    let outcome = check();
    assert_eq!(outcome.code, 0, "{}{}", outcome.out, outcome.error);
    let checked: Value = serde_json::from_str(&outcome.out).expect("JSON");
    assert_eq!(checked["worlds"].as_array().expect("worlds").len(), 4);
    assert_eq!(checked["power"][4]["units"], 2075);
    assert_eq!(check().out, outcome.out);
}
