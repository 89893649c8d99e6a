//! Where a text speaks of something: word for word, or nearly.

use proptest::prelude::{prop_assert, proptest};
use text::review::{Likeness, Located, Tokens, locate, locate_alike};

use crate::review::text::{cases, endless, hostile};

const SUMMARY: &str = "Missing null check on user session in login handler";

#[expect(clippy::unnecessary_wraps, reason = "what is located is compared as a whole")]
fn exactly(line: &str) -> Option<Located> {
    Some(Located { line: line.to_owned(), is_exact: true })
}

#[expect(clippy::unnecessary_wraps, reason = "what is located is compared as a whole")]
fn nearly(line: &str) -> Option<Located> {
    Some(Located { line: line.to_owned(), is_exact: false })
}

#[test]
fn a_line_that_says_it_word_for_word_is_found() {
    for (text, line) in [
        (format!("# Report\n\nIt is this: {SUMMARY}, twice.\nMore.\n"), format!("It is this: {SUMMARY}, twice.")),
        (format!("- [rule] {SUMMARY}.\n"), format!("[rule] {SUMMARY}.")),
        (
            "1. missing NULL  check on user\n   session in login handler!\n2. other\n".to_owned(),
            "missing NULL check on user session in login handler!".to_owned(),
        ),
        (
            "Words. Missing null check on\r\nuser session in login handler. End.\r\n\r\nNext".to_owned(),
            "Words. Missing null check on user session in login handler. End.".to_owned(),
        ),
        (format!("## {SUMMARY}\ntext\n"), format!("## {SUMMARY}")),
        (format!("```\n  {SUMMARY}\n```\n"), SUMMARY.to_owned()),
        (format!("> {SUMMARY}\n"), format!("> {SUMMARY}")),
        (format!("first {SUMMARY}\nsecond {SUMMARY}\n"), format!("first {SUMMARY}")),
        ("Missing null\u{200b} check on user\u{a0}session in login handler".to_owned(), SUMMARY.to_owned()),
    ] {
        assert_eq!(locate(SUMMARY, &text), exactly(&line), "{text}");
    }
    // Nothing joins two items, or two paragraphs.
    assert_eq!(locate("null check session", "- a null check\n- session\n"), None);
    assert_eq!(locate("null check session", "a null check\n\nsession\n"), None);
}

#[test]
fn a_line_that_shares_enough_of_its_words_is_found() {
    let alike = "login handler lacks a null check for the user session";
    assert_eq!(locate(SUMMARY, &format!("# Report\n- {alike}\n")), nearly(alike));
    assert_eq!(locate(SUMMARY, "missing timeout on database pool in worker handler"), None);
    assert_eq!(locate("race condition", "there is a race with some condition in the worker of the pool"), None);
    assert_eq!(
        locate("race condition", "there is a race condition in the worker"),
        exactly("there is a race condition in the worker")
    );
}

#[test]
fn three_of_five_words_are_enough_and_two_are_not() {
    let needle = "alpha beta gamma delta epsilon";
    assert_eq!(locate(needle, "gamma beta alpha ten two three"), nearly("gamma beta alpha ten two three"));
    assert_eq!(locate(needle, "gamma beta ten two three four"), None);
    assert_eq!(locate("alpha beta gamma delta epsilon zeta", "gamma beta alpha ten two three"), None);
    assert_eq!(locate("alpha beta", "beta or alpha"), None);
    let strict = Likeness { overlap: 0.7, shared: 3 };
    assert_eq!(locate_alike(needle, "gamma beta alpha ten two three", strict), None);
    let mild = Likeness { overlap: 0.4, shared: 2 };
    assert_eq!(locate_alike(needle, "gamma beta ten two three four", mild), nearly("gamma beta ten two three four"));
}

#[test]
fn the_most_alike_line_wins_and_the_first_of_equals() {
    let needle = "alpha beta gamma delta epsilon";
    let (some, most) = ("gamma beta alpha one two", "gamma beta alpha delta two");
    assert_eq!(locate(needle, &format!("{some}\n{most}\n{some} more")), nearly(most));
    assert_eq!(locate(needle, &format!("first {some} three\nsecond {some} three\n")), nearly(&format!("first {some} three")));
    // A line of few words is held by many; the one that shares more says more.
    let whole = "epsilon delta gamma beta alpha";
    assert_eq!(locate(needle, &format!("gamma beta alpha\n{whole}\n")), nearly(whole));
}

#[test]
fn likeness_is_measured_as_the_worked_numbers_say() {
    let alike = |one: &str, other: &str| Likeness::default().is_alike(&Tokens::of(one), &Tokens::of(other));
    assert!(alike(SUMMARY, "login handler lacks a null check for the user session"));
    assert!(!alike(SUMMARY, "missing timeout on database pool in worker handler"));
    assert!(!alike("race condition", "a race condition in the worker pool under load"));
    assert!(alike("alpha beta gamma delta epsilon", "alpha beta gamma one two three"));
    assert!(!alike("", ""));
}

#[test]
fn a_single_word_must_stand_by_itself() {
    assert_eq!(locate("J1", "J12: other\nJ1: this one\n"), exactly("J1: this one"));
    assert_eq!(locate("J1", "J12 and BJ1 and J1_a"), None);
    assert_eq!(locate("trace", "a race and traces"), None);
    assert_eq!(locate("größe", "die Größe zählt"), exactly("die Größe zählt"));
}

#[test]
fn what_says_nothing_is_found_nowhere() {
    for needle in ["", "  ", "a", "- the", "...", "\u{200b}"] {
        assert_eq!(locate(needle, "a the ... - line of text"), None, "{needle:?}");
    }
    assert_eq!(locate(SUMMARY, ""), None);
}

#[test]
fn a_verdict_is_asked_only_where_nothing_else_speaks_of_it() {
    let verdict = format!(
        "<!-- jkz:verdict-json\n{{\"verdict\":\"FAIL\",\"issues\":[{{\"id\":\"J1\",\n\"summary\":\"{SUMMARY}\"}}],\"must_fix\":[\"J1\"]}}\n-->\n"
    );
    let alike = "login handler lacks a null check for the user session";
    assert_eq!(locate(SUMMARY, &format!("{verdict}\n- {SUMMARY} (again)\n")), exactly(&format!("{SUMMARY} (again)")));
    assert_eq!(locate(SUMMARY, &format!("{verdict}\n- {alike}\n")), nearly(alike));
    assert_eq!(locate(SUMMARY, &format!("Nothing.\n{verdict}")), exactly(SUMMARY));
    assert_eq!(locate("null check on user session", &verdict), exactly(SUMMARY));
    assert_eq!(locate("something else entirely here", &verdict), None);
    // What is malformed says nothing, and is no line of the text either.
    assert_eq!(locate(SUMMARY, &verdict.replace("FAIL", "fail")), None);
}

#[test]
fn what_the_role_was_shown_is_not_what_it_says() {
    let shown = format!("=== HISTORICAL PATTERNS (judge) ===\n- [2x validated] {SUMMARY}\n=== END HISTORICAL PATTERNS ===\n");
    assert_eq!(locate(SUMMARY, &shown), None);
    assert_eq!(locate(SUMMARY, &format!("<!-- {SUMMARY} -->\n")), None);
}

#[test]
fn endless_texts_are_read_in_one_go() {
    for part in ["a", "alpha ", "alpha\n", "- alpha beta gamma\n", "aaaa bbbb ", "```\n", "<!--"] {
        let _ = locate(SUMMARY, &endless(part));
        let _ = locate("aaab", &endless(part));
        let _ = locate(&endless(part), &endless(part));
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_located_line_is_one_line_and_a_line_of_prose_is_found(text in hostile(), line in "[a-z]{4,9}( [a-z]{4,9}){2,6}") {
        if let Some(located) = locate(&line, &text) {
            prop_assert!(!located.line.chars().any(char::is_control));
        }
        let whole = format!("{line}\n\n{text}");
        prop_assert!(locate(&line, &whole).is_some_and(|located| located.is_exact));
        let _ = locate(&text, &text);
    }
}
