//! The queue of sessions that wait.

use std::fs;
use std::path::PathBuf;

use agent::observe::{Pending, Queue};
use jiff::SignedDuration;
use store::workspace::Workspace;
use tempfile::TempDir;

use super::now;

fn pending(session: &str, minutes: i64) -> Pending {
    Pending {
        session: session.to_owned(),
        project: "shop".to_owned(),
        transcript: PathBuf::from(format!("/t/{session}.jsonl")),
        folder: None,
        at: now() + SignedDuration::from_mins(minutes),
        attempts: 0,
    }
}

struct Room {
    _folder: TempDir,
    workspace: Workspace,
    queue: Queue,
}

impl Room {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let workspace = Workspace::at(folder.path().join("w"));
        Self { queue: Queue::of(&workspace), workspace, _folder: folder }
    }

    fn waiting(&self) -> Vec<String> {
        self.queue.load().expect("it is read").0.into_iter().map(|pending| pending.session).collect()
    }
}

#[test]
fn sessions_are_told_apart_by_their_whole_id() {
    let room = Room::new();
    for session in ["s10", "s1", "s"] {
        room.queue.add(&pending(session, 0)).expect("added");
    }
    room.queue.add(&pending("s1", 1)).expect("added");
    let mut other = pending("s1", 0);
    other.project = "ledger".to_owned();
    room.queue.add(&other).expect("added");
    assert_eq!(room.waiting(), ["s10", "s", "s1", "s1"], "once for each project, with its latest end");
    room.queue.settle(&[pending("s1", 1)], &[]).expect("settled");
    let left = room.queue.load().expect("it is read").0;
    assert_eq!(
        left.iter().map(|pending| (&*pending.session, &*pending.project)).collect::<Vec<_>>(),
        [("s10", "shop"), ("s", "shop"), ("s1", "ledger")]
    );
}

#[test]
fn a_session_that_ends_again_meanwhile_stays() {
    let room = Room::new();
    room.queue.add(&pending("s1", 0)).expect("added");
    let read = room.queue.load().expect("it is read").0;
    room.queue.add(&pending("s1", 5)).expect("added");
    room.queue.settle(&read, &[]).expect("settled");
    assert_eq!(room.queue.load().expect("it is read").0, [pending("s1", 5)]);
}

#[test]
fn what_was_asked_in_vain_is_counted() {
    let room = Room::new();
    room.queue.add(&pending("s1", 0)).expect("added");
    room.queue.add(&pending("s2", 0)).expect("added");
    room.queue.settle(&[], &[pending("s1", 0)]).expect("settled");
    room.queue.settle(&[], &[pending("s1", 0)]).expect("settled");
    let attempts: Vec<u32> = room.queue.load().expect("it is read").0.iter().map(|pending| pending.attempts).collect();
    assert_eq!(attempts, [2, 0]);
}

#[test]
fn half_a_line_costs_itself_and_is_counted() {
    let room = Room::new();
    room.queue.add(&pending("s1", 0)).expect("added");
    let path = room.workspace.observing().join("queue.jsonl");
    let mut text = fs::read_to_string(&path).expect("a queue");
    text.push_str("{\"session\":\"s2\",\"proj");
    fs::write(&path, text).expect("a queue");
    room.queue.add(&pending("s3", 0)).expect("added");
    assert_eq!(room.waiting(), ["s1", "s3"]);
    assert_eq!(room.queue.load().expect("it is read").1, 1);
}

#[test]
fn sessions_that_are_added_at_once_are_all_there() {
    let room = Room::new();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let queue = &room.queue;
            scope.spawn(move || {
                for number in 0..10 {
                    queue.add(&pending(&format!("s{worker}-{number}"), 0)).expect("added");
                    queue.settle(&[pending(&format!("s{worker}-{}", number + 100), 0)], &[]).expect("settled");
                }
            });
        }
    });
    assert_eq!(room.waiting().len(), 80);
}

#[test]
fn one_process_observes_at_a_time() {
    let room = Room::new();
    let turn = room.queue.take_turn().expect("the first");
    let refused = room.queue.take_turn().expect_err("the second");
    assert!(refused.to_string().contains("is observing the queued sessions"), "{refused}");
    drop(turn);
    room.queue.take_turn().expect("the next");
}
