//! Finding the patterns that were shown in what an agent wrote about them.

use std::cmp::Reverse;
use std::ops::Range;

use super::acknowledgment::Shown;
use super::fold::{Folded, fold};
use super::verdict::is_word_character;
use learn::matching::{Looseness, Phrase, definition};
use text::fit;
use text::word::distinct_words;

/// How far from its beginning a claim's first word is looked for, in bytes: decoration is short.
const HEAD_BYTES: usize = 200;
/// The bytes of a text that are compared loosely: beyond them no two texts become the same pattern.
const COMPARED_BYTES: usize = 4 << 10;
/// The longest tag in brackets in front of a text, such as `[high]`.
const TAG_BYTES: usize = 40;

/// A pattern that is mentioned in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// Which of the shown patterns it is.
    pub(super) pattern: usize,
    /// Where it is mentioned, in the folded text.
    pub(super) range: Range<usize>,
    pub(super) is_id: bool,
}

impl Mention {
    fn overlaps(&self, range: &Range<usize>) -> bool {
        self.range.start < range.end && range.start < self.range.end
    }
}

/// The patterns that were shown, by all that they may be called.
pub(super) struct Vocabulary<'s> {
    names: Vec<Name<'s>>,
    ids: Vec<(usize, String)>,
    phrases: Vec<Phrase>,
}

/// A text by which a pattern may be called.
struct Name<'s> {
    pattern: usize,
    text: String,
    original: &'s str,
    /// The text was cut: the word at its end may go on.
    is_cut: bool,
    /// The text says enough to be recognised without quotes around it.
    is_telling: bool,
}

/// A text that stands somewhere, with all that says how sure it is that it is meant.
struct Found<'v> {
    name: &'v Name<'v>,
    range: Range<usize>,
    is_quoted: bool,
    is_exact: bool,
}

impl Found<'_> {
    /// The better one is greater: quoted as a whole, longer, the same bytes, shown earlier, standing earlier.
    fn rank(&self) -> (bool, usize, bool, Reverse<usize>, Reverse<usize>) {
        (self.is_quoted, self.name.text.len(), self.is_exact, Reverse(self.name.pattern), Reverse(self.range.start))
    }

    fn mention(&self) -> Mention {
        Mention { pattern: self.name.pattern, range: self.range.clone(), is_id: false }
    }
}

impl<'s> Vocabulary<'s> {
    /// What the shown patterns may be called.
    pub(super) fn new(shown: &[Shown<'s>]) -> Self {
        let names: Vec<Name> = shown.iter().enumerate().flat_map(|(pattern, shown)| names(pattern, shown.text)).collect();
        let ids = shown.iter().map(|shown| fold(shown.id)).enumerate().filter(|(_, id)| !id.is_empty()).collect();
        // Patterns in a prompt are few, but their positions must fit the numbers of phrases.
        let phrases = names.iter().filter_map(|name| {
            Some(Phrase { text: without_stop(&name.text).to_owned(), pattern: u32::try_from(name.pattern).ok()? })
        });
        Self { ids, phrases: phrases.collect(), names }
    }

    /// The text with which a claim opens, where decoration and tags do not count.
    pub(super) fn find_opening(&self, folded: &Folded, original: &str, body: usize) -> Option<Mention> {
        let text = folded.text();
        let mut best: Option<Found> = None;
        for start in head_positions(text, body) {
            for name in self.names.iter().filter(|name| text[start..].starts_with(&name.text)) {
                let Some(found) = judge(folded, original, name, start) else { continue };
                if best.as_ref().is_none_or(|best| found.rank() > best.rank()) {
                    best = Some(found);
                }
            }
        }
        best.map(|found| found.mention())
    }

    /// All patterns that a claim mentions, in their order.
    pub(super) fn find_mentions(
        &self,
        folded: &Folded,
        original: &str,
        opening: Option<Mention>,
        claim: Range<usize>,
    ) -> Vec<Mention> {
        let mut mentions: Vec<Mention> = opening.into_iter().collect();
        let mut found = self.find_texts(folded, original, &claim);
        found.sort_by_key(|found| Reverse(found.rank()));
        self.add_quotes(folded, &claim, &found, &mut mentions);
        self.add_ids(folded.text(), claim, &mut mentions);
        if mentions.is_empty() {
            mentions.extend(found.iter().max_by_key(|found| found.name.text.len()).map(Found::mention));
        }
        mentions.sort_by_key(|mention| mention.range.start);
        join_ids_with_texts(folded, original, mentions)
    }

    /// The shown pattern that a text of an agent's own words comes nearest to.
    pub(super) fn find_nearest(&self, text: &str) -> Option<usize> {
        let folded = fold(fit::cut(text, COMPARED_BYTES));
        if let Some((pattern, _)) = self.ids.iter().find(|(_, id)| *id == folded) {
            return Some(*pattern);
        }
        let nearest = definition::best(&self.phrases, Looseness::default(), without_stop(&folded))?;
        usize::try_from(nearest.pattern).ok()
    }

    fn find_texts<'v>(&'v self, folded: &Folded, original: &str, claim: &Range<usize>) -> Vec<Found<'v>> {
        let text = &folded.text()[claim.clone()];
        let places = |name: &'v Name<'v>| text.match_indices(&name.text).map(move |(start, _)| (name, claim.start + start));
        self.names.iter().flat_map(places).filter_map(|(name, start)| judge(folded, original, name, start)).collect()
    }

    /// Adds what is quoted: shown texts, and those that come near to one.
    fn add_quotes(&self, folded: &Folded, claim: &Range<usize>, found: &[Found], mentions: &mut Vec<Mention>) {
        for found in found.iter().filter(|found| found.is_quoted) {
            if !mentions.iter().any(|mention| mention.overlaps(&found.range)) {
                mentions.push(found.mention());
            }
        }
        for range in quotations(folded.text(), claim) {
            let quotation = &folded.text()[range.clone()];
            // An id in front of a text says more than the text.
            let is_led_by_id = self.ids.iter().any(|(_, id)| quotation.trim_start_matches('[').starts_with(id.as_str()));
            if is_led_by_id || !is_telling(quotation) || mentions.iter().any(|mention| mention.overlaps(&range)) {
                continue;
            }
            mentions.extend(self.find_nearest(quotation).map(|pattern| Mention { pattern, range, is_id: false }));
        }
    }

    fn add_ids(&self, text: &str, claim: Range<usize>, mentions: &mut Vec<Mention>) {
        for (pattern, id) in &self.ids {
            for (start, _) in text[claim.clone()].match_indices(id.as_str()) {
                let range = claim.start + start..claim.start + start + id.len();
                if is_id(text, &range) && !mentions.iter().any(|mention| mention.overlaps(&range)) {
                    mentions.push(Mention { pattern: *pattern, range, is_id: true });
                }
            }
        }
    }
}

/// The texts by which one pattern may be called: as it was shown, and without the dots where it was cut.
fn names(pattern: usize, original: &str) -> impl Iterator<Item = Name<'_>> {
    let text = fold(original);
    let beginning = text.strip_suffix("...").map(|text| text.trim_end_matches('.').trim_end().to_owned());
    let name = move |(text, is_cut): (String, bool)| Name { pattern, is_telling: is_telling(&text), text, original, is_cut };
    let both = [(Some(text), false), (beginning, true)];
    both.into_iter().filter_map(|(text, is_cut)| Some((text?, is_cut))).filter(|(text, _)| !text.is_empty()).map(name)
}

/// Whether a folded text says enough to be recognised wherever it stands. The bounds are those of matching.
fn is_telling(text: &str) -> bool {
    let Looseness { least_characters, least_words, .. } = Looseness::default();
    text.chars().count() >= least_characters && distinct_words(text).len() >= least_words
}

/// A folded text without the punctuation at its end, which quotes often lose or gain.
fn without_stop(text: &str) -> &str {
    text.trim_end_matches(['.', ',', ';', ':', '!', '?', ' '])
}

/// The name at a place, if it stands there by itself and is surely meant.
fn judge<'v>(folded: &Folded, original: &str, name: &'v Name<'v>, start: usize) -> Option<Found<'v>> {
    let text = folded.text();
    let range = start..start + name.text.len();
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let begins_within = name.text.starts_with(is_word_character) && before.ends_with(is_word_character);
    let ends_within = !name.is_cut && name.text.ends_with(is_word_character) && behind.starts_with(is_word_character);
    let is_quoted = is_opened(before) && is_closed(behind);
    if begins_within || ends_within || !(is_quoted || name.is_telling) {
        return None;
    }
    let written = &original[folded.origin(range.start)..folded.origin(range.end)];
    Some(Found { name, range, is_quoted, is_exact: written.trim() == name.original.trim() })
}

/// Whether a text ends with a quote that opens, and perhaps with tags behind it.
fn is_opened(before: &str) -> bool {
    let mut before = before.trim_end();
    while let Some(rest) = strip_tag_behind(before) {
        before = rest.trim_end();
    }
    before.ends_with('"')
}

/// Whether a text begins with a quote that closes, and perhaps with a full stop or a tag in front of it.
fn is_closed(behind: &str) -> bool {
    let behind = behind.trim_start_matches(['.', ',', ';', ':', '!', '?']);
    let behind = behind.strip_prefix(' ').and_then(strip_tag).unwrap_or(behind);
    behind.strip_prefix('"').is_some_and(|rest| !rest.starts_with(is_word_character))
}

/// A text without the tag that opens it.
fn strip_tag(text: &str) -> Option<&str> {
    let open = text.strip_prefix('[')?;
    let end = fit::cut(open, TAG_BYTES).find([' ', '[', '"', ']'])?;
    open[end..].strip_prefix(']')
}

/// A text without the tag that ends it.
fn strip_tag_behind(text: &str) -> Option<&str> {
    let open = text.strip_suffix(']')?;
    let within = |(position, _): &(usize, char)| open.len() - position <= TAG_BYTES;
    let start = open.char_indices().rev().take_while(within).find(|(_, sign)| matches!(sign, ' ' | '[' | '"' | ']'))?.0;
    open[start..].starts_with('[').then_some(&open[..start])
}

/// The places at which the first word of a claim may begin: in its decoration, behind tags, and behind all that.
fn head_positions(text: &str, body: usize) -> Vec<usize> {
    let mut positions = Vec::new();
    let mut position = body;
    while let Some(next) = text[position..].chars().next()
        && position < body + HEAD_BYTES
    {
        positions.push(position);
        match strip_tag(&text[position..]) {
            Some(rest) => {
                // What stands in brackets may itself be the text.
                positions.push(position + 1);
                position = text.len() - rest.len();
            }
            None if next.is_alphanumeric() => break,
            None => position += next.len_utf8(),
        }
    }
    positions
}

/// What stands between two quotes, the first behind a space or sign and the second before one.
fn quotations(text: &str, claim: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (position, _) in text[claim.clone()].match_indices('"').map(|(start, quote)| (claim.start + start, quote)) {
        let (before, behind) = (&text[..position], &text[position + 1..]);
        let closes = !before.ends_with(' ') && !behind.starts_with(is_word_character);
        let opens = !before.ends_with(is_word_character) && behind.starts_with(|next| is_word_character(next) || next == '[');
        if let Some(start) = open.filter(|_| closes) {
            found.push(start..position);
            open = None;
        } else if open.is_none() && opens {
            open = Some(position + 1);
        }
    }
    found
}

/// Whether an id stands by itself: not as a part of a longer id or a path, and one that is a mere word only in brackets.
fn is_id(text: &str, range: &Range<usize>) -> bool {
    let (before, behind) = (&text[..range.start], &text[range.end..]);
    let goes_on = |next: char| is_word_character(next) || matches!(next, '-' | '/' | '\\');
    let has_ending = behind.strip_prefix('.').is_some_and(|ending| ending.starts_with(is_word_character));
    if before.ends_with(|last| goes_on(last) || last == '.') || behind.starts_with(goes_on) || has_ending {
        return false;
    }
    let is_enclosed = before.ends_with(['"', '[', '(', '<']) && behind.starts_with(['"', ']', ')', '>']);
    is_enclosed || text[range.clone()].contains(|character: char| character.is_ascii_digit())
}

/// Makes one mention of an id and the text that it stands beside. The id says which pattern, the text how it is called.
fn join_ids_with_texts(folded: &Folded, original: &str, mentions: Vec<Mention>) -> Vec<Mention> {
    let mut joined: Vec<Mention> = Vec::new();
    let mut is_whole = true;
    for mention in mentions {
        if let Some(last) = joined.last_mut().filter(|last| !is_whole && last.is_id != mention.is_id) {
            let between = &original[folded.origin(last.range.end)..folded.origin(mention.range.start)];
            if !between.contains(|sign: char| sign.is_alphanumeric() || matches!(sign, ',' | ';' | '&' | '+' | '/' | '\n')) {
                let pattern = if last.is_id { last.pattern } else { mention.pattern };
                let text = if last.is_id { mention.range } else { last.range.clone() };
                *last = Mention { pattern, range: text, is_id: false };
                is_whole = true;
                continue;
            }
        }
        joined.push(mention);
        is_whole = false;
    }
    joined
}
