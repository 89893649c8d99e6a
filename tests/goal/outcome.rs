//! What an outcome becomes: the file of the original and an event of ours.

use agent::goal::GoalOutcome;
use event::field::{Json, Text};
use event::{Body, Draft, Latest, Parser};
use jiff::Timestamp;

use super::place::{Place, known};

fn at(time: &str) -> Timestamp {
    time.parse().expect("a time")
}

fn outcome() -> GoalOutcome {
    let mut place = Place::new();
    place.situation.iteration = Some(1);
    place.judge(&known("reduce-failures"))
}

#[test]
fn the_file_has_the_members_in_the_order_of_the_original() {
    let json = outcome().json("run-1", at("2026-01-05T10:00:00.012345Z"));
    let wanted = r#"{
  "goal": "reduce-failures",
  "run_id": "run-1",
  "success": true,
  "score": 0.83,
  "metrics": {
    "iterations": 1,
    "target": 3
  },
  "details": "iterations: 1; the target is 3",
  "evaluated_at": "2026-01-05T10:00:00.012345Z"
}"#;
    assert_eq!(json, wanted);
}

#[test]
fn a_fraction_of_a_second_that_is_zero_is_left_out_and_others_have_six_digits() {
    for (time, written) in [
        ("2026-01-05T10:00:00Z", "2026-01-05T10:00:00Z"),
        ("2026-01-05T10:00:00.5Z", "2026-01-05T10:00:00.500000Z"),
        ("2026-01-05T10:00:00.000001999Z", "2026-01-05T10:00:00.000001Z"),
        ("2026-01-05T10:00:00.000000999Z", "2026-01-05T10:00:00Z"),
    ] {
        let json = outcome().json("run-1", at(time));
        assert!(json.contains(&format!("\"evaluated_at\": \"{written}\"")), "{json}");
    }
}

#[test]
fn a_score_that_is_not_known_is_null_in_the_file_and_a_whole_one_keeps_its_point() {
    let place = Place::new();
    let json = place.judge(&known("minimize-tokens")).json("run-1", at("2026-01-05T10:00:00Z"));
    assert!(json.contains("\"score\": null"), "{json}");
    let json = GoalOutcome { score: Some(1.0), ..outcome() }.json("run-1", at("2026-01-05T10:00:00Z"));
    assert!(json.contains("\"score\": 1.0"), "{json}");
}

#[test]
fn the_event_passes_the_door_with_everything_that_was_measured() {
    let outcome = outcome();
    let line = outcome.event_line("shop", "run-1", Some(1), at("2026-01-05T10:00:00Z")).expect("a line");
    let mut parser = Parser::new(Latest::from_clock(i64::MAX));
    let event = parser.parse(&line).unwrap_or_else(|rejection| panic!("{rejection:?}"));
    let Body::Goal(goal) = &event.body else { panic!("{line} is no goal") };
    assert_eq!((goal.run_id.get(), goal.iteration.map(|iteration| iteration.get())), ("run-1", Some(1)));
    assert_eq!((goal.goal.get(), goal.success.get(), goal.score.map(|score| score.get())), ("reduce-failures", true, Some(0.83)));
    assert_eq!(goal.metrics.as_ref().map(Json::get), Some(r#"{"iterations":1,"target":3}"#));
    assert_eq!(goal.details.as_ref().map(Text::get), Some("iterations: 1; the target is 3"));
}

#[test]
fn an_event_without_a_score_has_none_and_one_with_notes_keeps_them() {
    let place = Place::new();
    let line =
        place.judge(&known("minimize-tokens")).event_line("shop", "run-1", None, at("2026-01-05T10:00:00Z")).expect("a line");
    assert!(!line.contains("score") && !line.contains("notes") && !line.contains("iteration\""), "{line}");
    let noted = GoalOutcome { notes: vec!["odd".to_owned()], ..outcome() };
    let line = noted.event(Draft::new("goal", at("2026-01-05T10:00:00Z"), "shop").of_turn("run-1", None)).finish().expect("a line");
    assert!(line.contains(r#""notes":["odd"]"#), "{line}");
}
