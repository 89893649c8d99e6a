//! Text from outside, made to fit the fields of an event that only take short printable text.

use crate::event::{is_unprintable, limit};

/// What stands for a text of which nothing can be shown.
const NOTHING: &str = "\u{fffd}";

/// A label: what cannot be printed becomes a space, and what is too long is cut. It is never empty.
pub(super) fn fit_label(text: &str) -> String {
    if text.len() <= limit::LABEL_BYTES && !text.chars().any(is_unprintable) && !text.trim().is_empty() {
        return text.to_owned();
    }
    let printable: String = text.chars().map(|character| if is_unprintable(character) { ' ' } else { character }).collect();
    let label = cut(printable.trim(), limit::LABEL_BYTES).trim_end();
    if label.is_empty() { NOTHING.to_owned() } else { label.to_owned() }
}

/// A name: what separates paths or cannot be printed becomes `_`. None if there is nothing in it.
pub(super) fn fit_name(text: &str) -> Option<String> {
    let is_offending = |character: char| is_unprintable(character) || matches!(character, '/' | '\\');
    let name: String = text.trim().chars().map(|character| if is_offending(character) { '_' } else { character }).collect();
    let name = cut(&name, limit::NAME_BYTES).trim_end();
    match name {
        "" => None,
        "." | ".." => Some("_".repeat(name.len())),
        _ => Some(name.to_owned()),
    }
}

/// The longest beginning of a text that has at most so many bytes and no half character.
pub(super) fn cut(text: &str, most_bytes: usize) -> &str {
    let mut end = text.len().min(most_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
