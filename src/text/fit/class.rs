//! The classes of characters from which every rule of the sanitiser is built.

/// Whether a character parts words: white space of any kind, line ends and controls.
pub fn is_blank(character: char) -> bool {
    character.is_whitespace() || character.is_control()
}

/// White space as Python's `str.strip` counts it: the four separators of ASCII are space to ClosedLoop.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Whether a character could move, hide or reorder what a terminal or a model sees around it.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
        )
}

/// Whether a character shows nothing by itself, so that text for a model is better off without it.
///
/// Wider than [`is_unprintable`]: ordinary writing holds some of these, such as the selector that makes a sign an emoji, and is not
/// refused for them.
pub fn is_invisible(character: char) -> bool {
    is_unprintable(character)
        || matches!(
            character,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Whether a character is drawn onto the one before it.
pub(super) const fn is_combining(letter: char) -> bool {
    matches!(
        letter,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
    )
}
