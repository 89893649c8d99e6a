//! How far patterns come: by themselves up to verified, by a person further, and out of use again.

use learn::role::DeliberationRow;
use learn::subject::Action;

use super::{Story, assert_near, day, heard};

const RULE: &str = "[rule] Always validate the webhook signature before parsing";

fn state(story: &Story, on: i64) -> String {
    story.only(on).state.to_string()
}

/// The story of a rule of the judge.
fn told() -> Story {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "10", &[RULE]);
    story.say("d3", "judge", 3, "10", &[RULE]);
    story.say("d9", "judge", 9, "14", &[RULE]);
    for on in [12, 20, 25] {
        story.pass(&format!("p{on}"), "judge", on, &format!("run-{on}"));
    }
    story
}

#[test]
fn a_rule_lives_from_its_first_sighting_to_a_regression() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "10", &[RULE]);
    assert_eq!((state(&story, 0), story.only(0).successes), ("observed".to_owned(), 1));
    story.say("d3", "judge", 3, "10", &[RULE]);
    let score = story.only(3);
    assert_eq!((score.state.name(), score.successes, score.contexts), ("candidate", 2, 1));
    story.say("d9", "judge", 9, "14", &[RULE]);
    let score = story.only(9);
    assert_eq!((score.state.name(), score.successes, score.contexts), ("verified", 3, 2));
    let mut story = told();
    let score = story.only(25);
    assert_eq!((score.successes, score.reinforced, score.is_trusted, score.is_immune), (6, 3, true, true));
    story.say("d60", "judge", 60, "20", &[RULE]);
    story.reject("v60", "judge", 60, "d60", &["Always validate the webhook signature before parsing"]);
    let score = story.only(60);
    assert_near(score.rate, 6.0 / 7.0, 1e-12);
    assert_near(score.score, 1.1143, 5e-5);
    assert_eq!((score.regressed.is_some(), score.state.name(), score.penalty), (true, "verified", 1.0));
    assert!(score.last_used < score.regressed.clone().expect("a time"), "the sighting that was ruled out is no use");
    story.pass("p61", "judge", 61, "run-61");
    assert_eq!(story.only(61).regressed, None, "the next reinforcement clears it");
}

#[test]
fn without_immunity_it_would_be_dropped() {
    let mut story = told();
    story.settings.inject.score.immune_from = 100;
    story.settings.deliberation.idle_days = 1000.0;
    story.reject("v60", "judge", 60, "nowhere", &[RULE]);
    assert_near(story.only(60).score, 0.0915, 5e-5);
}

#[test]
fn iterations_of_one_issue_are_one_context() {
    let mut story = Story::new();
    for number in 0..5 {
        story.say(&format!("d{number}"), "judge", number, "10", &[RULE]);
    }
    let score = story.only(5);
    assert_eq!((score.state.name(), score.contexts, score.seen), ("candidate", 1, 5));
}

#[test]
fn without_an_issue_the_pull_request_or_the_sort_of_task_is_the_context() {
    let rows = [
        (DeliberationRow { pull_request: Some("7"), phase: Some("review"), ..heard() }, 1),
        (DeliberationRow { pull_request: Some("7"), phase: Some("plan"), ..heard() }, 1),
        (DeliberationRow { phase: Some("review"), labels: vec!["b", "jkz:auto", "A"], ..heard() }, 2),
        (DeliberationRow { phase: Some("Review"), labels: vec!["a", "B"], ..heard() }, 2),
        (DeliberationRow { phase: Some("review"), labels: vec!["a"], ..heard() }, 3),
        (heard(), 4),
        (heard(), 4),
    ];
    let mut story = Story::new();
    for (place, (row, contexts)) in rows.into_iter().enumerate() {
        let id = format!("d{place}");
        story.hear(DeliberationRow { id: &id, patterns: vec![RULE], time_micros: day(0), ..row });
        assert_eq!(story.only(0).contexts, contexts, "after {id}");
    }
}

#[test]
fn what_is_idle_for_more_than_six_weeks_is_deprecated() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE]);
    assert_eq!(state(&story, 42), "observed");
    assert_eq!(state(&story, 43), "deprecated");
    story.say("d50", "judge", 50, "2", &[RULE]);
    let score = story.only(50);
    assert_eq!((score.state.name(), score.successes, score.seen), ("observed", 2, 2), "it begins anew and keeps its counts");
    story.say("d51", "judge", 51, "2", &[RULE]);
    assert_eq!(state(&story, 51), "candidate", "one step an event");
    story.say("d52", "judge", 52, "2", &[RULE]);
    assert_eq!(state(&story, 52), "verified");
}

#[test]
fn asking_often_changes_nothing() {
    let mut story = told();
    story.say("d90", "judge", 90, "30", &[RULE]);
    let once = story.only(200);
    for on in 0..200 {
        story.findings(on);
    }
    assert_eq!(story.only(200), once);
}

#[test]
fn what_others_are_preferred_to_ten_times_is_deprecated() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE, "Config loader falls back silently on missing keys"]);
    for number in 0..9 {
        story.show("D-001", "judge", 0, &format!("r{number}"));
        story.pass(&format!("p{number}"), "judge", 1, &format!("r{number}"));
    }
    let second = story.pattern("D-002", 1);
    assert_eq!((second.state.name(), second.skipped), ("observed", 9));
    story.show("D-001", "judge", 0, "r9");
    story.pass("p9", "judge", 1, "r9");
    assert_eq!(story.pattern("D-002", 1).state.name(), "deprecated");
    assert_eq!(story.pattern("D-001", 1).skipped, 0);
}

#[test]
fn only_a_person_makes_a_pattern_active_and_takes_it_out_of_use() {
    let mut story = told();
    story.decide("D-001", Action::Promote, 26, false);
    let score = story.only(26);
    assert_eq!((score.state.name(), score.note.as_deref()), ("active", Some("ann: because")));
    assert_eq!(state(&story, 500), "active", "time does not take back what a person decided");
    story.decide("D-001", Action::Retire, 30, false);
    story.say("d31", "judge", 31, "40", &[RULE]);
    assert_eq!(state(&story, 31), "deprecated", "the same saying does not bring it back");
    story.decide("D-001", Action::Restore, 100, false);
    assert_eq!(state(&story, 100), "active");
}

#[test]
fn a_promotion_needs_what_is_verified_or_force() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE]);
    story.decide("D-001", Action::Promote, 1, false);
    story.decide("D-077", Action::Promote, 1, false);
    let findings = story.findings(1);
    assert_eq!(findings.scores[0].state.name(), "observed");
    let void: Vec<&str> = findings.void.iter().map(|void| &*void.subject).collect();
    assert_eq!(void, ["D-001", "D-077"]);
    story.decide("D-001", Action::Promote, 2, true);
    assert_eq!(state(&story, 2), "active");
}

#[test]
fn a_regression_stays_until_it_is_dealt_with() {
    let mut story = told();
    story.reject("v30", "judge", 30, "nowhere", &[RULE]);
    assert!(story.only(300).regressed.is_some());
    story.decide("D-001", Action::Clear, 40, false);
    assert_eq!(story.only(300).regressed, None);
}

/// A rule that others are preferred to, a step on each of some days.
fn passed_over(days: impl Iterator<Item = i64>) -> Story {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE, "Config loader falls back silently on missing keys"]);
    for on in days {
        story.show("D-002", "judge", 0, &format!("r{on}"));
        story.pass(&format!("p{on}"), "judge", on, &format!("r{on}"));
    }
    story
}

#[test]
fn what_is_out_of_use_grows_no_older() {
    let story = passed_over(1..=30);
    let rule = story.pattern("D-001", 30);
    assert_eq!((rule.state.name(), rule.skipped), ("deprecated", 10));
    // Time took it out of use before others could.
    let story = passed_over((40..=49).chain(60..=70));
    let rule = story.pattern("D-001", 80);
    assert_eq!((rule.state.name(), rule.skipped), ("deprecated", 3));
}

#[test]
fn what_a_person_stands_behind_grows_no_older() {
    let mut story = passed_over(1..=30);
    story.decide("D-001", Action::Promote, 5, true);
    let rule = story.pattern("D-001", 30);
    assert_eq!((rule.state.name(), rule.skipped), ("active", 5));
    story.decide("D-001", Action::Retire, 20, false);
    assert_eq!(story.pattern("D-001", 30).skipped, 5);
    story.decide("D-001", Action::Restore, 25, false);
    let rule = story.pattern("D-001", 30);
    assert_eq!((rule.state.name(), rule.skipped), ("active", 0));
}

#[test]
fn what_comes_back_is_as_if_it_had_just_been_preferred() {
    let mut story = passed_over(1..=30);
    story.say("d12", "judge", 12, "2", &[RULE]);
    let rule = story.pattern("D-001", 20);
    assert_eq!((rule.state.name(), rule.skipped, rule.seen), ("deprecated", 10, 2), "thirty passes, eighteen of them since");
    let mut story = passed_over(1..=15);
    story.say("d12", "judge", 12, "2", &[RULE]);
    let rule = story.pattern("D-001", 20);
    assert_eq!((rule.state.name(), rule.skipped), ("observed", 3), "the pass of that day came first");
}

#[test]
fn an_echo_brings_nothing_back() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE]);
    story.show("D-001", "judge", 41, "r1");
    story.hear(DeliberationRow { id: "d44", run: Some("r1"), time_micros: day(44), patterns: vec![RULE], ..heard() });
    let score = story.only(44);
    assert_eq!((score.state.name(), score.seen, score.successes), ("deprecated", 2, 1));
}

#[test]
fn an_echo_is_no_preference() {
    let mut story = passed_over(1..=5);
    story.show("D-001", "judge", 2, "r9");
    story.hear(DeliberationRow { id: "d3", run: Some("r9"), time_micros: day(6), patterns: vec![RULE], ..heard() });
    let rule = story.pattern("D-001", 6);
    assert_eq!((rule.skipped, rule.seen, rule.successes), (5, 2, 1));
}

#[test]
fn a_sighting_that_was_ruled_out_does_not_keep_a_pattern_from_going_out_of_use() {
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[RULE]);
    story.say("d50", "judge", 50, "2", &[RULE]);
    assert_eq!(state(&story, 50), "observed");
    story.reject("v51", "judge", 51, "d50", &[RULE]);
    assert_eq!(state(&story, 51), "deprecated", "its last use lies more than six weeks back again");
}

#[test]
fn a_category_only_moves_up() {
    let mut story = Story::new();
    let text = "the pool runs dry under load of many small requests";
    for (id, tag, category) in
        [("d1", "causal", "causal"), ("d2", "observation", "causal"), ("d3", "rule", "rule"), ("d4", "causal", "rule")]
    {
        story.say(id, "judge", 0, "1", &[&format!("[{tag}] {text}")]);
        assert_eq!(story.only(0).category.name(), category, "after {id}");
    }
}

#[test]
fn trust_stays_and_a_regression_is_of_the_last_rejection() {
    let mut story = told();
    for (id, on) in [("v30", 30), ("v31", 31)] {
        story.reject(id, "judge", on, "nowhere", &[RULE]);
    }
    let score = story.only(40);
    assert_eq!((score.is_trusted, score.regressed.as_deref()), (true, Some("2026-04-01T00:00:00Z")));
    story.say("d35", "judge", 35, "9", &[RULE]);
    assert!(story.only(40).regressed.is_some(), "being said again is no reinforcement");
    story.pass("p36", "judge", 36, "run-36");
    let score = story.only(40);
    assert_eq!((score.is_trusted, score.regressed, score.ignored), (true, None, 2));
}
