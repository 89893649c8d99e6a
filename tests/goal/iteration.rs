//! How far a run has come.

use std::fs;
use std::os::unix::fs::symlink;

use agent::goal::{evaluate, read_highest_iteration};
use text::diagnostic::Exit;

use super::place::{Place, known, result};

fn highest(log: &[u8]) -> Option<i64> {
    read_highest_iteration(log, "run-1").expect("memory reads")
}

#[test]
fn the_highest_iteration_counts_whatever_the_order_of_rows() {
    assert_eq!(highest(b"run-1|t|g|2|x\nrun-1|t|g|11|x\nrun-1|t|g|3|x"), Some(11));
}

#[test]
fn rows_of_other_runs_short_rows_and_words_for_numbers_are_passed_over() {
    let log = b"run-10|t|g|9|x\nrun-1|t|g\nrun-1|t|g|many|x\nrun-1|t|g|-4|x\nrun-1|t|g||x\n\xff\xfe|t|g|8\n";
    assert_eq!(highest(log), None);
    assert_eq!(highest(b"run-1|t|g|99999999999999999999|x\r\nrun-1|t|g|4\r\n"), Some(4));
}

#[test]
fn a_row_without_end_costs_no_memory_and_hides_no_other() {
    let mut log = b"run-1|t|g|5|x\n".to_vec();
    log.extend(vec![b'7'; 5 << 20]);
    log.extend(b"\nrun-1|t|g|6|x\n");
    assert_eq!(highest(&log), Some(6));
}

#[test]
fn a_log_that_cannot_be_read_is_an_error_and_no_result() {
    let place = Place::new();
    fs::create_dir(place.path("runs.log")).expect("a folder");
    let fault = evaluate(&known("reduce-failures"), &place.situation).expect_err("a folder is no log");
    assert_eq!((fault.exit, fault.place), (Exit::Edit, Some(place.path("runs.log"))));
}

#[test]
fn a_link_in_place_of_the_log_is_not_followed() {
    let place = Place::new();
    let elsewhere = place.write("elsewhere", "run-1|t|g|1|x\n");
    symlink(elsewhere, place.path("runs.log")).expect("a link");
    evaluate(&known("reduce-failures"), &place.situation).expect_err("a link is refused");
}

#[test]
fn an_iteration_below_zero_is_no_iteration() {
    let mut place = Place::new();
    place.situation.iteration = Some(-1);
    place.write("runs.log", "run-1|t|g|2|x\n");
    assert_eq!(result(&place.judge(&known("reduce-failures"))), (true, Some(0.67)));
}

#[test]
fn what_a_goal_says_beside_its_name_and_is_not_listened_to_is_noted() {
    let mut place = Place::new();
    place.situation.iteration = Some(2);
    let text = "goals:\n  reduce-failures:\n    evaluator: judge\n    success_criteria: {metric: error_count, target: 3}\n";
    let outcome = place.judge(&place.goal(text, None));
    assert_eq!(result(&outcome), (true, Some(0.67)));
    assert_eq!(outcome.notes.len(), 2, "{:?}", outcome.notes);
    assert!(outcome.notes[1].contains("`error_count`"), "{:?}", outcome.notes);
}
