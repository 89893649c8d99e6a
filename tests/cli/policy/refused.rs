//! Runs that are refused are counted, and no gate opens because failures were refused.

use std::fs;

use serde_json::{Value, json};

use super::parse;
use crate::support::Scene;
use crate::support::published::{read, set};

fn run(number: u32, members: &Value) -> String {
    let mut event = json!({"kind": "run", "ts": format!("2026-05-01T10:00:{number:02}Z"), "run_id": format!("r{number}"),
        "adapters": ["GitHub"]});
    event.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
    format!("{event}\n")
}

/// Four successes, and four failures that nobody can take, because they do not say what failed.
fn half_refused() -> String {
    let good = (1..=4).map(|number| run(number, &json!({"result": "success"})));
    good.chain((5..=8).map(|number| run(number, &json!({"result": "failure"})))).collect()
}

fn gate(scene: &Scene, adapter: &str) -> (i32, Value) {
    let outcome = scene.run(&["gate", adapter, "--json"]);
    (outcome.code, parse(&outcome.out))
}

#[test]
fn a_gate_stays_closed_when_failures_are_refused() {
    for by_record in [true, false] {
        let scene = Scene::new();
        if by_record {
            assert_eq!(scene.run_with(&["record"], half_refused().as_bytes()).code, 1);
        } else {
            scene.land("a.jsonl", half_refused().as_bytes());
        }
        scene.done(&["run", "hourly"]);
        assert_eq!(scene.count("select count(*) from quarantine where kind = 'run' and run_id is not null"), 4);
        let (code, answer) = gate(&scene, "github");
        assert_eq!((code, &answer["approval"], &answer["multiplier"]), (1, &json!(true), &json!(1.4)), "{answer}");
        assert_eq!((&answer["score"], &answer["refusedRuns"]), (&json!(1.0), &json!(4)), "the original's score stays visible");
        // 0.6 × 4/8 + 0.2 × (1 - 1.5/3) + 0.2 × 4/8
        assert_eq!((&answer["lowestScore"], &answer["highestScore"]), (&json!(0.5), &json!(1.0)));
        assert_eq!(answer["triggers"], json!([{"type": "refusedRuns", "runs": 4, "score": 0.5}]));
        let said = scene.run(&["gate", "github"]).out;
        assert!(said.contains("4 refused runs put it between 0.5 and 1"), "{said}");
        let report = scene.done(&["report"]).out;
        assert!(
            report.contains("Not recorded properly since: 4 of github.") && report.contains("1.000 (0.500 to 1.000)"),
            "{report}"
        );
        let explained = scene.done(&["policy", "explain", "github"]).out;
        assert!(explained.contains("4 runs were refused") && explained.contains("between 0.5 and 1"), "{explained}");
        let doctor = scene.run(&["doctor"]).out;
        assert!(doctor.contains("4 of github"), "{doctor}");
        let figures = read(&scene, "policy.prom");
        assert!(figures.contains("outerloop_learning_refused_runs{adapter=\"github\"} 4"), "{figures}");
    }
}

#[test]
fn a_refused_run_that_is_recorded_properly_is_missing_no_more() {
    let scene = Scene::new();
    scene.run_with(&["record"], half_refused().as_bytes());
    let mended: String =
        (5..=8).map(|number| run(number, &json!({"result": "failure", "failure_type": format!("kind-{number}")}))).collect();
    scene.run_with(&["record"], mended.as_bytes());
    scene.done(&["run", "hourly"]);
    let (_, answer) = gate(&scene, "github");
    assert_eq!((&answer["refusedRuns"], &answer["score"], &answer["lowestScore"]), (&json!(0), &json!(0.6), &json!(0.6)));
}

#[test]
fn an_adapter_of_which_every_run_was_refused_is_not_allowed() {
    let scene = Scene::new();
    let lines = run(1, &json!({"result": "failure"})) + &run(1, &json!({"result": "failure", "quality": 7}));
    scene.run_with(&["record"], lines.as_bytes());
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["score"]), (1, &json!(1), &Value::Null), "one run, refused twice: {answer}");
    let explained = scene.done(&["policy", "explain", "github"]).out;
    assert!(explained.contains("All runs were refused"), "{explained}");
}

#[test]
fn a_refused_run_without_an_adapter_may_be_anybodys() {
    let scene = Scene::new();
    let good: String = (1..=9).map(|number| run(number, &json!({"result": "success"}))).collect();
    scene.run_with(&["record"], good.as_bytes());
    scene.run_with(&["record", "--kind", "run"], b"{\"run_id\":\"x\",\"result\":\"failure\"}\n");
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["lowestScore"]), (0, &json!(1), &json!(0.9)));
    assert_eq!(answer["multiplier"], json!(1), "0.9 is not above 0.9, so trust is withheld");
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("1 that name no adapter"), "{doctor}");
}

#[test]
fn rules_follow_the_originals_score_where_settings_say_so() {
    for settings in ["[overlay]\ncount_refused = false\nleast_runs = 1\n", "compat = \"closedloop\"\n"] {
        let scene = Scene::new();
        set(&scene, settings);
        scene.run_with(&["record"], half_refused().as_bytes());
        scene.done(&["run", "hourly"]);
        let (code, answer) = gate(&scene, "github");
        assert_eq!((code, &answer["multiplier"], &answer["refusedRuns"]), (0, &json!(0.9), &json!(4)), "{settings}: {answer}");
    }
}

#[test]
fn an_adapter_is_trusted_after_enough_runs() {
    let scene = Scene::new();
    for (number, wanted) in [(1, 1.0), (4, 1.0), (5, 0.9)] {
        let lines: String = (1..=number).map(|number| run(number, &json!({"result": "success"}))).collect();
        scene.run_with(&["record"], lines.as_bytes());
        scene.done(&["run", "hourly"]);
        assert_eq!(gate(&scene, "github").1["multiplier"].as_f64(), Some(wanted), "{number} runs");
    }
}

#[test]
fn an_import_keeps_the_runs_that_it_leaves_out() {
    let scene = Scene::new();
    let folder = scene.root().join("project/.codekit/learning");
    fs::create_dir_all(&folder).expect("a folder");
    let outcome = |id: &str, members: &Value| {
        let mut outcome = json!({"runId": id, "status": "success", "success": true, "retryCount": 0, "timeTakenMs": 1,
            "qualityScore": 1, "adaptersUsed": ["github"], "createdAt": "2026-05-01T10:00:00.000Z"});
        outcome.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        outcome
    };
    let store = json!({"version": 1, "patterns": [], "reliability": [], "policyOverlays": [], "updatedAt": "2026-05-01T10:00:00.000Z",
        "outcomes": [outcome("good", &json!({})), outcome("odd", &json!({"retryCount": "NaN"})),
            outcome("typeless", &json!({"status": "failed", "success": false, "qualityScore": 0}))]});
    fs::write(folder.join("learning-store.json"), store.to_string()).expect("a store");
    let path = scene.root().join("project");
    assert_eq!(scene.run(&["import", "codekit", path.to_str().expect("text"), "--project", "shop"]).code, 1);
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["runs"], &answer["refusedRuns"]), (1, &json!(1), &json!(2)), "{answer}");
}

#[test]
fn whoever_is_refused_for_a_failure_without_a_type_is_told_what_to_add_with_a_line_to_copy() {
    let scene = Scene::new();
    let example = r#"{"kind":"run","run_id":"r-1","adapters":["terminal"],"result":"failure","failure_type":"timeout"}"#;
    let told = scene.run_with(&["record"], run(1, &json!({"result": "failure"})).as_bytes());
    assert_eq!(told.code, 1);
    for words in ["`failure_type` is missing from a run that failed", "\"failure_type\":\"timeout\"", example] {
        assert!(told.error.contains(words), "{words}: {}", told.error);
    }
    // Lines that a program leaves in the inbox are refused where nobody looks.
    scene.land("a.jsonl", run(2, &json!({"result": "failure"})).as_bytes());
    let hourly = scene.run(&["run", "hourly"]);
    assert!(hourly.error.contains("`outerloop status` says what is wrong"), "{}", hourly.error);
    let status = scene.done(&["status"]).out;
    let line = status.lines().find(|line| line.starts_with("2 lines, the last is a.jsonl:1: ")).expect("what is wrong");
    assert!(line.contains("`failure_type` is missing") && line.contains(example), "{line}");
    let faults = parse(&scene.done(&["status", "--json"]).out)["faults"].clone();
    assert_eq!((&faults[0]["lines"], &faults[0]["file"]), (&json!(2), &json!("a.jsonl")), "{faults}");
    // The line that is shown can be recorded as it is.
    scene.run_with(&["record"], example.as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from run where run_id = 'r-1' and failure_type = 'timeout'"), 1);
}

fn good(runs: u32) -> String {
    (1..=runs).map(|number| run(number, &json!({"result": "success"}))).collect()
}

#[test]
fn a_run_that_says_its_kind_wrongly_or_not_at_all_is_a_refused_run() {
    for kind in [json!("Run"), json!(" RUN"), json!("outcome"), json!(7), Value::Null] {
        for by_record in [true, false] {
            let scene = Scene::new();
            let bad = (11..=15).map(|number| run(number, &json!({"kind": kind, "result": "failure", "failure_type": "x"})));
            let lines = good(5) + &bad.collect::<String>();
            if by_record {
                scene.run_with(&["record"], lines.as_bytes());
            } else {
                scene.land("a.jsonl", lines.as_bytes());
            }
            scene.done(&["run", "hourly"]);
            let (code, answer) = gate(&scene, "github");
            assert_eq!((code, &answer["refusedRuns"], &answer["lowestScore"]), (1, &json!(5), &json!(0.5)), "{kind}: {answer}");
            let doctor = scene.run(&["doctor"]).out;
            assert!(doctor.contains("5 of github"), "{doctor}");
        }
    }
}

#[test]
fn what_names_another_kind_or_only_looks_like_a_run_is_none() {
    let scene = Scene::new();
    let others = [
        r#"{"kind":"goal","run_id":"x","adapters":["github"]}"#,
        r#"{"kind":"tool_call","run_id":"x","result":"failure"}"#,
        r#"{"summary":"a lesson without a kind"}"#,
        "no JSON at all",
    ];
    scene.run_with(&["record"], (good(5) + &others.join("\n")).as_bytes());
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["multiplier"]), (0, &json!(0), &json!(0.9)), "{answer}");
    assert_eq!(scene.count("select count(*) from quarantine"), 4);
}

/// Runs that were reported as successes, and reported again a day later as failures that nobody can take.
fn doubted(settings: &str) -> Scene {
    let scene = Scene::new();
    set(&scene, settings);
    scene.run_with(&["record"], good(6).as_bytes());
    scene.done(&["run", "hourly"]);
    let later = |number| run(number, &json!({"ts": format!("2026-05-02T10:00:{number:02}Z"), "result": "failure", "quality": 0}));
    scene.run_with(&["record"], (1..=6).map(later).collect::<String>().as_bytes());
    scene.done(&["run", "hourly"]);
    scene
}

#[test]
fn a_run_whose_latest_report_was_refused_is_unknown() {
    let scene = doubted("");
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["runs"], &answer["refusedRuns"]), (1, &json!(6), &json!(6)), "{answer}");
    // No run counts twice: what was taken of these six is no evidence of them any more.
    assert_eq!((&answer["score"], &answer["lowestScore"], &answer["highestScore"]), (&json!(1.0), &json!(0.0), &json!(1.0)));
    let explained = parse(&scene.done(&["policy", "explain", "github", "--json"]).out);
    assert_eq!((&explained["refused"], &explained["lowest_score"]), (&json!(6), &json!(0)), "{explained}");
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("6 of github"), "{doctor}");
    // A proper report of the same moment, or of a later one, settles it.
    let mended = |number: u32| {
        let time = format!("2026-05-02T10:00:{:02}Z", if number == 1 { 1 } else { 30 + number });
        run(number, &json!({"ts": time, "result": "failure", "failure_type": format!("f{number}")}))
    };
    scene.run_with(&["record"], (1..=6).map(mended).collect::<String>().as_bytes());
    scene.done(&["run", "hourly"]);
    let (_, answer) = gate(&scene, "github");
    assert_eq!((&answer["runs"], &answer["refusedRuns"], &answer["score"]), (&json!(6), &json!(0), &json!(0.2)), "{answer}");
}

#[test]
fn an_earlier_or_replaced_report_that_was_refused_does_not_matter() {
    let scene = Scene::new();
    let early = |number| run(number, &json!({"ts": format!("2026-04-30T10:00:{number:02}Z"), "result": "failure"}));
    scene.run_with(&["record"], (good(6) + &(1..=6).map(early).collect::<String>()).as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(0));
    // Where the first report of a run counts, later ones say nothing.
    let (code, answer) = gate(&doubted("[run]\nreplace = false\n"), "github");
    assert_eq!((code, &answer["refusedRuns"]), (0, &json!(0)), "{answer}");
}

#[test]
fn a_line_that_was_cut_off_is_settled_by_the_whole_one() {
    let scene = Scene::new();
    scene.run_with(&["record"], good(6).as_bytes());
    let whole: Vec<String> = (11..=12).map(|number| run(number, &json!({"result": "failure", "failure_type": "t"}))).collect();
    for line in &whole {
        scene.run_with(&["record"], &line.as_bytes()[..line.len() - 2]);
    }
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(2));
    scene.run_with(&["record"], whole.concat().as_bytes());
    scene.done(&["run", "hourly"]);
    let (_, answer) = gate(&scene, "github");
    assert_eq!((&answer["runs"], &answer["refusedRuns"]), (&json!(8), &json!(0)), "{answer}");
}

#[test]
fn a_person_settles_refused_lines_that_no_record_can() {
    let scene = Scene::new();
    let nameless =
        |adapters: Value| format!("{}\n", json!({"kind": "run", "result": "failure", "adapters": adapters, "failure_type": "t"}));
    scene.run_with(&["record"], good(6).as_bytes());
    for _ in 0..2 {
        scene.run_with(&["record"], nameless(json!(["github"])).as_bytes());
    }
    scene.run_with(&["record"], nameless(json!([])).as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(3));
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("outerloop policy clear --refused"), "a remedy that works: {doctor}");
    // Failures that are fixed say nothing of lines that nobody could read.
    scene.done(&["policy", "clear", "github", "--reason", "fixed"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(3));
    // Those of one adapter.
    scene.done(&["policy", "clear", "GitHub", "--refused", "--reason", "recorded again as w1 and w2"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(1));
    // All of them.
    scene.done(&["policy", "clear", "--refused", "--reason", "a test of the recorder"]);
    scene.done(&["run", "hourly"]);
    let (code, answer) = gate(&scene, "github");
    assert_eq!((code, &answer["refusedRuns"], &answer["multiplier"]), (0, &json!(0), &json!(0.9)), "{answer}");
    let doctor = scene.run(&["doctor"]).out;
    assert!(doctor.contains("no runs are missing"), "{doctor}");
    // What is refused afterwards counts again.
    scene.run_with(&["record"], nameless(json!(["github"])).as_bytes());
    scene.done(&["run", "hourly"]);
    assert_eq!(gate(&scene, "github").1["refusedRuns"], json!(1));
    assert_eq!(scene.run(&["policy", "clear", "--reason", "what?"]).code, 2, "neither an adapter nor refused lines");
    assert_eq!(scene.run(&["policy", "clear", "github", "--refused", "--failure", "t", "--reason", "x"]).code, 2);
}
