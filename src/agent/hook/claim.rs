//! The claims of an acknowledgment: where each begins and ends, and what it says.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::acknowledgment::Use;
use super::fold::Folded;
use super::mention::{Mention, Vocabulary};
use super::quotation::{is_denial, read_quotation};
use learn::citation::parse_citations;

/// The words with which claims open in a folded text, and those that end one because they open something else. A claim's word
/// may have a note in brackets behind it; without a colon, a quote or an id must follow.
const LABEL: &str = r#"(?x)
    (?: ^ | [^\p{L}\p{N}] )
    (?P<word> applied | applicable | skipped | ignored | rejected | unused )
    (?: \ (?:pattern|learning|lesson)s? )?
    (?: [*_\ ]* "? [*_\ ]* (?P<colon> : )
      | [*_\ ]* (?P<note> \( [^()]* \) ) [*_\ ]* :
      | [*_\ -]* (?P<direct> ["\[] | [a-z]{1,8}-[0-9] ) )
"#;
/// The most uses that are read: what follows says nothing that was not said before.
const MOST_USES: usize = 1000;
/// The words that turn a claim into its opposite.
const NEGATIONS: [&str; 9] = ["not", "no", "none", "never", "nothing", "cannot", "without", "neither", "nor"];

/// What an agent writes behind its marker.
pub(super) struct Evidence<'a> {
    original: &'a str,
    folded: Folded,
    lines: Vec<Line>,
}

/// A line that is not blank.
struct Line {
    /// Where its first character stands in the folded text.
    start: usize,
    /// How far that character is from the beginning of the line, in bytes.
    indent: usize,
    /// Where the text of a list item begins in the folded text.
    item: Option<usize>,
    is_heading: bool,
}

/// A place where a claim begins or ends.
struct Mark {
    start: usize,
    /// Where to go on reading.
    body: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word such as `Applied:`.
    Label {
        /// Whether it opens its line.
        opens_line: bool,
        /// Whether a colon follows.
        has_colon: bool,
    },
    /// An item of a list whose heading is such a word.
    Item,
    /// Something else begins.
    End,
}

impl<'a> Evidence<'a> {
    /// The evidence of a text.
    pub(super) fn new(original: &'a str) -> Self {
        let folded = Folded::new(original);
        let mut lines = Vec::new();
        let mut origin = 0;
        for line in original.split_inclusive('\n') {
            lines.extend(read_line(&folded, line, origin));
            origin += line.len();
        }
        Self { original, folded, lines }
    }

    /// The uses that are claimed, in their order. The same pattern may be claimed more than once.
    pub(super) fn read_uses(&self, vocabulary: &Vocabulary) -> Vec<Use> {
        let mut uses = Vec::new();
        let (mut from, mut list) = (0, None);
        while let Some(mark) = self.next_mark(from, list).filter(|_| uses.len() < MOST_USES) {
            from = mark.body;
            if mark.kind == Kind::End {
                list = None;
                continue;
            }
            let opening = vocabulary.find_opening(&self.folded, self.original, mark.body);
            if mark.kind != Kind::Item {
                list = self.list_behind(mark.body, opening.as_ref());
                if list.is_some() {
                    continue;
                }
            }
            // A text that was shown may hold all that would end a claim.
            from = opening.as_ref().map_or(from, |opening| opening.range.end);
            let end = self.next_mark(from, list).map_or(self.folded.text().len(), |next| next.start);
            uses.extend(self.read_claim(vocabulary, opening, mark.body..end.max(from), mark.kind));
        }
        uses
    }

    /// The uses of one claim: one for each pattern that it mentions, with the places that follow it.
    fn read_claim(&self, vocabulary: &Vocabulary, opening: Option<Mention>, claim: Range<usize>, kind: Kind) -> Vec<Use> {
        if opening.is_none() && is_denial(&self.folded.text()[claim.clone()]) {
            return Vec::new();
        }
        let mentions = vocabulary.find_mentions(&self.folded, self.original, opening, claim.clone());
        if mentions.is_empty() {
            self.read_own_words(vocabulary, claim, kind).into_iter().collect()
        } else {
            self.share_places(&mentions, claim)
        }
    }

    /// Gives each mention its places: those that follow it, up to the next one. Mentions that follow each other without a place
    /// between them have theirs in common, and places in front of all belong to the first ones.
    fn share_places(&self, mentions: &[Mention], claim: Range<usize>) -> Vec<Use> {
        let starts = mentions.iter().map(|mention| mention.range.start).chain([claim.end]);
        let ends = [claim.start].into_iter().chain(mentions.iter().map(|mention| mention.range.end));
        let mut gaps = ends.zip(starts).map(|(start, end)| places(self.written(start..end)));
        let mut ahead = gaps.next().unwrap_or_default();
        let mut uses: Vec<Use> = Vec::new();
        let mut group: Vec<Use> = Vec::new();
        for (mention, places) in mentions.iter().zip(gaps) {
            let text = self.written(mention.range.clone()).to_owned();
            group.push(Use { pattern: Some(mention.pattern), text, ..Use::default() });
            if !places.is_empty() || mention == &mentions[mentions.len() - 1] {
                ahead.extend(places);
                // An id that comes behind the places of others, without any of its own, is spoken of and not claimed.
                let is_claimed = uses.is_empty() || !ahead.is_empty() || !mention.is_id;
                let claimed = group.drain(..).filter(|_| is_claimed);
                uses.extend(claimed.map(|found| Use { citations: ahead.clone(), ..found }));
                ahead.clear();
            }
        }
        uses
    }

    /// The use that is claimed in an agent's own words. Without quotes and without a label in front of its line it is prose.
    fn read_own_words(&self, vocabulary: &Vocabulary, claim: Range<usize>, kind: Kind) -> Option<Use> {
        let next_line = self.lines.iter().map(|line| line.start).find(|start| *start > claim.start).unwrap_or(usize::MAX);
        let line = claim.start..claim.end.min(next_line);
        let quotation = read_quotation(self.written(line.clone()))?;
        let pattern = vocabulary.find_nearest(quotation.text);
        let is_claim = match kind {
            Kind::Label { opens_line, has_colon } => opens_line || has_colon && quotation.is_quoted,
            Kind::Item => true,
            Kind::End => false,
        };
        let mut citations = places(quotation.rest);
        citations.extend(places(self.written(line.end..claim.end)));
        (pattern.is_some() || is_claim).then(|| Use { pattern, text: quotation.text.to_owned(), citations, ..Use::default() })
    }

    /// The next place where something begins, from a place of the folded text on. `list` is how far the items of the current
    /// list are indented.
    fn next_mark(&self, from: usize, list: Option<usize>) -> Option<Mark> {
        let line =
            self.lines.iter().filter(|line| line.start >= from).find_map(|line| mark_of_line(self.folded.text(), line, list));
        let label = self.next_label(from);
        [line, label].into_iter().flatten().min_by_key(|mark| mark.start)
    }

    fn next_label(&self, mut from: usize) -> Option<Mark> {
        static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(LABEL).ok());
        let text = self.folded.text();
        loop {
            let captures = FORM.as_ref()?.captures_at(text, from)?;
            let (whole, word) = (captures.get(0)?, captures.name("word")?);
            let before = &text[self.line_start(word.start()).max(from).min(word.start())..word.start()];
            let opens_line = before.len() == word.start() - self.line_start(word.start()).min(word.start())
                && before.split(|sign: char| !sign.is_alphanumeric()).all(|part| part.is_empty() || NEGATIONS.contains(&part));
            let body = captures.name("note").or(captures.name("direct")).map_or(whole.end(), |part| part.start());
            let mark = |kind| Some(Mark { start: word.start(), body, kind });
            match word.as_str() {
                "applied" if is_negated(before) => return mark(Kind::End),
                "applied" => return mark(Kind::Label { opens_line, has_colon: captures.name("direct").is_none() }),
                _ if opens_line => return mark(Kind::End),
                _ => from = body,
            }
        }
    }

    /// How far the items of the list are indented that follows a label at the end of its line.
    fn list_behind(&self, body: usize, opening: Option<&Mention>) -> Option<usize> {
        let next = self.lines.iter().find(|line| line.start >= body)?;
        let has_text = self.folded.text()[body..next.start].contains(char::is_alphanumeric)
            || opening.is_some_and(|opening| opening.range.start < next.start);
        next.item.filter(|_| !has_text).map(|_| next.indent)
    }

    fn line_start(&self, position: usize) -> usize {
        self.lines.iter().map(|line| line.start).take_while(|start| *start <= position).last().unwrap_or_default()
    }

    /// What was written where a part of the folded text stands.
    fn written(&self, range: Range<usize>) -> &'a str {
        &self.original[self.folded.origin(range.start)..self.folded.origin(range.end)]
    }
}

/// The places that a text cites, as they are written in events.
fn places(text: &str) -> Vec<String> {
    parse_citations(text).into_iter().map(|place| format!("{}:{}", place.path, place.line)).collect()
}

fn read_line(folded: &Folded, line: &str, origin: usize) -> Option<Line> {
    let content = line.trim_start();
    let indent = line.len() - content.len();
    let bullet = content.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let signs: &[char] = if bullet.len() == content.len() { &['-', '*', '+', '•', '–'] } else { &['.', ')'] };
    let item = bullet.strip_prefix(signs).filter(|text| text.starts_with(char::is_whitespace));
    (!content.is_empty()).then(|| Line {
        start: folded.position(origin + indent),
        indent,
        item: item.map(|text| folded.position(origin + line.len() - text.len())),
        is_heading: content.starts_with('#'),
    })
}

fn mark_of_line(text: &str, line: &Line, list: Option<usize>) -> Option<Mark> {
    let is_of_list = list.is_some_and(|indent| line.indent <= indent);
    let body = line.start + text[line.start..].chars().next().map_or(0, char::len_utf8);
    match line.item {
        _ if line.is_heading => Some(Mark { start: line.start, body, kind: Kind::End }),
        Some(item) if is_of_list => Some(Mark { start: line.start, body: item.max(body), kind: Kind::Item }),
        None if is_of_list => Some(Mark { start: line.start, body, kind: Kind::End }),
        _ => None,
    }
}

/// Whether what stands in front of a word in its line takes it back.
fn is_negated(before: &str) -> bool {
    let clause = before.rsplit(['.', ';', ':', ',', '|', '(']).next().unwrap_or(before);
    clause.contains("n\"t ") || clause.split(|sign: char| !sign.is_alphanumeric()).any(|word| NEGATIONS.contains(&word))
}
