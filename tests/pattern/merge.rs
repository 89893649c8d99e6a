//! Which lessons are one pattern.

use learn::pattern::{Entry, FoldRule, Lesson, Prior, fold_lessons};
use proptest::prelude::*;
use proptest::sample::select;

use super::{RULE, folded, homes, learned, lesson, listed, naive, numbered};

fn triggered(trigger: &str, summary: &str) -> Entry {
    Entry::Lesson(Lesson { trigger: Some(trigger.to_owned()), ..lesson(summary) })
}

fn in_repo(repo: &str, summary: &str) -> Entry {
    Entry::Lesson(Lesson { repo: Some(repo.to_owned()), ..lesson(summary) })
}

fn words(from: usize, to: usize) -> String {
    (from..to).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn lessons_become_patterns_in_the_order_of_landing() {
    let book = folded([learned("check the lock"), learned(" run all tests\n"), learned("check the lock"), learned("  ")]);
    assert_eq!(listed(&book), [("P-001", "check the lock"), ("P-002", "run all tests")].map(|(id, text)| (id.into(), text.into())));
    let first = book.find_id("P-001").expect("the first pattern");
    let captures: Vec<(&str, i64)> = first.sightings.iter().map(|sighting| (sighting.event.as_str(), sighting.line)).collect();
    assert_eq!(captures, [("e1", 1), ("e3", 3)]);
}

#[test]
fn lessons_of_one_trigger_are_one_pattern_whatever_they_say() {
    let book = folded([
        triggered("before a release", "check the lock"),
        triggered(" before a release ", "run all tests"),
        triggered("Before a release", "drink some water"),
        triggered("  ", "sing a song"),
        triggered("", "dance a bit"),
    ]);
    assert_eq!(book.patterns().count(), 4, "case counts in a trigger, and white space is none");
    let first = book.find(1).expect("the first pattern");
    assert_eq!((first.sightings.len(), &*first.also_said), (2, &["run all tests".to_owned()][..]));
    assert_eq!(first.trigger.as_deref(), Some("before a release"));
}

#[test]
fn lessons_that_share_four_fifths_of_their_words_are_one_pattern() {
    for (shared, all, is_one) in
        [(4, 5, true), (8, 10, true), (12, 15, true), (16, 20, true), (15, 19, false), (11, 14, false), (3, 4, false)]
    {
        for (one, other) in [(words(0, all), words(0, shared)), (words(0, shared), words(0, all))] {
            let book = folded([learned(&one), learned(&other.to_uppercase())]);
            assert_eq!(book.patterns().count(), if is_one { 1 } else { 2 }, "{shared} of {all}");
        }
    }
    // Words of both count: four in common, one more on each side.
    assert_eq!(folded([learned("a b c d e"), learned("b c d e f")]).patterns().count(), 2);
    let book = folded([learned("Check, the lock; first!"), learned("first check the-lock check")]);
    assert_eq!(book.patterns().count(), 1, "order, marks and repetitions do not count");
}

#[test]
fn a_lesson_joins_the_first_of_several_kin_unless_another_has_its_very_words() {
    let near = learned("a b c d e f g h i");
    let book = folded([learned("a b c d e f g h"), learned("c d e f g h i j"), near.clone()]);
    assert_eq!(homes(&book)["e3"], 1);
    let book = folded([learned("a b c d e f g h"), learned("A b c d e f g h i j"), learned("j i h g f e d c b a")]);
    assert_eq!(homes(&book)["e3"], homes(&book)["e2"]);
    // The trigger goes before the words.
    let book = folded([triggered("t", "a b c d e f g h i"), learned("x y z"), triggered("t", "x y z"), near]);
    assert_eq!(homes(&book).values().copied().collect::<Vec<_>>(), [1, 2, 1, 1]);
}

#[test]
fn texts_without_a_word_are_one_pattern_only_if_they_are_the_same() {
    let book = folded([learned("\u{1f680}"), learned("\u{1f4a5}!"), learned("\u{1f680}"), learned("->")]);
    assert_eq!(homes(&book).values().copied().collect::<Vec<_>>(), [1, 2, 1, 3]);
}

#[test]
fn texts_that_share_nothing_are_not_kin_even_if_nothing_is_asked_for() {
    let book = fold_lessons(numbered([learned("a b"), learned("c d"), learned("d e")]), FoldRule { overlap: 0.0, ..RULE });
    assert_eq!(homes(&book).values().copied().collect::<Vec<_>>(), [1, 2, 2]);
}

#[test]
fn the_same_text_in_another_repository_stays_apart() {
    let text = "check the lock first";
    let book = folded([
        learned(text),
        in_repo("shop", text),
        in_repo("bank", text),
        in_repo("*", text),
        in_repo(" shop ", text),
        in_repo("  ", "first check the lock"),
    ]);
    assert_eq!(homes(&book).values().copied().collect::<Vec<_>>(), [1, 2, 3, 1, 2, 1]);
    let repos: Vec<&str> = book.patterns().map(|pattern| pattern.repo.as_str()).collect();
    assert_eq!(repos, ["*", "shop", "bank"]);
}

#[test]
fn a_merged_lesson_adds_its_agents_and_tags_and_the_figures_that_it_brings() {
    let first = Lesson {
        applies_to: vec!["impl".to_owned()],
        tags: vec!["api".to_owned()],
        confidence: Some("low".to_owned()),
        seen_count: Some(3),
        ..lesson("check the lock first")
    };
    let second = Lesson {
        applies_to: vec!["impl".to_owned(), "plan".to_owned()],
        tags: vec!["db".to_owned(), "api".to_owned()],
        seen_count: Some(9),
        success_rate: Some(0.5),
        ..lesson("First check the lock")
    };
    let book = folded([Entry::Lesson(first), Entry::Lesson(second), learned("check the lock first")]);
    let pattern = book.find(1).expect("the pattern");
    assert_eq!(pattern.summary, "check the lock first");
    assert_eq!(pattern.also_said, ["First check the lock"]);
    assert_eq!((&*pattern.applies_to.join(","), &*pattern.tags.join(",")), ("impl,plan", "api,db"));
    assert_eq!(
        pattern.prior,
        Prior { seen: Some(9), rate: Some(0.5), ..Prior::default() },
        "a capture without figures says nothing"
    );
}

/// Lessons of few different words, triggers, repositories and ids.
pub fn lessons() -> impl Strategy<Value = Vec<Entry>> {
    let word = select(&["a", "B", "c", "d", "e", "f", "g", "h", "i", "A", "!", "c-d"][..]);
    let summary = prop_oneof![
        8 => prop::collection::vec(word, 0..10).prop_map(|words| words.join(" ")),
        2 => prop::sample::subsequence((0..20).collect::<Vec<_>>(), 14..=20)
            .prop_map(|words| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")),
    ];
    let trigger = select(&[None, None, None, None, Some("t"), Some("u"), Some(" t "), Some("")][..]);
    let repo = select(&[None, None, Some("*"), Some("r"), Some("s"), Some(" ")][..]);
    let id = select(
        &[
            None,
            None,
            None,
            None,
            Some("P-001"),
            Some("P-002"),
            Some("P-007"),
            Some("P-999999999"),
            Some("P-1"),
            Some("P-0009"),
            Some("x"),
        ][..],
    );
    let lesson = (summary, trigger, repo, id, 1_i64..9).prop_map(|(summary, trigger, repo, id, time)| {
        let mut lesson = lesson(&summary);
        lesson.trigger = trigger.map(str::to_owned);
        lesson.repo = repo.map(str::to_owned);
        lesson.pattern_id = id.map(str::to_owned);
        lesson.source.time_micros = time;
        Entry::Lesson(lesson)
    });
    prop::collection::vec(lesson, 0..40).prop_map(numbered)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// The index of kin finds what looking at every pattern in order finds.
    #[test]
    fn kin_are_found_as_if_every_pattern_were_looked_at(
        entries in lessons(),
        overlap in select(&[0.8, 0.8, 0.8, 0.0, 0.3, 0.5, 0.66, 0.9, 1.0][..]),
    ) {
        let book = fold_lessons(entries.clone(), FoldRule { overlap, ..RULE });
        prop_assert_eq!(homes(&book), naive::homes(&entries, overlap));
    }
}
