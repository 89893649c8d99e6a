//! How far patterns come: by themselves up to verified, by a person further, and out of use again.

use outerloop::learn::role::DeliberationRow;
use outerloop::pattern::Action;

use super::{Story, assert_near, day, heard};

const RULE: &str = "[rule] Always validate the webhook signature before parsing";

fn state(story: &Story, on: i64) -> String {
    story.only(on).state
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
    assert_eq!((&*score.state, score.successes, score.contexts), ("candidate", 2, 1));
    story.say("d9", "judge", 9, "14", &[RULE]);
    let score = story.only(9);
    assert_eq!((&*score.state, score.successes, score.contexts), ("verified", 3, 2));
    let mut story = told();
    let score = story.only(25);
    assert_eq!((score.successes, score.reinforced, score.is_trusted, score.is_immune), (6, 3, true, true));
    story.say("d60", "judge", 60, "20", &[RULE]);
    story.reject("v60", "judge", 60, "d60", &["Always validate the webhook signature before parsing"]);
    let score = story.only(60);
    assert_near(score.rate, 6.0 / 7.0, 1e-12);
    assert_near(score.score, 1.1143, 5e-5);
    assert_eq!((score.regressed.is_some(), score.state.as_str(), score.penalty), (true, "verified", 1.0));
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
    assert_eq!((&*score.state, score.contexts, score.seen), ("candidate", 1, 5));
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
    assert_eq!((&*score.state, score.successes, score.seen), ("observed", 2, 2), "it begins anew and keeps its counts");
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
    assert_eq!((&*second.state, second.skipped), ("observed", 9));
    story.show("D-001", "judge", 0, "r9");
    story.pass("p9", "judge", 1, "r9");
    assert_eq!(story.pattern("D-002", 1).state, "deprecated");
    assert_eq!(story.pattern("D-001", 1).skipped, 0);
}

#[test]
fn only_a_person_makes_a_pattern_active_and_takes_it_out_of_use() {
    let mut story = told();
    story.decide("D-001", Action::Promote, 26, false);
    let score = story.only(26);
    assert_eq!((&*score.state, score.note.as_deref()), ("active", Some("ann: because")));
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
    assert_eq!(findings.scores[0].state, "observed");
    let void: Vec<&str> = findings.void.iter().map(|void| &*void.pattern_id).collect();
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
