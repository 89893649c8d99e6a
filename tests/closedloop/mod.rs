//! Both tools side by side on random histories: every difference has a documented reason.

mod replay;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Outcome, Scene};
use replay::{Loop, Place, Turn};

/// A home folder with a repository that ClosedLoop works in, and a workspace that learns beside it.
struct Beside {
    scene: Scene,
    place: Place,
}

impl Beside {
    /// In two of three, the run folder lies below the top of the repository.
    fn new(seed: u64) -> Self {
        let scene = Scene::new();
        let home = scene.root().parent().expect("a home").canonicalize().expect("a home");
        let top = home.join("shop");
        let work = if seed.is_multiple_of(3) { top.clone() } else { top.join(".closedloop-ai/work") };
        Self { scene, place: Place { top, work, global: home.join(".closedloop-ai/learnings") } }
    }

    fn work(&self) -> &str {
        self.place.work.to_str().expect("a path")
    }

    /// ClosedLoop works through a history, and Outerloop's own steps run beside its own.
    fn history(&self, seed: u64) {
        let mut closedloop = Loop::new(seed, &self.place);
        self.scene.done(&["adopt", "closedloop", "--beside", self.place.top.to_str().expect("a path")]);
        self.scene.done(&["run", "hourly"]);
        self.set_hourly(false);
        closedloop.work(|Turn { run, iteration, start }| {
            // Now and then nobody runs them, and what ClosedLoop wrote on its rows is all there is.
            if (iteration + usize::try_from(seed).expect("a small number")).is_multiple_of(4) {
                return;
            }
            let iteration = iteration.to_string();
            let turn = ["--run", *run, "--iteration", &iteration, "--workdir", self.work()];
            self.scene.done(&[&["iteration", "--since", *start], &turn[..]].concat());
        });
    }

    /// Whether each hourly run compares. It takes its time, and most tests compare once.
    fn set_hourly(&self, is_on: bool) {
        let settings = fs::read_to_string(self.scene.workspace.settings()).expect("settings");
        let text = settings.replace(&format!("shadow = {}", !is_on), &format!("shadow = {is_on}"));
        assert_ne!(text, settings);
        fs::write(self.scene.workspace.settings(), text).expect("settings");
    }

    fn shadow(&self) -> Value {
        let outcome = self.scene.run(&["closedloop", "shadow", "--workdir", self.work(), "--json"]);
        let is_open = outcome.out.contains("another-log") || outcome.out.contains("unexplained");
        assert_eq!(outcome.code, i32::from(is_open), "{}\n{}", outcome.out, outcome.error);
        serde_json::from_str(&outcome.out).expect("JSON")
    }
}

/// What the comparison says of a history, by rule.
fn compared(seed: u64) -> BTreeMap<String, usize> {
    let beside = Beside::new(seed);
    beside.history(seed);
    let told = beside.shadow();
    let documented = include_str!("../../docs/differences.md");
    let mut rules = BTreeMap::new();
    for difference in told["differences"].as_array().expect("a list") {
        for rule in difference["reasons"].as_array().expect("rules") {
            let rule = rule.as_str().expect("a rule");
            // ClosedLoop's rules on its own log must give what it wrote, to the digit.
            assert!(!["unexplained", "another-log", "refused-rows"].contains(&rule), "history {seed}: {difference}");
            assert!(documented.contains(&format!("| `{rule}` |")), "history {seed}: {difference}");
            *rules.entry(rule.to_owned()).or_default() += 1;
        }
    }
    rules
}

fn compare_all(seeds: std::ops::Range<u64>) {
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for rules in seeds.map(compared) {
        for (rule, count) in rules {
            *all.entry(rule).or_default() += count;
        }
    }
    for rule in ["matching", "goal", "relevance", "citation", "silence"] {
        assert!(all.contains_key(rule), "the histories are too tame for {rule}: {all:?}");
    }
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

#[test]
fn the_rules_are_found_in_the_rows_and_not_in_the_figures() {
    let beside = Beside::new(1);
    beside.history(4);
    let told = beside.shadow();
    let accounts = told["accounts"].as_object().expect("accounts");
    assert!(!accounts.is_empty(), "{told}");
    for (id, account) in accounts {
        for row in account["rows"].as_array().expect("rows") {
            assert_ne!(row["theirs"], row["ours"], "{id}: {row}");
            assert!(row["run"].is_string() && row["rule"] != "unexplained", "{id}: {row}");
        }
    }
    // Each differing rate names the rules of its rows and no other.
    for difference in told["differences"].as_array().expect("a list").iter().filter(|one| one["column"] == "success_rate") {
        let rows = accounts[difference["id"].as_str().expect("an id")]["rows"].as_array().expect("rows").clone();
        let mut of_rows: Vec<String> = rows.iter().map(|row| row["rule"].as_str().expect("a rule").to_owned()).collect();
        of_rows.sort_unstable();
        of_rows.dedup();
        let mut named: Vec<String> =
            difference["reasons"].as_array().expect("rules").iter().map(|rule| rule.as_str().expect("a rule").to_owned()).collect();
        named.retain(|rule| rule != "history");
        named.sort_unstable();
        assert_eq!(named, of_rows, "{difference}");
    }
    // For people, with the arithmetic of both.
    let shown = beside.scene.run(&["closedloop", "shadow", "--workdir", beside.work()]);
    assert!(shown.error.contains("ClosedLoop (") && shown.error.contains("for ClosedLoop, "), "{}", shown.error);
}

#[test]
fn each_hourly_run_compares_and_what_it_found_is_kept() {
    let beside = Beside::new(2);
    beside.history(2);
    let kept = |arguments: &[&str]| beside.scene.done(&[&["closedloop", "shadow", "--history"], arguments].concat()).out;
    let before = kept(&["--json"]).lines().count();
    beside.set_hourly(true);
    beside.scene.done(&["run", "hourly"]);
    let lines = kept(&["--json"]);
    assert_eq!(lines.lines().count(), before + 1, "{lines}");
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["differences"], beside.shadow()["differences"]);
    assert!(kept(&[]).contains("differences"));
    assert!(!beside.scene.root().join("shadow/scratch").exists());
}

#[test]
fn where_outerloop_publishes_the_file_that_closedloop_left_is_compared() {
    let beside = Beside::new(0);
    beside.history(0);
    let theirs = |told: &Value| -> Vec<String> {
        told["differences"].as_array().expect("a list").iter().map(|one| format!("{} {}", one["id"], one["theirs"])).collect()
    };
    let before = theirs(&beside.shadow());
    beside.set_hourly(true);
    beside.scene.done(&["adopt", "closedloop", "--undo"]);
    beside.scene.done(&["adopt", "closedloop", beside.place.top.to_str().expect("a path")]);
    beside.scene.done(&["run", "hourly"]);
    assert_eq!(theirs(&beside.shadow()), before);
}

#[test]
fn a_file_that_was_counted_from_another_log_is_said_to_be() {
    let beside = Beside::new(0);
    beside.history(3);
    let path = beside.place.global.join("org-patterns.toon");
    let text = fs::read_to_string(&path).expect("patterns");
    let first = text.lines().find(|line| line.starts_with("  P-001")).expect("a row").to_owned();
    let mut cells: Vec<&str> = first.split(',').collect();
    cells[4] = "77";
    // A short row is none for ClosedLoop either, and an id that is given twice is another pattern.
    let twice = "  P-001,pattern,\"Given twice and never seen\",medium,9,0.90,[UNTESTED],*,,*\n";
    fs::write(&path, text.replace(&first, &cells.join(",")) + twice).expect("patterns");
    let log = beside.place.work.join(".learnings/outcomes.log");
    fs::write(&log, fs::read_to_string(&log).expect("a log") + "short|row\n").expect("a log");
    let told = beside.shadow();
    let rules: Vec<&Value> = told["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| one["theirs"] == "77")
        .map(|one| &one["reasons"][0])
        .collect();
    assert_eq!(rules, ["another-log"], "{told}");
    assert!(!told.to_string().contains("refused-rows"), "{told}");
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
    // Only a number overrides the iteration; a goal of the first is met.
    for odd in ["", "abc"] {
        let told = script(&scene, &work, &format!("export CLOSEDLOOP_ITERATION={odd}; $ours closedloop evaluate_goal"));
        assert!(told.code == 0 && told.out.contains("end") && !told.error.contains("error"), "{odd}: {}", told.error);
    }
    // The codes of ClosedLoop's programs, for whoever asks for them.
    assert_eq!(script(&scene, &work, "$ours closedloop evaluate_goal --exit-code").code, 1);
    let held = store::lock::take_lock(&scene.workspace, "a job").expect("the lock");
    let outcome = script(&scene, &work, "$ours closedloop compute_success_rates");
    assert!(outcome.code == 0 && outcome.error.contains("another job is running"), "{}", outcome.error);
    drop(held);
}

/// A lesson that holds a secret.
const KEY: &str = "Rotate ghp_a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

/// How often ClosedLoop's rules see the pattern in rows with these times and texts.
fn seen(rows: &[(&str, &str, &str)]) -> i64 {
    let scene = Scene::new();
    fs::write(scene.workspace.settings(), "compat = \"closedloop\"\n").expect("settings");
    let work = scene.root().join("shop/.closedloop-ai/work");
    fs::create_dir_all(work.join(".learnings")).expect("folders");
    let log: String = rows.iter().map(|(time, text, tail)| format!("{time}|r1|1|a|{text}|applied||{tail}\n")).collect();
    fs::write(work.join(".learnings/outcomes.log"), log).expect("a log");
    let patterns = format!("  P-001,mistake,\"{KEY}\",low,0,,,*,,*\n");
    fs::write(work.join(".learnings/org-patterns.toon"), patterns).expect("patterns");
    scene.run(&["import", "closedloop", work.to_str().expect("a path")]);
    scene.done(&["run", "compact"]);
    scene.done(&["run", "learn"]);
    scene.count("select max(seen) from pattern")
}

#[test]
fn what_compat_cannot_reproduce_is_measured() {
    const TIME: &str = "2026-05-06T10:00:00Z";
    // ClosedLoop matches the texts as they are, whatever the time of a row is.
    let counted = |rows: &[(&str, &str, &str)]| {
        let theirs = rows.iter().filter(|(_, text, _)| replay::is_match(text, KEY)).count();
        (theirs, seen(rows))
    };
    let odd = [(TIME, KEY, ""), ("yesterday", KEY, ""), ("1999-05-06T10:00:00Z", KEY, ""), ("2999-05-06T10:00:00Z", KEY, "")];
    assert_eq!(counted(&odd), (4, 1));
    // Odd numbers are read as ClosedLoop reads them.
    assert_eq!(counted(&[(TIME, KEY, "nan|x|g|0|0.1"), (TIME, KEY, "1_0|x|g|0|inf"), (TIME, KEY, "2024|x")]), (3, 3));
    // Both texts are redacted alike, so another key in the same words matches, which ClosedLoop tells apart.
    assert_eq!(counted(&[(TIME, KEY, ""), (TIME, "Rotate ghp_Z9y8X7w6V5u4Z9y8X7w6V5u4Z9y8X7w6V5u4", "")]), (1, 2));
}
