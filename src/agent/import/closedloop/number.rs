//! Numbers and white space as Python reads them: what the original counted as a number decides what a field means.
//!
//! One difference is left: Python also takes the decimal digits of other scripts.

use std::borrow::Cow;

/// Trims what `str.strip` trims: Unicode white space, and the four separators that Rust does not count as such.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Trims the end only.
pub(super) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// The number that `float` reads, which may be infinite or not a number at all.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    // Most fields are words; this spares them the search for underscores.
    let text = trim(text);
    let opens_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'i' | b'I' | b'n' | b'N');
    text.as_bytes().first().filter(|byte| opens_number(byte))?;
    without_underscores(text)?.parse().ok()
}

/// The whole number, zero or more, that `int` reads. Numbers beyond what an event holds count as unreadable.
pub(super) fn parse_count(text: &str) -> Option<i64> {
    let text = without_underscores(trim(text))?;
    text.parse::<i64>().ok().filter(|count| *count >= 0)
}

/// The text without its underscores, if each of them stands between two digits.
fn without_underscores(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_between = |at: usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let all_between = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || is_between(at));
    all_between.then(|| Cow::Owned(text.replace('_', "")))
}

fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_follow_the_grammar_of_python() {
        for (text, value) in [("0.5", 0.5), (" 1 ", 1.0), ("\u{1f}2\u{a0}", 2.0), ("1_0.5_0e0_1", 105.0), ("+.5", 0.5), ("5.", 5.0)]
        {
            assert_eq!(parse_float(text), Some(value), "{text:?}");
        }
        assert_eq!(parse_float("-iNfInItY"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_float("1e400"), Some(f64::INFINITY));
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
        for text in ["", " ", "_1", "1_", "1__0", "1_.0", "1e", "e5", ".", "+", "0x10", "1,5", "in_f", "1 0", "1\0"] {
            assert_eq!(parse_float(text), None, "{text:?}");
        }
    }

    #[test]
    fn counts_follow_the_grammar_of_python_and_are_not_negative() {
        for (text, value) in [("7", 7), (" 007 ", 7), ("+1_000", 1000), ("-0", 0)] {
            assert_eq!(parse_count(text), Some(value), "{text:?}");
        }
        for text in ["", "-1", "1.0", "1_", "x", "99999999999999999999", "+-1"] {
            assert_eq!(parse_count(text), None, "{text:?}");
        }
    }
}
