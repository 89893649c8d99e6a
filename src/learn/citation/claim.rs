//! What an agent says it applied, and the places it gives for each of its claims.

use std::sync::LazyLock;

use regex::Regex;

use super::place::{Place, find_places};

/// How an agent opens a claim.
const OPENING: &str = r#"\bApplied:\s*["“]"#;

/// A pattern that was applied, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The text of the pattern, as the agent quoted it.
    pub pattern: String,
    /// The places given for it, each once. There may be none.
    pub places: Vec<Place>,
    /// Whether the places were given for several patterns together, so that nobody can tell which place is whose.
    pub is_shared: bool,
}

/// The claims of an acknowledgment.
///
/// The evidence is a line with claims such as `Applied: "text" in src/main.rs:10`. The places that follow a text, up to the
/// next claim, are its own; places in front of all claims are nobody's. The text may itself hold quotes: one behind a space
/// and in front of a letter opens an inner quotation, every other one closes the innermost. A text that is never closed ends at
/// its last quote before the first place, or else at that place.
///
/// Without such claims the places that follow a summary's words are its own. Where no summary is repeated, all places are given
/// for all summaries together. The summaries are joined by commas and may hold commas themselves: one that white space
/// follows, or that stands between two digits, is taken as part of a summary. If after that a part has brackets or quotes without
/// their partners, the comma was part of a text and nobody can tell the others apart: everything then counts as one summary.
#[must_use]
pub fn parse_evidence(evidence: &str, summaries: &str) -> Vec<Claim> {
    static START: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(OPENING).ok());
    let starts: Vec<_> = START.iter().flat_map(|start| start.find_iter(evidence)).map(|found| found.range()).collect();
    if starts.is_empty() {
        return claims_of_summaries(evidence, &split_summaries(summaries).collect::<Vec<_>>());
    }
    let ends = starts.iter().skip(1).map(|next| next.start).chain([evidence.len()]);
    let segments = starts.iter().zip(ends).map(|(start, end)| &evidence[start.end..end]);
    segments.filter_map(parse_segment).collect()
}

/// The claims of an acknowledgment that opens none: each summary with the places behind its words, up to the next summary.
fn claims_of_summaries(evidence: &str, summaries: &[&str]) -> Vec<Claim> {
    let mut mentions: Vec<(usize, &str)> =
        summaries.iter().filter_map(|summary| evidence.find(summary).map(|start| (start, *summary))).collect();
    mentions.sort_unstable();
    let claim = |pattern: &str, places: Vec<Place>, is_shared: bool| Claim { pattern: pattern.to_owned(), places, is_shared };
    if mentions.is_empty() || summaries.len() == 1 {
        let places = each_once(evidence);
        let is_shared = summaries.len() > 1 && places.len() > 1;
        return summaries.iter().map(|summary| claim(summary, places.clone(), is_shared)).collect();
    }
    let own = |summary: &&str| {
        let mention = mentions.iter().position(|(_, pattern)| pattern == summary)?;
        let end = mentions.get(mention + 1).map_or(evidence.len(), |(next, _)| *next);
        evidence.get(mentions[mention].0 + summary.len()..end).map(each_once)
    };
    summaries.iter().map(|summary| claim(summary, own(summary).unwrap_or_default(), false)).collect()
}

/// A claim from behind its opening quote to the next claim.
fn parse_segment(segment: &str) -> Option<Claim> {
    let (pattern, rest) = find_closing_quote(segment).or_else(|| find_last_quote(segment)).unwrap_or((segment, ""));
    let pattern = pattern.trim();
    (!pattern.is_empty()).then(|| Claim { pattern: pattern.to_owned(), places: each_once(rest), is_shared: false })
}

/// The text up to the quote that closes it, and what follows.
fn find_closing_quote(segment: &str) -> Option<(&str, &str)> {
    let mut open = 1_usize;
    let mut before = ' ';
    for (position, character) in segment.char_indices() {
        let behind = &segment[position + character.len_utf8()..];
        let opens = (before.is_whitespace() || matches!(before, '(' | '[')) && behind.starts_with(char::is_alphanumeric);
        match character {
            '“' => open += 1,
            '"' if opens => open += 1,
            '"' | '”' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((&segment[..position], behind));
        }
        before = character;
    }
    None
}

/// The text up to the last quote before the first place, or up to that place.
fn find_last_quote(segment: &str) -> Option<(&str, &str)> {
    let first = find_places(segment).into_iter().next()?.0.start;
    let end = segment[..first].rfind(['"', '”']).unwrap_or(first);
    Some(segment.split_at(end))
}

fn each_once(text: &str) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (_, place) in find_places(text) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn split_summaries(summaries: &str) -> impl Iterator<Item = &str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (position, _) in summaries.match_indices(',') {
        let behind = summaries[position + 1..].chars().next();
        let is_number = summaries[..position].ends_with(|before: char| before.is_ascii_digit())
            && behind.is_some_and(|behind| behind.is_ascii_digit());
        if !is_number && behind.is_some_and(|behind| !behind.is_whitespace()) {
            parts.push(&summaries[start..position]);
            start = position + 1;
        }
    }
    parts.push(&summaries[start..]);
    if !parts.iter().all(|part| is_balanced(part)) {
        parts = vec![summaries];
    }
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
}

fn is_balanced(text: &str) -> bool {
    let count = |wanted: char| text.matches(wanted).count();
    let pairs = [('(', ')'), ('[', ']'), ('{', '}'), ('“', '”')];
    pairs.into_iter().all(|(opening, closing)| count(opening) == count(closing))
        && ['"', '`'].into_iter().all(|quote| count(quote) % 2 == 0)
}
