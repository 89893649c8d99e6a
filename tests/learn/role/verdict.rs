//! Validators' verdicts: rejections with their weights, reinforcement behind the evidence gate, ageing.

use learn::role::VerdictRow;
use setting::Settings;

use super::{Story, assert_near, day, heard, judged};
use learn::role::DeliberationRow;

const SAYING: &str = "Unbounded retries hide upstream timeouts in the worker";

/// A pattern of a role that was said once and rejected so often, each time by another validator and not where it was said.
fn rejected(role: &str, successes: usize, rejections: usize) -> f64 {
    let mut story = Story::new();
    for number in 0..successes {
        story.say(&format!("d{number}"), role, 0, "1", &[SAYING]);
    }
    for number in 0..rejections {
        story.reject(&format!("v{number}"), role, 0, "elsewhere", &[SAYING]);
    }
    story.only(0).rate
}

#[test]
fn each_rejection_counts_by_the_role_of_the_pattern() {
    for (rejections, rate) in [0.4, 0.25, 0.1818, 0.1429, 0.1176, 0.1, 0.0870].into_iter().enumerate() {
        assert_near(rejected("sentinel", 1, rejections + 1), rate, 5e-5);
    }
    assert_near(rejected("judge", 1, 3), 0.25, 1e-12);
    assert_near(rejected("judge", 1, 9), 0.1, 1e-12);
    assert_near(rejected("judge", 1, 10), 0.0909, 5e-5);
    assert_near(rejected("Sentinel", 1, 1), 0.4, 1e-12);
    assert_near(rejected("inspector", 1, 3), 1.0 / 5.5, 1e-12);
    assert_near(rejected("kit:inspector", 1, 3), 1.0 / 5.5, 1e-12);
}

#[test]
fn five_successes_take_more_to_sink() {
    assert_near(rejected("judge", 5, 2), 0.7143, 5e-5);
    assert_near(rejected("sentinel", 5, 2), 0.625, 1e-12);
    assert!(rejected("judge", 5, 5) >= 0.5 && rejected("judge", 5, 6) < 0.5);
    assert!(rejected("sentinel", 5, 3) >= 0.5 && rejected("sentinel", 5, 4) < 0.5);
    assert!(rejected("judge", 5, 45) >= 0.1 && rejected("judge", 5, 46) < 0.1);
    assert!(rejected("sentinel", 5, 30) >= 0.1 && rejected("sentinel", 5, 31) < 0.1);
}

#[test]
fn what_is_rejected_each_time_it_is_said_sinks() {
    for (role, rate) in [("judge", 1.0 / 11.0), ("sentinel", 1.0 / 16.0)] {
        let mut story = Story::new();
        for run in 0..10 {
            story.say(&format!("d{run}"), role, run, "1", &[SAYING]);
            story.reject(&format!("v{run}"), role, run, &format!("d{run}"), &[SAYING]);
        }
        let score = story.only(9);
        assert_eq!((score.successes, score.ignored, score.seen), (1, 10, 10));
        assert_near(score.rate, rate, 1e-12);
        // Nothing of what was ruled out keeps it fresh either.
        assert_eq!(score.last_used, score.created);
    }
}

#[test]
fn a_verdict_counts_once_however_often_it_is_told() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[SAYING]);
    story.reject("v1", "judge", 1, "d1", &[SAYING, SAYING]);
    story.reject("v1", "judge", 2, "d1", &[SAYING]);
    for id in ["v2", "v3"] {
        story.judge(VerdictRow {
            id,
            validator: Some("one text"),
            adversarial_role: Some("judge"),
            time_micros: day(2),
            rejected: vec![SAYING],
            ..judged()
        });
    }
    let score = story.only(3);
    assert_eq!((score.ignored, score.penalty), (2, 2.0));
}

#[test]
fn a_rejected_finding_is_found_by_its_words_its_likeness_or_its_id() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["Missing null check on user session in login handler"]);
    story.say("d2", "judge", 0, "2", &["Missing timeout on database pool in worker handler"]);
    let ignored = |story: &Story| [story.pattern("D-001", 9).ignored, story.pattern("D-002", 9).ignored];
    story.reject("v1", "judge", 1, "d1", &["- missing null check on user  session in login handler."]);
    assert_eq!(ignored(&story), [1, 0]);
    story.reject("v2", "judge", 1, "d9", &["login handler lacks a null check for the user session"]);
    assert_eq!(ignored(&story), [2, 0]);
    story.reject("v3", "judge", 1, "d9", &["D-002"]);
    assert_eq!(ignored(&story), [2, 1]);
    // Two shared words are not enough, whatever part of the text they are.
    story.reject("v4", "judge", 1, "d9", &["race condition", "missing handler"]);
    story.reject("v5", "auditor", 1, "d1", &["Missing null check on user session in login handler", "D-001"]);
    assert_eq!(ignored(&story), [2, 1]);
    let unmatched = story.findings(9).unmatched;
    let counts: Vec<(&str, u32)> = unmatched.iter().map(|one| (&*one.role, one.findings)).collect();
    assert_eq!(counts, [("judge", 2), ("auditor", 2)]);
}

#[test]
fn the_ids_of_issues_stand_for_what_they_say() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[SAYING]);
    story.judge(VerdictRow {
        id: "v1",
        adversarial_role: Some("judge"),
        time_micros: day(1),
        false_positives: vec!["J1"],
        issues: Some(r#"[{"id":"J1","summary":"unbounded retries hide upstream timeouts"}]"#),
        ..judged()
    });
    assert_eq!(story.only(1).ignored, 1);
}

#[test]
fn what_was_said_in_the_judged_text_goes_before_what_is_closer() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["Token refresh races with logout when both tabs are open"]);
    story.say("d2", "judge", 0, "2", &["Token refresh races with logout"]);
    story.reject("v1", "judge", 1, "d1", &["token refresh races logout somewhere"]);
    assert_eq!([story.pattern("D-001", 2).ignored, story.pattern("D-002", 2).ignored], [1, 0]);
}

#[test]
fn a_rejection_may_need_evidence() {
    let mut settings = Settings::default();
    settings.deliberation.rejection_needs_evidence = true;
    let mut story = Story::with(settings);
    story.say("d1", "judge", 0, "1", &[SAYING]);
    for (id, level) in [("v1", None), ("v2", Some(3)), ("v3", Some(2))] {
        let row = VerdictRow { id, adversarial_role: Some("judge"), validator_level: level, rejected: vec![SAYING], ..judged() };
        story.judge(VerdictRow { time_micros: day(1), ..row });
    }
    assert_eq!(story.only(2).ignored, 1);
}

#[test]
fn a_pass_reinforces_only_on_evidence() {
    for (level, reinforced) in [(Some(1), 1), (Some(2), 1), (Some(3), 0), (None, 0)] {
        let mut story = Story::new();
        story.say("d1", "judge", 0, "1", &[SAYING]);
        story.judge(VerdictRow {
            id: "v1",
            adversarial_role: Some("judge"),
            time_micros: day(1),
            has_passed: true,
            level,
            ..judged()
        });
        let score = story.only(1);
        assert_eq!((score.reinforced, score.successes), (reinforced, 1 + reinforced), "{level:?}");
    }
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[SAYING]);
    story.judge(VerdictRow { id: "v1", adversarial_role: Some("judge"), level: Some(1), ..judged() });
    assert_eq!(story.only(1).reinforced, 0, "a failure reinforces nothing");
}

#[test]
fn the_evidence_of_the_judged_text_counts_where_the_verdict_names_none() {
    let mut story = Story::new();
    story.hear(DeliberationRow {
        id: "d1",
        run: Some("r1"),
        time_micros: day(0),
        level: Some(1),
        patterns: vec![SAYING],
        ..heard()
    });
    story.judge(VerdictRow {
        id: "v1",
        adversarial_role: Some("judge"),
        run: Some("r1"),
        time_micros: day(1),
        has_passed: true,
        ..judged()
    });
    assert_eq!(story.only(1).reinforced, 1);
}

/// Eight patterns of one role, the first said most often, each about a file of its own.
fn eight() -> Story {
    let mut story = Story::new();
    let words = ["alpha", "bravo", "carbon", "delta", "ember", "fjord", "gravel", "harbor"];
    for (place, word) in words.into_iter().enumerate() {
        let text = format!("The {word} module needs care of the {word} kind when {word} changes");
        for number in 0..8 - place {
            let (id, file) = (format!("{word}{number}"), format!("./src/{}.rs", place / 7));
            let row = DeliberationRow { id: &id, time_micros: day(0), patterns: vec![&text], files: vec![&file], ..heard() };
            story.hear(row);
        }
    }
    // What counts for all is the same rate; a rejection tells them apart.
    for (place, word) in words.into_iter().enumerate().skip(3) {
        let text = format!("The {word} module needs care of the {word} kind when {word} changes");
        story.reject(&format!("v{place}"), "judge", 0, "nowhere", &[&text]);
    }
    story
}

fn reinforced(story: &Story) -> Vec<String> {
    story.findings(1).scores.into_iter().filter(|score| score.reinforced > 0).map(|score| score.id).collect()
}

#[test]
fn a_pass_reinforces_the_best_three() {
    let mut story = eight();
    story.pass("p1", "judge", 1, "r1");
    assert_eq!(reinforced(&story), ["D-001", "D-002", "D-003"]);
    let skipped: Vec<i64> = story.findings(1).scores.iter().map(|score| score.skipped).collect();
    assert_eq!(skipped, [0, 0, 0, 1, 1, 1, 1, 1]);
}

#[test]
fn a_pass_about_files_reinforces_the_best_five_that_were_learned_there() {
    let mut story = eight();
    let row = VerdictRow { adversarial_role: Some("judge"), time_micros: day(1), has_passed: true, level: Some(1), ..judged() };
    story.judge(VerdictRow { id: "p1", files: vec!["src/0.rs"], ..row.clone() });
    assert_eq!(reinforced(&story), ["D-001", "D-002", "D-003", "D-004", "D-005"]);
    let mut story = eight();
    story.judge(VerdictRow { id: "p1", files: vec!["src/1.rs"], ..row.clone() });
    assert_eq!(reinforced(&story), ["D-008"]);
    let mut story = eight();
    story.judge(VerdictRow { id: "p1", files: vec!["src/unknown.rs"], ..row });
    assert_eq!(reinforced(&story), ["D-001", "D-002", "D-003"]);
}

#[test]
fn what_a_role_was_shown_is_what_a_pass_reinforces() {
    let mut story = eight();
    story.show("D-006", "judge", 0, "r1");
    story.show("D-007", "auditor", 0, "r1");
    story.show("D-008", "judge", 0, "r2");
    story.pass("p1", "judge", 1, "r1");
    assert_eq!(reinforced(&story), ["D-006"]);
    story.pass("p2", "judge", 1, "r1");
    assert_eq!(story.pattern("D-006", 1).reinforced, 1, "a turn of a run is rewarded once");
}

#[test]
fn a_verdict_may_name_what_it_reinforces() {
    let mut story = eight();
    let row = VerdictRow { adversarial_role: Some("judge"), time_micros: day(1), has_passed: true, level: Some(1), ..judged() };
    story.judge(VerdictRow { id: "p1", reinforced: vec!["D-007", "D-002", "D-999", "rubbish"], ..row });
    assert_eq!(reinforced(&story), ["D-002", "D-007"]);
}

#[test]
fn what_a_verdict_rejects_it_does_not_reinforce() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[SAYING]);
    let row = VerdictRow { adversarial_role: Some("judge"), time_micros: day(1), has_passed: true, level: Some(1), ..judged() };
    story.judge(VerdictRow { id: "p1", rejected: vec![SAYING], ..row });
    let score = story.only(1);
    assert_eq!((score.reinforced, score.ignored, score.skipped), (0, 1, 1));
}

#[test]
fn whoever_judges_before_the_text_is_written_down_still_judges_it() {
    let mut story = Story::new();
    story.hear(DeliberationRow { id: "d1", time_micros: day(5), level: Some(1), patterns: vec![SAYING], ..heard() });
    story.judge(VerdictRow {
        id: "v1",
        adversarial_role: Some("judge"),
        deliberation: Some("d1"),
        time_micros: day(3),
        has_passed: true,
        ..judged()
    });
    assert_eq!(story.only(6).reinforced, 1);
}

#[test]
fn how_the_work_turned_out_counts_for_what_was_shown() {
    for (successes, rejections, has_passed, rate) in [(5, 0, false, 0.9091), (3, 1, true, 0.7273), (3, 1, false, 0.6)] {
        let mut story = Story::new();
        for number in 0..successes {
            story.say(&format!("d{number}"), "sentinel", 0, "1", &[SAYING]);
        }
        for number in 0..rejections {
            story.reject(&format!("v{number}"), "sentinel", 0, "elsewhere", &[SAYING]);
        }
        story.show("D-001", "sentinel", 0, "r1");
        story.end("r1", 1, has_passed);
        story.end("r2", 1, false);
        let score = story.only(1);
        assert_near(score.rate, rate, 5e-5);
        assert_eq!(score.ignored, rejections);
    }
}

#[test]
fn what_is_said_only_later_is_not_what_was_rejected() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["Token refresh races with logout when both tabs are open"]);
    story.say("d2", "judge", 9, "2", &["Token refresh races with logout"]);
    story.reject("v1", "judge", 5, "nowhere", &["token refresh races logout somewhere"]);
    assert_eq!([story.pattern("D-001", 9).ignored, story.pattern("D-002", 9).ignored], [1, 0]);
}

#[test]
fn a_finding_that_is_no_pattern_counts_once_for_a_text_of_the_validator() {
    let mut story = Story::new();
    for id in ["v1", "v2"] {
        let row = VerdictRow { id, validator: Some("one text"), adversarial_role: Some("judge"), ..judged() };
        story.judge(VerdictRow { rejected: vec!["no such thing at all", "no such thing at all", "nor this one"], ..row });
    }
    assert_eq!(story.findings(1).unmatched[0].findings, 2);
}

#[test]
fn a_verdict_without_a_deliberation_judges_what_was_last_said_in_its_turn() {
    for order in [[0, 1, 2], [2, 1, 0]] {
        let mut story = Story::new();
        let texts = ["alpha bravo charlie delta", "echo foxtrot golf hotel", "india juliett kilo lima"];
        for place in order {
            let (id, on) = (format!("d{place}"), [1, 3, 9][place]);
            let row = DeliberationRow { run: Some("r1"), iteration: Some(1), patterns: vec![texts[place]], ..heard() };
            story.hear(DeliberationRow { id: &id, time_micros: day(on), ..row });
        }
        let row = VerdictRow { adversarial_role: Some("judge"), run: Some("r1"), iteration: Some(1), ..judged() };
        // Of equally close ones, that of the judged text is meant.
        story.judge(VerdictRow {
            id: "v1",
            time_micros: day(5),
            rejected: vec!["echo foxtrot golf alpha bravo charlie"],
            ..row.clone()
        });
        story.judge(VerdictRow { id: "v2", time_micros: day(0), rejected: vec!["echo foxtrot golf alpha bravo charlie"], ..row });
        let scores = story.findings(9).scores;
        let ignored: Vec<(&str, i64)> = scores.iter().map(|one| (&*one.text, one.ignored)).collect();
        for (text, times) in [(texts[0], 1), (texts[1], 1), (texts[2], 0)] {
            assert!(ignored.contains(&(text, times)), "{order:?}: {ignored:?}");
        }
    }
}

#[test]
fn a_verdict_waits_for_what_it_judges() {
    let settings = Settings::default();
    for (as_of, reinforced) in [(4, 0), (6, 1)] {
        let mut story = Story::with(settings.clone());
        story.log = learn::role::RoleLog::new(&settings, day(as_of));
        story.say("d0", "judge", 0, "1", &[SAYING]);
        story.hear(DeliberationRow { id: "d1", time_micros: day(5), patterns: vec![SAYING], ..heard() });
        let row = VerdictRow { id: "v1", adversarial_role: Some("judge"), deliberation: Some("d1"), level: Some(1), ..judged() };
        story.judge(VerdictRow { time_micros: day(3), has_passed: true, ..row });
        assert_eq!(story.only(as_of).reinforced, reinforced, "on day {as_of}");
    }
}

#[test]
fn a_deliberation_of_another_role_is_not_what_a_verdict_judges() {
    let mut story = Story::new();
    story.hear(DeliberationRow {
        id: "d1",
        role: "auditor",
        level: Some(1),
        time_micros: day(0),
        patterns: vec![SAYING],
        ..heard()
    });
    story.say("d2", "judge", 0, "1", &[SAYING]);
    let row = VerdictRow { id: "v1", adversarial_role: Some("judge"), deliberation: Some("d1"), has_passed: true, ..judged() };
    story.judge(VerdictRow { time_micros: day(1), ..row });
    assert_eq!(story.pattern("D-002", 1).reinforced, 0, "nobody knows how well the judge's text is founded");
}

#[test]
fn without_evidence_nothing_grows_older_and_a_failure_only_rejects() {
    for (has_passed, level) in [(true, Some(3)), (true, None), (false, Some(1))] {
        let mut story = Story::new();
        story.say("d1", "judge", 0, "1", &[SAYING, "Config loader falls back silently on missing keys"]);
        let row = VerdictRow { id: "v1", adversarial_role: Some("judge"), time_micros: day(1), has_passed, level, ..judged() };
        story.judge(VerdictRow { rejected: vec![SAYING], ..row });
        let scores = story.findings(1).scores;
        let figures: Vec<_> = scores.iter().map(|one| (one.ignored, one.reinforced, one.skipped)).collect();
        assert_eq!(figures, [(1, 0, 0), (0, 0, 0)], "{has_passed} {level:?}");
    }
}

#[test]
fn each_iteration_of_a_run_is_rewarded_once() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[SAYING]);
    let row = VerdictRow { adversarial_role: Some("judge"), has_passed: true, level: Some(2), ..judged() };
    let turns =
        [("v1", Some("r1"), Some(1)), ("v2", Some("r1"), Some(1)), ("v3", Some("r1"), Some(2)), ("v4", Some("r2"), Some(1))];
    for (id, run, iteration) in turns.into_iter().chain([("v5", Some("r1"), None), ("v6", None, Some(1)), ("v7", None, Some(1))]) {
        story.judge(VerdictRow { id, run, iteration, time_micros: day(1), ..row.clone() });
    }
    assert_eq!(story.only(1).reinforced, 6);
}

#[test]
fn the_work_of_a_run_counts_for_every_pattern_that_was_shown_in_it() {
    let mut story = Story::new();
    story.say("d1", "auditor", 0, "1", &[SAYING]);
    story.say("d2", "judge", 0, "1", &["Config loader falls back silently on missing keys"]);
    // The judge was shown what the auditor had learned, twice.
    for (pattern, role) in [("D-001", "judge"), ("D-001", "auditor"), ("D-002", "judge"), ("D-009", "judge")] {
        story.show(pattern, role, 1, "r1");
    }
    story.end("r1", 2, true);
    let successes: Vec<i64> = story.findings(2).scores.iter().map(|one| one.successes).collect();
    assert_eq!(successes, [2, 2]);
}
