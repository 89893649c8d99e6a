//! Two iterations of a run, from the agents' rows to the rates.

use std::fs;

use serde_json::json;

use super::{Shop, application, assert_near, figures, json_of, known, lines, record, rows, tell, try_tell, weights};
use crate::support::Scene;
use crate::support::published::{read, set};

const PATTERNS: &str = "# Organization Patterns (TOON format)\n# Last updated: 2026-05-01T00:00:00Z\n\n\
    patterns[3]{id,category,summary,confidence,seen_count,success_rate,flags,applies_to,context,repo}:\n  \
    P-001,pattern,\"Retry API calls with backoff\",medium,0,,\"[UNTESTED]\",*,api,*\n  \
    P-002,mistake,\"Await every promise\",medium,0,,\"[UNTESTED]\",*,javascript,*\n  \
    P-003,insight,\"Unused idea\",medium,0,,\"[UNTESTED]\",*,x,*\n";

const BUILDER: &str = "implementation-subagent";

/// A workspace that knows three patterns from the pattern file of a run.
fn start(settings: &str) -> (Scene, Shop) {
    let (scene, shop) = Shop::known();
    set(&scene, settings);
    fs::write(shop.learnings().join("org-patterns.toon"), PATTERNS).expect("patterns");
    scene.done(&["import", "closedloop", shop.work().to_str().expect("a path")]);
    (scene, shop)
}

fn pass_build(shop: &Shop, iteration: u32) {
    let text = json!({"status": "passed", "run_id": "r1", "iteration": iteration.to_string(), "timestamp": super::now()});
    fs::write(shop.learnings().join("build-result.json"), text.to_string()).expect("a result");
}

/// What is said about an iteration, step by step.
fn finish(scene: &Scene, shop: &Shop, iteration: u32, since: &str) {
    pass_build(shop, iteration);
    let told = tell(scene, &["iteration", "--since", since], &shop.turn("r1", iteration));
    for wanted in ["1 files changed", "3 patterns rated by 1 changed files", "build: passed", "goal: reduce-failures met"] {
        assert!(told.contains(wanted), "{wanted} in {told}");
    }
    assert!(!shop.learnings().join("build-result.json").exists(), "what was taken in is gone");
    scene.done(&["run", "hourly"]);
}

fn first_rows() -> [serde_json::Value; 3] {
    [
        application(("r1", 1), BUILDER, "P-001", "applied", &["src/api/client.ts:5"]),
        application(("r1", 1), BUILDER, "P-002", "applied", &["src/api/client.ts:18"]),
        application(("r1", 1), "plan-writer", "P-001", "injected", &[]),
    ]
}

#[test]
fn two_iterations_give_the_figures_that_their_rows_say() {
    for settings in ["", "[relevance]\nmatching = \"substring\"\n"] {
        let (scene, shop) = start(settings);
        record(&scene, &first_rows());
        finish(&scene, &shop, 1, &shop.since);
        let of_first = ["P-001 2 0.50 medium", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"];
        assert_eq!(figures(&scene), of_first, "{settings}");
        let relevance = "select pattern_id, score, method from relevance where run_id = 'r1' and iteration = 1 order by pattern_id";
        assert_eq!(rows(&scene, relevance), ["P-001,0.45,context_tags", "P-002,0.33,context_tags", "P-003,0.0,context_tags"]);
        let citations = "select pattern_id, path, cited_line, verified from citation order by pattern_id";
        assert_eq!(rows(&scene, citations), ["P-001,src/api/client.ts,5,true", "P-002,src/api/client.ts,18,false"]);
        let why = rows(&scene, "select reason from citation where not verified");
        assert!(why[0].contains("13 lines from the nearest change"), "{why:?}");

        record(&scene, &[application(("r1", 2), BUILDER, "P-001", "applied", &["src/api/client.ts:25"])]);
        // What the first iteration cited was about changes that this one does not see.
        let since = shop.change(25);
        finish(&scene, &shop, 2, &since);
        let of_second = ["P-001 3 0.67 medium", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"];
        assert_eq!(figures(&scene), of_second, "{settings}");
        assert_near(&weights(&scene, "P-001"), &[1.0, 0.0, 1.0]);
        assert_eq!(
            rows(&scene, "select iteration, goal, success, score from goal order by iteration"),
            ["1,reduce-failures,true,0.83", "2,reduce-failures,true,0.67"]
        );
        assert_eq!(rows(&scene, "select run_id, iteration, passed from build order by iteration"), ["r1,1,true", "r1,2,true"]);
        assert_eq!(scene.count("select count(*) from citation"), 3, "nothing is checked twice");
        let file = read(&scene, "org-patterns.toon");
        assert!(file.contains("\"Unused idea\",medium,0,\"\",\"[UNTESTED]\""), "{file}");
        scene.done(&["run", "verify"]);
    }
}

#[test]
fn every_application_is_joined_with_its_build_its_goal_and_its_relevance() {
    let (scene, shop) = start("");
    record(&scene, &first_rows());
    finish(&scene, &shop, 1, &shop.since);
    let told = json_of(&scene, &["explain", "P-001", "--json"]);
    let [of_builder, of_planner] = [&told["applications"][0], &told["applications"][1]];
    assert_eq!((&of_builder["agent"], &of_builder["is_build_failed"]), (&BUILDER.into(), &false.into()));
    assert_eq!((&of_builder["is_goal_met"], &of_builder["relevance"]), (&true.into(), &0.45.into()));
    assert_eq!((&of_planner["is_build_failed"], &of_planner["is_goal_met"]), (&json!(null), &true.into()));
    let told = json_of(&scene, &["explain", "P-002", "--json"]);
    assert_eq!((&told["applications"][0]["relevance"], &told["applications"][0]["is_unverified"]), (&0.33.into(), &true.into()));
}

#[test]
fn a_missed_goal_counts_by_the_relevance_that_was_worked_out() {
    let (scene, shop) = start("");
    record(&scene, &[application(("r1", 4), BUILDER, "P-001", "applied", &["src/api/client.ts:5"])]);
    let told = tell(&scene, &["iteration", "--since", &shop.since], &shop.turn("r1", 4));
    assert!(told.contains("missed, score 0.33"), "{told}");
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[0.5 * 0.45]);
    // Nobody has rated this one.
    record(&scene, &[application(("r2", 1), BUILDER, "P-001", "applied", &[])]);
    tell(&scene, &["goal"], &shop.turn("r2", 9));
    record(
        &scene,
        &[json!({"kind": "goal", "ts": super::now(), "project": "shop", "run_id": "r2", "goal": "g", "success": false})],
    );
    scene.done(&["run", "hourly"]);
    assert_near(&weights(&scene, "P-001"), &[0.5 * 0.45, 0.5 * 0.5]);
}

#[test]
fn the_original_way_to_count_gets_the_relevance_too() {
    let (scene, shop) = start("compat = \"closedloop\"\n");
    record(&scene, &first_rows());
    finish(&scene, &shop, 1, &shop.since);
    let relevance = "select pattern_id, score from relevance order by pattern_id";
    assert_eq!(rows(&scene, relevance), ["P-001,0.45", "P-002,0.33", "P-003,0.0"]);
    assert_eq!(figures(&scene)[..2], ["P-001 2 0.50 medium", "P-002 1 0.00 low REVIEW"]);
    record(&scene, &[application(("r1", 2), BUILDER, "P-001", "applied", &["src/api/client.ts:5"])]);
    finish(&scene, &shop, 2, &shop.since);
    assert_eq!(figures(&scene)[..2], ["P-001 3 0.67 medium", "P-002 1 0.00 low REVIEW"]);
}

#[test]
fn places_in_the_log_of_acknowledgments_are_checked_pattern_by_pattern() {
    let (scene, shop) = start("");
    let bare = |row: serde_json::Value| {
        let serde_json::Value::Object(mut members) = row else { panic!("an object") };
        members.remove("citations");
        members.into()
    };
    record(&scene, &first_rows().map(bare));
    // The row of another run is about other changes, whatever it says.
    let log = format!(
        "{time}|r0|1|{BUILDER}|true|Retry API calls with backoff|nowhere.ts:9\n\
         {time}|r1|1|{BUILDER}|true|Retry API calls with backoff,Await every promise|\
         Applied: \"Retry API calls with backoff\" in src/api/client.ts:5 Applied: \"Await every promise\" in src/api/client.ts:18\n\
         {time}|r1|1|plan-writer|false||missing acknowledgment\n",
        time = "2026-11-01T10:00:00Z"
    );
    fs::write(shop.learnings().join("acknowledgments.log"), log).expect("a log");
    finish(&scene, &shop, 1, &shop.since);
    assert_eq!(figures(&scene), ["P-001 2 0.50 medium", "P-002 1 0.00 low REVIEW", "P-003 0 - medium UNTESTED"]);
    assert_eq!(scene.count("select count(*) from citation"), 2);
}

#[test]
fn changes_that_are_not_committed_count_unless_only_commits_are_asked_for() {
    let (scene, shop) = start("");
    let head = shop.git(&["rev-parse", "HEAD"]);
    fs::write(shop.top().join("src/new.ts"), "one\ntwo\n").expect("a file");
    record(&scene, &[application(("r1", 1), BUILDER, "P-001", "applied", &["./src/new.ts:2"])]);
    let arguments = ["citations", "--json", "--since", &head];
    let committed = tell(&scene, &["citations", "--committed", "--since", &head], &shop.turn("r1", 1));
    assert!(committed.contains("no changes"), "{committed}");
    let checked = try_tell(&scene, &arguments, &shop.turn("r1", 1));
    let told: serde_json::Value = serde_json::from_str(&checked.out).expect("JSON");
    assert_eq!((&told["verified"], &told["refuted"]), (&1.into(), &0.into()));
}

#[test]
fn the_words_of_a_path_are_compared_as_a_whole_unless_the_original_is_asked_for() {
    let rate = |settings: &str| {
        let (scene, shop) = Shop::known();
        set(&scene, settings);
        record(&scene, &[known("P-001", "Call hooks at the top level", "hooks")]);
        scene.done(&["run", "hourly"]);
        shop.write("src/user.py", "one\n");
        shop.commit();
        let since = shop.git(&["rev-parse", "HEAD~1"]);
        let outcome = try_tell(&scene, &["relevance", "--json", "--since", &since], &shop.turn("r1", 1));
        let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
        told[0]["score"].as_f64().expect("a score")
    };
    // `user` begins like the name of a hook.
    assert_near(&[rate("")], &[0.0]);
    assert!(rate("compat = \"closedloop\"\n") > 0.0);
    assert!(rate("[relevance]\nmatching = \"substring\"\n") > 0.0);
}

#[test]
fn a_goal_tells_by_its_exit_code_whether_it_was_met() {
    let (scene, shop) = Shop::known();
    let wanted = [(0, "1.00", 0), (1, "0.83", 0), (2, "0.67", 0), (3, "0.50", 0), (4, "0.33", 1), (6, "0.00", 1)];
    for (iteration, score, code) in wanted {
        let outcome = try_tell(&scene, &["goal", "--exit-code"], &shop.turn("r1", iteration));
        assert_eq!(outcome.code, code, "{}", outcome.error);
        assert!(outcome.error.contains(&format!("score {score}")), "{iteration}: {}", outcome.error);
        assert_eq!(try_tell(&scene, &["goal"], &shop.turn("r1", iteration)).code, 0);
    }
    let work = shop.work();
    let unnamed = scene.run(&["goal", "--workdir", work.to_str().expect("a path")]);
    assert!(unnamed.code == 2 && unnamed.error.contains("CLOSEDLOOP_RUN_ID"), "{}", unnamed.error);
    // Without a number, the log of runs says how far the run got: to its last iteration.
    let log = lines((1..=4).map(|number| format!("r7|2026-11-01T10:0{number}:00Z|g|{number}|in_progress|code|s1")));
    fs::write(work.join("runs.log"), log).expect("a log");
    let outcome = scene.run(&["goal", "--exit-code", "--run", "r7", "--workdir", work.to_str().expect("a path")]);
    assert!(outcome.code == 1 && outcome.error.contains("score 0.33"), "{}", outcome.error);
}

#[test]
fn a_step_that_cannot_be_done_does_not_keep_the_others_from_it() {
    let (scene, shop) = start("");
    fs::write(shop.learnings().join("build-result.json"), "{ half").expect("a result");
    fs::write(shop.learnings().join("goal.yaml"), "active_goal: [nonsense").expect("goals");
    record(&scene, &[application(("r1", 1), BUILDER, "P-001", "applied", &["src/api/client.ts:5"])]);
    let outcome = try_tell(&scene, &["iteration", "--json", "--since", &shop.since], &shop.turn("r1", 1));
    assert_eq!(outcome.code, 2, "{}", outcome.error);
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    let steps: Vec<&str> =
        told["steps"].as_array().expect("a list").iter().map(|step| step["outcome"].as_str().expect("a word")).collect();
    assert_eq!(steps, ["done", "done", "failed", "done", "failed", "done"], "{told}");
    assert!(shop.learnings().join("build-result.json").exists(), "what cannot be read stays");
    scene.done(&["run", "hourly"]);
    assert_eq!(rows(&scene, "select verified from citation"), ["true"]);
}

#[test]
fn a_dry_iteration_lands_nothing_and_leaves_every_file() {
    let (scene, shop) = start("");
    pass_build(&shop, 1);
    let lesson = shop.leave("builder-1.json", r#"{"summary": "Close every file that a test opens"}"#);
    let before = std::fs::read_dir(scene.workspace.inbox()).expect("the inbox").count();
    let outcome = try_tell(&scene, &["iteration", "--dry-run", "--since", &shop.since], &shop.turn("r1", 1));
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    let kinds: Vec<String> = outcome
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an event")["kind"].as_str().expect("a kind").to_owned())
        .collect();
    assert_eq!(kinds, ["change", "relevance", "relevance", "relevance", "goal", "build"]);
    assert_eq!(std::fs::read_dir(scene.workspace.inbox()).expect("the inbox").count(), before);
    assert!(lesson.exists() && shop.learnings().join("build-result.json").exists());
}

#[test]
fn a_folder_outside_of_any_repository_and_an_unknown_commit_are_told() {
    let (scene, shop) = start("");
    let outside = tempfile::TempDir::new().expect("a folder");
    let path = outside.path().to_str().expect("a path");
    let outcome = scene.run(&["changes", "--since", "HEAD", "--run", "r1", "--workdir", path]);
    assert!(outcome.code == 2 && outcome.error.contains("git repository"), "{}", outcome.error);
    pass_build(&shop, 1);
    shop.leave("builder-1.json", r#"{"summary": "Close every file that a test opens"}"#);
    let outcome = try_tell(&scene, &["iteration", "--json", "--since", "0123456789"], &shop.turn("r1", 1));
    assert!(outcome.code == 2 && outcome.error.contains("0123456789"), "{}", outcome.error);
    let told: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
    let steps: Vec<&str> =
        told["steps"].as_array().expect("a list").iter().map(|step| step["outcome"].as_str().expect("a word")).collect();
    assert_eq!(steps, ["failed", "skipped", "done", "skipped", "done", "done"], "what needs no changes is done all the same");
    scene.done(&["run", "hourly"]);
    assert_eq!(["goal", "build", "classification"].map(|table| scene.count(&format!("select count(*) from {table}"))), [1, 1, 1]);
}

#[test]
fn what_is_said_again_about_an_iteration_changes_no_figure() {
    let (scene, shop) = start("");
    record(&scene, &first_rows());
    finish(&scene, &shop, 1, &shop.since);
    let before = figures(&scene);
    finish(&scene, &shop, 1, &shop.since);
    assert_eq!(figures(&scene), before);
    assert_near(&weights(&scene, "P-001"), &[1.0, 0.0]);
}

#[test]
fn without_a_number_the_whole_run_is_meant() {
    let (scene, shop) = start("");
    record(&scene, &first_rows());
    record(&scene, &[application(("r1", 2), BUILDER, "P-001", "applied", &["src/api/client.ts:6"])]);
    let work = shop.work();
    let arguments = ["citations", "--since", &shop.since, "--run", "r1", "--workdir", work.to_str().expect("a path")];
    let outcome = scene.done(&arguments);
    assert!(outcome.error.contains("2 citations verified, 1 refuted"), "{}", outcome.error);
    scene.done(&["run", "hourly"]);
    assert_eq!(figures(&scene)[..2], ["P-001 3 0.67 medium", "P-002 1 0.00 low REVIEW"]);
}

#[test]
fn a_pattern_with_an_odd_name_does_not_keep_the_others_from_being_rated() {
    let (scene, shop) = Shop::known();
    fs::write(shop.learnings().join("org-patterns.toon"), PATTERNS.replace("P-003", "../P/003")).expect("patterns");
    let told = tell(&scene, &["relevance", "--since", &shop.since], &shop.turn("r1", 1));
    assert!(told.contains("3 patterns rated"), "{told}");
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from relevance"), 3);
}

#[test]
fn what_is_recorded_without_a_project_and_what_is_found_out_belong_together() {
    let (scene, shop) = (Scene::new(), Shop::new());
    let event = r#"{"kind":"application","run_id":"r1","iteration":1,"trigger":"Await every promise","status":"applied","citations":["src/api/client.ts:5"]}"#;
    // A plain repository, without anything of another system.
    let turn = ["--workdir", shop.top().to_str().expect("a path"), "--run", "r1", "--iteration", "1"].map(str::to_owned);
    fs::remove_dir_all(shop.top().join(".closedloop-ai")).expect("the folder goes");
    let line = shop.top().parent().expect("a folder").join("event.jsonl");
    fs::write(&line, event).expect("an event");
    let record = scene.command(&["record", line.to_str().expect("a path")]).current_dir(shop.top()).output().expect("it starts");
    assert!(record.status.success(), "{}", String::from_utf8_lossy(&record.stderr));
    let told = tell(&scene, &["iteration", "--since", &shop.since], &turn);
    assert!(told.contains("1 citations verified, 0 refuted"), "{told}");
    scene.done(&["run", "compact"]);
    let projects = "select distinct project from (select project from goal union all select project from application)";
    let named = rows(&scene, projects);
    assert!(named.len() == 1 && named[0].starts_with("shop-"), "{named:?}");
}
