//! Scripts that write words without blanks between them.

/// Whether a letter is of a script that writes words without blanks between them.
#[must_use]
pub const fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{0E01}'..='\u{0EFF}' // Thai, Lao
            | '\u{1000}'..='\u{109F}' // Burmese
            | '\u{1780}'..='\u{17FF}' // Khmer
            | '\u{3041}'..='\u{30FF}' // Hiragana, Katakana
            | '\u{3400}'..='\u{9FFF}' // Han
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}
