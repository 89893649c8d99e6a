//! `outerloop import closedloop`: a work directory becomes events, however often it is imported.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Scene;
use crate::support::published::read;

const PATTERNS: &str = "# Organization Patterns (TOON format)\n# Last updated: 2026-05-01T00:00:00Z\n\n\
    patterns[2]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:\n  \
    P-003,mistake,\"Check the token before the call\",high,7,0.86,\"\",*,api|auth,*\n  \
    P-009,convention,\"Name branches after their issue\",low,0,,\"[UNTESTED]\",builder,git,shop\n";

const OUTCOMES: &str = "2026-05-06T10:00:00Z|r1|1|builder|Check the token before the call|applied|a.py:1|0.8|context_tags|g|1|0.83\n\
    2026-05-06T10:01:00Z|r1|2|builder|Check the token before the call|applied|a.py:2|0.8|context_tags|g|0|0.17\n\
    2026-05-06T10:02:00Z|r1|2|builder|check the TOKEN before the call|injected|\n";

const RUNS: &str = "r1|2026-05-06T10:00:00Z|g|1|in_progress|code|s1\nr1|2026-05-06T10:05:00Z|g|2|completed|code|s1\n";

const ACKNOWLEDGMENTS: &str = "2026-05-06T10:00:00Z|r1|1|builder|true|Check the token|see a.py:1\n";

const PENDING: &str =
    r#"{"what_happened":"The lock was held","pattern_to_remember":"Release the lock before waiting","confidence":"high"}"#;

/// A work directory of the other system, beside the workspace.
fn work(scene: &Scene) -> PathBuf {
    let work = scene.root().join("shop/.closedloop-ai/work");
    let learnings = work.join(".learnings");
    fs::create_dir_all(learnings.join("pending")).expect("folders");
    fs::write(learnings.join("org-patterns.toon"), PATTERNS).expect("patterns");
    fs::write(learnings.join("outcomes.log"), OUTCOMES).expect("outcomes");
    fs::write(work.join("runs.log"), RUNS).expect("runs");
    fs::write(learnings.join("acknowledgments.log"), ACKNOWLEDGMENTS).expect("acknowledgments");
    fs::write(learnings.join("pending/builder-7f3a.json"), PENDING).expect("a pending learning");
    work
}

#[test]
fn a_work_directory_becomes_events_patterns_and_figures() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let planned: Value =
        serde_json::from_str(&scene.done(&["import", "closedloop", path, "--project", "shop", "--dry-run", "--json"]).out)
            .expect("JSON");
    assert_eq!((&planned["is_dry_run"], planned["files"].as_array().map(Vec::len)), (&true.into(), Some(5)));
    assert_eq!(fs::read_dir(scene.workspace.inbox()).expect("the inbox").count(), 0);
    let shown = scene.done(&["import", "closedloop", path, "--project", "shop"]);
    assert!(shown.out.contains("outcomes.log") && shown.error.contains("outerloop run hourly"), "{}", shown.out);
    scene.done(&["run", "hourly"]);
    let count = |table: &str| scene.count(&format!("select count(*) from {table} where project = 'shop'"));
    assert_eq!(["application", "goal", "run", "deliberation", "learning"].map(count), [3, 2, 1, 1, 3]);
    assert_eq!(scene.count("select count(*) from quarantine"), 0);
    let list: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--json"]).out).expect("JSON");
    let known: Vec<(&str, i64)> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|pattern| (pattern["id"].as_str().expect("an id"), pattern["seen"].as_i64().expect("a number")))
        .collect();
    assert_eq!(known, [("P-003", 3), ("P-009", 0), ("P-010", 0)]);
    let file = read(&scene, "org-patterns.toon");
    // How sure an agent says it is of its own lesson counts for nothing.
    assert!(file.contains("\"Release the lock before waiting\",medium,0,") && file.starts_with("patterns[3]{"), "{file}");
}

#[test]
fn importing_twice_is_importing_once() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let mut files = Vec::new();
    for _ in 0..2 {
        scene.done(&["import", "closedloop", path]);
        scene.done(&["run", "hourly", "--as-of", "2026-11-15"]);
        files.push((read(&scene, "org-patterns.toon"), scene.count("select count(*) from application")));
    }
    assert_eq!(files[0], files[1]);
    // The other system adds markers to rows it has written; the rows stay what they are.
    fs::write(work.join(".learnings/outcomes.log"), OUTCOMES.replace("injected|\n", "injected||0.5|default|g|1|0.9\n"))
        .expect("outcomes");
    scene.done(&["import", "closedloop", path]);
    scene.done(&["run", "hourly"]);
    assert_eq!((scene.count("select count(*) from application"), scene.count("select count(*) from goal")), (3, 3));
}

#[test]
fn odd_lines_are_named_with_file_and_line_and_the_rest_is_taken() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let learnings = work.join(".learnings");
    fs::write(learnings.join("outcomes.log"), format!("{OUTCOMES}short|line\nyesterday|r|1|a|t\u{1b}[31m|applied|\n"))
        .expect("outcomes");
    fs::write(learnings.join("pending/empty-1.json"), "{ not json").expect("a pending learning");
    fs::write(learnings.join("org-patterns.toon"), format!("{PATTERNS}  P-011,mistake\n")).expect("patterns");
    let outcome = scene.run(&["import", "closedloop", path]);
    assert_eq!(outcome.code, 1, "{}", outcome.error);
    for wanted in [
        "outcomes.log:4: skipped: has 2 fields, fewer than 6: short|line",
        "outcomes.log:5: skipped: the time `yesterday` is not RFC 3339",
        "empty-1.json:0: skipped: is not JSON",
        "org-patterns.toon:7: skipped: ",
    ] {
        assert!(outcome.error.contains(wanted), "{wanted} in {}", outcome.error);
    }
    assert!(!outcome.error.contains('\u{1b}'), "{}", outcome.error);
    scene.done(&["run", "compact"]);
    assert_eq!((scene.count("select count(*) from application"), scene.count("select count(*) from learning")), (3, 3));
    let told: Value = serde_json::from_str(&scene.run(&["import", "closedloop", path, "--json"]).out).expect("JSON");
    for file in told["files"].as_array().expect("a list") {
        let number = |name: &str| file[name].as_i64().expect("a number");
        assert_eq!(number("records"), number("taken") + number("parts") + number("blank") + number("left_out"), "{file}");
    }
}

#[test]
fn what_the_door_refuses_counts_as_left_out_with_its_line() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    fs::write(work.join(".learnings/outcomes.log"), format!("{OUTCOMES}2999-05-06T10:00:00Z|r|1|a|t|applied|c|0.5|m\n"))
        .expect("outcomes");
    let outcome = scene.run(&["import", "closedloop", path, "--json"]);
    let told: Value = serde_json::from_str(&outcome.out).expect("JSON");
    let files = told["files"].as_array().expect("a list");
    let file = files.iter().find(|file| file["file"].as_str().is_some_and(|name| name.ends_with("outcomes.log"))).expect("the log");
    assert_eq!((outcome.code, &file["records"], &file["taken"], &file["left_out"]), (1, &4.into(), &3.into(), &1.into()));
    let refused = file["odd"].as_array().expect("a list");
    assert!(
        refused
            .iter()
            .all(|odd| odd["line"] == 4
                && odd["reason"].as_str().is_some_and(|why| why.contains("is more than a day in the future"))),
        "{file}"
    );
}

#[test]
fn where_nothing_is_to_be_imported_it_says_so() {
    let scene = Scene::new();
    let path = scene.root().to_str().expect("a path").to_owned();
    let outcome = scene.run(&["import", "closedloop", &path]);
    assert!(outcome.code == 2 && outcome.error.contains(".learnings/"), "{}", outcome.error);
    let outcome = scene.run(&["import", "closedloop", &path, "--patterns", nowhere!("/such.toon")]);
    assert!(outcome.code == 2 && outcome.error.contains(nowhere!("/such.toon")), "{}", outcome.error);
}

#[test]
fn links_that_lead_out_of_the_work_directory_are_passed_over_and_secrets_are_not_shown() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let elsewhere = scene.root().join("elsewhere.log");
    fs::write(&elsewhere, RUNS).expect("a file");
    fs::remove_file(work.join("runs.log")).expect("the log");
    std::os::unix::fs::symlink(&elsewhere, work.join("runs.log")).expect("a link");
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    fs::write(work.join(".learnings/outcomes.log"), format!("{OUTCOMES}short|{secret}\n{secret}|r|1|a|t|applied|\n"))
        .expect("outcomes");
    let shown = scene.run(&["import", "closedloop", path]);
    assert!(shown.code == 1 && shown.error.contains("runs.log: is skipped: the link points outside"), "{}", shown.error);
    let told = scene.run(&["import", "closedloop", path, "--json"]);
    for text in [&shown.error, &told.out] {
        assert!(text.contains("[REDACTED:") && !text.contains("ghp_a1B2"), "{text}");
    }
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from run"), 0);
    // A pattern file that is named may stand anywhere.
    let patterns = work.join("linked.toon");
    fs::write(scene.root().join("far.toon"), PATTERNS).expect("patterns");
    std::os::unix::fs::symlink(scene.root().join("far.toon"), &patterns).expect("a link");
    let named = scene.run(&["import", "closedloop", path, "--patterns", patterns.to_str().expect("a path"), "--json"]);
    let named: Value = serde_json::from_str(&named.out).expect("JSON");
    assert_eq!(named["files"][0]["taken"], 2, "{named}");
}
