//! When two sayings are the same, when they are alike, and what sort of saying one is.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use text::digest::sha256;
use text::review::{Kind, Tokens, normalise, plain_saying};

use crate::review::text::{cases, hostile};

const WEBHOOK: &str = "always validate the webhook signature before parsing";

#[test]
fn spellings_of_one_saying_have_one_hash() {
    for saying in [
        "- [rule] Always validate  the webhook signature before parsing.",
        WEBHOOK,
        " 3) ALWAYS validate the\twebhook\nsignature before parsing ;!",
    ] {
        assert_eq!(normalise(saying), WEBHOOK, "{saying}");
    }
    assert!(sha256(WEBHOOK.as_bytes()).starts_with("2c4a6fb29d1ebb2c"));
    assert_eq!(normalise("Cafe\u{301} first"), normalise("Caf\u{e9} first"));
}

#[test]
fn marks_of_lists_and_kinds_are_no_part_of_a_saying() {
    for saying in ["- Look twice", "* [rule] Look twice", "12. [Causal]: Look twice", "[OBSERVATION] Look twice", "• Look twice "]
    {
        assert_eq!(plain_saying(saying), "Look twice", "{saying}");
    }
    for saying in ["-Look twice", "[x] Look twice", "1.5 times"] {
        assert_eq!(plain_saying(saying), saying);
    }
}

#[test]
fn the_kind_of_a_saying_is_its_tag_or_shows_in_its_words() {
    for (saying, kind) in [
        ("[observation] Always look", Kind::Observation),
        ("[Causal] Always look", Kind::Causal),
        ("- [RULE] it rained", Kind::Rule),
        ("Always look twice", Kind::Rule),
        ("One MUST not leap", Kind::Rule),
        ("Do\nnot leap", Kind::Rule),
        ("It requires a lock because of races", Kind::Rule),
        ("Mustard is yellow", Kind::Observation),
        ("It fails because of races", Kind::Causal),
        ("Load leads to timeouts", Kind::Causal),
        ("If it rains, then it pours", Kind::Causal),
        ("If it rains it pours", Kind::Observation),
        ("rain -> floods", Kind::Causal),
        ("rain → floods", Kind::Causal),
        ("The config falls back silently", Kind::Observation),
        ("", Kind::Observation),
    ] {
        assert_eq!(Kind::of(saying), kind, "{saying}");
    }
    assert!(Kind::Observation < Kind::Causal && Kind::Causal < Kind::Rule);
    assert!(Kind::ALL.into_iter().all(|kind| Kind::from_name(kind.name()) == Some(kind)));
}

#[test]
fn words_are_shared_as_the_worked_numbers_say() {
    let compared = |one: &str, other: &str| {
        let (one, other) = (Tokens::of(one), Tokens::of(other));
        (one.shared(&other), one.overlap(&other), one.likeness(&other))
    };
    let summary = "Missing null check on user session in login handler";
    assert_eq!(compared(summary, "login handler lacks a null check for the user session"), (6, 6.0 / 7.0, 0.75));
    let (shared, overlap, _) = compared(summary, "missing timeout on database pool in worker handler");
    assert_eq!((shared, overlap), (2, 2.0 / 6.0));
    assert_eq!(compared("race condition", "a race condition in the worker pool").0, 2);
    let merged = ("Validate webhook signature before parsing body", "Always validate webhook signature before parsing the body");
    assert_eq!(compared(merged.0, merged.1), (6, 1.0, 6.0 / 7.0));
    assert_eq!(compared("", "a the of"), (0, 0.0, 0.0));
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn normal_sayings_are_on_one_line_and_alike_to_themselves(text in hostile()) {
        let normal = normalise(&text);
        prop_assert!(!normal.contains(['\n', '\r', '\t']) && !normal.contains("  "));
        let tokens = Tokens::of(&text);
        prop_assert_eq!(tokens.shared(&tokens), tokens.len());
        prop_assert_eq!(tokens.likeness(&tokens).to_bits(), if tokens.is_empty() { 0.0_f64 } else { 1.0 }.to_bits());
    }
}
