//! `outerloop truth eval` and `outerloop selfcheck`, as a person uses them.

use serde_json::Value;

use crate::support::{Outcome, Scene};

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
        ("[[0.8, 1, 1, 9000000000000000000]]", "[0.8,1,1,9000000000000000000]"),
        ("7", "7"),
    ] {
        let input = format!("{{\"patterns\": [{{\"id\": \"P-001\", \"cells\": {cells}}}]}}");
        let outcome = Scene::new().run_with(&["truth", "eval"], input.as_bytes());
        assert_eq!(outcome.code, 2, "{}", outcome.error);
        assert!(outcome.error.contains("`patterns[0].cells` is") && outcome.error.contains(wrong), "{}", outcome.error);
    }
}

#[test]
fn a_pattern_that_is_given_twice_is_refused() {
    let given = br#"[{"id": "P-001", "cells": []}, {"id": "P-001", "cells": []}]"#;
    let outcome = Scene::new().run_with(&["truth", "eval"], given);
    assert!(outcome.code == 2 && outcome.error.contains("`P-001` is given twice"), "{}", outcome.error);
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

#[test]
fn the_selfcheck_simulates_only_the_worlds_that_are_named_and_looks_every_hour() {
    let check = |arguments: &[&str]| Scene::new().run_with(&[&["selfcheck", "--loops", "1", "--json"], arguments].concat(), b"");
    let checked: Value = serde_json::from_str(&check(&["--world", "ten-points", "--world", "nothing-helps"]).out).expect("JSON");
    let told = |place: usize| (checked["worlds"][place]["world"].clone(), checked["worlds"][place]["looks"].clone());
    assert_eq!(told(0), ("a fifth with +-10 points, fixed coins".into(), 1440.into()));
    assert_eq!(told(1), ("nothing helps".into(), 720.into()));
    assert!(checked["worlds"][0]["found"].as_f64().expect("a share") > 0.4, "{checked}");
    assert!(checked["worlds"][2].is_null());
    assert_eq!(check(&["--world", "better"]).code, 2);
}

/// A workspace in which coins fell for two patterns over ten days, and one of them helps.
fn measured() -> Scene {
    let scene = Scene::new();
    let now = store::clock::now().as_microsecond();
    let salt = learn::truth::Salt::new("test".to_owned());
    let mut random = fastrand::Rng::with_seed(5);
    let time = |micros: i64| jiff::Timestamp::from_microsecond(micros).expect("a time").to_string();
    let start = now - 11 * 86_400_000_000;
    let mut lines = String::new();
    for number in 1..=2 {
        let lesson = serde_json::json!({"kind": "learning", "id": format!("l-{number}"), "ts": time(start),
            "summary": format!("alpha{number} beta{number} gamma{number}")});
        lines.extend([lesson.to_string(), "\n".to_owned()]);
    }
    for number in 0..600_i64 {
        let at = start + number * 1_440_000_000;
        let run = format!("run-{number}");
        let is_on = salt.toss(&run, "*", 0.9).is_shown;
        let mut shown = [false; 2];
        let mut events = vec![serde_json::json!({"kind": "assignment", "id": format!("a-{number}"), "ts": time(at), "run_id": run,
            "arm": if is_on { "on" } else { "off" }, "propensity": 0.9})];
        for pattern in 1..=2 {
            let id = format!("P-{pattern:03}");
            if is_on {
                shown[pattern - 1] = salt.toss(&run, &id, 0.8).is_shown;
                let status = if shown[pattern - 1] { "injected" } else { "withheld" };
                events.push(serde_json::json!({"kind": "application", "id": format!("c-{number}-{pattern}"), "ts": time(at),
                    "run_id": run, "pattern_id": id, "status": status, "propensity": 0.8, "session": "s"}));
            }
        }
        let success = random.f64() < if shown[0] { 0.9 } else { 0.4 };
        events.push(serde_json::json!({"kind": "goal", "id": format!("g-{number}"), "ts": time(at + 60_000_000), "run_id": run,
            "goal": "tests", "success": success}));
        lines += &events.iter().map(|event| format!("{event}\n")).collect::<String>();
    }
    scene.land("coins.jsonl", lines.as_bytes());
    scene.done(&["run", "hourly"]);
    scene
}

#[test]
fn verdicts_are_seen_everywhere_and_explain_adds_up() {
    let scene = measured();
    let json = |arguments: &[&str]| -> Value { serde_json::from_str(&scene.done(arguments).out).expect("JSON") };
    let report = scene.done(&["report"]).out;
    assert!(report.lines().nth(2).is_some_and(|line| line.starts_with("The loop helps: +")), "{report}");
    assert!(scene.done(&["status"]).out.contains("The loop helps: +"));
    let list = scene.done(&["patterns", "list"]).out;
    assert!(list.contains("verdict") && list.contains("helps") && list.contains("not enough data, about "), "{list}");
    let card = scene.done(&["patterns", "show", "P-001"]).out;
    assert!(card.contains("helps: +") && card.contains("shown to 80% of the tasks that it fits"), "{card}");
    let metrics = std::fs::read_to_string(scene.workspace.metrics()).expect("the metrics");
    assert!(metrics.contains("outerloop_truth_verdict{subject=\"P-001\"} 1"), "{metrics}");
    let told = scene.done(&["query", "select verdict, units from truth_verdict where subject = 'P-001'", "--format", "json"]).out;
    assert!(told.contains("helps"), "{told}");

    let explained = json(&["explain", "P-001", "--json"]);
    let (truth, verdict) = (&explained["truth"], &explained["truth"]["verdict"]);
    let number = |value: &Value| value.as_f64().expect("a number");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    // Units add up to sums, sums to the lift, bets to the evidence.
    let units: i64 = list(&truth["sums"]).iter().map(|sum| sum["units"].as_i64().expect("units")).sum();
    assert_eq!(units, verdict["units"].as_i64().expect("units"));
    let judged = list(&truth["units"]).iter().filter(|unit| unit["standing"] == "judged").count();
    assert_eq!(i64::try_from(judged).expect("few"), units);
    let sum: f64 = list(&truth["sums"]).iter().map(|sum| number(&sum["adds"])).sum();
    assert!((sum / number(&verdict["weight"]) - number(&verdict["lift"])).abs() < 1e-12);
    let bets: Vec<f64> = list(&truth["bets"]).iter().take(5).map(|bet| number(&bet["ln_gain"]).exp()).collect();
    assert!((bets.iter().sum::<f64>() / 5.0).ln() - number(&verdict["ln_helps"]) < 1e-9, "{truth}");
    // The same figures follow from the published sums, by a command that knows nothing of the workspace.
    let cells: Vec<Value> = list(&truth["sums"])
        .iter()
        .map(|sum| {
            let arm = i64::from(sum["is_shown"] == true);
            serde_json::json!([
                number(&sum["propensity_millionths"]) / 1e6,
                arm,
                number(&sum["outcome_hundredths"]) / 1e2,
                sum["units"]
            ])
        })
        .collect();
    let given = serde_json::json!([{"id": "P-001", "cells": cells}]).to_string();
    let out = scene.run_with(&["truth", "eval", "--json"], given.as_bytes()).out;
    let evaluated: Value = serde_json::from_str(&out).expect("JSON");
    assert!((number(&evaluated[0]["lift"]) - number(&verdict["lift"])).abs() < 1e-12, "{evaluated}");
    assert!((number(&evaluated[0]["ln_helps"]) - number(&verdict["ln_helps"])).abs() < 1e-9, "{evaluated}");
    let text = scene.done(&["explain", "P-001", "--limit", "3"]).out;
    assert!(text.contains("Does it help?") && text.contains("adds to the lift") && text.contains("coins.jsonl:"), "{text}");
}

#[test]
fn the_verdict_on_the_loop_is_explained_as_those_on_patterns_are() {
    let scene = measured();
    let explained: Value = serde_json::from_str(&scene.done(&["explain", "loop", "--json"]).out).expect("JSON");
    let (truth, verdict) = (&explained["truth"], &explained["truth"]["verdict"]);
    let units: i64 = truth["sums"].as_array().expect("sums").iter().map(|sum| sum["units"].as_i64().expect("units")).sum();
    assert_eq!((&verdict["subject"], verdict["units"].as_i64()), (&Value::from("loop"), Some(units)));
    assert_eq!(truth["units"].as_array().expect("units").len(), 600);
    let sum: f64 = truth["sums"].as_array().expect("sums").iter().map(|sum| sum["adds"].as_f64().expect("a number")).sum();
    let [weight, lift] = ["weight", "lift"].map(|name| verdict[name].as_f64().expect("a number"));
    assert!((sum / weight - lift).abs() < 1e-12, "{verdict}");
    let text = scene.done(&["explain", "LOOP", "--limit", "3"]).out;
    assert!(text.contains("The loop helps: +") && text.contains("coins.jsonl:"), "{text}");
    let refused = scene.run(&["explain", "experiment short"]);
    assert!(refused.code == 2 && refused.error.contains("no task had a coin for `experiment short`"), "{}", refused.error);
}

/// Whoever starts a workspace is told of the holdout and how to switch it off, and whoever asks is told what it does.
#[test]
fn init_and_status_tell_of_the_holdout_and_how_to_switch_it_off() {
    let scene = Scene::new();
    let folder = tempfile::TempDir::new().expect("a folder");
    let told =
        Outcome::of(&scene.command(&["init"]).current_dir(folder.path()).env_remove("OUTERLOOP_ROOT").output().expect("it runs"));
    let said = format!("{}{}", told.out, told.error);
    assert!(said.contains("holdout begins by itself") && said.contains("off with `on = \"never\"` under [truth]"), "{said}");
    let status = |scene: &Scene| scene.done(&["status"]).out;
    assert!(status(&scene).contains("no coin is tossed: begins by itself once hooks have shown patterns"), "{}", status(&scene));
    let scene = measured();
    let told = status(&scene);
    assert!(told.contains("90% of tasks are shown patterns; each pattern where it fits in "), "{told}");
    assert!(told.contains("off with `truth.on = \"never\"`"), "{told}");
    std::fs::write(scene.workspace.settings(), "[truth]\non = \"never\"\n").expect("settings");
    assert!(status(&scene).contains("no coin is tossed: `truth.on` is never; only patterns flagged PRUNE are left to chance"));
    std::fs::write(scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    assert!(status(&scene).contains("no coin is tossed: `compat` reproduces a tool that tosses none"));
    scene.done(&["run", "hourly"]);
    let index = std::fs::read_to_string(scene.workspace.current().join(setting::INJECTION_FILE)).expect("an index");
    let coins = index.lines().nth(1).expect("columns").split('\t').position(|column| column == "coin");
    let has_coin = |line: &str| coins.and_then(|place| line.split('\t').nth(place)).is_some_and(|cell| !cell.is_empty());
    assert!(!index.lines().skip(2).any(has_coin), "never a coin in compat: {index}");
}

#[test]
fn a_what_if_is_labelled_a_model_and_knows_its_patterns() {
    let scene = measured();
    let told = scene.done(&["report", "--what-if", "p-001,P-002"]).out;
    assert!(told.starts_with("Without P-001, P-002: about -") && told.contains("This is a model"), "{told}");
    let refused = scene.run(&["report", "--what-if", "P-009"]);
    assert!(refused.code == 2 && refused.error.contains("no coin was tossed for the pattern"), "{}", refused.error);
    let checked = scene.run_with(&["selfcheck", "--loops", "1"], b"").out;
    assert!(checked.contains("Days to a verdict at your ") && checked.contains("judged tasks a day"), "{checked}");
}
