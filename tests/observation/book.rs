//! Which sighting is which entry, and what it is called.

use event::field::ObservationType;
use learn::observation::{detail_fields, is_observation_id};

use super::{Sight, Story};

fn pitfall(pattern: &str, details: &str) -> Sight {
    Sight { kind: ObservationType::Pitfall, pattern: pattern.to_owned(), details: details.to_owned(), ..Sight::default() }
}

/// How many observations sightings make.
fn entries(sights: impl IntoIterator<Item = Sight>) -> usize {
    let mut story = Story::default();
    sights.into_iter().for_each(|sight| story.see(sight));
    story.findings(i64::MAX).scores.len()
}

#[test]
fn an_entry_belongs_to_one_project_and_is_of_one_type() {
    let mut story = Story::default();
    for project in ["web", "api"] {
        for kind in ObservationType::ALL {
            story.see(Sight { project, kind: *kind, ..Sight::default() });
            story.see(Sight { project, kind: *kind, pattern: "use POSTGRES!".to_owned(), ..Sight::default() });
        }
    }
    let scores = story.findings(i64::MAX).scores;
    assert_eq!(scores.len(), 8);
    assert!(scores.iter().all(|score| score.observations == 2), "{scores:#?}");
    let mut ids: Vec<&str> = scores.iter().map(|score| &*score.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8);
    assert!(ids.iter().all(|id| is_observation_id(id) && id.len() == 10), "{ids:?}");
}

#[test]
fn an_id_is_a_hash_of_what_the_entry_is_and_so_the_same_in_every_log() {
    let mut story = Story::default();
    story.see(Sight::default());
    let mut other = Story::default();
    other.see(Sight { pattern: "Another".to_owned(), ..Sight::default() });
    other.see(Sight { pattern: "use  postgres.".to_owned(), ..Sight::default() });
    assert_eq!(story.id(), other.findings(i64::MAX).scores[1].id);
}

#[test]
fn an_id_that_is_taken_gets_more_digits() {
    let mut story = Story::default();
    story.see(Sight::default());
    let taken = story.id();
    let mut other = Story::default();
    other.see(Sight { project: "api", pattern: "Something else".to_owned(), given: Some(taken.clone()), ..Sight::default() });
    other.see(Sight::default());
    let scores = other.findings(i64::MAX).scores;
    assert_eq!(scores[0].id, taken);
    assert!(scores[1].id.starts_with(&taken) && scores[1].id.len() == taken.len() + 1, "{}", scores[1].id);
}

#[test]
fn a_given_id_names_its_entry_whatever_the_words() {
    let given = || Some("obs_abc123".to_owned());
    let mut story = Story::default();
    story.see(Sight { given: given(), ..Sight::default() });
    story.see(Sight { given: given(), pattern: "Wholly other words".to_owned(), ..Sight::default() });
    story.see(Sight { pattern: "wholly OTHER words".to_owned(), ..Sight::default() });
    let score = story.only(i64::MAX);
    assert_eq!((&*score.id, score.observations), ("obs_abc123", 3));
    // In another project the same id is another entry.
    story.see(Sight { given: given(), project: "api", ..Sight::default() });
    story.see(Sight { given: given(), project: "api", pattern: "Once more".to_owned(), ..Sight::default() });
    let scores = story.findings(i64::MAX).scores;
    assert_eq!(scores.len(), 2);
    assert_eq!((&*scores[1].project, scores[1].observations), ("api", 2));
    assert_ne!(scores[1].id, "obs_abc123");
}

#[test]
fn ids_of_another_shape_are_understood_but_not_taken_over() {
    for odd in ["obs_1", "bad", "obs_c_b", "obs_abc12é", "obs_", "P-001"] {
        let mut story = Story::default();
        story.see(Sight { given: Some(odd.to_owned()), ..Sight::default() });
        story.see(Sight { given: Some(odd.to_owned()), pattern: "Other words".to_owned(), ..Sight::default() });
        let score = story.only(i64::MAX);
        assert_eq!(score.observations, 2, "{odd}");
        assert!(is_observation_id(&score.id) && score.id != odd, "{}", score.id);
    }
}

#[test]
fn pitfalls_need_both_an_area_and_an_issue_to_be_the_same() {
    let same = [
        ("area: git; issue: amending", "AREA: Git!; issue: amending, too", false),
        ("area: git; issue: amending", "Area: GIT\nIssue: Amending", true),
        ("area: git; issue: amending", "- **Area**: git\n- **Issue**: amending;", true),
        ("area: git; impact: x", "area: git; impact: y", false),
        ("issue: amending", "issue: amending", false),
        ("area: ; issue: amending", "area: ; issue: amending", false),
        ("area: !!; issue: amending", "area: ??; issue: amending", false),
        ("the subarea: git; reissue: amending", "the subarea: git; reissue: amending", false),
        ("area: a; b; issue: c", "area: a; issue: c", false),
    ];
    for (one, other, is_same) in same {
        let entries = entries([pitfall("one", one), pitfall("two", other)]);
        assert_eq!(entries, if is_same { 1 } else { 2 }, "{one} and {other}");
    }
    // Of other types the details tell nothing.
    let decision = |pattern: &str| Sight { kind: ObservationType::Decision, ..pitfall(pattern, "area: git; issue: amending") };
    assert_eq!(entries([decision("one"), decision("two")]), 2);
}

#[test]
fn the_first_forty_letters_tell_an_issue() {
    let long = "x".repeat(39);
    let details = |end: &str| format!("area: git; issue: {long}{end}");
    assert_eq!(entries([pitfall("one", &details("yz")), pitfall("two", &details("y, and more"))]), 1);
    assert_eq!(entries([pitfall("one", &details("y")), pitfall("two", &details("z"))]), 2);
}

#[test]
fn details_are_read_by_the_names_of_their_fields() {
    let fields = |details: &str| -> Vec<(&'static str, String)> { detail_fields(details) };
    let owned = |pairs: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        pairs.iter().map(|(key, value)| (*key, (*value).to_owned())).collect()
    };
    assert_eq!(
        fields("context: c ; decision: use a; b; rationale : because of issue: 7 "),
        owned(&[("context", "c"), ("decision", "use a; b"), ("rationale", "because of issue: 7")])
    );
    assert_eq!(fields("first this\nArea: git\r\n- issue: x"), owned(&[("", "first this"), ("area", "git"), ("issue", "x")]));
    assert_eq!(fields(" ; ;"), owned(&[]));
    assert_eq!(fields(""), owned(&[]));
}

#[test]
fn what_lies_behind_the_horizon_takes_its_id_too() {
    let mut story = Story::default();
    story.see(Sight { time: super::day(9), given: Some("obs_later1".to_owned()), ..Sight::default() });
    story.see(Sight { time: super::day(1), ..Sight::default() });
    story.see(Sight { time: super::day(8), project: "api", given: Some("obs_later2".to_owned()), ..Sight::default() });
    let score = story.only(super::day(2));
    assert_eq!((&*score.id, score.observations), ("obs_later1", 1));
}

fn meant(kind: ObservationType, pattern: &str, meaning: &[&str]) -> Sight {
    let meaning = meaning.iter().map(|term| (*term).to_owned()).collect();
    Sight { kind, pattern: pattern.to_owned(), meaning, ..Sight::default() }
}

#[test]
fn the_same_steps_in_the_same_order_are_one_workflow() {
    let workflow = |pattern: &str, steps: &[&str]| meant(ObservationType::Workflow, pattern, steps);
    let first = || workflow("one", &["commit", "push", "draft pr"]);
    assert_eq!(entries([first(), workflow("two", &["push", "draft pr"])]), 1);
    assert_eq!(entries([first(), workflow("two", &["commit", "push"])]), 2, "what is common to all tells little");
    assert_eq!(entries([first(), workflow("two", &["draft pr", "push", "commit"])]), 2, "another order");
    assert_eq!(entries([first(), workflow("two", &[])]), 2, "without a meaning the words count");
}

#[test]
fn the_same_things_done_to_the_same_things_are_one_unless_one_forbids_them() {
    let rule = |pattern: &str, terms: &[&str]| meant(ObservationType::Procedural, pattern, terms);
    let first = || rule("one", &["`src/generated", "edit", "hand"]);
    assert_eq!(entries([first(), rule("two", &["`src/generated", "edit", "manual"])]), 1);
    assert_eq!(entries([first(), rule("two", &["`src/handmade", "edit", "hand"])]), 2, "another folder");
    assert_eq!(entries([first(), rule("two", &["`src/generated", "edit", "hand", "!"])]), 2, "the opposite");
    assert_eq!(entries([first(), rule("two", &["`src/generated", "edit", "hand", "~"])]), 1, "it asks and forbids");
}

#[test]
fn what_only_lacks_another_session_has_it_when_there_is_one() {
    use event::field::Lack;
    let seen = |session: &str, lacks: Lack| Sight {
        kind: ObservationType::Workflow,
        session: Some(session.to_owned()),
        quality_ok: false,
        lacks: Some(lacks),
        ..Sight::default()
    };
    let scores = |sights: Vec<Sight>| {
        let mut story = Story::default();
        sights.into_iter().for_each(|sight| story.see(sight));
        story.findings(i64::MAX).scores
    };
    assert_eq!(scores(vec![seen("s1", Lack::Recurrence)]), [], "a task like any other");
    let once = scores(vec![seen("s1", Lack::Session)]);
    assert_eq!((once[0].quality_ok, once[0].lacks), (false, Some(Lack::Session)));
    assert!(once[0].shortcoming().is_some_and(|(why, what)| why.contains("one session") && what.contains("second session")));
    let twice = scores(vec![seen("s1", Lack::Recurrence), seen("s2", Lack::Recurrence)]);
    assert_eq!((twice[0].quality_ok, twice[0].lacks, twice[0].observations), (true, None, 2));
    let same = scores(vec![seen("s1", Lack::Session), seen("s1", Lack::Session)]);
    assert!(!same[0].quality_ok, "the same session twice");
    let unreasoned = scores(vec![seen("s1", Lack::Reason), seen("s2", Lack::Reason)]);
    assert!(!unreasoned[0].quality_ok, "nobody said why");
}
