//! The forms in which texts are compared: trimmed, in lower case, as a set of words.

use std::sync::LazyLock;

use regex::Regex;
use smallvec::SmallVec;

/// The distinct words of a text, sorted.
pub type Words<'text> = SmallVec<[&'text str; 24]>;

/// A text without the space around it. The four separators of ASCII are space to the original as well.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || matches!(character, '\x1c'..='\x1f'))
}

/// A text in lower case by the full rules of Unicode: `Σ` at the end of a word becomes `ς`.
pub fn lower(text: &str) -> String {
    text.to_lowercase()
}

/// The distinct words of a text: the longest runs of letters, digits and underscores.
pub fn distinct_words(lowered: &str) -> Words<'_> {
    // `char::is_alphanumeric` would not do: it also takes vowel signs and circled letters, which part words here.
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").ok());
    let mut words: Words = if lowered.is_ascii() {
        // Most texts, and several times faster than the expression.
        let parts = lowered.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        parts.filter(|word| !word.is_empty()).collect()
    } else {
        WORD.iter().flat_map(|word| word.find_iter(lowered)).map(|found| found.as_str()).collect()
    };
    words.sort_unstable();
    words.dedup();
    words
}
