//! The history: one line a run, for people, programs and queries.

use std::fs;
use std::io::Write as _;

use store::job::load_history;

use super::{last_run, steps};
use crate::support::published::{current, learned};
use crate::support::{Material, Scene};

#[test]
fn a_run_leaves_a_line_with_its_times_counts_and_generation() {
    let scene = learned(100);
    let run = last_run(&scene);
    assert_eq!((&run["job"], &run["outcome"], &run["exit"]), (&"hourly".into(), &"done".into(), &0.into()));
    assert_eq!(run["generation"], current(&scene).as_str());
    assert!(run["started"].as_str() < run["ended"].as_str() && run["error"].is_null(), "{run}");
    let all = ["capture", "observe", "compact", "classify", "compact", "learn", "render", "embed"];
    assert_eq!(steps(&run), all.map(|step| (step, "done", 1)));
    let counts = &run["steps"][2]["numbers"];
    let sum =
        ["taken", "duplicates", "quarantined", "blank"].iter().map(|name| counts[name].as_i64().expect("a number")).sum::<i64>();
    assert_eq!((counts["lines"].as_i64(), Some(sum)), (Some(100), Some(100)));
    assert_eq!(run["through"], counts["taken"]);
    assert_eq!(run["steps"][5]["numbers"]["applications"].as_i64(), Some(scene.count("select count(*) from application")));
    assert!(run["steps"][5]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{run}");
}

#[test]
fn the_history_is_a_table_with_a_row_for_each_step() {
    let scene = Scene::new();
    let ask = |sql: &str| scene.done(&["query", sql, "--format", "jsonl"]).out;
    assert_eq!(ask("select step, step_outcome, attempts, numbers from history"), "");
    scene.land("a.jsonl", &Material::made(44, 50).bytes);
    scene.done(&["run", "maintain"]);
    scene.done(&["run", "compact"]);
    let rows: Vec<serde_json::Value> = ask("select step, step_outcome, attempts, numbers from history")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let named: Vec<_> =
        rows.iter().map(|row| (row["step"].as_str(), row["step_outcome"].as_str(), row["attempts"].as_i64())).collect();
    let done = |step: &'static str| (Some(step), Some("done"), Some(1));
    assert_eq!(named, [done("compact"), done("rewrite"), done("compact")]);
    assert_eq!((&rows[0]["numbers"]["lines"], &rows[2]["numbers"]["lines"]), (&50.into(), &0.into()));
    assert_eq!(scene.count("select sum(numbers['lines']) from history where job = 'maintain' and step = 'compact'"), 50);
    assert_eq!(scene.count("select count(*) from history where ended >= started and outcome = 'done' and error is null"), 3);
}

#[test]
fn a_line_that_a_killed_run_left_unfinished_costs_no_other() {
    let scene = Scene::new();
    scene.done(&["run", "compact"]);
    let path = scene.workspace.history().join("runs.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&path).expect("the history");
    file.write_all(b"{\"job\":\"compact\",\"started\":\"2026-").expect("half a line");
    scene.done(&["run", "rewrite"]);
    scene.done(&["run", "compact"]);
    let jobs: Vec<String> = load_history(&scene.workspace).expect("a history").into_iter().map(|record| record.job).collect();
    assert_eq!(jobs, ["compact", "rewrite", "compact"]);
    assert_eq!(scene.count("select count(*) from history where step is not null"), 3);
    assert!(fs::read_to_string(scene.workspace.metrics()).expect("metrics").contains("job=\"rewrite\""));
}
