//! Goals that a test command decides, with real commands.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agent::goal::{Goal, TestCounts, count_tests};

use super::place::{Place, error_of, known, result};

fn binary(place: &Place, name: &str, command: &str) -> Goal {
    let command = serde_json::Value::from(command);
    place.goal(&format!("goals:\n  {name}:\n    success_criteria: {{type: binary, test_command: {command}}}\n"), Some(name))
}

fn counts(stdout: &str, stderr: &str) -> (u64, u64) {
    let TestCounts { passed, failed } = count_tests(stdout, stderr);
    (passed, failed)
}

#[test]
fn tests_are_counted_in_the_words_of_several_tools() {
    assert_eq!(counts("==== 2 failed, 5 passed, 1 warning in 0.12s ====", ""), (5, 2));
    assert_eq!(counts("==== 3 passed, 2 errors in 0.12s ====", ""), (3, 2));
    assert_eq!(counts("==== 1 failed, 3 passed, 1 error in 0.12s ====", ""), (3, 2));
    assert_eq!(counts("test result: FAILED. 12 passed; 3 failed; 0 ignored", ""), (12, 3));
    assert_eq!(counts("Tests:       1 failed, 8 passed, 9 total", ""), (8, 1));
    assert_eq!(counts("\u{1b}[32m4 passed\u{1b}[0m", ""), (4, 0));
    assert_eq!(counts("all well", "OK"), (0, 0));
}

#[test]
fn errors_count_only_where_tests_are_counted() {
    assert_eq!(counts("retry after 500 error\n3 passed in 0.1s", ""), (3, 0));
    assert_eq!(counts("upload failed: 502 errors\n3 passed", "404 error"), (3, 0));
    assert_eq!(counts("500 error\n== 1 failed, 2 errors in 0.1s ==", ""), (0, 3));
    assert_eq!(counts("3 passed", "1 failed, 1 error"), (3, 2));
}

#[test]
fn what_a_finished_command_left_behind_does_not_keep_its_result_from_counting() {
    let place = Place::new();
    let goal = binary(&place, "swe-bench", "sleep 600 & echo $! > child; echo 3 passed, 1 failed; exit 1");
    let outcome = place.judge(&goal);
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, Some(0.75)), None));
    assert_gone(fs::read_to_string(place.path("child")).expect("it was started").trim());
}

#[test]
fn the_first_count_of_stdout_goes_before_those_of_stderr() {
    assert_eq!(counts("1 passed\n2 passed", "9 passed, 4 failed"), (1, 4));
    assert_eq!(counts("", "9 passed"), (9, 0));
}

#[test]
fn counts_beyond_all_measure_still_give_a_score() {
    let counts = count_tests("99999999999999999999999 passed 99999999999999999999999 failed 1 error", "");
    assert!((0.0..=1.0).contains(&counts.score()));
}

#[test]
fn the_command_runs_in_the_folder_of_the_run_through_a_shell() {
    let place = Place::new();
    place.write("tests/count", "4");
    let outcome = place.judge(&binary(&place, "swe-bench", "echo \"$(cat tests/count) passed\" && echo '1 failed' >&2; exit 1"));
    assert_eq!(result(&outcome), (false, Some(0.8)));
    assert_eq!((&outcome.metrics["tests_passed"], &outcome.metrics["tests_failed"]), (&4.into(), &1.into()));
    assert_eq!(outcome.details, "4 tests passed, 1 failed (exit status: 1)");
}

#[test]
fn errors_of_collection_count_as_failures() {
    let place = Place::new();
    let outcome = place.judge(&binary(&place, "swe-bench", "echo '1 passed, 1 error in 0.1s'; exit 1"));
    assert_eq!(result(&outcome), (false, Some(0.5)));
}

#[test]
fn a_goal_of_any_name_can_have_a_test_command() {
    let place = Place::new();
    assert_eq!(result(&place.judge(&binary(&place, "shipping", "echo 2 passed"))), (true, Some(1.0)));
    assert_eq!(result(&place.judge(&binary(&place, "reduce-failures", "echo 1 passed 1 failed; false"))), (false, Some(0.5)));
}

#[test]
fn a_command_that_is_not_there_fails_like_any_other() {
    let place = Place::new();
    let outcome = place.judge(&binary(&place, "swe-bench", "no-such-program-anywhere"));
    assert_eq!(result(&outcome), (false, Some(0.0)));
    assert!(outcome.details.contains("127"), "{}", outcome.details);
}

#[test]
fn a_folder_that_is_not_there_is_an_outcome_too() {
    let mut place = Place::new();
    let goal = binary(&place, "swe-bench", "true");
    place.situation.workdir = place.path("gone");
    let outcome = place.judge(&goal);
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("not_started")));
}

#[test]
fn when_the_time_is_over_everything_that_the_command_started_is_killed() {
    let mut place = Place::new();
    place.situation.test_limit = Duration::from_secs(3);
    // The grandchild holds the outputs open, as servers that tests start do.
    let goal = binary(&place, "swe-bench", "sh -c 'sleep 600 & echo $! > grandchild; wait' & echo 5 passed; wait");
    let outcome = place.judge(&goal);
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, Some(0.0)), Some("timeout")));
    let grandchild = fs::read_to_string(place.path("grandchild")).expect("it was started");
    assert_gone(grandchild.trim());
}

#[test]
fn what_a_command_leaves_behind_in_the_background_is_killed_too() {
    let place = Place::new();
    let goal = binary(&place, "swe-bench", "sleep 600 >/dev/null 2>&1 & echo $! > child; echo 1 passed");
    assert_eq!(result(&place.judge(&goal)), (true, Some(1.0)));
    assert_gone(fs::read_to_string(place.path("child")).expect("it was started").trim());
}

#[test]
fn a_command_that_never_stops_talking_is_stopped() {
    let mut place = Place::new();
    place.situation.test_limit = Duration::from_secs(1);
    assert_eq!(error_of(&place.judge(&binary(&place, "swe-bench", "yes 1 passed"))), Some("timeout"));
}

#[test]
fn more_output_than_is_kept_is_noted() {
    let place = Place::new();
    let outcome = place.judge(&binary(&place, "swe-bench", "echo 1 passed; head -c 20000000 /dev/zero"));
    assert_eq!(result(&outcome), (true, Some(1.0)));
    assert_eq!(outcome.notes.len(), 1, "{:?}", outcome.notes);
}

#[test]
fn the_usual_command_needs_no_file_of_goals() {
    let place = Place::new();
    // Whether or not there is such a program, there are no such tests.
    assert!(!place.judge(&known("swe-bench")).success);
}

/// Waits until a killed process has left: it goes when whoever inherits it has looked at it.
#[track_caller]
fn assert_gone(pid: &str) {
    assert!(pid.parse::<u32>().is_ok(), "{pid} is a process");
    let stat = Path::new("/proc").join(pid).join("stat");
    let started = Instant::now();
    while let Ok(stat) = fs::read_to_string(&stat) {
        let state = stat.rsplit(')').next().unwrap_or_default().trim_start().chars().next();
        if matches!(state, Some('Z' | 'X')) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{pid} still runs: {stat}");
        std::thread::yield_now();
    }
}
