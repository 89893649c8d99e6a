//! What happens behind the horizon takes its number and is otherwise not known yet.

use learn::pattern::{Decision, Entry, FoldRule, Lesson, State, fold_lessons};
use learn::subject::Action;
use proptest::prelude::*;

use super::merge::lessons;
use super::{RULE, decided, homes, learned, lesson, listed, numbered};

/// The same entry at another instant.
fn at(time: i64, mut entry: Entry) -> Entry {
    let (Entry::Lesson(Lesson { source, .. }) | Entry::Decision(Decision { source, .. })) = &mut entry;
    source.time_micros = time;
    entry
}

fn seen_until(as_of_micros: i64, entries: impl IntoIterator<Item = Entry>) -> learn::pattern::Registry {
    fold_lessons(numbered(entries), FoldRule { as_of_micros, ..RULE })
}

#[test]
fn a_later_lesson_is_hidden_and_keeps_its_number() {
    let entries = || [at(10, learned("check the lock")), at(30, learned("run all tests")), at(20, learned("sing a song"))];
    let ids = |as_of| listed(&seen_until(as_of, entries())).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(9), [""; 0]);
    assert_eq!(ids(10), ["P-001"]);
    assert_eq!(ids(29), ["P-001", "P-003"]);
    assert_eq!(ids(30), ["P-001", "P-002", "P-003"]);
    assert!(seen_until(29, entries()).find(2).is_none());
}

#[test]
fn a_later_decision_is_hidden() {
    let entries =
        || [at(10, learned("check the lock")), at(20, decided("P-001", Action::Retire)), at(30, decided("P-009", Action::Retire))];
    let book = seen_until(19, entries());
    assert_eq!(book.find(1).map(|pattern| (pattern.state, pattern.note.clone())), Some((State::Learned, None)));
    assert!(book.void_decisions().is_empty());
    let book = seen_until(30, entries());
    assert_eq!(book.find(1).map(|pattern| pattern.state), Some(State::Retired));
    assert_eq!(book.void_decisions().len(), 1);
}

#[test]
fn a_pattern_says_nothing_that_only_later_lessons_said() {
    let later = Lesson {
        trigger: Some("before a release".to_owned()),
        category: Some("mistake".to_owned()),
        scope: Some("closedloop".to_owned()),
        applies_to: vec!["impl".to_owned()],
        tags: vec!["db".to_owned()],
        seen_count: Some(7),
        ..lesson("CHECK the lock first")
    };
    let earlier = Lesson { category: Some("insight".to_owned()), tags: vec!["api".to_owned()], ..lesson("check the lock first") };
    let entries = [at(20, Entry::Lesson(later)), at(10, Entry::Lesson(earlier))];
    let book = seen_until(10, entries.clone());
    let pattern = book.find(1).expect("the pattern");
    assert_eq!(
        (pattern.summary.as_str(), pattern.category.name(), &*pattern.also_said),
        ("check the lock first", "insight", &[][..])
    );
    assert_eq!((pattern.trigger.as_deref(), pattern.scope.as_deref(), pattern.prior.seen), (None, None, None));
    assert_eq!((&*pattern.applies_to.join(","), &*pattern.tags.join(",")), ("", "api"));
    let book = seen_until(20, entries);
    let pattern = book.find(1).expect("the pattern");
    assert_eq!((pattern.summary.as_str(), pattern.category.name()), ("CHECK the lock first", "mistake"), "landed first");
}

#[test]
fn an_odd_category_of_a_later_lesson_is_not_counted_yet() {
    let odd = |summary: &str| Entry::Lesson(Lesson { category: Some("miracle".to_owned()), ..lesson(summary) });
    let entries = || [at(10, odd("check the lock")), at(20, odd("run all tests"))];
    assert_eq!(seen_until(10, entries()).odd_categories(), 1);
    assert_eq!(seen_until(20, entries()).odd_categories(), 2);
}

#[test]
fn which_pattern_a_lesson_names_does_not_depend_on_what_is_visible() {
    let named = |id: &str, summary: &str| Lesson { pattern_id: Some(id.to_owned()), ..lesson(summary) };
    let with_trigger = |lesson: Lesson| Lesson { trigger: Some("u".to_owned()), ..lesson };
    // The second pattern is founded by a lesson behind the horizon, and seen first in words that are not kin of it.
    let entries = [
        at(5, Entry::Lesson(with_trigger(named("P-002", "check the lock first")))),
        at(1, Entry::Lesson(named("P-001", "write the tests before"))),
        at(1, Entry::Lesson(with_trigger(lesson("close every open file")))),
        at(1, Entry::Lesson(named("P-002", "close every open file"))),
    ];
    let now = homes(&fold_lessons(numbered(entries.clone()), RULE));
    let then = homes(&fold_lessons(numbered(entries), FoldRule { as_of_micros: 1, ..RULE }));
    for event in ["e2", "e3", "e4"] {
        assert_eq!(now.get(event), then.get(event), "{event}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// The horizon hides captures and shifts no number.
    #[test]
    fn the_horizon_hides_and_shifts_nothing(entries in lessons(), as_of_micros in 0_i64..9) {
        let mut all = homes(&fold_lessons(entries.clone(), RULE));
        for entry in &entries {
            if entry.source().time_micros > as_of_micros {
                all.remove(&entry.source().event);
            }
        }
        prop_assert_eq!(homes(&fold_lessons(entries, FoldRule { as_of_micros, ..RULE })), all);
    }

    /// What happens behind the horizon, after everything before it has landed, cannot be told from what never landed.
    #[test]
    fn what_lands_last_and_happens_later_leaves_no_trace(early in lessons(), late in lessons()) {
        let rule = FoldRule { as_of_micros: 10, ..RULE };
        let book = fold_lessons(early.clone(), rule);
        let late = late.into_iter().map(|entry| at(11, entry)).chain([at(11, decided("P-001", Action::Retire))]);
        let more = fold_lessons(early.into_iter().chain(late), rule);
        prop_assert_eq!(book.patterns().collect::<Vec<_>>(), more.patterns().collect::<Vec<_>>());
        prop_assert_eq!(book.void_decisions(), more.void_decisions());
        prop_assert_eq!(book.odd_categories(), more.odd_categories());
    }
}
