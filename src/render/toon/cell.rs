//! The text of one cell: what may stand in it and when it must be quoted.

use text::fit::is_unprintable;

/// One less than the longest field that Python's csv module accepts by default.
const LONGEST_CHARACTERS: usize = 131_071;

/// The text as every reader of the file sees it.
///
/// TOON and CSV spell a quote and a backslash differently, so there is no spelling that all readers take for the same text:
/// a quote becomes an apostrophe and a backslash its full-width twin. Controls and line breaks become a space, invisible
/// format characters go, and the ends are trimmed, because ClosedLoop trims them too. A text that is longer than Python's
/// csv module accepts is cut.
#[must_use]
pub fn cell_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => safe.push('\''),
            '\\' => safe.push('\u{ff3c}'),
            // A line break of two characters is still one gap.
            _ if is_break(character) => {
                if !safe.ends_with(' ') {
                    safe.push(' ');
                }
            }
            _ if is_unprintable(character) => {}
            _ => safe.push(character),
        }
    }
    shorten(safe.trim()).to_owned()
}

/// The beginning of a text, as long as a cell may be.
pub(super) fn shorten(text: &str) -> &str {
    match text.char_indices().nth(LONGEST_CHARACTERS) {
        Some((end, _)) => text[..end].trim_end(),
        None => text,
    }
}

/// Whether a TOON encoder must quote the text in a row whose cells are separated by commas.
pub(super) fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || is_keyword(text)
        || is_numeric(text)
        || text.starts_with(['-', '#', ' ', '\t'])
        || text.ends_with([' ', '\t'])
        || text.contains([',', ':', '[', ']', '{', '}', '"', '\\'])
        || text.contains(|character| character <= '\u{1f}')
}

/// Whether a TOON encoder can have written the text as a cell without quotes.
pub(super) fn may_be_bare(text: &str) -> bool {
    !needs_quotes(text) || is_keyword(text) || is_canonical_number(text)
}

fn is_break(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

fn is_keyword(text: &str) -> bool {
    matches!(text, "true" | "false" | "null")
}

/// Whether the text looks like a number to anyone, with leading zeros and a plus sign as well.
fn is_numeric(text: &str) -> bool {
    let unsigned = without_sign(text);
    let (mantissa, exponent) = split_at(unsigned, &['e', 'E']);
    let (whole, fraction) = split_at(mantissa, &['.']);
    [Some(whole), fraction, exponent.map(without_sign)].into_iter().flatten().all(is_digits)
}

/// Whether the text is a number as an encoder spells it: `0.6`, never `0.60`, `+1`, `05` or `6e-1`.
fn is_canonical_number(text: &str) -> bool {
    let (whole, fraction) = split_at(text.strip_prefix('-').unwrap_or(text), &['.']);
    is_digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(|digits| is_digits(digits) && !digits.ends_with('0'))
        && text != "-0"
}

fn split_at<'a>(text: &'a str, marks: &[char]) -> (&'a str, Option<&'a str>) {
    text.split_once(marks).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
