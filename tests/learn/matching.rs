//! Matching triggers to patterns: the tiers one by one, and the index against the definition.

use std::thread;

use learn::matching::{Index, Looseness, Match, Phrase, Tier, definition};
use proptest::prelude::*;
use proptest::sample::{Index as Place, select};

/// Phrases, numbered by their places.
fn numbered(texts: &[&str]) -> Vec<Phrase> {
    (0..).zip(texts).map(|(pattern, text)| Phrase { text: (*text).to_owned(), pattern }).collect()
}

/// What the index and the definition find in the default mode, which must be the same.
fn best_with(phrases: &[Phrase], looseness: Looseness, trigger: &str) -> Option<Match> {
    let found = Index::new(phrases, looseness).best(trigger);
    assert_eq!(found, definition::best(phrases, looseness, trigger), "{trigger:?} in {phrases:?}");
    found
}

fn best(texts: &[&str], trigger: &str) -> Option<(u32, Tier)> {
    best_with(&numbered(texts), Looseness::default(), trigger).map(|found| (found.pattern, found.tier))
}

/// What the index and the definition find in the mode of the original, which must be the same.
fn every(texts: &[&str], trigger: &str) -> Vec<(u32, Tier)> {
    let (phrases, looseness) = (numbered(texts), Looseness::default());
    let found = Index::new(&phrases, looseness).every(trigger);
    assert_eq!(found, definition::every(&phrases, looseness, trigger), "{trigger:?} in {phrases:?}");
    found.into_iter().map(|found| (found.pattern, found.tier)).collect()
}

#[test]
fn the_worked_examples_of_matching_come_out_as_in_the_original() {
    let cases = [
        ("", "anything", Some(Tier::Substring)),
        ("a", "banana", Some(Tier::Substring)),
        ("Use tabs", "Never use tabs in Makefiles", Some(Tier::Substring)),
        ("one two three four", "one two three five", None),
        ("c b a", "a b c d e", None),
        ("c b a z", "a b c z q", Some(Tier::Overlap)),
        ("alpha beta gamma delta", "gamma alpha delta beta", Some(Tier::Overlap)),
        ("foo_bar", "foo bar", None),
        ("run-tests now", "run tests now", Some(Tier::Overlap)),
        ("Straße", "STRASSE", None),
    ];
    for (trigger, summary, tier) in cases {
        assert_eq!(
            every(&[summary], trigger),
            tier.map(|tier| (0, tier)).into_iter().collect::<Vec<_>>(),
            "{trigger:?} {summary:?}"
        );
    }
}

#[test]
fn fragments_match_as_often_as_in_the_original_but_are_credited_once_at_most() {
    let patterns = ["Avoid \"any\" in types", "Avoid globals", "Pattern high, with comma", "Check size"];
    let triggers = ["Avoid ", "Pattern high", " with comma", "Pattern high, with comma", ""];
    let mut counts = [0; 4];
    for (pattern, _) in triggers.iter().flat_map(|trigger| every(&patterns, trigger)) {
        counts[pattern as usize] += 1;
    }
    assert_eq!(counts, [2, 2, 4, 1]);
    let credited = triggers.map(|trigger| best(&patterns, trigger));
    assert_eq!(credited, [None, Some((2, Tier::Substring)), Some((2, Tier::Substring)), Some((2, Tier::Exact)), None]);
}

#[test]
fn the_best_tier_wins_whatever_the_order_of_the_patterns() {
    let texts = [
        "before merging always run the tests",
        "Always run the tests before merging to main",
        "ALWAYS run the tests before merging",
    ];
    assert_eq!(best(&texts, "always run the tests before merging"), Some((2, Tier::Case)));
    assert_eq!(best(&texts[..2], "always run the tests before merging"), Some((1, Tier::Substring)));
    assert_eq!(best(&texts[..1], "always run the tests before merging"), Some((0, Tier::Overlap)));
    assert_eq!(best(&texts, "ALWAYS run the tests before merging"), Some((2, Tier::Exact)));
}

#[test]
fn within_a_tier_the_closest_text_wins_and_then_the_lowest_pattern() {
    assert_eq!(best(&["check the lock first of all", "check the lock first"], "check the lock"), Some((1, Tier::Substring)));
    assert_eq!(best(&["check the lock", "check the lock first"], "always check the lock first"), Some((1, Tier::Substring)));
    assert_eq!(best(&["check the lock now", "check the lock too"], "check the lock"), Some((0, Tier::Substring)));
    assert_eq!(best(&["check the lock too", "check the lock now"], "check the lock"), Some((0, Tier::Substring)));
    assert_eq!(best(&["a1 b2 c3 d4 e5 zz", "e5 d4 c3 b2 a1"], "b2 a1 c3 d4 e5"), Some((1, Tier::Overlap)));
    let reversed: Vec<Phrase> = ["same words here", "same words here"]
        .into_iter()
        .zip([9, 4])
        .map(|(text, pattern)| Phrase { text: text.to_owned(), pattern })
        .collect();
    assert_eq!(best_with(&reversed, Looseness::default(), "same words here").map(|found| found.pattern), Some(4));
    assert_eq!(best_with(&reversed, Looseness::default(), "the same words here").map(|found| found.pattern), Some(4));
}

#[test]
fn a_pattern_of_several_phrases_matches_by_its_best_one() {
    let phrases = ["pin the version", "Pin the version of every tool"].map(|text| Phrase { text: text.to_owned(), pattern: 3 });
    let found = Index::new(&phrases, Looseness::default()).every("pin the version of every tool");
    assert_eq!(found, [Match { pattern: 3, tier: Tier::Case, closeness: 1.0 }]);
    assert_eq!(found, definition::every(&phrases, Looseness::default(), "pin the version of every tool"));
}

#[test]
fn short_texts_match_only_as_a_whole() {
    assert_eq!(best(&["use tabs", "a b", "x"], "X"), Some((2, Tier::Case)));
    assert_eq!(best(&["use tabs always"], "tabs al"), None, "seven characters");
    assert_eq!(best(&["use tabs always"], "tabs alw"), Some((0, Tier::Substring)));
    assert_eq!(best(&["use tabs_always_here"], "tabs_always"), None, "one word");
    assert_eq!(best(&["test test test"], "always test test test"), None, "one distinct word");
    assert_eq!(best(&["über öl"], "immer über öl"), None, "seven characters, though nine bytes");
}

#[test]
fn nothing_matches_an_empty_trigger_or_phrase_by_default_and_everything_in_the_original() {
    assert_eq!(best(&["", " ", "check the lock"], " \t"), None);
    assert_eq!(best(&["", " ", "check the lock"], "nothing like it"), None);
    let none = Looseness { least_characters: 0, least_words: 0, overlap: 0.6 };
    assert_eq!(best_with(&numbered(&[""]), none, "nothing like it"), None);
    assert_eq!(every(&["", " ", "check"], ""), [(0, Tier::Exact), (1, Tier::Exact), (2, Tier::Substring)]);
    assert_eq!(every(&["", "check"], "other"), [(0, Tier::Substring)]);
    assert_eq!(every(&["", "check"], " "), [(0, Tier::Substring)]);
    assert_eq!(every(&[], "other"), []);
    assert_eq!(best(&[], "other words"), None);
}

#[test]
fn only_the_default_mode_trims_the_trigger() {
    assert_eq!(best(&[" check it\u{1f}"], "\u{3000}check it\n"), Some((0, Tier::Exact)));
    assert_eq!(every(&[" check it\u{1f}"], "check it"), [(0, Tier::Exact)]);
    assert_eq!(every(&[" check it "], " check it "), [(0, Tier::Substring)]);
}

#[test]
fn lower_case_is_that_of_unicode_and_words_are_letters_digits_and_underscores() {
    assert_eq!(best(&["ΟΔΟΣ"], "οδος"), Some((0, Tier::Case)), "a final sigma");
    assert_eq!(best(&["İ"], "i\u{307}"), Some((0, Tier::Case)), "two characters from one");
    assert_eq!(every(&["d\u{e9}j\u{e0} vu"], "vu d\u{e9}j\u{e0}"), [(0, Tier::Overlap)]);
    // A vowel sign is no letter, so it parts two words, and a circled letter is none at all.
    assert_eq!(every(&["क\u{93f}क"], "क!\u{93f}"), [(0, Tier::Overlap)]);
    assert_eq!(every(&["xⒶy"], "y x"), [(0, Tier::Overlap)]);
    assert_eq!(every(&["٣ ½ y"], "y ½ ٣"), [(0, Tier::Overlap)]);
}

#[test]
fn a_share_that_equals_the_threshold_is_not_enough() {
    let words = |range: std::ops::Range<usize>| range.map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    for whole in 2..40_usize {
        for part in 1..whole {
            // The texts share the first words, and the trigger has them in another order, or it would be inside.
            let trigger = format!("w{} {}", part - 1, words(0..part));
            let phrases = [Phrase { text: words(0..whole), pattern: 0 }];
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let share = part as f64 / whole as f64;
            let at = |overlap| best_with(&phrases, Looseness { least_characters: 0, least_words: 0, overlap }, &trigger);
            if part > 1 {
                assert_eq!(at(share), None, "{part} of {whole}");
                assert_eq!(at(share.next_down()).map(|found| found.tier), Some(Tier::Overlap), "{part} of {whole}");
            }
        }
    }
}

#[test]
fn several_threads_match_at_once() {
    let phrases = numbered(&["check the lock first", "always run the tests", "never use globals here"]);
    let index = Index::new(&phrases, Looseness::default());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for trigger in ["first check the lock", "use globals here", "nothing like it"] {
                    assert_eq!(index.best(trigger), definition::best(&phrases, Looseness::default(), trigger));
                    assert_eq!(index.every(trigger), definition::every(&phrases, Looseness::default(), trigger));
                }
            });
        }
    });
}

#[test]
fn tiers_are_named_and_ordered_from_the_best_to_the_loosest() {
    let tiers = [Tier::Exact, Tier::Case, Tier::Substring, Tier::Overlap];
    assert!(tiers.is_sorted());
    assert_eq!(tiers.map(Tier::name), ["exact", "case", "substring", "jaccard"]);
}

/// Texts of few different characters and words, so that they are often equal, inside each other, or of the same words.
fn text() -> impl Strategy<Value = String> {
    let word =
        select(&["always", "Always", "check", "a", "b", "A", "ab", "é", "É", "Σ", "straße", "x_1", "क\u{93f}", "before"][..]);
    let gap = select(&[" ", " ", " ", "", "-", "  ", "\u{1c}", "\u{a0}"][..]);
    let letter = select(&["a", "a", "b", "A", "B", " ", "é", "İ", "1", "_", "."][..]);
    let words = prop::collection::vec((word, gap), 0..8)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect::<String>());
    prop_oneof![
        6 => words,
        3 => prop::collection::vec(letter, 0..24).prop_map(|letters| letters.concat()),
        1 => (0_usize..24).prop_map(|times| "a".repeat(times)),
        1 => any::<String>(),
    ]
}

/// A trigger of its own, or one made from a phrase.
fn trigger(phrases: &[Phrase], own: &str, choice: u8, places: &[Place; 3]) -> String {
    let Some(text) = (!phrases.is_empty()).then(|| &phrases[places[0].index(phrases.len())].text) else { return own.to_owned() };
    let characters: Vec<char> = text.chars().collect();
    let (from, to) = (places[1].index(characters.len() + 1), places[2].index(characters.len() + 1));
    match choice % 8 {
        0 => own.to_owned(),
        1 => text.clone(),
        2 => text.to_uppercase(),
        3 => characters[from.min(to)..from.max(to)].iter().collect(),
        4 => format!("{own}{text}{own}"),
        5 => text.split(' ').rev().collect::<Vec<_>>().join(" "),
        6 => text.split(' ').skip(1).chain([own]).collect::<Vec<_>>().join(" "),
        _ => format!(" {text}\t"),
    }
}

fn looseness() -> impl Strategy<Value = Looseness> {
    let overlap = select(&[0.6, 0.6, 0.6, 0.0, 0.25, 0.5, 0.75, 0.99, 1.0, -1.0, f64::NAN][..]);
    let strict = (0_usize..12, 0_usize..4, overlap);
    prop_oneof![
        Just(Looseness::default()),
        strict.prop_map(|(least_characters, least_words, overlap)| Looseness { least_characters, least_words, overlap }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// The index finds what the definition says, in both modes.
    #[test]
    fn the_index_finds_what_the_definition_says(
        texts in prop::collection::vec((text(), 0_u32..12), 0..16),
        own in prop::collection::vec((text(), any::<u8>(), any::<[Place; 3]>()), 1..8),
        looseness in looseness(),
    ) {
        let phrases: Vec<Phrase> = texts.into_iter().map(|(text, pattern)| Phrase { text, pattern }).collect();
        let index = Index::new(&phrases, looseness);
        for (own, choice, places) in own {
            let trigger = trigger(&phrases, &own, choice, &places);
            prop_assert_eq!(index.best(&trigger), definition::best(&phrases, looseness, &trigger), "best of {:?}", trigger);
            prop_assert_eq!(index.every(&trigger), definition::every(&phrases, looseness, &trigger), "every of {:?}", trigger);
        }
    }

    /// At most one pattern is credited, and it is one that the original counts too.
    #[test]
    fn what_is_credited_is_among_what_the_original_counts(texts in prop::collection::vec(text(), 0..8), trigger in text()) {
        let phrases = numbered(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let index = Index::new(&phrases, Looseness::default());
        // The original does not trim the trigger; a text that is only found by its inner part is still found by that part.
        let trigger = trigger.trim_matches(|character: char| character.is_whitespace() || character == '\u{1c}');
        if let Some(best) = index.best(trigger) {
            prop_assert!(index.every(trigger).contains(&best), "{:?}", best);
        }
    }
}
