//! What people should look at, and how the whole fares.

use learn::role::{Accord, Health, accord, health, review_roles, sum_up_roles};
use learn::subject::Action;
use setting::{InsightSettings, Settings};

use super::Story;

#[test]
fn a_review_names_what_is_stale_alike_doubtful_waiting_or_regressed() {
    let mut story = Story::new();
    let waiting = "Validate webhook signature before parsing body";
    for (number, issue) in ["1", "2", "3"].into_iter().enumerate() {
        story.say(&format!("w{number}"), "judge", 0, issue, &[waiting]);
    }
    story.say("a1", "judge", 0, "1", &["alpha bravo charlie delta echo foxtrot"]);
    story.say("a2", "judge", 0, "1", &["alpha bravo charlie delta golf hotel"]);
    story.say("a3", "judge", 0, "1", &["alpha bravo charlie delta echo kilo lima"]);
    story.reject("v1", "judge", 0, "nowhere", &["D-002", "D-004"]);
    story.reject("v2", "judge", 0, "nowhere", &["D-002", "no such thing at all"]);
    story.decide("D-003", Action::Promote, 0, true);
    let settings = Settings::default().deliberation;
    let findings = story.findings(0);
    let review = review_roles(&findings.scores, &settings);
    let ids = |scores: &[&learn::role::RoleScore]| scores.iter().map(|score| score.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&review.waiting), ["D-001"]);
    assert_eq!(ids(&review.doubtful), ["D-002"], "half is not more than half");
    let pairs: Vec<(&str, &str)> = review.pairs.iter().map(|pair| (&*pair.first, &*pair.second)).collect();
    assert_eq!(pairs, [("D-002", "D-004")], "five of eight, where four of eight are too few");
    assert!(review.stale.is_empty() && review.regressions.is_empty());
    let status = sum_up_roles(&findings.scores, &findings.unmatched, &settings);
    assert_eq!((status.health, status.patterns, status.in_use, status.unmatched), (Health::Good, 4, 4, 1));
    // Everything else ages out; what a person made active stays, and is stale.
    let later = story.findings(60);
    let review = review_roles(&later.scores, &settings);
    assert_eq!(ids(&review.stale), ["D-003"]);
    let status = sum_up_roles(&later.scores, &later.unmatched, &settings);
    assert_eq!((status.health, status.stale, status.in_use), (Health::Critical, 1, 1));
}

#[test]
fn health_changes_beyond_its_limits_and_not_at_them() {
    let settings = Settings::default().deliberation;
    for (stale, all, pairs, expected) in [
        (0, 0, 0, Health::Good),
        (2, 10, 2, Health::Good),
        (3, 10, 2, Health::NeedsReview),
        (2, 10, 3, Health::NeedsReview),
        (5, 10, 10, Health::NeedsReview),
        (6, 10, 0, Health::Critical),
        (0, 10, 11, Health::Critical),
    ] {
        assert_eq!(health(stale, all, pairs, &settings), expected, "{stale} of {all}, {pairs} pairs");
    }
}

#[test]
fn agreement_is_good_unless_the_validator_only_nods() {
    let settings = InsightSettings::default();
    for (agreement, is_lenient, expected) in [
        (0.69, false, Accord::Misaligned),
        (0.70, false, Accord::Aligned),
        (0.86, false, Accord::Aligned),
        (0.86, true, Accord::Nodding),
        (0.85, true, Accord::Aligned),
        (0.90, false, Accord::Aligned),
        (0.91, false, Accord::Calibrated),
        (1.0, true, Accord::Nodding),
    ] {
        assert_eq!(accord(agreement, is_lenient, &settings), expected, "{agreement} {is_lenient}");
    }
}

#[test]
fn of_a_pair_the_one_that_was_said_first_comes_first() {
    let mut story = Story::new();
    let first = "alpha bravo charlie delta echo foxtrot";
    story.say("a1", "judge", 0, "1", &[first]);
    for number in 10..1008 {
        story.say(&format!("b{number}"), "judge", 0, "1", &[&format!("saying number {number} about thing{number}")]);
    }
    let (near, far) = ("alpha bravo charlie delta echo kilo lima", "alpha bravo charlie delta echo mike november");
    story.say("c1", "judge", 0, "1", &[near]);
    story.say("c2", "judge", 0, "1", &[far]);
    let findings = story.findings(0);
    let mut settings = Settings::default().deliberation;
    settings.review.overlap = 0.55;
    let pairs: Vec<(String, String)> =
        review_roles(&findings.scores, &settings).pairs.into_iter().map(|pair| (pair.first, pair.second)).collect();
    let expected = [("D-001", "D-1000"), ("D-001", "D-1001"), ("D-1000", "D-1001")];
    assert_eq!(pairs, expected.map(|(first, second)| (first.to_owned(), second.to_owned())));
}
