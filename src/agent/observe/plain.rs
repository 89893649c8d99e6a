//! What a step says beyond the day it was asked for: without remarks, without what only that conversation knows.

use super::concept::{Rank, concepts};
use super::language::{Language, split};
use super::speech::{find_words, lower};

/// What stands before something that only the conversation knows: `add an issue for that`.
const LINKS: [&str; 3] = ["for", "with", "about"];
/// Words that point at what was just spoken of.
const POINTING: [&str; 22] = [
    "that", "this", "these", "those", "them", "it", "das", "dies", "diese", "dieses", "diesen", "eso", "esto", "este", "esta",
    "ese", "esa", "ça", "cela", "ce", "cette", "ces",
];
/// What ends a step and says nothing of how it is done.
const TAILS: [&str; 16] = [
    "if possible",
    "as well",
    "together",
    "once more",
    "one last time",
    "for now",
    "right now",
    "later",
    "for later",
    "too",
    "first",
    "again",
    "now",
    "for me",
    "this",
    "that",
];
/// What opens another sentence behind a comma.
const TOLD_BEHIND: [&str; 8] = [", we ", ", i ", ", it ", ", they ", ", that's ", ", i'll ", ", we'll ", ", it's "];
/// Verbs that order nothing in particular where nothing else is told.
const EMPTY: [&str; 12] = ["do", "go", "sort", "continue", "proceed", "start", "get", "make", "take", "try", "mach", "haz"];

/// A step without its remarks and without what only this conversation knows.
pub(super) fn plain_step(step: &str) -> String {
    if step.contains('`') || step.contains('"') {
        return step.to_owned();
    }
    let mut plain = without_link(&without_remark(step));
    // Behind a comma somebody tells something of their own.
    if let Some(end) = TOLD_BEHIND.iter().filter_map(|told| lower(&plain).find(told)).min() {
        plain.truncate(end);
    }
    while let Some(tail) = TAILS.iter().find(|tail| lower(&plain).ends_with(&format!(" {tail}"))) {
        let kept = plain[..plain.len() - tail.len()].trim_end_matches([' ', ',']).to_owned();
        let is_left = kept.split(' ').count() > 1 || concepts(&lower(&kept)).iter().any(|found| found.rank == Rank::Step);
        // `Do it now` is not better without its end, and `for that` would lose what it is for.
        if !is_left || kept.ends_with(" to") || kept.ends_with(" for") || kept.ends_with(" of") || kept.ends_with(" like") {
            break;
        }
        plain = kept;
    }
    if plain.trim().is_empty() { step.to_owned() } else { plain }
}

/// Whether a step orders nothing that anybody could do later: `do 2 for now`, `sort this out`.
pub(super) fn is_empty_step(step: &str, language: &Language) -> bool {
    let lowered = lower(step);
    let mut words = split(&lowered);
    let opens = words.next().is_some_and(|word| EMPTY.contains(&word));
    let tells = |word: &str| {
        let is_number = word.chars().all(|letter| letter.is_ascii_digit());
        !is_number && word != "ahead" && !language.stop.has(word) && !POINTING.contains(&word) && !EMPTY.contains(&word)
    };
    opens && concepts(&lowered).is_empty() && !words.any(tells)
}

/// Whether a text points at one thing of its day: a number of something, an address, a hash.
pub(super) fn names_one_occasion(text: &str) -> bool {
    let is_hash = |word: &str| {
        (7..=40).contains(&word.len())
            && word.chars().all(|letter| letter.is_ascii_hexdigit())
            && word.chars().any(|letter| letter.is_ascii_digit())
            && word.chars().any(char::is_alphabetic)
    };
    let is_one = |word: &str| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '#');
        let digits = bare.trim_start_matches('#');
        let is_number = digits.len() > 1 && digits.chars().all(|letter| letter.is_ascii_digit());
        is_number || word.contains("://") || is_hash(bare)
    };
    text.split('`').step_by(2).flat_map(str::split_whitespace).any(is_one)
}

/// Whether a text points at what was said before, in whatever language.
pub(super) fn points_at(lowered: &str) -> bool {
    const UNSPACED: [&str; 6] = ["これ", "それ", "この", "这个", "这条", "这一点"];
    POINTING.iter().any(|word| find_words(lowered, word).is_some()) || UNSPACED.iter().any(|word| lowered.contains(word))
}

/// Whether a text is done to what was just spoken of: `fix them`, `ignore that lint error`.
pub(super) fn points(text: &str) -> bool {
    let lowered = without_place(&lower(text));
    POINTING.iter().filter(|word| !matches!(**word, "it" | "that" | "das")).any(|word| find_words(&lowered, word).is_some())
        || points_with_that(&lowered)
}

/// A text without what points at the project, which everybody knows who reads it there.
fn without_place(lowered: &str) -> String {
    const PLACES: [&str; 9] = ["repo", "repository", "project", "codebase", "package", "projekt", "proyecto", "projet", "dépôt"];
    let mut plain = lowered.to_owned();
    for place in PLACES {
        for word in POINTING {
            plain = plain.replace(&format!("{word} {place}"), place);
        }
    }
    plain
}

/// `That` points where a thing follows it and no sentence does: `that error`, not `make sure that it runs`.
fn points_with_that(lowered: &str) -> bool {
    let Some(place) = find_words(lowered, "that") else { return false };
    let mut behind = split(&lowered[place + 4..]);
    let first = behind.next();
    let is_verb = |word: &str| matches!(word, "is" | "are" | "was" | "were" | "has" | "have" | "needs" | "should" | "must" | "can");
    let is_subject = |word: &str| matches!(word, "it" | "we" | "you" | "they" | "the" | "all" | "every" | "no" | "there");
    first.is_none_or(|word| !is_verb(word) && !is_subject(word)) && !behind.take(3).any(is_verb)
}

/// A text without what stands in brackets or between dashes.
fn without_remark(text: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    let parts: Vec<&str> = plain.split(" - ").collect();
    let joined = match parts[..] {
        [head, _, tail] => format!("{head} {tail}"),
        _ => plain,
    };
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text without the part that says what of this conversation it is about.
fn without_link(text: &str) -> String {
    let lowered = lower(text);
    for link in LINKS {
        for word in &POINTING[..6] {
            let phrase = format!("{link} {word}");
            let Some(place) = find_words(&lowered, &phrase).filter(|place| *place > 0) else { continue };
            let behind = &text[place + phrase.len()..];
            // What is pointed at may be named: `with this observation`.
            let named = behind.trim_start().split([' ', ',']).next().unwrap_or_default();
            let is_named = !named.is_empty()
                && matches!(*word, "that" | "this" | "these" | "those")
                && named.chars().all(|letter| letter.is_ascii_lowercase())
                && !matches!(named, "in" | "on" | "to" | "and" | "at" | "from");
            let rest = if is_named { behind.trim_start().strip_prefix(named).unwrap_or_default() } else { behind };
            return format!("{}{}", text[..place].trim_end(), rest).trim_end_matches([' ', ',']).to_owned();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_keeps_what_outlasts_its_day() {
        for (said, kept) in [
            ("add a ticket for that", "add a ticket"),
            ("log an issue in Project:Ada with this observation", "log an issue in Project:Ada"),
            ("file an issue (low priority, we meet on Monday)", "file an issue"),
            ("reply to the comments if possible", "reply to the comments"),
            ("write a test - which should fail right now - for each finding", "write a test for each finding"),
            ("look at the comments together", "look at the comments"),
            ("run `make x (y)` for that", "run `make x (y)` for that"),
            ("commit this", "commit"),
            ("log an issue, we will come back to it later", "log an issue"),
            ("do this", "do this"),
        ] {
            assert_eq!(plain_step(said), kept);
        }
    }

    #[test]
    fn what_points_at_its_day_is_told_from_what_lasts() {
        let english = Language::named("en");
        for empty in ["do 2 for now", "sort this out", "go ahead", "do that"] {
            assert!(is_empty_step(empty, english), "{empty}");
        }
        for full in ["push", "get the tests green", "do a release", "start the server"] {
            assert!(!is_empty_step(full, english), "{full}");
        }
        for one in ["close PR 260", "reply to https://example.org/1#r2", "revert 3f2a9bc", "see #12"] {
            assert!(names_one_occasion(one), "{one}");
        }
        assert!(!names_one_occasion("use HTTP/2 and keep 1 worker") && !names_one_occasion("deadbeef"));
        assert!(points("ignore that lint error") && points("mark them ignored") && points("fix this"));
        assert!(
            !points("never log secrets in this repo")
                && !points("make sure that it runs")
                && !points("check that tests are green")
                && !points("push")
        );
    }
}
