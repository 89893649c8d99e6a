//! What likeness adds to what patterns are worth, and who is shown what roles have learned.

use learn::recall::{Entry, Purpose, Question, Similarities, blend};
use proptest::prelude::*;
use setting::InjectSettings;
use text::digest::sha256;
use text::review::normalise;

use super::recall::{assert_near, ids, named, question, recall};

#[test]
fn the_worked_blends_come_out() {
    // J9.
    for (similarity, score, wanted) in [(0.8, 0.35, 0.62), (0.2, 1.3, 0.52), (-0.4, 0.5, 0.20)] {
        assert_near(blend(similarity, score, 0.6), wanted, 12);
    }
    assert_near(blend(1.0, 0.0, 0.6), 0.6, 12);
    assert_near(blend(0.5, 0.9, 0.0), 0.9, 12);
    assert_near(blend(0.5, 0.9, 1.0), 0.5, 12);
    for (similarity, score) in [(f64::NAN, 1.0), (0.5, f64::NEG_INFINITY), (f64::NAN, f64::NAN)] {
        assert!(blend(similarity, score, 0.6).is_finite());
    }
}

/// A pattern that the judge of `mine` has learned.
fn learned(id: &'static str, summary: &'static str, change: impl FnOnce(&mut Entry<'static>)) -> Entry<'static> {
    named(id, |entry| {
        (entry.category, entry.state, entry.role, entry.project) =
            ("observation".into(), "observed".into(), "judge".into(), "mine".into());
        entry.summary = summary.into();
        change(entry);
    })
}

fn known(similarities: &[(&str, f64)]) -> Similarities {
    let hashed = similarities.iter().map(|(text, similarity)| (sha256(normalise(text).as_bytes()), *similarity));
    Similarities::new(hashed, 0.6)
}

fn judge() -> Question<'static> {
    Question { role: Some("judge"), ..question(Purpose::Role) }
}

#[test]
fn what_is_alike_comes_first_and_what_has_no_vector_keeps_its_score() {
    let settings = InjectSettings::default();
    let entries = [
        learned("D-001", "Mind the cache", |entry| entry.failures = 1.0),
        learned("D-002", "Mind the lock", |_| {}),
        learned("D-003", "Mind the gap", |entry| entry.failures = 1.0),
        learned("D-004", "Mind the door", |entry| entry.category = "rule".into()),
    ];
    let similarities = known(&[("mind the CACHE!", 0.9), ("mind the lock", -0.5), ("mind the door", f64::NAN)]);
    let asked = Question { similarities: Some(&similarities), ..judge() };
    let found = recall(entries.clone().into_iter(), &asked, &settings);
    // 1.3 without a similarity; 0.6 * 0.9 + 0.4 * 0.5; 0.5 without one; 0.4 * 1.
    assert_eq!(ids(&found), ["D-004", "D-001", "D-003", "D-002"]);
    for (candidate, wanted) in found.iter().zip([1.3, 0.74, 0.5, 0.4]) {
        assert_near(candidate.score, wanted, 12);
    }
    let told: Vec<Option<f64>> = found.iter().map(|candidate| candidate.similarity).collect();
    assert_eq!(told, [None, Some(0.9), None, Some(-0.5)]);
    assert_eq!(ids(&recall(entries.into_iter(), &judge(), &settings)), ["D-004", "D-002", "D-001", "D-003"]);
}

#[test]
fn the_least_is_asked_of_the_blend_before_it_is_rounded() {
    let settings = InjectSettings::default();
    let entries = [
        // 0.6 * 0.166666 and 0.6 * 0.166667, with a score of nothing.
        learned("D-001", "Just too little", |entry| entry.successes = 0.0),
        learned("D-002", "Just enough", |entry| entry.successes = 0.0),
        // 0.4 * 0.2 = 0.08: what points away can fall below it.
        learned("D-003", "Points away", |entry| entry.failures = 4.0),
        learned("D-004", "Has no vector", |entry| entry.failures = 4.0),
    ];
    let similarities = known(&[("Just too little", 0.166_666), ("Just enough", 0.166_667), ("Points away", -1.0)]);
    let asked = Question { similarities: Some(&similarities), ..judge() };
    assert_eq!(ids(&recall(entries.into_iter(), &asked, &settings)), ["D-004", "D-002"]);
}

#[test]
fn equal_blends_go_by_successes_then_use_then_number() {
    let settings = InjectSettings::default();
    let of = |id, summary, successes, used| {
        learned(id, summary, |entry| (entry.successes, entry.reinforced, entry.used_micros) = (successes, 3, used))
    };
    let entries = [
        of("D-1000", "one", 1.0, 5),
        of("D-999", "two", 1.0, 5),
        of("D-002", "three", 1.0, 6),
        of("D-001", "four", 1.0, 5),
        of("D-003", "five", 2.0, 0),
    ];
    let similarities = known(&["one", "two", "three", "four", "five"].map(|text| (text, 0.5)));
    let asked = Question { similarities: Some(&similarities), ..judge() };
    let found = recall(entries.into_iter(), &asked, &settings);
    assert_eq!(ids(&found), ["D-003", "D-002", "D-001", "D-999", "D-1000"]);
}

#[test]
fn kin_come_behind_at_a_discount_however_alike() {
    let settings = InjectSettings::default();
    let mut entries: Vec<Entry<'static>> = ["D-001", "D-002"].map(|id| learned(id, "own", |_| {})).into();
    entries.extend(["D-003", "D-004"].map(|id| learned(id, "kin", |entry| entry.role = "auditor".into())));
    let similarities = known(&[("own", 0.1), ("kin", 1.0)]);
    let asked = Question { similarities: Some(&similarities), ..judge() };
    let found = recall(entries.into_iter(), &asked, &settings);
    assert_eq!(ids(&found), ["D-001", "D-002", "D-003"], "a third of three");
    assert_near(found[2].score, 0.8 * (0.6 + 0.4), 12);
}

#[test]
fn what_a_role_has_learned_is_for_its_project_s_roles_alone() {
    let settings = InjectSettings::default();
    let entries = [
        learned("D-001", "own", |_| {}),
        learned("D-002", "another project's", |entry| entry.project = "other".into()),
        learned("D-003", "out of use", |entry| entry.state = "deprecated".into()),
        learned("D-004", "of no kin", |entry| entry.role = "builder".into()),
        named("P-005", |_| {}),
    ];
    let ask = |question: &Question<'_>| ids(&recall(entries.clone().into_iter(), question, &settings));
    assert_eq!(ask(&judge()), ["D-001", "P-005"]);
    assert_eq!(ask(&question(Purpose::Role)), ["P-005"], "nobody's role");
    assert_eq!(ask(&Question { project: None, ..judge() }), ["P-005"]);
    for purpose in [Purpose::Turn, Purpose::Tool] {
        assert_eq!(ask(&Question { role: Some("judge"), ..question(purpose) }), ["P-005"]);
        assert_eq!(ask(&Question { role: Some("judge"), is_unfiltered: true, ..question(purpose) }), ["P-005"]);
    }
}

#[test]
fn what_is_governed_was_verified_or_has_a_person_behind_it() {
    let settings = InjectSettings::default();
    let states = ["observed", "candidate", "verified", "active", "deprecated"];
    let ids_of = ["D-001", "D-002", "D-003", "D-004", "D-005"];
    let mut entries: Vec<Entry<'static>> =
        states.into_iter().zip(ids_of).map(|(state, id)| learned(id, "own", |entry| entry.state = state.into())).collect();
    entries.push(named("P-006", |_| {}));
    entries.push(named("P-007", |entry| entry.state = "promoted".into()));
    let governed = Question { is_governed: true, ..judge() };
    assert_eq!(ids(&recall(entries.into_iter(), &governed, &settings)), ["D-003", "D-004", "P-007"]);
}

proptest! {
    #[test]
    fn a_blend_lies_between_its_parts_and_grows_with_each(
        similarity in -1.0_f64..=1.0,
        score in 0.0_f64..=1.625,
        weight in 0.0_f64..=1.0,
        more in 0.0_f64..=0.5,
    ) {
        let blended = blend(similarity, score, weight);
        let parts = [similarity.max(0.0), score.min(1.0)];
        prop_assert!(blended >= parts[0].min(parts[1]) - 1e-12 && blended <= parts[0].max(parts[1]) + 1e-12);
        prop_assert!(blend(similarity + more, score, weight) >= blended);
        prop_assert!(blend(similarity, score + more, weight) >= blended);
    }
}
