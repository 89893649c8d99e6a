//! What an agent claims in its own words, where it repeats none that it was shown.

use learn::citation::{parse_citations, parse_evidence};

/// The signs that stand between a label and its text, or around the text.
const DECORATION: [char; 15] = ['*', '_', '-', '–', '—', '#', '>', '•', ':', '=', '→', '@', '(', '[', '~'];
/// The words that lead from a text to its places.
const LINKS: [&str; 7] = ["at", "in", "on", "see", "from", "by", "and"];

/// A text of an agent's own words.
pub(super) struct Quotation<'a> {
    /// The text.
    pub(super) text: &'a str,
    pub(super) is_quoted: bool,
    /// What follows it on the line.
    pub(super) rest: &'a str,
}

/// Reads what stands behind a label on its line: a text in quotes, or the words up to the first place.
pub(super) fn read_quotation(line: &str) -> Option<Quotation<'_>> {
    let line = line.trim_start_matches(|sign: char| sign.is_whitespace() || DECORATION.contains(&sign));
    let found = read_quoted(line).unwrap_or_else(|| read_words(line));
    (found.text.contains(char::is_alphanumeric)).then_some(found)
}

/// Whether a folded claim says that there is none, as in `Applied: none`.
pub(super) fn is_denial(claim: &str) -> bool {
    let claim = claim.trim_start_matches(|sign: char| sign == ' ' || DECORATION.contains(&sign));
    if let Some(quoted) = claim.strip_prefix('"') {
        let text = quoted.split('"').next().unwrap_or(quoted);
        return matches!(text.trim_end_matches('.'), "none" | "nothing" | "n/a" | "");
    }
    let mut words = claim.split(|sign: char| !sign.is_alphanumeric() && sign != '/');
    match words.next() {
        Some("none" | "nothing" | "n/a") => true,
        Some("no") => words.next().is_some_and(|next| ["pattern", "learning", "lesson"].iter().any(|noun| next.starts_with(noun))),
        _ => false,
    }
}

fn read_quoted(line: &str) -> Option<Quotation<'_>> {
    let quote = line.chars().next()?;
    let inside = &line[quote.len_utf8()..];
    let closing = match quote {
        '"' | '“' | '„' => return read_nested(inside),
        '\'' | '`' => quote,
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let is_end = |(position, _): &(usize, &str)| !inside[position + closing.len_utf8()..].starts_with(char::is_alphanumeric);
    let mut buffer = [0; 4];
    let closing_text: &str = closing.encode_utf8(&mut buffer);
    let (end, _) = inside.match_indices(closing_text).find(is_end)?;
    Some(Quotation { text: inside[..end].trim(), is_quoted: true, rest: &inside[end + closing.len_utf8()..] })
}

/// A text in double quotes, which may hold such quotes itself. Where it ends is decided as it is for logs.
fn read_nested(inside: &str) -> Option<Quotation<'_>> {
    let claim = parse_evidence(&format!("Applied: \"{inside}"), "").into_iter().next()?;
    let start = inside.find(claim.pattern.as_str())?;
    let (text, rest) = inside[start..].split_at(claim.pattern.len());
    Some(Quotation { text, is_quoted: true, rest })
}

/// The words up to the first place, without what leads to it.
fn read_words(line: &str) -> Quotation<'_> {
    let first = parse_citations(line).into_iter().next().and_then(|place| line.find(&format!("{}:", place.path)));
    let (text, rest) = line.split_at(first.unwrap_or(line.len()));
    let mut text = trim_signs(text);
    while let Some(shorter) =
        LINKS.iter().find_map(|link| text.strip_suffix(link)).filter(|shorter| shorter.ends_with(char::is_whitespace))
    {
        text = trim_signs(shorter);
    }
    Quotation { text, is_quoted: false, rest }
}

fn trim_signs(text: &str) -> &str {
    text.trim_end_matches(|sign: char| {
        sign.is_whitespace() || DECORATION.contains(&sign) || matches!(sign, ',' | ';' | '.' | '"' | '\'' | '`' | '“' | '‘')
    })
}
