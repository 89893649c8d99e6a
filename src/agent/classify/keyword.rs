//! The words of a lesson that tell something, and phrases inside of it.

use std::ops::Range;

use text::word::distinct_words;

/// Shorter words tell nothing by themselves.
const LEAST_CHARACTERS: usize = 3;

/// Words that hold a sentence together, and words that fit into every sentence.
const HOLLOW: &str = "\
    about after again all also although always and another any anything are because been before being best better between \
    both but can cannot careful carefully code correct correctly could did does doing done during each either ensure even \
    every everything for from general generally get good great had has have her here him his how however important into its \
    just like lot lots made make makes many may might more most much must need needed needs neither never nice not nothing \
    now often only onto other our out over own please proper properly quite rather really remember right same shall she \
    should some something stuff such sure than that the their them then there these they thing things this those through too \
    under until upon use used uses using very want was way well were what when whenever where whether which while who why \
    will with within without work works would yet you your";

/// Whether a word is one of a list's, which are parted by spaces.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// The words of a lower-case text that tell something, each once.
pub(super) fn telling_words(lowered: &str) -> Vec<&str> {
    let is_telling = |word: &&str| {
        let is_long = word.chars().nth(LEAST_CHARACTERS - 1).is_some() || word.chars().any(is_dense);
        is_long && !word.bytes().all(|byte| byte.is_ascii_digit()) && !is_listed(HOLLOW, word)
    };
    distinct_words(lowered).into_iter().filter(is_telling).collect()
}

/// How much words tell: one each, and more for scripts that put no spaces between words.
pub(super) fn weigh_words(words: &[&str]) -> usize {
    words.iter().map(|word| word.chars().filter(|character| is_dense(*character)).count().div_ceil(2).max(1)).sum()
}

/// Where a phrase stands in a text as whole words; both in lower case.
///
/// What is part of an identifier, such as `Date.today` or `today()`, is no word of the sentence.
pub(super) fn find_phrase(lowered: &str, phrase: &str) -> Option<Range<usize>> {
    if phrase.is_empty() {
        return None;
    }
    let mut from = 0;
    while let Some(at) = lowered[from..].find(phrase).map(|at| from + at) {
        let end = at + phrase.len();
        if parts_before(&lowered[..at]) && parts_after(&lowered[end..]) {
            return Some(at..end);
        }
        from = at + lowered[at..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

fn parts_before(text: &str) -> bool {
    text.chars().next_back().is_none_or(|character| !is_inner(character) && !matches!(character, '.' | '$' | '@' | ':'))
}

fn parts_after(text: &str) -> bool {
    let mut rest = text.chars();
    match rest.next() {
        None => true,
        Some('.' | ':') => rest.next().is_none_or(|character| !is_inner(character) && character != ':'),
        Some(character) => !is_inner(character) && character != '(',
    }
}

fn is_inner(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '/')
}

/// Letters of which few make a word: Chinese, Japanese, Korean, Thai and their neighbours.
fn is_dense(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{2e80}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::{find_phrase, telling_words, weigh_words};

    #[test]
    fn words_tell_something_unless_they_are_short_hollow_or_numbers() {
        assert_eq!(telling_words("always use the retry budget of 100 in ui code"), ["budget", "retry"]);
    }

    #[test]
    fn scripts_without_spaces_tell_as_much_as_others() {
        assert!(weigh_words(&telling_words("数据库连接必须在使用后关闭")) > 3);
    }

    #[test]
    fn phrases_are_found_as_whole_words_only() {
        assert_eq!(find_phrase("do it today.", "today"), Some(6..11));
        for text in ["call date.today first", "use today() with care", "todays news", "a to-today list", "std::today::x"] {
            assert_eq!(find_phrase(text, "today"), None, "{text}");
        }
    }
}
