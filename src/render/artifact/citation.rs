//! What an agent says that it used: anchors it names as a reason, and artifacts it mentions.

use std::collections::BTreeSet;

use unicode_normalization::char::is_combining_mark;

use super::knowledge::Topic;

/// Words with which an agent says that it goes by an entry.
const VERBS: [&str; 27] = [
    "apply",
    "applies",
    "applied",
    "applying",
    "avoid",
    "avoids",
    "avoided",
    "avoiding",
    "per",
    "follow",
    "follows",
    "followed",
    "following",
    "honor",
    "honors",
    "honour",
    "honours",
    "obey",
    "obeys",
    "respect",
    "respects",
    "respecting",
    "according",
    "cites",
    "heed",
    "heeds",
    "heeding",
];
/// Words that turn them around.
const NEGATIONS: [&str; 24] = [
    "not",
    "no",
    "never",
    "cannot",
    "without",
    "neither",
    "nor",
    "ignores",
    "ignored",
    "ignoring",
    "violates",
    "violated",
    "violating",
    "instead",
    "rather",
    "against",
    "contradicts",
    "unlike",
    "except",
    "skip",
    "skips",
    "skipped",
    "unrelated",
    "hardly",
];
/// So many words before its verb a negation still turns it around.
const REACH: usize = 3;

/// The anchors that a text names as a reason: behind a word such as `applies` or `avoids` in the same sentence or list, unless that
/// is negated or asked. Each once, in their order.
#[must_use]
pub fn find_citations(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let mut is_list = false;
    for line in text.lines() {
        let is_item = line.trim_start().starts_with(['-', '*', '+', '•'])
            || line.trim_start().starts_with(|first: char| first.is_ascii_digit());
        let mut saying = Saying { is_cited: is_list && is_item, before: Vec::new() };
        let mut sentences = split_sentences(line).into_iter().peekable();
        while let Some(sentence) = sentences.next() {
            let anchors = saying.read(sentence);
            if sentence.ends_with('?') {
                saying = Saying::default();
                continue;
            }
            found.extend(anchors.into_iter().filter(|anchor| known.insert(anchor.clone())));
            if sentences.peek().is_some() {
                saying = Saying::default();
            }
        }
        // `Applies:` and the items below it are one sentence.
        if line.trim_end().ends_with(':') {
            is_list = saying.is_cited;
        } else if !is_item && !line.trim().is_empty() {
            is_list = false;
        }
    }
    found
}

/// The sentences of a line, each with the sign that ends it.
fn split_sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (place, sign) in line.char_indices() {
        let behind = &line[place + sign.len_utf8()..];
        let ends = match sign {
            ';' | '!' | '?' => true,
            '.' => behind.is_empty() || behind.starts_with(char::is_whitespace),
            _ => false,
        };
        if ends {
            sentences.push(&line[start..place + sign.len_utf8()]);
            start = place + sign.len_utf8();
        }
    }
    sentences.push(&line[start..]);
    sentences.retain(|sentence| !sentence.trim().is_empty());
    sentences
}

/// What a sentence has said so far.
#[derive(Default)]
struct Saying {
    is_cited: bool,
    /// The last words, without case.
    before: Vec<String>,
}

impl Saying {
    /// The anchors that a sentence names as a reason.
    fn read(&mut self, sentence: &str) -> Vec<String> {
        sentence.split([':', '(', '—', '–']).flat_map(|clause| self.read_clause(clause)).collect()
    }

    fn read_clause(&mut self, clause: &str) -> Vec<String> {
        let mut anchors = Vec::new();
        // What is denied before a colon is not what is said behind it.
        self.before.clear();
        for word in words(clause) {
            if let Some(anchor) = anchor_in(word) {
                anchors.extend(self.is_cited.then(|| anchor.to_owned()));
                continue;
            }
            let word = word.to_lowercase().replace('’', "'");
            let is_negation = |word: &String| NEGATIONS.contains(&&**word) || word.ends_with("n't");
            if VERBS.contains(&&*word) {
                self.is_cited = !self.before.iter().rev().take(REACH).any(is_negation);
            } else if is_negation(&word) {
                self.is_cited = false;
            }
            self.before.push(word);
        }
        anchors
    }
}

/// The words of a clause: runs of characters that may stand in an anchor, a path or a name, so that what is glued to an anchor
/// is seen.
fn words(clause: &str) -> impl Iterator<Item = &str> {
    let parts = clause.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '\'' | '’' | '/' | '.')));
    parts.map(|word| word.trim_matches(['.', '\'', '’', '-', '/'])).filter(|word| !word.is_empty())
}

/// A word that is an anchor: its whole number of three digits and more, and nothing around it.
fn anchor_in(word: &str) -> Option<&str> {
    Topic::of_anchor(word).filter(|_| word.split_once('-').is_some_and(|(_, digits)| digits.len() >= 3)).map(|_| word)
}

/// The names behind `/self-learning/`, `self-learning-` or `self-learning:` in a text, each once, in their order.
#[must_use]
pub fn find_mentions(text: &str) -> Vec<String> {
    const NAME: &str = "self-learning";
    let mut found: Vec<String> = Vec::new();
    for (place, _) in text.match_indices(NAME) {
        if text[..place].ends_with(|last: char| last.is_alphanumeric() || matches!(last, '-' | '_')) {
            continue;
        }
        let Some(behind) = text[place + NAME.len()..].strip_prefix(['/', '-', ':']) else { continue };
        let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '-' || is_combining_mark(*letter);
        let slug: String = behind.chars().take_while(is_part).take(80).collect();
        let slug = slug.trim_matches('-');
        if !slug.is_empty() && !found.iter().any(|known| known == slug) {
            found.push(slug.to_owned());
        }
    }
    found
}
