//! The forms in which texts are compared: trimmed, in lower case, as a set of words.

pub use text::word::{Words, distinct_words};

/// A text without the space around it. The four separators of ASCII are space to the original as well.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || matches!(character, '\x1c'..='\x1f'))
}

/// A text in lower case by the full rules of Unicode: `Σ` at the end of a word becomes `ς`.
pub fn lower(text: &str) -> String {
    text.to_lowercase()
}
