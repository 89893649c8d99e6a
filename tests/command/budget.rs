//! The budget of calls.

use std::fs;

use agent::classify::PURPOSE;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use store::command::{Budget, Limit, Start};
use text::day::Day;

use super::Room;

fn at(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

fn budget(room: &Room, now: Timestamp) -> Budget {
    Budget::load(&room.workspace(), PURPOSE, Day::of_micros(now.as_microsecond())).expect("a budget")
}

fn take(budget: &mut Budget, calls_per_day: u32, things: usize, now: Timestamp) -> bool {
    let limit = Limit { calls_per_day, pause: SignedDuration::ZERO };
    match budget.take(limit, things, "sh", now).expect("a file") {
        Start::Go => true,
        Start::UsedUp => false,
        Start::TooSoon(next) => panic!("nobody has to wait, least of all until {next}"),
    }
}

#[test]
fn calls_count_across_runs_until_the_day_is_over() {
    let (room, evening, next_morning) = (Room::new(), at("2026-03-14T23:59:59Z"), at("2026-03-15T00:00:00Z"));
    let taken = |now| take(&mut budget(&room, now), 2, 20, now);
    assert_eq!([taken(evening), taken(evening), taken(evening)], [true, true, false]);
    assert!(taken(next_morning));
    assert_eq!((budget(&room, evening).used(), budget(&room, next_morning).used()), (2, 1));
    let text = fs::read_to_string(room.workspace().history().join("classifier-2026-03-14.jsonl")).expect("a file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0], serde_json::json!({"ts": "2026-03-14T23:59:59Z", "lessons": 20, "program": "sh"}));
}

#[test]
fn a_call_whose_line_was_cut_off_counts() {
    let (room, now) = (Room::new(), at("2026-03-14T12:00:00Z"));
    assert!(take(&mut budget(&room, now), 3, 1, now));
    let path = room.workspace().history().join("classifier-2026-03-14.jsonl");
    let whole = fs::read_to_string(&path).expect("a file");
    fs::write(&path, format!("{whole}{{\"ts\":\"20")).expect("a torn file");
    let mut torn = budget(&room, now);
    assert_eq!(torn.used(), 2);
    assert!(take(&mut torn, 3, 1, now));
    assert_eq!((torn.used(), budget(&room, now).used()), (3, 3));
    assert!(!take(&mut torn, 3, 1, now));
}

#[test]
fn processes_that_ask_at_once_never_take_more_than_there_is() {
    let (room, now) = (Room::new(), at("2026-03-14T12:00:00Z"));
    let taken: usize = std::thread::scope(|scope| {
        let taken = || (0..5).filter(|_| take(&mut budget(&room, now), 12, 1, now)).count();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(taken)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).sum()
    });
    assert_eq!((taken, budget(&room, now).used()), (12, 12));
}

#[test]
fn a_budget_of_nothing_allows_nothing() {
    let (room, now) = (Room::new(), at("2026-03-14T12:00:00Z"));
    assert!(!take(&mut budget(&room, now), 0, 1, now));
}
