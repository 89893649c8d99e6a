//! Sightings: what is one pattern, what confirms it, and what was known of it elsewhere.

use learn::role::{DeliberationRow, ExposureRow};

use super::{Story, assert_near, day, heard};

#[test]
fn the_same_words_and_nearly_the_same_are_one_pattern() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["Validate webhook signature before parsing body"]);
    story.say("d2", "judge", 1, "2", &["- [rule] Always validate webhook signature before parsing the body."]);
    story.say("d3", "judge", 2, "3", &["Log webhook failures before parsing body parts"]);
    let scores = story.findings(2).scores;
    let found: Vec<(&str, &str, i64)> = scores.iter().map(|one| (&*one.text, &*one.category, one.successes)).collect();
    assert_eq!(
        found,
        [
            ("Validate webhook signature before parsing body", "rule", 2),
            ("Log webhook failures before parsing body parts", "observation", 1)
        ]
    );
}

#[test]
fn three_quarters_of_the_words_are_not_enough() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["Missing null check on user session in login handler"]);
    story.say("d2", "judge", 0, "1", &["login handler lacks a null check for the user session"]);
    assert_eq!(story.findings(0).scores.len(), 2);
}

#[test]
fn of_two_patterns_the_closer_one_is_meant_and_of_equals_the_first() {
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &["one two three four five six seven eight nine"]);
    story.say("d2", "judge", 0, "1", &["one two three four five six seven alpha beta gamma delta"]);
    story.say("d3", "judge", 0, "1", &["one two three four five six seven eight nine ten"]);
    let successes: Vec<i64> = story.findings(0).scores.iter().map(|one| one.successes).collect();
    assert_eq!(successes, [2, 1]);
}

#[test]
fn a_pattern_belongs_to_one_role_of_one_project() {
    let mut story = Story::new();
    let saying = "Validate webhook signature before parsing body";
    story.say("d1", "judge", 0, "1", &[saying]);
    story.say("d2", "auditor", 0, "1", &[saying]);
    story.say("d3", "Judge", 0, "1", &[saying]);
    story.hear(DeliberationRow { id: "d4", project: "api", patterns: vec![saying], ..heard() });
    let scores = story.findings(0).scores;
    let found: Vec<_> = scores.iter().map(|one| (&*one.id, &*one.project, &*one.role, one.successes)).collect();
    assert_eq!(found, [("D-001", "web", "judge", 2), ("D-002", "web", "auditor", 1), ("D-003", "api", "judge", 1)]);
}

#[test]
fn a_deliberation_counts_once_and_a_pattern_once_in_it() {
    let mut story = Story::new();
    let saying = "Validate webhook signature before parsing body";
    story.say("d1", "judge", 0, "1", &[saying, saying, "validate webhook signature before parsing body!"]);
    story.say("d1", "judge", 1, "1", &[saying]);
    assert_eq!(story.only(1).successes, 1);
}

#[test]
fn an_echo_is_seen_but_confirms_nothing() {
    let saying = "Validate webhook signature before parsing body";
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[saying]);
    story.show("D-001", "judge", 1, "r1");
    let again =
        |id, run| DeliberationRow { id, run: Some(run), issue: Some("2"), time_micros: day(2), patterns: vec![saying], ..heard() };
    story.hear(again("d2", "r1"));
    let score = story.only(2);
    assert_eq!((score.successes, score.seen, score.contexts), (1, 2, 2));
    assert_eq!(score.last_used, score.created);
    story.hear(again("d3", "r2"));
    assert_eq!(story.only(2).successes, 2);
    story.settings.deliberation.echo_confirms = true;
    assert_eq!(story.only(2).successes, 3);
}

#[test]
fn an_echo_is_one_of_the_same_turn_and_of_what_came_before() {
    let saying = "Validate webhook signature before parsing body";
    let shown = |iteration, on| ExposureRow {
        project: "web",
        run: Some("r1"),
        session: Some("s1"),
        iteration,
        role: Some("plugin:Judge"),
        pattern_id: "D-001",
        first_micros: day(on),
        last_micros: day(on),
    };
    let heard =
        |id, iteration| DeliberationRow { id, run: Some("r1"), iteration, time_micros: day(3), patterns: vec![saying], ..heard() };
    for (exposure, iteration, successes) in [
        (shown(Some(1), 1), Some(1), 1),
        (shown(Some(1), 1), Some(2), 2),
        (shown(Some(1), 1), None, 1),
        (shown(None, 1), Some(2), 1),
        (shown(Some(1), 4), Some(1), 2),
    ] {
        let mut story = Story::new();
        story.say("d0", "judge", 0, "1", &[saying]);
        story.log.add_exposure(exposure);
        story.hear(heard("d1", iteration));
        assert_eq!(story.only(5).successes, successes, "{exposure:?} {iteration:?}");
    }
    // Without a run the session tells.
    let mut story = Story::new();
    story.say("d0", "judge", 0, "1", &[saying]);
    story.log.add_exposure(shown(None, 1));
    story.hear(DeliberationRow { run: None, session: Some("s1"), ..heard("d1", None) });
    assert_eq!(story.only(5).successes, 1);
}

#[test]
fn what_another_role_learned_is_an_echo_too() {
    let saying = "Validate webhook signature before parsing body";
    let mut story = Story::new();
    story.say("d1", "auditor", 0, "1", &[saying]);
    story.say("d2", "judge", 0, "1", &[saying]);
    story.show("D-001", "judge", 1, "r1");
    story.hear(DeliberationRow { id: "d3", run: Some("r1"), time_micros: day(2), patterns: vec![saying], ..heard() });
    assert_eq!(story.pattern("D-002", 2).successes, 1);
}

#[test]
fn what_another_store_knew_is_where_a_pattern_begins() {
    let prior = |json: &'static str| {
        let mut story = Story::new();
        let patterns = vec!["Validate webhook signature before parsing body"];
        story.hear(DeliberationRow { id: "d1", prior: Some(json), patterns, time_micros: day(100), ..heard() });
        story
    };
    // Stores of old hold no weight, or none although rejections were counted.
    for weight in ["0", "null"] {
        let json = format!(r#"{{"success_count":5,"ignore_count":2,"ignore_weight_score":{weight}}}"#).leak();
        let mut story = prior(json);
        assert_near(story.only(100).rate, 0.7143, 5e-5);
        story.reject("v1", "judge", 100, "nowhere", &["D-001"]);
        assert_near(story.only(100).penalty, 3.0, 1e-12);
    }
    let story = prior(
        r#"[{"success_count":5,"ignore_count":2,"ignore_weight_score":3.0,"reinforce_count":3,"seen_count":9,"lifecycle_state":"verified","last_used":"2026-03-02T00:00:00Z"}]"#,
    );
    let score = story.only(100);
    assert_near(score.rate, 0.625, 1e-12);
    assert_eq!((score.seen, &*score.state, score.is_trusted, &*score.last_used), (9, "verified", true, "2026-03-02T00:00:00Z"));
}

#[test]
fn what_lies_behind_the_horizon_takes_its_number_and_nothing_else() {
    let mut story = Story::new();
    story.log = learn::role::RoleLog::new(&story.settings, day(5));
    story.say("d1", "judge", 9, "1", &["Something that is said only later"]);
    story.say("d2", "judge", 1, "1", &["Validate webhook signature before parsing body"]);
    assert_eq!(story.only(5).id, "D-002");
}

#[test]
fn what_was_told_on_two_days_counts_on_the_first() {
    let saying = "Validate webhook signature before parsing body";
    for (as_of, days) in [(9, [7, 3]), (9, [3, 7]), (5, [7, 3]), (5, [3, 7])] {
        let mut story = Story::new();
        story.log = learn::role::RoleLog::new(&story.settings, day(as_of));
        for on in days {
            story.say("d1", "judge", on, "1", &[saying]);
        }
        story.reject("v1", "judge", 4, "d1", &[saying]);
        let score = story.only(as_of);
        assert_eq!((&*score.created, score.seen, score.ignored), ("2026-03-04T00:00:00Z", 1, 1), "as of {as_of}, told on {days:?}");
    }
    let mut story = Story::new();
    story.say("d1", "judge", 0, "1", &[saying]);
    for (on, findings) in [(7, &[][..]), (3, &[saying])] {
        story.reject("v1", "judge", on, "d1", findings);
    }
    assert_eq!(story.only(9).ignored, 1);
}

#[test]
fn what_another_store_knew_stays_with_its_saying() {
    let mut story = Story::new();
    let patterns = vec![
        "Validate webhook signature before parsing body",
        "Always validate webhook signature before parsing the body",
        "Config loader falls back silently on missing keys",
    ];
    let prior = Some(r#"[{"success_count":5},{"success_count":7},{"success_count":9}]"#);
    story.hear(DeliberationRow { id: "d1", prior, patterns, time_micros: day(0), ..heard() });
    let successes = |story: &Story| story.findings(0).scores.iter().map(|one| one.successes).collect::<Vec<_>>();
    assert_eq!(successes(&story), [5, 9]);
    story.reject("v1", "judge", 0, "d1", &["D-001"]);
    assert_eq!(successes(&story), [5, 9], "what counted elsewhere does not hang on the sighting that tells it");
}

#[test]
fn a_role_is_known_with_and_without_the_plugin_that_it_is_from() {
    let saying = "Validate webhook signature before parsing body";
    let mut story = Story::new();
    story.say("d0", "kit:Judge", 0, "1", &[saying]);
    story.show("D-001", "kit:judge", 1, "r1");
    let row = DeliberationRow { id: "d1", role: "kit:judge", run: Some("r1"), time_micros: day(2), ..heard() };
    story.hear(DeliberationRow { patterns: vec![saying], ..row });
    assert_eq!(story.only(2).successes, 1);
}
