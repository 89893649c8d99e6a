//! Runs a day, and how far they lie apart.

use agent::observe::{Quota, Start};
use jiff::SignedDuration;
use setting::ObserveSettings;
use store::workspace::Workspace;
use tempfile::TempDir;
use text::day::Day;

use super::now;

fn limits(max_daily_runs: u32, throttle_minutes: u32) -> ObserveSettings {
    ObserveSettings { max_daily_runs, throttle_minutes, command: vec!["/usr/bin/claude".to_owned()], ..ObserveSettings::default() }
}

#[test]
fn a_cap_of_one_means_one_a_day_utc() {
    let folder = TempDir::new().expect("a folder");
    let quota = Quota::of(&Workspace::at(folder.path()));
    let midnight = "2026-03-14T23:59:59.999Z".parse().expect("a time");
    assert_eq!(quota.start(&limits(1, 0), 3, false, midnight).expect("counted"), Start::Go);
    assert_eq!(quota.start(&limits(1, 0), 3, false, midnight).expect("counted"), Start::UsedUp);
    assert_eq!(quota.used(Day::of_micros(midnight.as_microsecond())).expect("counted"), 1);
    let next = midnight + SignedDuration::from_millis(1);
    assert_eq!(quota.start(&limits(1, 0), 3, false, next).expect("counted"), Start::Go);
}

#[test]
fn runs_lie_apart_also_over_midnight_but_for_those_by_hand() {
    let folder = TempDir::new().expect("a folder");
    let quota = Quota::of(&Workspace::at(folder.path()));
    let late = "2026-03-14T23:58:00Z".parse().expect("a time");
    assert_eq!(quota.start(&limits(5, 5), 1, false, late).expect("counted"), Start::Go);
    let soon = late + SignedDuration::from_mins(4);
    let next = late + SignedDuration::from_mins(5);
    assert_eq!(quota.start(&limits(5, 5), 1, false, soon).expect("counted"), Start::TooSoon(next));
    assert_eq!(quota.start(&limits(5, 5), 1, true, soon).expect("counted"), Start::Go);
    assert_eq!(quota.start(&limits(5, 5), 1, false, next).expect("counted"), Start::TooSoon(soon + SignedDuration::from_mins(5)));
    assert_eq!(quota.start(&limits(5, 0), 1, false, next).expect("counted"), Start::Go);
}

#[test]
fn half_a_line_of_a_killed_run_counts_and_a_clock_that_went_back_holds_nobody_up() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    let quota = Quota::of(&workspace);
    std::fs::create_dir_all(workspace.history()).expect("a folder");
    std::fs::write(workspace.history().join("observer-2026-03-14.jsonl"), "{\"ts\":\"2026-03-14T23:0").expect("a file");
    assert_eq!(quota.used(Day::of_micros(now().as_microsecond())).expect("counted"), 1);
    assert_eq!(quota.start(&limits(3, 5), 1, false, now() + SignedDuration::from_hours(2)).expect("counted"), Start::Go);
    assert_eq!(quota.start(&limits(3, 5), 1, false, now()).expect("counted"), Start::Go);
    assert_eq!(quota.start(&limits(3, 5), 1, true, now()).expect("counted"), Start::UsedUp);
}

#[test]
fn runs_that_start_at_once_are_counted_one_by_one() {
    let folder = TempDir::new().expect("a folder");
    let workspace = Workspace::at(folder.path());
    let started = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Quota::of(&workspace).start(&limits(3, 0), 1, false, now()).expect("counted") == Start::Go))
            .collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).filter(|is_started| *is_started).count()
    });
    assert_eq!(started, 3);
}
