//! The worked numbers of the original. Where they show a defect, the name of the test says what is mended.

use serde_json::json;

use super::place::{Place, error_of, known, result};

const ROWS: &str = "\
run-0|2026-01-05T09:00:00Z|reduce-failures|9|completed|cmd|s
run-1|2026-01-05T10:00:00Z|reduce-failures|1|in_progress|cmd|s
run-1|2026-01-05T10:10:00Z|reduce-failures|2|in_progress|cmd|s
run-1|2026-01-05T10:20:00Z|reduce-failures|3|completed|cmd|s
";

fn with_target(target: &str) -> String {
    format!("goals:\n  reduce-failures:\n    success_criteria:\n      target: {target}\n")
}

#[test]
fn a_run_of_which_nothing_is_known_is_not_measured() {
    let outcome = Place::new().judge(&known("reduce-failures"));
    assert_eq!((result(&outcome), outcome.is_measured), ((false, None), false));
    assert_eq!(outcome.metrics["target"], 3);
    assert_eq!(error_of(&outcome), Some("iterations_unknown"));
}

#[test]
fn a_generous_target_makes_no_success_of_an_unknown_run() {
    let place = Place::new();
    assert_eq!(place.judge(&place.goal(&with_target("100"), None)).verdict(), "not measured");
}

#[test]
fn iterations_up_to_the_target_succeed_and_scores_fall_with_them() {
    let mut place = Place::new();
    for (iteration, success, score) in
        [(0, true, 1.0), (1, true, 0.83), (2, true, 0.67), (3, true, 0.5), (4, false, 0.33), (6, false, 0.0)]
    {
        place.situation.iteration = Some(iteration);
        let outcome = place.judge(&known("reduce-failures"));
        assert_eq!(result(&outcome), (success, Some(score)), "iteration {iteration}");
        assert_eq!(json!(outcome.metrics), json!({"iterations": iteration, "target": 3}));
        assert_eq!(outcome.notes, Vec::<String>::new());
    }
}

#[test]
fn the_last_row_of_the_run_counts_where_the_original_took_the_first() {
    let place = Place::new();
    place.write("runs.log", ROWS);
    let outcome = place.judge(&known("reduce-failures"));
    assert_eq!(result(&outcome), (true, Some(0.5)));
    assert_eq!(outcome.metrics["iterations"], 3);
}

#[test]
fn the_iteration_that_is_given_goes_before_the_log_of_runs() {
    let mut place = Place::new();
    place.write("runs.log", ROWS);
    place.situation.iteration = Some(1);
    assert_eq!(result(&place.judge(&known("reduce-failures"))), (true, Some(0.83)));
}

#[test]
fn a_target_may_have_a_fraction() {
    let mut place = Place::new();
    place.situation.iteration = Some(2);
    let outcome = place.judge(&place.goal(&with_target("2.5"), None));
    assert_eq!(result(&outcome), (true, Some(0.6)));
    assert_eq!(outcome.metrics["target"], 2.5);
}

#[test]
fn tests_are_judged_by_the_exit_code_and_scored_by_their_counts() {
    let place = Place::new();
    let rows = [("echo '3 passed, 1 failed'", true, 0.75), ("echo '7 passed'; exit 1", false, 1.0), ("true", true, 0.0)];
    for (command, success, score) in rows {
        let yaml = format!("goals:\n  swe-bench:\n    success_criteria:\n      type: binary\n      test_command: \"{command}\"\n");
        let outcome = place.judge(&place.goal(&yaml, Some("swe-bench")));
        assert_eq!(result(&outcome), (success, Some(score)), "{command}");
    }
}

#[test]
fn tokens_beyond_the_target_fail_with_what_is_left_of_the_score() {
    let mut place = Place::new();
    place.situation.session_file = Some(
        place
            .write("session.jsonl", "{\"usage\":{\"input_tokens\":60000,\"output_tokens\":15000,\"cache_read_input_tokens\":7}}\n"),
    );
    let outcome = place.judge(&known("minimize-tokens"));
    assert_eq!(result(&outcome), (false, Some(0.25)));
    let wanted = json!({"input_tokens": 60000, "output_tokens": 15000, "cache_tokens": 7, "total_tokens": 75000, "target": 50000});
    assert_eq!(json!(outcome.metrics).to_string(), wanted.to_string(), "in this order");
}

#[test]
fn a_goal_that_the_file_leaves_out_has_its_own_target_where_the_original_took_three() {
    let mut place = Place::new();
    place.situation.session_file = Some(place.write("session.jsonl", "{\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}\n"));
    let outcome = place.judge(&place.goal(&with_target("3"), Some("minimize-tokens")));
    assert_eq!(result(&outcome), (true, Some(1.0)));
    assert_eq!(outcome.metrics["target"], 50_000);
}

#[test]
fn without_a_session_file_there_is_no_score_where_the_original_gave_a_half() {
    let outcome = Place::new().judge(&known("minimize-tokens"));
    assert_eq!(result(&outcome), (false, None));
    assert_eq!((error_of(&outcome), outcome.is_measured), (Some("session_file_not_found"), false));
}

#[test]
fn coverage_is_measured_where_the_original_always_succeeded_with_a_half() {
    let place = Place::new();
    let outcome = place.judge(&known("maximize-coverage"));
    assert_eq!(result(&outcome), (false, None));
    assert_eq!((error_of(&outcome), outcome.verdict()), (Some("coverage_report_not_found"), "not measured"));
    place.write("lcov.info", "SF:a.rs\nLF:10\nLH:9\nend_of_record\n");
    assert_eq!(result(&place.judge(&known("maximize-coverage"))), (true, Some(0.9)));
}

#[test]
fn the_code_of_an_evaluator_is_noted_and_a_word_for_failure_is_read_where_the_original_took_it_for_success() {
    let mut place = Place::new();
    let answer = r#"{"success": "false", "score": 7.123456}"#;
    place.situation.evaluator = Some(place.script("judge.sh", &format!("echo '{answer}'; exit 3")));
    let goal = place.goal("active_goal: own\ngoals:\n  own: {description: one of our own}\n", None);
    let outcome = place.judge(&goal);
    assert_eq!(result(&outcome), (false, Some(1.0)), "the word is read, and the score is a part of one");
    assert_eq!(error_of(&outcome), None);
    let notes = ["the score 7.123456 was changed to 1", "the evaluator answered and ended with exit status: 3; its answer is used"];
    assert_eq!(outcome.notes, notes);
    place.situation.evaluator = Some(place.script("judge.sh", &format!("echo '{answer}'")));
    assert_eq!(place.judge(&goal).notes, notes[..1]);
}
