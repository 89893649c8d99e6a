//! What a word is: one definition for lessons that merge and for texts that match.

use std::sync::LazyLock;

use regex::Regex;
use smallvec::SmallVec;

/// The distinct words of a text, sorted.
pub type Words<'text> = SmallVec<[&'text str; 24]>;

/// The distinct words of a text: the longest runs of letters, digits and underscores.
#[must_use]
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
