//! What the details of an observation say by key: `area: ...; issue: ...`.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The keys of a decision's details.
pub(super) const DECISION_KEYS: [&str; 3] = ["context", "decision", "rationale"];
/// The keys of a pitfall's details.
pub(super) const PITFALL_KEYS: [&str; 4] = ["area", "issue", "impact", "resolution"];

/// The values of keys in a text. A key opens the text, a line, or what follows a semicolon; its value goes on to the next key, so
/// that it may hold semicolons itself.
pub(super) struct Details<'t> {
    whole: &'t str,
    values: Vec<(&'static str, &'t str)>,
}

impl<'t> Details<'t> {
    pub(super) fn parse(text: &'t str, keys: &[&'static str]) -> Self {
        let mut opened: Vec<(&'static str, usize, usize)> = Vec::new();
        let starts = text.match_indices([';', '\n']).map(|(place, _)| place + 1);
        for start in std::iter::once(0).chain(starts) {
            if let Some((key, value)) = key_at(text, start, keys) {
                opened.push((key, start, value));
            }
        }
        let ends = opened.iter().skip(1).map(|(_, start, _)| start - 1).chain([text.len()]);
        let values =
            opened.iter().zip(ends).map(|((key, _, value), end)| (*key, text[(*value).min(end)..end].trim().trim_end_matches(';')));
        Self { whole: text.trim(), values: values.map(|(key, value)| (key, value.trim_end())).collect() }
    }

    /// The value of a key; of several the first.
    pub(super) fn get(&self, key: &str) -> Option<&'t str> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// The value of a key. Details without any key say it all at once.
    pub(super) fn get_or_whole(&self, key: &str) -> &'t str {
        if self.values.is_empty() { self.whole } else { self.get(key).unwrap_or_default() }
    }
}

/// The key that stands at a place, and where its value begins. Signs of Markdown around a key do not count.
fn key_at(text: &str, start: usize, keys: &[&'static str]) -> Option<(&'static str, usize)> {
    let opening = text[start..].trim_start_matches(|sign: char| sign.is_whitespace() || matches!(sign, '-' | '*'));
    let key = keys.iter().find(|key| opening.get(..key.len()).is_some_and(|word| word.eq_ignore_ascii_case(key)))?;
    let behind = opening[key.len()..].trim_start_matches(['*', ' ']).strip_prefix(':')?;
    Some((key, text.len() - behind.trim_start_matches('*').len()))
}

/// A text as it is compared with another: small letters and digits of any script, with single blanks between words.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() || is_combining_mark(letter) {
            plain.push(letter);
        } else if letter.is_whitespace() && !plain.is_empty() && !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}
