//! Runs a day, and how far they lie apart.

use agent::observe::PURPOSE;
use jiff::{SignedDuration, Timestamp};
use store::command::{Budget, Limit, Start};
use store::workspace::Workspace;
use tempfile::TempDir;
use text::day::Day;

use super::now;

fn limits(calls_per_day: u32, minutes: i64) -> Limit {
    Limit { calls_per_day, pause: SignedDuration::from_mins(minutes) }
}

fn budget(workspace: &Workspace, now: Timestamp) -> Budget {
    Budget::load(workspace, PURPOSE, Day::of_micros(now.as_microsecond())).expect("a budget")
}

fn start(workspace: &Workspace, limit: Limit, now: Timestamp) -> Start {
    budget(workspace, now).take(limit, 3, "claude", now).expect("counted")
}

#[test]
fn a_cap_of_one_means_one_a_day_utc() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    let midnight = "2026-03-14T23:59:59.999Z".parse().expect("a time");
    assert_eq!(start(&workspace, limits(1, 0), midnight), Start::Go);
    assert_eq!(start(&workspace, limits(1, 0), midnight), Start::UsedUp);
    assert_eq!(budget(&workspace, midnight).used(), 1);
    let next = midnight + SignedDuration::from_millis(1);
    assert_eq!(start(&workspace, limits(1, 0), next), Start::Go);
    let line = std::fs::read_to_string(workspace.history().join("observer-2026-03-15.jsonl")).expect("a file");
    assert_eq!(line, "{\"ts\":\"2026-03-15T00:00:00Z\",\"sessions\":3,\"program\":\"claude\"}\n");
}

#[test]
fn runs_lie_apart_also_over_midnight_but_for_those_by_hand() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    let late = "2026-03-14T23:58:00Z".parse().expect("a time");
    assert_eq!(start(&workspace, limits(5, 5), late), Start::Go);
    let soon = late + SignedDuration::from_mins(4);
    let next = late + SignedDuration::from_mins(5);
    assert_eq!(start(&workspace, limits(5, 5), soon), Start::TooSoon(next));
    assert_eq!(start(&workspace, limits(5, 0), soon), Start::Go);
    assert_eq!(start(&workspace, limits(5, 5), next), Start::TooSoon(soon + SignedDuration::from_mins(5)));
    assert_eq!(start(&workspace, limits(5, 0), next), Start::Go);
}

#[test]
fn half_a_line_of_a_killed_run_counts_and_a_clock_that_went_back_holds_nobody_up() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    std::fs::create_dir_all(workspace.history()).expect("a folder");
    std::fs::write(workspace.history().join("observer-2026-03-14.jsonl"), "{\"ts\":\"2026-03-14T23:0").expect("a file");
    assert_eq!(budget(&workspace, now()).used(), 1);
    assert_eq!(start(&workspace, limits(3, 5), now() + SignedDuration::from_hours(2)), Start::Go);
    assert_eq!(start(&workspace, limits(3, 5), now()), Start::Go);
    assert_eq!(start(&workspace, limits(3, 0), now()), Start::UsedUp);
}

#[test]
fn runs_that_start_at_once_are_counted_one_by_one() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    let started = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8).map(|_| scope.spawn(|| start(&workspace, limits(3, 0), now()) == Start::Go)).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).filter(|is_started| *is_started).count()
    });
    assert_eq!(started, 3);
}
