//! Lessons that agents left in files: each is taken in once, and none is lost.

use std::fs;
use std::time::Duration;

use super::{Shop, backdate, lessons, names, put, rows, summaries};
use crate::support::Scene;
use crate::support::published::set;
use crate::support::shim::{self, Strike};

const GOOD: &str = r#"{"what_happened": "The suite ran out of file handles", "why": "A loop opened files and kept them",
    "fix_applied": "Closed them", "pattern_to_remember": "Close every file that a test opens", "applies_to": ["test-writer"],
    "context": {"file": "tests/load.py", "line": 12}}"#;
const NOTHING: &str = r#"{"no_learnings": true, "reason": "a rename, nothing to learn"}"#;

fn capture(scene: &Scene, shop: &Shop) -> crate::support::Outcome {
    scene.run(&["capture", "--workdir", shop.work().to_str().expect("a path")])
}

fn archived(shop: &Shop) -> Vec<String> {
    names(&shop.learnings().join("pending/archived"))
}

#[test]
fn files_that_agents_left_are_taken_in_and_archived() {
    let (scene, shop) = Shop::known();
    shop.leave("test-writer-7f3a.json", GOOD);
    shop.leave("plan-writer-88.json", NOTHING);
    shop.leave("notes.txt", "not a lesson");
    let outcome = capture(&scene, &shop);
    assert_eq!(outcome.code, 0, "{}", outcome.error);
    assert!(outcome.error.contains("1 lessons from 2 files; 1 answers report nothing to learn"), "{}", outcome.error);
    assert_eq!(archived(&shop), ["plan-writer-88.json", "test-writer-7f3a.json"]);
    assert_eq!(names(&shop.learnings().join("pending")), ["archived", "notes.txt"]);
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene), ["Close every file that a test opens"]);
    assert_eq!(
        rows(&scene, "select project, agent, reason from learning where no_learnings"),
        ["shop,plan-writer,\"a rename, nothing to learn\""]
    );
    assert_eq!(
        rows(&scene, "select agent, citations from learning where summary is not null"),
        ["test-writer,\"[\"\"tests/load.py:12\"\"]\""]
    );
    assert_eq!(lessons(&scene), (vec![], vec![]));
}

#[test]
fn the_hourly_job_captures_from_the_folders_that_the_settings_name() {
    let (scene, shop) = Shop::known();
    set(&scene, &format!("[capture]\nworkdirs = [{:?}]\n", shop.work()));
    shop.leave("builder-1.json", GOOD);
    let outcome = scene.done(&["run", "hourly"]);
    assert!(outcome.error.contains("capture: 1 lessons"), "{}", outcome.error);
    assert_eq!(summaries(&scene), ["Close every file that a test opens"]);
    assert_eq!(archived(&shop), ["builder-1.json"]);
}

#[test]
fn a_folder_that_does_not_exist_is_told_and_costs_the_others_nothing() {
    let (scene, shop) = Shop::known();
    set(&scene, &format!("[capture]\nworkdirs = [\"missing\", {:?}]\n", shop.work()));
    shop.leave("builder-1.json", GOOD);
    let outcome = scene.run(&["run", "hourly"]);
    assert!(outcome.code == 2 && outcome.error.contains("capture.workdirs"), "{}", outcome.error);
    assert_eq!(summaries(&scene), ["Close every file that a test opens"]);
}

#[test]
fn a_malformed_file_stays_until_nobody_writes_it_any_more() {
    let (scene, shop) = Shop::known();
    let path = shop.leave("builder-1.json", "{\"summary\": \"half a");
    shop.leave("builder-2.json", GOOD);
    let outcome = capture(&scene, &shop);
    assert!(outcome.code == 1 && outcome.error.contains("builder-1.json: is not JSON"), "{}", outcome.error);
    assert!(path.exists());
    assert_eq!(archived(&shop), ["builder-2.json"]);
    backdate(&path, Duration::from_secs(3600));
    assert_eq!(capture(&scene, &shop).code, 1);
    assert!(!path.exists());
    assert_eq!(names(&shop.learnings().join("pending/refused")), ["builder-1.json"]);
    assert_eq!(capture(&scene, &shop).code, 0);
}

#[test]
fn the_good_lessons_of_a_file_are_taken_in_once_nobody_mends_the_bad_one() {
    let (scene, shop) = Shop::known();
    let list = format!("[{GOOD}, {{\"lesson\": 7}}, {{\"summary\": \"Quote every path in shell scripts\"}}]");
    let path = shop.leave("builder-1.json", &list);
    let outcome = capture(&scene, &shop);
    assert!(outcome.code == 1 && outcome.error.contains("item 2: "), "{}", outcome.error);
    assert_eq!(names(&scene.workspace.inbox()), [""; 0], "its writer may still mend it");
    backdate(&path, Duration::from_secs(3600));
    let outcome = capture(&scene, &shop);
    assert!(outcome.code == 1 && outcome.error.contains("2 lessons"), "{}", outcome.error);
    assert_eq!(names(&shop.learnings().join("pending/refused")), ["builder-1.json"]);
    assert_eq!(capture(&scene, &shop).code, 0);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from learning"), 2);
}

#[test]
fn strays_at_the_top_of_the_repository_are_rescued_and_take_nobodys_place() {
    let (scene, shop) = Shop::known();
    let strays = shop.top().join(".learnings/pending");
    put(&strays.join("builder-1.json"), r#"{"summary": "Quote every path in shell scripts"}"#);
    shop.leave("builder-1.json", GOOD);
    let outcome = capture(&scene, &shop);
    assert!(outcome.code == 0 && outcome.error.contains("2 lessons"), "{}", outcome.error);
    assert!(outcome.error.contains("1 of them found outside the work directory"), "{}", outcome.error);
    assert_eq!(names(&strays), [""; 0]);
    assert_eq!(archived(&shop).len(), 2);
    scene.done(&["run", "hourly"]);
    let taken = "select agent, summary from learning order by summary";
    assert_eq!(rows(&scene, taken), ["builder,Close every file that a test opens", "builder,Quote every path in shell scripts"]);
}

#[test]
fn a_run_at_the_top_of_its_repository_has_no_strays() {
    let (scene, shop) = Shop::known();
    put(&shop.top().join(".learnings/pending/test-writer-1.json"), GOOD);
    let mut command = scene.command(&["capture", "--json"]);
    let output = command.current_dir(shop.top()).env_remove("CLOSEDLOOP_WORKDIR").output().expect("the program starts");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&told["lessons"], &told["rescued"]), (&1.into(), &0.into()));
    assert_eq!(names(&shop.top().join(".learnings/pending/archived")), ["test-writer-1.json"]);
    scene.done(&["run", "compact"]);
    assert_eq!(rows(&scene, "select project, agent from learning"), ["shop,test-writer"]);
}

#[test]
fn a_capture_that_is_killed_at_any_point_is_made_good_by_the_next() {
    const CALLS: &str = "sync rename write mkdir unlink";
    let scene_with_files = || {
        let (scene, shop) = Shop::known();
        put(&shop.top().join(".learnings/pending/builder-1.json"), r#"{"summary": "Quote every path in shell scripts"}"#);
        shop.leave("builder-1.json", GOOD);
        shop.leave("planner-2.json", NOTHING);
        (scene, shop)
    };
    let command = |scene: &Scene, shop: &Shop| scene.command(&["capture", "--workdir", shop.work().to_str().expect("a path")]);
    let (scene, shop) = scene_with_files();
    let calls = shim::count(&mut command(&scene, &shop), CALLS);
    assert!(calls > 4, "{calls} calls");
    for call in 1..=calls {
        let (scene, shop) = scene_with_files();
        let mut killed = command(&scene, &shop);
        shim::load(&mut killed, Strike::Kill(call), CALLS);
        let output = killed.output().expect("the program starts");
        assert_eq!(output.status.code(), None, "it is killed at call {call}");
        let outcome = capture(&scene, &shop);
        assert_eq!(outcome.code, 0, "{}", outcome.error);
        assert_eq!(archived(&shop).len(), 3, "after a kill at call {call}");
        assert_eq!(names(&shop.learnings().join("pending")), ["archived"]);
        scene.done(&["run", "compact"]);
        assert_eq!(scene.holdings().ids.values().collect::<Vec<_>>(), [&1; 3], "after a kill at call {call}");
    }
}

#[test]
fn captures_at_the_same_time_take_every_file_once() {
    const FILES: usize = 60;
    let (scene, shop) = Shop::known();
    for number in 0..FILES {
        shop.leave(&format!("builder-{number}.json"), &format!("{{\"summary\": \"Lesson number {number} about parsing dates\"}}"));
    }
    let work = shop.work();
    let children: Vec<_> = (0..4).map(|_| scene.spawn(&["capture", "--workdir", work.to_str().expect("a path")])).collect();
    for child in children {
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(archived(&shop).len(), FILES);
    scene.done(&["run", "compact"]);
    assert_eq!(scene.count("select count(*) from learning"), 60);
}

#[test]
fn a_capture_that_was_killed_before_it_archived_counts_once() {
    let (scene, shop) = Shop::known();
    let path = shop.leave("builder-1.json", GOOD);
    let written = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    assert_eq!(capture(&scene, &shop).code, 0);
    scene.done(&["run", "hourly"]);
    // As it lay there before: the events have landed, and the file is not archived yet.
    fs::rename(shop.learnings().join("pending/archived/builder-1.json"), &path).expect("back");
    fs::File::open(&path).and_then(|file| file.set_modified(written)).expect("a time");
    assert_eq!(capture(&scene, &shop).code, 0);
    scene.done(&["run", "hourly"]);
    assert_eq!(archived(&shop), ["builder-1.json"]);
    assert_eq!(scene.count("select count(*) from learning"), 1);
    assert_eq!(scene.count("select count(*) from classification"), 1);
    let pattern = super::json_of(&scene, &["patterns", "show", "P-001", "--json"]);
    assert_eq!(pattern["captures"], 1);
}

#[test]
fn one_lesson_can_be_given_on_the_command_line_if_it_is_good_enough() {
    let (scene, shop) = Shop::known();
    let work = shop.work();
    let work = ["--workdir", work.to_str().expect("a path")];
    let vague = scene.run(&[&["capture", "--summary", "Be careful with the code"], &work[..]].concat());
    assert!(vague.code == 1 && vague.error.contains("remedy: "), "{}", vague.error);
    let good = ["capture", "--summary", "Close every file that a test opens", "--tag", "tests", "--agent", "tester"];
    scene.done(&[&good[..], &work[..]].concat());
    scene.done(&[&["capture", "--nothing", "only a rename"], &work[..]].concat());
    scene.done(&["run", "hourly"]);
    assert_eq!(summaries(&scene), ["Close every file that a test opens"]);
    assert_eq!(scene.count("select count(*) from learning where no_learnings"), 1);
    assert_eq!(scene.count("select count(*) from learning"), 2);
}

#[test]
fn links_in_the_place_of_pending_lessons_move_nobodys_files() {
    let (scene, shop) = Shop::known();
    let victim = tempfile::TempDir::new().expect("a folder");
    fs::write(victim.path().join("package.json"), "{}").expect("a file");
    fs::create_dir_all(shop.learnings()).expect("a folder");
    let _ = fs::remove_dir_all(shop.learnings().join("pending"));
    std::os::unix::fs::symlink(victim.path(), shop.learnings().join("pending")).expect("a link");
    let outcome = capture(&scene, &shop);
    assert!(outcome.code != 0 && outcome.error.contains("a link is in the place"), "{}", outcome.error);
    fs::remove_file(shop.learnings().join("pending")).expect("the link goes");
    fs::create_dir_all(shop.top().join(".learnings")).expect("a folder");
    std::os::unix::fs::symlink(victim.path(), shop.top().join(".learnings/pending")).expect("a link");
    assert_eq!(capture(&scene, &shop).code, 0);
    assert_eq!(names(victim.path()), ["package.json"]);
}

#[test]
fn what_agents_claim_of_their_lessons_counts_for_nothing_and_the_repository_is_known() {
    let (scene, shop) = Shop::known();
    shop.git(&["remote", "add", "origin", "https://example.org/team/realname.git"]);
    shop.leave(
        "tester-a1.json",
        r#"{"pattern_to_remember":"Run the migrations in src/db/migrate.ts before every test","seen_count":123456,"success_rate":1.0,"confidence":"high","pattern_id":"P-777"}"#,
    );
    capture(&scene, &shop);
    scene.done(&["run", "hourly"]);
    assert_eq!(rows(&scene, "select id, prior_seen, repo from pattern"), ["P-001,,realname"]);
}
