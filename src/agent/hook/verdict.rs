//! The few words by which agents say how something went.

/// Whether an agent says that a build passed: true or false, or none if it says neither.
///
/// The last of its words counts. Who failed first and mended it says so later, and so does who writes `not VALIDATION_PASSED:
/// VALIDATION_FAILED`.
#[must_use]
pub fn build_verdict(said: &str) -> Option<bool> {
    let passed = find_word(said, "VALIDATION_PASSED").last();
    let failed = find_word(said, "VALIDATION_FAILED").last();
    // A place is more than none, so a word that stands alone is the later one.
    (passed != failed).then_some(passed > failed)
}

/// Whether an agent says that there was nothing to learn.
#[must_use]
pub fn says_nothing_learned(said: &str) -> bool {
    find_word(said, "no_learnings").next().is_some()
}

/// Where a word stands in a text, unless it is part of a longer one.
pub(super) fn find_word(text: &str, word: &str) -> impl Iterator<Item = usize> {
    text.match_indices(word).map(|(position, _)| position).filter(move |position| {
        let behind = &text[position + word.len()..];
        !text[..*position].ends_with(is_word_character) && !behind.starts_with(is_word_character)
    })
}

/// Whether a character continues a word.
pub(super) fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
