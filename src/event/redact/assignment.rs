//! The names of secrets, and whether what is assigned to one is a secret.

use std::ops::Range;

use memchr::memmem;

use super::{FORMATS, MARKER, Secret, skip};

/// A word, the fewest bytes of a secret behind it, and its class. Of the words that a name contains, in lower case and without
/// `_` and `-`, the one with the fewest bytes counts.
pub(super) const NAMES: &[(&str, usize, &str)] = &[
    ("secretaccesskey", STRONG_BYTES, "aws-secret-key"),
    ("awssecret", STRONG_BYTES, "aws-secret-key"),
    ("accountkey", WEAK_BYTES, "azure-storage-key"),
    ("clientsecret", EXPLICIT_BYTES, "secret"),
    ("privatekey", EXPLICIT_BYTES, "private-key"),
    ("password", EXPLICIT_BYTES, "password"),
    ("passwd", EXPLICIT_BYTES, "password"),
    ("pwd", EXPLICIT_BYTES, "password"),
    ("secret", STRONG_BYTES, "secret"),
    ("apikey", WEAK_BYTES, "api-key"),
    ("accesskey", WEAK_BYTES, "access-key"),
    ("token", WEAK_BYTES, "token"),
    ("credential", WEAK_BYTES, "credential"),
    ("auth", WEAK_BYTES, "authorization"),
];

/// Every word of `NAMES` contains one of these. They are short because the search needs all their spellings in upper and lower
/// case, and slows down with the number of literals.
pub(super) const NAME_FRAGMENTS: [&str; 6] = ["ssw", "pwd", "cre", "tok", "key", "uth"];
/// A name that ends like this tells something about a secret, or only looks like one (`author`).
const HARMLESS_ENDINGS: [&str; 14] =
    ["id", "name", "url", "uri", "file", "path", "type", "count", "at", "time", "hint", "email", "author", "authors"];
/// What stands behind an explicit name where there is no password.
const HARMLESS_VALUES: [&str; 8] = ["string", "required", "optional", "undefined", "missing", "invalid", "changeme", "redacted"];

/// Behind an explicit name any value is the secret; shorter ones are mostly `none` or `true`.
const EXPLICIT_BYTES: usize = 6;
/// After `Authorization: Basic`, the base64 of `u:pw` has this many.
const CREDENTIAL_BYTES: usize = 8;
/// Behind a strong name a random value is a secret.
const STRONG_BYTES: usize = 12;
/// A weak name has many other uses, so a random value must be longer.
const WEAK_BYTES: usize = 16;
/// Twelve random hexadecimal digits have 3.0 bits each on average and hardly ever fewer than this, longer and richer values
/// have more; repetitions and most numbers stay below.
const MIN_ENTROPY_BITS: f64 = 2.5;
/// Random text changes between lower case, upper case and digits every second or third character;
/// `oauth2-client-credentials` does so twice in 23.
const MAX_BYTES_PER_CHANGE: usize = 6;
/// Enough to judge a value; without a bound `auth:auth:auth:` would cost quadratic time.
const MAX_JUDGED_BYTES: usize = 1024;
/// A longer run of letters is data; without a bound `keykeykey` would cost quadratic time.
const MAX_NAME_BYTES: usize = 64;

struct Assignment {
    name: Range<usize>,
    /// Where the value starts, after its quote and after `Bearer` or `Basic`.
    start: usize,
    quote: Option<Quote>,
    has_scheme: bool,
}

#[derive(Clone, Copy)]
struct Quote {
    mark: u8,
    /// How many backslashes stand before the mark: one in JSON within JSON, then three.
    depth: usize,
}

pub(super) fn assigned_secret(text: &[u8], at: usize) -> Option<Secret> {
    let assignment = parse_assignment(text, at)?;
    let judged = &text[..text.len().min(assignment.start + MAX_JUDGED_BYTES)];
    let value = &text[assignment.start..value_end(judged, &assignment)];
    if value.len() < EXPLICIT_BYTES || is_filler(value) {
        return None;
    }
    let (word, min_bytes, class) = classify_name(&text[assignment.name.clone()])?;
    let is_credential = value.len() >= CREDENTIAL_BYTES && class_changes(value) > 1;
    let is_secret = (assignment.has_scheme && is_credential)
        || (min_bytes == EXPLICIT_BYTES && is_explicit(text, &assignment, value, word))
        || is_random(value, min_bytes);
    if !is_secret {
        return None;
    }
    let span = assignment.start..value_end(text, &assignment);
    let is_whole = match text.get(span.end) {
        // Prose goes on after a blank, an expression after a bracket.
        Some(byte) if assignment.quote.is_some() => !is_blank(*byte),
        next => !matches!(next, Some(b'(' | b'[' | b'{')),
    };
    is_whole.then_some(Secret { span, class, rank: FORMATS.len() })
}

/// Reads `name = value` around a place in the name, with the quotes of JSON, YAML and code.
fn parse_assignment(text: &[u8], at: usize) -> Option<Assignment> {
    let name_end = skip(&text[..text.len().min(at + MAX_NAME_BYTES)], at, is_name_byte);
    let (name_quote, mut end) = parse_quote(text, name_end);
    let is_index = name_quote.is_some() && text.get(end) == Some(&b']');
    end = skip(text, end + usize::from(is_index), is_blank);
    let separator = &text[end..skip(text, end, |byte| matches!(byte, b'=' | b':' | b'>'))];
    if ![&b"="[..], b":", b"=>", b":=", b"==", b"==="].contains(&separator) {
        return None;
    }
    let (quote, start) = parse_quote(text, skip(text, end + separator.len(), is_blank));
    // Without quotes, the value of a JSON key is a number, a literal or a container.
    if name_quote.is_some() && !is_index && quote.is_none() {
        return None;
    }
    let before = text[..at].iter().rev().take(MAX_NAME_BYTES);
    let name_start = at - before.take_while(|byte| is_name_byte(**byte)).count();
    let scheme = skip_scheme(text, start);
    Some(Assignment { name: name_start..name_end, start: scheme.unwrap_or(start), quote, has_scheme: scheme.is_some() })
}

fn parse_quote(text: &[u8], from: usize) -> (Option<Quote>, usize) {
    let at = skip(text, from, |byte| byte == b'\\');
    match text.get(at) {
        Some(&mark @ (b'"' | b'\'' | b'`')) => (Some(Quote { mark, depth: at - from }), at + 1),
        _ => (None, from),
    }
}

fn skip_scheme(text: &[u8], start: usize) -> Option<usize> {
    let end = skip(text, start, |byte| byte.is_ascii_alphabetic());
    let value = skip(text, end, is_blank);
    let is_scheme = [&b"bearer"[..], b"basic"].iter().any(|scheme| text[start..end].eq_ignore_ascii_case(scheme));
    (is_scheme && value > end).then_some(value)
}

/// Stops at the quote of the same depth, and in any case at the end of the JSON string around it.
fn value_end(text: &[u8], assignment: &Assignment) -> usize {
    let mut escapes = 0;
    for (at, &byte) in text.iter().enumerate().skip(assignment.start) {
        if byte.is_ascii_whitespace() || (byte == b'"' && escapes % 2 == 0) {
            return at;
        }
        match assignment.quote {
            Some(Quote { mark, depth }) if byte == mark && escapes % (2 * depth + 2) == depth => return at - depth,
            // Of the escapes only `\/` is let through: some writers of JSON use it in base64.
            None if b"\"'`,;&|<>(){}[]".contains(&byte) => return at - escapes,
            None if escapes > 0 && !b"/\\".contains(&byte) => return at - escapes,
            _ => {}
        }
        escapes = if byte == b'\\' { escapes + 1 } else { 0 };
    }
    text.len()
}

fn classify_name(name: &[u8]) -> Option<(&'static str, usize, &'static str)> {
    let name = squash(name);
    if HARMLESS_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return None;
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let matching = NAMES.iter().filter(|row| name.contains(row.0));
    let judged = matching.map(|&(word, bytes, class)| {
        // `password_rules` is not as explicit as `password`.
        let least = if stem.ends_with(word) { 0 } else { STRONG_BYTES };
        (word, bytes.max(least), class)
    });
    judged.min_by_key(|row| row.1)
}

pub(super) fn squash(text: &[u8]) -> String {
    let kept = text.iter().filter(|byte| !matches!(byte, b'_' | b'-'));
    kept.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// A variable, a template or an earlier redaction stands for a secret without being one.
pub(super) fn is_filler(value: &[u8]) -> bool {
    let has = |mark: &str| memmem::find(value, mark.as_bytes()).is_some();
    matches!(value, [b'<' | b'[' | b'{', ..] | [b'$', b'A'..=b'Z' | b'a'..=b'z' | b'_', ..])
        || value.iter().all(|byte| value.first() == Some(byte) || *byte == b'-')
        || [MARKER, "${", "$(", "{{", "%(", "***"].into_iter().any(has)
}

/// Letters alone may be code (`password = user_input`) or prose, so they count only as `PASSWORD=letmein`, or as
/// `password: letmein` at the end of a line.
fn is_explicit(text: &[u8], assignment: &Assignment, value: &[u8], word: &str) -> bool {
    if is_harmless(value, word) {
        return false;
    }
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || b"_-.".contains(byte);
    if assignment.quote.is_some() || !value.iter().all(is_letter) {
        return true;
    }
    let next = text.get(assignment.start + value.len()).unwrap_or(&b'\n');
    let ends_line = b"\n\r\\\"'`".contains(next);
    let is_tight = assignment.start == assignment.name.end + 1;
    match text.get(assignment.name.end) {
        Some(b':') => ends_line,
        Some(b'=') => is_tight && (ends_line || b" \t&;".contains(next)),
        _ => false,
    }
}

/// Paths, addresses, expressions and the words of schemas, messages and templates.
fn is_harmless(value: &[u8], word: &str) -> bool {
    let text = squash(value);
    matches!(value, [b'/' | b'~' | b'*', ..] | [b'.', b'/' | b'.', ..] | [_, b':', b'\\', ..])
        || text == word
        || text.starts_with("your")
        || text.contains("::")
        || text.contains("://")
        || HARMLESS_VALUES.contains(&text.as_str())
}

/// Judges the longest piece, since paths and addresses only add up to something random.
fn is_random(value: &[u8], min_bytes: usize) -> bool {
    let pieces = value.split(|byte| b"/\\.:,@#?".contains(byte));
    let piece = pieces.max_by_key(|piece| piece.len()).unwrap_or_default();
    value.len() >= min_bytes
        && piece.len() >= STRONG_BYTES
        && piece.iter().any(u8::is_ascii_digit)
        && class_changes(piece) * MAX_BYTES_PER_CHANGE >= piece.len()
        && entropy_bits(piece) >= MIN_ENTROPY_BITS
}

/// How often the text changes between lower case, upper case and digits.
fn class_changes(text: &[u8]) -> usize {
    let letters_and_digits = text.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let classes: Vec<_> = letters_and_digits.map(|byte| (byte.is_ascii_digit(), byte.is_ascii_uppercase())).collect();
    classes.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The Shannon entropy of the value, for each of its bytes.
fn entropy_bits(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let counts = counts.iter().filter(|count| **count > 0).copied().map(f64::from);
    let total: f64 = counts.clone().sum();
    counts.map(|count| count / total * (total / count).log2()).sum()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
