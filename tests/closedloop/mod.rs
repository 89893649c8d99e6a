//! Both tools side by side on random histories: every difference has a documented reason.

mod replay;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Outcome, Scene};
use replay::Loop;

/// What the comparison says of a history, by reason.
fn compared(seed: u64) -> BTreeMap<String, usize> {
    let scene = Scene::new();
    let home = scene.root().parent().expect("a home").to_path_buf();
    let work = home.join("shop/.closedloop-ai/work");
    Loop::worked(seed).leave(&work, &home.join(".closedloop-ai/learnings"));
    let outcome = scene.run(&["closedloop", "shadow", "--workdir", work.to_str().expect("a path"), "--json"]);
    assert_eq!(outcome.code, 0, "history {seed}: {}\n{}", outcome.out, outcome.error);
    let told: Value = serde_json::from_str(&outcome.out).expect("JSON");
    let documented = include_str!("../../docs/differences.md");
    let mut reasons = BTreeMap::new();
    for difference in told["differences"].as_array().expect("a list") {
        let reason = difference["reason"].as_str().expect("a reason");
        assert!(reason != "unexplained" && documented.contains(&format!("| `{reason}` |")), "history {seed}: {difference}");
        *reasons.entry(reason.to_owned()).or_default() += 1;
    }
    reasons
}

fn compare_all(seeds: std::ops::Range<u64>) {
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for reasons in seeds.map(compared) {
        for (reason, count) in reasons {
            *all.entry(reason).or_default() += count;
        }
    }
    assert!(all.contains_key("matching") && all.contains_key("goal"), "the histories are too tame: {all:?}");
}

#[test]
fn every_difference_of_ten_histories_has_its_reason() {
    compare_all(0..10);
}

#[test]
fn every_difference_of_ten_more_histories_has_its_reason() {
    compare_all(10..20);
}

#[test]
fn every_difference_of_a_third_ten_histories_has_its_reason() {
    compare_all(20..30);
}

/// Runs a script as ClosedLoop's pipeline does.
fn script(scene: &Scene, work: &Path, lines: &str) -> Outcome {
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("set -euo pipefail\n{lines}\necho end")).current_dir(work);
    command.env("CLOSEDLOOP_WORKDIR", work).env("CLOSEDLOOP_RUN_ID", "r1").env("CLOSEDLOOP_ITERATION", "4");
    command.env("OUTERLOOP_ROOT", scene.root()).env("ours", env!("CARGO_BIN_EXE_outerloop")).env("HOME", work);
    Outcome::of(&command.output().expect("bash starts"))
}

#[test]
fn the_steps_are_safe_in_a_strict_pipeline_without_git_with_short_rows_and_with_a_job_at_work() {
    let (scene, folder) = (Scene::new(), TempDir::new().expect("a folder"));
    let work = folder.path().join("work");
    fs::create_dir_all(work.join(".learnings")).expect("folders");
    fs::write(work.join(".learnings/outcomes.log"), "short|row\n2026-05-06T10:00:00Z|r1|1|a|Check the token|applied|\n")
        .expect("a log");
    let steps = "for step in changed_files pattern_relevance merge_relevance evaluate_goal merge_goal_outcome verify_citations \\
        merge_build_result process_learnings write_merged_patterns compute_success_rates export_closedloop_learnings; do
        $ours closedloop $step --start-sha HEAD | tee -a progress.log
    done";
    let outcome = script(&scene, &work, steps);
    assert!(outcome.code == 0 && outcome.out.contains("end"), "{}", outcome.error);
    assert!(outcome.error.contains("not in a git repository") && outcome.error.contains("1 records skipped"), "{}", outcome.error);
    assert!(outcome.error.contains("rates computed and published"), "{}", outcome.error);
    let judged = fs::read_to_string(work.join(".learnings/goal-outcome.json")).expect("a file");
    assert!(judged.contains("\"success\": false") && judged.contains("reduce-failures"), "{judged}");
    // The codes of ClosedLoop's programs, for whoever asks for them.
    assert_eq!(script(&scene, &work, "$ours closedloop evaluate_goal --exit-code").code, 1);
    let held = store::lock::take_lock(&scene.workspace, "a job").expect("the lock");
    let outcome = script(&scene, &work, "$ours closedloop compute_success_rates");
    assert!(outcome.code == 0 && outcome.error.contains("another job is running"), "{}", outcome.error);
    drop(held);
}

/// How often ClosedLoop's rules see the pattern in rows with these times and texts.
fn seen(rows: &[(&str, &str, &str)]) -> i64 {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    let work = scene.root().join("shop/.closedloop-ai/work");
    fs::create_dir_all(work.join(".learnings")).expect("folders");
    let log: String = rows.iter().map(|(time, text, tail)| format!("{time}|r1|1|a|{text}|applied||{tail}\n")).collect();
    fs::write(work.join(".learnings/outcomes.log"), log).expect("a log");
    let patterns = "  P-001,mistake,\"Rotate the key ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6 every month\",low,0,,,*,,*\n";
    fs::write(work.join(".learnings/org-patterns.toon"), patterns).expect("patterns");
    scene.run(&["import", "closedloop", work.to_str().expect("a path")]);
    scene.done(&["run", "compact"]);
    scene.done(&["run", "learn"]);
    scene.count("select max(seen) from pattern")
}

#[test]
fn what_compat_cannot_reproduce_is_measured() {
    const TIME: &str = "2026-05-06T10:00:00Z";
    const KEY: &str = "Rotate the key ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6 every month";
    // Odd times: ClosedLoop counts all four rows.
    assert_eq!(
        seen(&[(TIME, KEY, ""), ("yesterday", KEY, ""), ("1999-05-06T10:00:00Z", KEY, ""), ("2999-05-06T10:00:00Z", KEY, "")]),
        1
    );
    // Odd numbers are read as ClosedLoop reads them.
    assert_eq!(seen(&[(TIME, KEY, "nan|x|g|0|0.1"), (TIME, KEY, "1_0|x|g|0|inf"), (TIME, KEY, "2024|x")]), 3);
    // Both texts are redacted alike: another key in the same sentence matches, which ClosedLoop tells apart.
    let other = "Rotate the key ghp_Z9y8X7w6V5u4Z9y8X7w6V5u4Z9y8X7w6V5u4 every month";
    assert_eq!(seen(&[(TIME, KEY, ""), (TIME, other, "")]), 2);
}
