//! Text from outside on one line.

use text::fit::is_unprintable;

/// A text on one line of at most so many characters: white space collapsed, nothing unprintable.
#[must_use]
pub fn one_line(text: &str, most_characters: usize) -> String {
    let printable: String = text.chars().filter_map(printed).collect();
    let joined = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().nth(most_characters).is_none() {
        return joined;
    }
    let mut cut: String = joined.chars().take(most_characters.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// Breaks and tabs part words; everything else that cannot be seen is left out.
fn printed(character: char) -> Option<char> {
    match character {
        '\u{2028}' | '\u{2029}' => Some(' '),
        _ if character.is_whitespace() || character.is_control() => Some(' '),
        _ => (!is_unprintable(character)).then_some(character),
    }
}
