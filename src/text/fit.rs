//! Text from outside, made to fit the fields of an event.

use xxhash_rust::xxh3::xxh3_64;

use crate::limit;

/// The bytes of a dash and the hash that keep two long names apart after cutting.
const DIGEST_BYTES: usize = 17;

/// The longest beginning of a text that has at most so many bytes and no half character.
#[must_use]
pub fn cut(text: &str, most_bytes: usize) -> &str {
    let mut end = text.len().min(most_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A text on one line, without anything that moves or hides what stands around it, cut to a number of bytes.
#[must_use]
pub fn printable(text: &str, most_bytes: usize) -> String {
    let clean: String = text.chars().map(|letter| if is_unprintable(letter) { ' ' } else { letter }).collect();
    cut(clean.trim(), most_bytes).trim_end().to_owned()
}

/// A label as it is, where it is one; else one that is printable and not too long. None if nothing is left.
#[must_use]
pub fn label(text: &str) -> Option<String> {
    if text.len() <= limit::LABEL_BYTES && !text.trim().is_empty() && !text.chars().any(is_unprintable) {
        return Some(text.to_owned());
    }
    Some(printable(text, limit::LABEL_BYTES)).filter(|label| !label.is_empty())
}

/// A name: what separates paths or cannot be printed becomes `_`, and long ones that differ still do after cutting. None if
/// there is nothing in it.
#[must_use]
pub fn name(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let is_offending = |letter: char| is_unprintable(letter) || matches!(letter, '/' | '\\');
    let mut name: String = text.chars().map(|letter| if is_offending(letter) { '_' } else { letter }).collect();
    if matches!(&*name, "." | "..") {
        name = "_".repeat(name.len());
    }
    if name.len() > limit::NAME_BYTES {
        name = format!("{}-{:016x}", cut(&name, limit::NAME_BYTES - DIGEST_BYTES), xxh3_64(text.as_bytes()));
    }
    Some(name)
}

/// Quotes text that came from outside for a message: one line, bounded, no control characters.
#[must_use]
pub fn quoted(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS).map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// Whether a character could move, hide or reorder what a terminal or a model sees around it.
#[must_use]
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
#[must_use]
pub fn is_invisible(character: char) -> bool {
    is_unprintable(character)
        || matches!(
            character,
            '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}
