//! A text as a scalar of YAML.

use std::fmt::Write as _;

/// A text as a double-quoted scalar on one line, which every reader reads back as the same text.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut scalar = String::with_capacity(text.len() + 2);
    scalar.push('"');
    for letter in text.chars() {
        match letter {
            '"' => scalar.push_str("\\\""),
            '\\' => scalar.push_str("\\\\"),
            '\n' => scalar.push_str("\\n"),
            '\r' => scalar.push_str("\\r"),
            '\t' => scalar.push_str("\\t"),
            // What YAML does not let stand as it is: controls, its own line breaks, a mark of byte order, what is no character.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
                let _ = write!(scalar, "\\x{:02x}", u32::from(letter));
            }
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(scalar, "\\u{:04x}", u32::from(letter));
            }
            _ => scalar.push(letter),
        }
    }
    scalar.push('"');
    scalar
}
