//! Text from outside, made to fit the fields of an event.

use xxhash_rust::xxh3::xxh3_64;

use super::limit;
use super::rejection::is_unprintable;

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
