//! Inbox files that are wholly in the lake go; no event is lost or counts twice.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use batch::retention::{InboxPruned, prune_inbox};
use jiff::Timestamp;
use store::clock;
use store::lake::Checkpoint;

use super::{DAY, HOUR, backdate, names};
use crate::support::{Material, Scene};

fn build(id: &str) -> String {
    format!("{{\"kind\":\"build\",\"ts\":\"2026-10-01T00:00:00Z\",\"id\":\"{id}\",\"run_id\":\"r\",\"passed\":true}}\n")
}

fn inbox_file(scene: &Scene, name: &str) -> PathBuf {
    scene.workspace.inbox().join(name)
}

/// A file that was taken whole and last changed a hundred days ago.
fn taken(scene: &Scene, name: &str, content: &str) {
    scene.land(name, content.as_bytes());
    scene.done(&["run", "compact"]);
    backdate(&inbox_file(scene, name), DAY * 100);
}

fn prune(scene: &Scene, days: u32) -> InboxPruned {
    prune_inbox(&scene.workspace, days, clock::now(), false).expect("pruned")
}

fn lines_read(scene: &Scene) -> u64 {
    Checkpoint::load(&scene.workspace).expect("it can be read").expect("it is there").counts().lines
}

#[test]
fn a_file_that_is_wholly_taken_and_old_goes_and_compaction_goes_on() {
    let scene = Scene::new();
    taken(&scene, "record-2026-01-01.jsonl", &(build("one") + "oops\n"));
    let size = fs::metadata(inbox_file(&scene, "record-2026-01-01.jsonl")).expect("metadata").len();
    let held = scene.holdings();
    let would = prune_inbox(&scene.workspace, 90, clock::now(), true).expect("judged");
    assert_eq!(would, InboxPruned { files: 1, bytes: size, left: 0 });
    assert_eq!(names(&scene.workspace.inbox()).len(), 1, "a dry run changes nothing");
    assert_eq!(prune(&scene, 90), would);
    assert!(names(&scene.workspace.inbox()).is_empty());
    assert_eq!(lines_read(&scene), 2, "what was read goes on counting");
    let outcome = scene.done(&["run", "compact"]);
    assert!(!outcome.error.contains("note:"), "{}", outcome.error);
    assert_eq!(scene.holdings(), held);
    assert_eq!(prune(&scene, 90), InboxPruned::default());
    scene.done(&["doctor"]);
    scene.done(&["status"]);
}

#[test]
fn another_file_of_the_same_name_is_read_from_its_start_without_complaint() {
    let scene = Scene::new();
    taken(&scene, "a.jsonl", &(build("one") + &build("two") + "oops\n"));
    assert_eq!(prune(&scene, 90).files, 1);
    // It begins like the one that is gone, is longer, and repeats an event.
    scene.land("a.jsonl", (build("one") + &build("two") + "oops\n" + &build("three")).as_bytes());
    let outcome = scene.done(&["run", "compact"]);
    assert!(outcome.error.contains("4 lines"), "{}", outcome.error);
    assert!(!outcome.error.contains("note:"), "{}", outcome.error);
    assert_eq!(scene.holdings().ids, [("one", 1), ("two", 1), ("three", 1)].map(|(id, times)| (id.to_owned(), times)).into());
    assert_eq!(lines_read(&scene), 7);
}

#[test]
fn what_is_young_or_waits_or_changed_or_has_its_day_ahead_stays() {
    let scene = Scene::new();
    let today = clock::now().strftime("%Y-%m-%d").to_string();
    for name in ["young.jsonl", "more.jsonl", "half.jsonl", "swapped.jsonl", "linked.jsonl", &format!("record-{today}.jsonl")] {
        scene.land(name, build(name).as_bytes());
    }
    scene.land("half.jsonl", b"{\"kind\":");
    scene.done(&["run", "compact"]);
    scene.land("more.jsonl", build("more").as_bytes());
    let swapped = inbox_file(&scene, "swapped.jsonl");
    let copy = scene.root().join("copy");
    fs::copy(&swapped, &copy).expect("copied");
    fs::rename(&copy, &swapped).expect("replaced");
    fs::hard_link(inbox_file(&scene, "linked.jsonl"), scene.root().join("elsewhere")).expect("a link");
    fs::write(inbox_file(&scene, "notes.txt"), "not read").expect("a file");
    fs::write(inbox_file(&scene, "never.jsonl"), build("never")).expect("a file");
    let all = names(&scene.workspace.inbox());
    for name in &all {
        backdate(&inbox_file(&scene, name), DAY * 100);
    }
    backdate(&inbox_file(&scene, "young.jsonl"), DAY * 89 + HOUR * 23);
    assert_eq!(prune(&scene, 90), InboxPruned::default());
    assert_eq!(names(&scene.workspace.inbox()), all);
    assert_eq!(prune(&scene, 0), InboxPruned::default(), "0 days keep for ever");
    assert_eq!(prune(&scene, 89).files, 1);
    scene.done(&["run", "compact"]);
    assert!(scene.holdings().ids.contains_key("more") && scene.holdings().ids.contains_key("never"));
}

#[test]
fn a_lost_checkpoint_costs_no_event_after_the_files_are_gone() {
    let scene = Scene::with_small_batches();
    let material = Material::made(77, 400);
    scene.land("a.jsonl", &material.bytes);
    scene.land("b.jsonl", &Material::made(78, 100).bytes);
    scene.done(&["run", "compact"]);
    backdate(&inbox_file(&scene, "a.jsonl"), DAY * 100);
    let held = scene.holdings();
    assert_eq!(prune(&scene, 90).files, 1);
    fs::remove_file(scene.workspace.checkpoint()).expect("lost");
    assert_eq!(prune(&scene, 1), InboxPruned::default(), "without a checkpoint nothing is known to be taken");
    scene.done(&["run", "compact"]);
    assert_eq!(scene.holdings(), held, "everything once, and quarantined lines once");
    // The file comes back, with more in it: what was taken counts once.
    scene.land("a.jsonl", &material.bytes);
    scene.land("a.jsonl", build("after").as_bytes());
    scene.done(&["run", "compact"]);
    let ids = scene.holdings().ids;
    assert!(ids.values().all(|times| *times == 1));
    assert_eq!(ids.len(), held.ids.len() + 1);
}

#[test]
fn a_file_that_somebody_has_open_for_writing_stays_and_its_lines_are_taken() {
    let scene = Scene::new();
    scene.land("a.jsonl", build("one").as_bytes());
    scene.done(&["run", "compact"]);
    let mut writer = OpenOptions::new().append(true).open(inbox_file(&scene, "a.jsonl")).expect("it opens");
    backdate(&inbox_file(&scene, "a.jsonl"), DAY * 100);
    assert_eq!(prune(&scene, 90), InboxPruned { files: 0, bytes: 0, left: 1 });
    assert_eq!(names(&scene.workspace.inbox()), ["a.jsonl".to_owned()].into());
    writer.write_all(build("late").as_bytes()).expect("written");
    drop(writer);
    let outcome = scene.done(&["run", "compact"]);
    assert!(!outcome.error.contains("note:"), "{}", outcome.error);
    scene.assert_all_held("at the end");
    backdate(&inbox_file(&scene, "a.jsonl"), DAY * 100);
    assert_eq!(prune(&scene, 90).files, 1);
}

#[test]
fn what_a_killed_run_took_out_of_sight_comes_back() {
    let scene = Scene::new();
    taken(&scene, "a.jsonl", &build("one"));
    taken(&scene, "b.jsonl", &build("two"));
    for name in ["a.jsonl", "b.jsonl"] {
        fs::rename(inbox_file(&scene, name), inbox_file(&scene, &format!(".away-{name}.removing"))).expect("out of sight");
    }
    // A writer had one of them open; another one began a file under the same name.
    let away = inbox_file(&scene, ".away-a.jsonl.removing");
    OpenOptions::new().append(true).open(&away).expect("open").write_all(build("late").as_bytes()).expect("written");
    scene.land("a.jsonl", build("another").as_bytes());
    assert_eq!(prune(&scene, 0), InboxPruned::default());
    assert_eq!(names(&scene.workspace.inbox()), ["a.jsonl", "a.jsonl-1", "b.jsonl"].map(str::to_owned).into());
    scene.done(&["run", "compact"]);
    scene.assert_all_held("at the end");
}

#[test]
fn while_a_batch_is_on_its_way_no_file_goes() {
    let scene = Scene::new();
    taken(&scene, "a.jsonl", &build("one"));
    let path = scene.workspace.checkpoint();
    let text = fs::read_to_string(&path).expect("the checkpoint");
    let under_way = text.replace("\"publishing\": null", "\"publishing\": {\"moves\": [], \"before\": []}");
    assert_ne!(text, under_way);
    fs::write(&path, under_way).expect("written");
    assert_eq!(prune(&scene, 90), InboxPruned::default());
    fs::write(&path, text).expect("written");
    assert_eq!(prune(&scene, 90).files, 1);
}

#[test]
fn a_day_in_the_name_must_have_ended() {
    let scene = Scene::new();
    taken(&scene, "record-2030-06-01.jsonl", &build("one"));
    let at = |text: &str| text.parse::<Timestamp>().expect("a time");
    let judged = |now: &str| prune_inbox(&scene.workspace, 90, at(now), true).expect("judged").files;
    assert_eq!(judged("2030-05-31T12:00:00Z"), 0);
    assert_eq!(judged("2030-06-01T23:59:59Z"), 0);
    assert_eq!(judged("2030-06-02T00:00:00Z"), 1);
}
