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

/// How many bytes have landed.
fn landed(scene: &Scene) -> u64 {
    let files = fs::read_dir(scene.workspace.inbox()).expect("the inbox").flatten();
    files.map(|file| file.metadata().expect("a file").len()).sum()
}

#[test]
fn a_second_import_lands_only_what_is_new() {
    let scene = Scene::new();
    let work = work(&scene);
    let (path, log) = (work.to_str().expect("a path"), work.join(".learnings/outcomes.log"));
    scene.done(&["import", "closedloop", path]);
    let first = landed(&scene);
    scene.done(&["import", "closedloop", path]);
    assert_eq!(landed(&scene), first, "nothing is new");
    // The other system writes its files again, and what they say is the same.
    for file in [".learnings/org-patterns.toon", ".learnings/pending/builder-7f3a.json"] {
        let bytes = fs::read(work.join(file)).expect("a file");
        fs::write(work.join(file), bytes).expect("a file");
    }
    scene.done(&["import", "closedloop", path]);
    assert_eq!(landed(&scene), first, "nothing is new");
    let marked = OUTCOMES.replace("injected|\n", "injected||0.5|default|g|1|0.9\n");
    fs::write(&log, &marked).expect("outcomes");
    let told: Value = serde_json::from_str(&scene.done(&["import", "closedloop", path, "--json"]).out).expect("JSON");
    let of_log = |told: &Value| {
        let files = told["files"].as_array().expect("a list").iter();
        let file = files.into_iter().find(|file| file["file"].as_str().is_some_and(|name| name.ends_with("outcomes.log"))).cloned();
        file.expect("the log")["events"].as_i64().expect("a number")
    };
    assert_eq!(of_log(&told), 2, "a relevance and a goal: {told}");
    // The log is rotated: its oldest rows are gone, and a new one is there.
    let rest: String = marked.lines().skip(1).flat_map(|line| [line, "\n"]).collect();
    fs::write(&log, rest + "2026-05-06T11:00:00Z|r2|1|builder|Check the token before the call|applied|\n").expect("outcomes");
    let told: Value = serde_json::from_str(&scene.done(&["import", "closedloop", path, "--json"]).out).expect("JSON");
    assert_eq!(of_log(&told), 1, "the new row: {told}");
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from application"), 4);
    // A cursor that is gone costs nothing but bytes.
    fs::remove_dir_all(scene.root().join("imports")).expect("cursors");
    scene.done(&["import", "closedloop", path]);
    scene.done(&["run", "hourly"]);
    assert_eq!((scene.count("select count(*) from application"), scene.count("select count(*) from goal")), (4, 3));
}

#[test]
fn the_pattern_file_of_the_home_folder_is_found_and_what_is_missing_is_told() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let global = scene.root().parent().expect("a home").join(".closedloop-ai/learnings");
    fs::create_dir_all(&global).expect("folders");
    let row = "  P-021,mistake,\"Close files that were opened\",low,30,0.10,[PRUNE],*,io,*\n";
    fs::write(global.join("org-patterns.toon"), format!("{PATTERNS}{row}")).expect("patterns");
    // The run's own copy has one pattern that the other file lacks.
    let own = PATTERNS.replace("P-009,convention,\"Name branches after their issue\"", "P-003,convention,\"Sign every commit\"");
    fs::write(work.join(".learnings/org-patterns.toon"), own).expect("patterns");
    let told = scene.done(&["import", "closedloop", path]);
    assert!(told.out.contains("learnings/org-patterns.toon") && told.error.contains("perf.jsonl: is not there"), "{}", told.error);
    scene.done(&["run", "hourly"]);
    let list: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--all", "--json"]).out).expect("JSON");
    let mut known: Vec<(&str, &str)> = list
        .as_array()
        .expect("a list")
        .iter()
        .map(|pattern| (pattern["id"].as_str().expect("an id"), pattern["summary"].as_str().expect("a summary")))
        .collect();
    known.sort_unstable();
    let wanted = [
        ("P-003", "Check the token before the call"),
        ("P-009", "Name branches after their issue"),
        ("P-021", "Close files that were opened"),
        ("P-022", "Sign every commit"),
        ("P-023", "Release the lock before waiting"),
    ];
    assert_eq!(known, wanted);
}

#[test]
fn importing_changed_figures_again_captures_nothing_again() {
    let scene = Scene::new();
    let work = work(&scene);
    let (path, patterns) = (work.to_str().expect("a path"), work.join(".learnings/org-patterns.toon"));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 86_400);
    fs::File::open(&patterns).and_then(|file| file.set_modified(long_ago)).expect("a time");
    let figures = || {
        scene.done(&["import", "closedloop", path]);
        scene.done(&["run", "hourly"]);
        let list: Value = serde_json::from_str(&scene.done(&["patterns", "list", "--json"]).out).expect("JSON");
        let pattern = list.as_array().expect("a list").iter().find(|pattern| pattern["id"] == "P-009").cloned().expect("P-009");
        (pattern["captures"].clone(), pattern["last_captured"].clone(), pattern["prior_seen"].clone())
    };
    let first = figures();
    fs::write(&patterns, PATTERNS.replace("low,0,,\"[UNTESTED]\"", "low,4,0.25,\"[REVIEW]\"")).expect("patterns");
    let second = figures();
    assert_eq!((&second.0, &second.1, &second.2), (&first.0, &first.1, &4.into()));
}

#[test]
fn a_pending_lesson_taken_by_import_and_by_capture_is_one() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let made = std::process::Command::new("git").args(["init", "--quiet"]).current_dir(scene.root().join("shop")).status();
    assert!(made.expect("git starts").success());
    scene.done(&["import", "closedloop", path]);
    scene.done(&["capture", "--workdir", path]);
    scene.done(&["run", "hourly"]);
    assert_eq!(scene.count("select count(*) from learning where pending"), 1);
}

#[test]
fn an_id_that_is_given_twice_takes_no_other_patterns_number() {
    let scene = Scene::new();
    let work = work(&scene);
    let path = work.to_str().expect("a path");
    let twice = PATTERNS.replace("P-009,convention", "P-003,convention")
        + "  P-004,mistake,\"Close files that were opened\",high,7,0.86,\"\",*,io,*\n";
    fs::write(work.join(".learnings/org-patterns.toon"), twice).expect("patterns");
    scene.done(&["import", "closedloop", path]);
    scene.done(&["run", "hourly"]);
    let sql = "select id, summary from pattern order by id";
    let rows = scene.done(&["query", sql, "--format", "csv"]).out;
    assert!(
        rows.contains("P-004,Close files that were opened") && rows.contains("P-005,Name branches after their issue"),
        "{rows}"
    );
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
