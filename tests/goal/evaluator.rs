//! Goals that a program of their own decides, with real programs that behave in every way.

use std::fs;
use std::time::Duration;

use agent::goal::{Goal, GoalOutcome, parse_answer};
use proptest::prelude::*;
use serde_json::json;

use super::place::{Place, error_of, result};

fn custom(place: &Place, criteria: &str) -> Goal {
    place.goal(&format!("goals:\n  own:\n    evaluator: ./judge.sh\n    success_criteria: {{{criteria}}}\n"), Some("own"))
}

/// What becomes of an evaluator with this script.
fn judged(body: &str, criteria: &str) -> GoalOutcome {
    let place = Place::new();
    place.script("judge.sh", body);
    place.judge(&custom(&place, criteria))
}

fn answered(answer: &str) -> GoalOutcome {
    judged(&format!("cat <<'END'\n{answer}\nEND"), "")
}

#[test]
fn the_answer_is_the_outcome() {
    let outcome = answered(r#"{"success": true, "score": 0.123456, "metrics": {"b": 1, "a": [2.5]}, "details": "fine"}"#);
    assert_eq!(result(&outcome), (true, Some(0.123_456)));
    assert_eq!(json!(outcome.metrics).to_string(), r#"{"b":1,"a":[2.5]}"#);
    assert_eq!((&*outcome.details, outcome.notes.len()), ("fine", 0));
}

#[test]
fn it_is_told_the_run_and_its_folder_and_no_shell_reads_them() {
    let mut place = Place::new();
    place.situation.run_id = "run 1; touch broken $(touch broken)".to_owned();
    place.script("judge.sh", "printf '%s\\n' \"$@\" > arguments; pwd > where; echo '{\"success\": true}'");
    assert!(place.judge(&custom(&place, "")).success);
    let arguments = fs::read_to_string(place.path("arguments")).expect("they were written");
    let workdir = place.situation.workdir.display().to_string();
    assert_eq!(arguments.lines().collect::<Vec<_>>(), ["--run-id", &*place.situation.run_id, "--workdir", &*workdir]);
    assert!(!place.path("broken").exists());
}

#[test]
fn an_evaluator_may_be_a_list_of_words_and_goes_before_the_one_from_outside() {
    let mut place = Place::new();
    place.situation.evaluator = Some(place.script("outside.sh", "echo '{\"success\": false}'"));
    let goal =
        place.goal("goals:\n  own:\n    evaluator: [sh, -c, 'echo \"{\\\"success\\\": true}\"']\n  other: {}\n", Some("own"));
    assert!(place.judge(&goal).success);
    let other = place.goal("goals:\n  other:\n", Some("other"));
    assert_eq!(result(&place.judge(&other)), (false, None));
    assert_eq!(error_of(&place.judge(&other)), None);
}

#[test]
fn without_an_evaluator_the_outcome_says_so() {
    let place = Place::new();
    let outcome = place.judge(&place.goal("goals:\n  own:\n", Some("own")));
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("no_evaluator")));
}

#[test]
fn a_figure_that_is_measured_anyway_needs_no_evaluator() {
    let mut place = Place::new();
    let text = "goals:\n  quick:\n    success_criteria: {metric: iterations, target: 2, direction: below}\n";
    place.situation.iteration = Some(1);
    assert_eq!(result(&place.judge(&place.goal(text, Some("quick")))), (true, Some(0.75)));
}

#[test]
fn an_evaluator_that_is_not_there_or_cannot_run_is_a_failure() {
    let place = Place::new();
    assert_eq!(error_of(&place.judge(&custom(&place, ""))), Some("evaluator_not_started"));
    place.write("judge.sh", "#!/bin/sh\necho '{\"success\": true}'\n");
    assert_eq!(error_of(&place.judge(&custom(&place, ""))), Some("evaluator_not_started"));
}

#[test]
fn an_answer_counts_whatever_the_evaluator_ends_with_and_the_code_is_noted() {
    let outcome = judged("echo '{\"success\": true, \"score\": 0.9}'; exit 3", "");
    assert_eq!((result(&outcome), error_of(&outcome)), ((true, Some(0.9)), None));
    assert_eq!(outcome.notes, ["the evaluator answered and ended with exit status: 3; its answer is used"]);
    let outcome = judged("echo '{\"success\": false, \"score\": 0.4}'; exit 1", "");
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, Some(0.4)), None));
}

#[test]
fn an_evaluator_that_fails_without_an_answer_is_a_failure_and_its_words_are_kept() {
    let outcome = judged("echo '{\"score\": 1}'; printf 'no \\033[31mdata\\n\\nbase' >&2; exit 3", "");
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("evaluator_failed")));
    assert_eq!(outcome.details, "the evaluator failed (exit status: 3): no [31mdata base");
    assert_eq!(error_of(&judged("kill -9 $$", "")), Some("evaluator_failed"));
}

#[test]
fn rubbish_is_a_failure() {
    let rubbish = [
        "",
        "yes",
        "[]",
        "true",
        "{\"success\": true",
        "{\"success\": 1}",
        "{\"success\": \"yes\"}",
        "{}",
        "{\"score\": 1}",
        "{\"success\": true, \"score\": NaN}",
        "{\"success\": true, \"score\": 1e999}",
        "{\"success\": true} and more",
    ];
    for answer in rubbish {
        let outcome = answered(answer);
        assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("evaluator_answer_invalid")), "{answer}");
        assert!(outcome.details.len() > 20);
    }
    assert_eq!(error_of(&judged("printf '\\377\\376\\000'", "")), Some("evaluator_answer_invalid"));
    assert_eq!(error_of(&answered(&"[".repeat(100_000))), Some("evaluator_answer_invalid"));
}

#[test]
fn ten_megabytes_are_no_answer() {
    let outcome = judged("head -c 10485760 /dev/zero | tr '\\0' ' '; echo '{\"success\": true}'", "");
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("evaluator_output_too_large")));
}

#[test]
fn much_talk_beside_an_answer_does_no_harm() {
    assert!(judged("head -c 10485760 /dev/zero >&2; echo '{\"success\": true}'", "").success);
}

#[test]
fn an_evaluator_that_takes_too_long_is_stopped() {
    let mut place = Place::new();
    place.situation.evaluator_limit = Duration::from_millis(300);
    place.script("judge.sh", "sleep 600");
    let outcome = place.judge(&custom(&place, ""));
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, None), Some("timeout")));
}

#[test]
fn words_for_success_are_read_as_such() {
    assert!(answered(r#"{"success": "true"}"#).success);
    let outcome = answered(r#"{"success": "false", "score": 0.5}"#);
    assert_eq!((result(&outcome), error_of(&outcome)), ((false, Some(0.5)), None));
}

#[test]
fn scores_beyond_their_range_are_clamped_and_noted() {
    for (score, clamped) in [("7.123456", 1.0), ("-2", 0.0), ("1e300", 1.0)] {
        let outcome = answered(&format!("{{\"success\": true, \"score\": {score}}}"));
        assert_eq!((outcome.score, outcome.notes.len()), (Some(clamped), 1), "{score}");
    }
    let outcome = answered(r#"{"success": true, "score": "high"}"#);
    assert_eq!((result(&outcome), &*outcome.notes), ((true, None), &["the score is not a number and is ignored".to_owned()][..]));
}

#[test]
fn the_threshold_of_the_goal_judges_its_metric_where_the_evaluator_does_not() {
    let echo = |warnings: &str| format!("echo '{{\"metrics\": {{\"warnings\": {warnings}}}}}'");
    let below = "type: threshold, metric: warnings, target: 4, direction: below";
    let above = "type: threshold, metric: warnings, target: 4, direction: above";
    assert_eq!(result(&judged(&echo("2"), below)), (true, Some(0.75)));
    assert_eq!(result(&judged(&echo("4"), below)), (true, Some(0.5)));
    assert_eq!(result(&judged(&echo("5"), below)), (false, Some(0.38)), "0.375 goes to the even digit");
    assert_eq!(result(&judged(&echo("2"), above)), (false, Some(0.25)));
    assert_eq!(result(&judged(&echo("5"), above)), (true, Some(0.62)), "0.625 goes to the even digit");
    assert_eq!(judged(&echo("2"), above).details, "warnings is 2; the target is 4");
    assert_eq!(error_of(&judged(&echo("\"few\""), below)), Some("evaluator_answer_invalid"));
    let decided = judged("echo '{\"success\": false, \"metrics\": {\"warnings\": 2}}'", below);
    assert!(!decided.success, "what the evaluator says goes before");
}

#[test]
fn texts_of_evaluators_are_short_and_printable() {
    let details = format!("a\\u001b[2Jb\\n\\u202ec{}", "x".repeat(5000));
    let outcome =
        answered(&format!("{{\"success\": true, \"details\": \"{details}\", \"metrics\": {{\"k\\u0007\": [\"{details}\"]}}}}"));
    for text in [&*outcome.details, outcome.metrics["k"][0].as_str().expect("a text")] {
        assert!(text.starts_with("a [2Jb cx") && text.chars().count() <= 300, "{text}");
    }
}

#[test]
fn figures_that_are_too_much_are_left_out_and_noted() {
    let large = format!("{{\"success\": true, \"metrics\": {{\"all\": [{}0]}}}}", "1,".repeat(20_000));
    let deep = format!("{{\"success\": true, \"metrics\": {{\"all\": {}{}}}}}", "[".repeat(40), "]".repeat(40));
    for answer in [&*large, &deep, r#"{"success": true, "metrics": [1]}"#] {
        let answer = parse_answer(answer.as_bytes()).expect("an answer");
        assert_eq!((answer.metrics.len(), answer.notes.len()), (0, 1));
    }
}

proptest! {
    #[test]
    fn no_answer_makes_it_stop_and_scores_are_parts_of_one(bytes in prop::collection::vec(any::<u8>(), 0..200), score in any::<f64>()) {
        let _ = parse_answer(&bytes);
        if let Ok(answer) = parse_answer(format!("{{\"success\":true,\"score\":{score:?}}}").as_bytes()) {
            prop_assert!(answer.score.is_some_and(|score| (0.0..=1.0).contains(&score)));
        }
    }
}
