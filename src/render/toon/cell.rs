//! When the text of a cell must be quoted.

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
