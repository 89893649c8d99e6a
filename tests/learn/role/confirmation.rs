//! What confirms a pattern, and whom a rejection hits.

use learn::role::{DeliberationRow, Stage, VerdictRow};
use learn::subject::Action;

use super::{Story, day, heard, judged};

const SAYING: &str = "Validate webhook signatures before the body is parsed";

/// The stage and the confirmations of the only pattern.
fn standing(story: &Story) -> (Stage, i64, i64) {
    let pattern = story.only(30);
    (pattern.state, pattern.confirmed, pattern.seen)
}

#[test]
fn a_pattern_that_is_rejected_in_all_of_its_sightings_is_never_verified() {
    // Whether each report is rejected at once or all of them afterwards.
    for is_late in [false, true] {
        let mut story = Story::new();
        for issue in ["1", "2", "3"] {
            let on = issue.parse().expect("a day");
            story.say(&format!("d{issue}"), "judge", on, issue, &[SAYING]);
            let judged = if is_late { 10 } else { on };
            story.reject(&format!("v{issue}"), "judge", judged, &format!("d{issue}"), &[SAYING]);
        }
        assert_eq!(standing(&story), (Stage::Observed, 0, 3), "late: {is_late}");
        story.decide("D-001", Action::Promote, 20, false);
        assert_eq!(story.only(30).state, Stage::Observed);
        assert_eq!(story.findings(30).void.len(), 1, "promotion of what nobody confirms is refused");
    }
}

#[test]
fn a_rejection_takes_back_one_sighting_and_a_later_one_makes_up_for_it() {
    let mut story = Story::new();
    for issue in ["1", "2", "3"] {
        story.say(&format!("d{issue}"), "judge", 1, issue, &[SAYING]);
    }
    assert_eq!(standing(&story), (Stage::Verified, 3, 3));
    story.reject("v2", "judge", 2, "d2", &[SAYING]);
    assert_eq!(standing(&story), (Stage::Candidate, 2, 3));
    story.reject("v2 again", "judge", 2, "d2", &[SAYING]);
    assert_eq!(standing(&story), (Stage::Candidate, 2, 3));
    story.say("d4", "judge", 4, "4", &[SAYING]);
    assert_eq!(standing(&story), (Stage::Verified, 3, 4));
    // Nobody says which sighting is meant: the last that counts.
    story.judge(VerdictRow { id: "v5", adversarial_role: Some("judge"), time_micros: day(5), rejected: vec!["D-001"], ..judged() });
    assert_eq!(standing(&story), (Stage::Candidate, 2, 4));
}

#[test]
fn contexts_count_where_a_sighting_confirms() {
    let mut story = Story::new();
    for (id, issue) in [("a", "1"), ("b", "1"), ("c", "1"), ("d", "2")] {
        story.say(id, "judge", 1, issue, &[SAYING]);
    }
    assert_eq!(story.only(30).state, Stage::Verified);
    story.reject("v", "judge", 2, "d", &[SAYING]);
    // Three confirmations are left, but all of one issue.
    let pattern = story.only(30);
    assert_eq!((pattern.state, pattern.confirmed, pattern.contexts), (Stage::Candidate, 3, 2));
}

#[test]
fn echoes_and_repetitions_in_one_turn_confirm_nothing() {
    let mut story = Story::new();
    story.say("a", "judge", 1, "1", &[SAYING]);
    for (nth, issue) in ["2", "3", "4"].into_iter().enumerate() {
        let run = format!("r{issue}");
        story.show("D-001", "judge", 1, &run);
        let id = format!("echo {nth}");
        let row = DeliberationRow { id: &id, run: Some(&run), issue: Some(issue), time_micros: day(2), ..heard() };
        story.hear(DeliberationRow { patterns: vec![SAYING], ..row });
    }
    assert_eq!(standing(&story), (Stage::Observed, 1, 4));
    for nth in 0..3 {
        let id = format!("same turn {nth}");
        let row = DeliberationRow { id: &id, run: Some("r9"), iteration: Some(1), issue: Some("9"), ..heard() };
        story.hear(DeliberationRow { time_micros: day(3), patterns: vec![SAYING], ..row });
    }
    assert_eq!(standing(&story), (Stage::Candidate, 2, 7));
    // Whichever report of the turn is judged, the turn confirms nothing any more.
    story.reject("v", "judge", 4, "same turn 2", &[SAYING]);
    assert_eq!(standing(&story), (Stage::Observed, 1, 7));
}

#[test]
fn a_short_generic_pattern_does_not_take_the_blame() {
    let mut story = Story::new();
    let (generic, meant) = ("Missing null check", "Null checks on the user session are often missing in login handlers");
    story.say("old", "judge", 0, "1", &[generic]);
    let row = DeliberationRow { id: "d", run: Some("r1"), issue: Some("2"), time_micros: day(1), level: Some(1), ..heard() };
    story.hear(DeliberationRow { patterns: vec![meant], ..row });
    story.judge(VerdictRow {
        id: "v",
        adversarial_role: Some("judge"),
        time_micros: day(2),
        run: Some("r1"),
        deliberation: Some("d"),
        has_passed: true,
        level: Some(1),
        rejected: vec!["Missing null check on user session in login handler"],
        ..judged()
    });
    let figures: Vec<_> = story.findings(2).scores.into_iter().map(|score| (score.text, score.ignored, score.reinforced)).collect();
    assert_eq!(figures, [(generic.to_owned(), 0, 1), (meant.to_owned(), 1, 0)]);
}

#[test]
fn findings_that_are_alike_are_told_apart_together() {
    let mut story = Story::new();
    let sayings = [
        "Swallowed errors of open in importers lead to empty tables",
        "Swallowed errors of parse in importers lead to empty tables",
    ];
    story.say("d", "judge", 0, "1", &sayings);
    // The first finding fits both, and the second one only the first of them.
    story.reject("v", "judge", 1, "d", &["errors swallowed in importers lead to tables", "errors of open swallowed in importers"]);
    let ignored: Vec<i64> = story.findings(2).scores.into_iter().map(|score| score.ignored).collect();
    assert_eq!(ignored, [1, 1]);
}

#[test]
fn a_finding_that_fits_two_patterns_alike_blames_neither_and_reinforces_neither() {
    let mut story = Story::new();
    let sayings = ["Feature flags read on each request are slow", "Tenant settings read on each request are slow"];
    story.say("d", "judge", 0, "1", &sayings);
    story.judge(VerdictRow {
        id: "v",
        adversarial_role: Some("judge"),
        time_micros: day(1),
        deliberation: Some("d"),
        has_passed: true,
        level: Some(1),
        rejected: vec!["values read on each request are slow"],
        ..judged()
    });
    let findings = story.findings(2);
    let figures: Vec<_> = findings.scores.iter().map(|score| (score.ignored, score.reinforced)).collect();
    assert_eq!((figures, findings.unmatched[0].findings), (vec![(0, 0), (0, 0)], 1));
}
