//! What a person typed, in sentences and numbered lists. Code, quotations and questions are no statements.

use super::marker::{APPROVALS, QUESTIONS};
use render::plain_text;

/// The longest statement, in characters. What is longer was hardly typed.
const MOST_CHARACTERS: usize = 400;
/// So many lines of a turn are looked at: more of them are pasted.
const MOST_LINES: usize = 60;

/// What a person typed in one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Speech {
    /// Its sentences outside of lists.
    pub(super) statements: Vec<Statement>,
    /// Its numbered lists.
    pub(super) lists: Vec<Vec<Statement>>,
}

/// A sentence on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its words, with straight quotes and without a stop at the end.
    pub(super) text: String,
    /// The same without capitals. Places in the one are places in the other.
    pub(super) lowered: String,
    /// Whether it asks.
    pub(super) is_question: bool,
}

impl Statement {
    /// A sentence; none if nothing is in it, or too much.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = straight(&plain_text(text, usize::MAX));
        let is_marked = text.trim_end_matches([')', '"', '\'', '*', '_', ' ']).ends_with('?');
        let text = text.trim_end_matches(['.', '!', '?', ' ', ',', ';', ':']).trim_start_matches(['-', '*', '•', ' ']);
        if text.is_empty() || text.chars().nth(MOST_CHARACTERS).is_some() {
            return None;
        }
        let lowered = text.to_ascii_lowercase();
        let is_question = is_marked || QUESTIONS.iter().any(|opening| lowered.starts_with(opening));
        Some(Self { text: text.to_owned(), lowered, is_question })
    }
}

/// What a person typed.
pub(super) fn parse_speech(text: &str) -> Speech {
    let mut speech = Speech::default();
    let mut list: Vec<Statement> = Vec::new();
    for line in without_code(text).lines().take(MOST_LINES) {
        let line = line.trim();
        // A quotation is somebody else's, and a blank line ends no list.
        if line.is_empty() || line.starts_with('>') {
            continue;
        }
        match numbered(line) {
            Some((number, item)) if number == list.len() + 1 || number == 1 => {
                if number == 1 {
                    speech.close(&mut list);
                }
                list.extend(Statement::new(item));
            }
            _ => {
                speech.close(&mut list);
                speech.statements.extend(sentences(line).filter_map(Statement::new));
            }
        }
    }
    speech.close(&mut list);
    speech
}

impl Speech {
    fn close(&mut self, list: &mut Vec<Statement>) {
        match list.len() {
            0 | 1 => self.statements.append(list),
            _ => self.lists.push(std::mem::take(list)),
        }
    }
}

/// Whether a turn only agrees, thanks or hurries on.
pub(super) fn is_approval(text: &str) -> bool {
    let plain: String = text.chars().filter(|letter| letter.is_alphanumeric() || *letter == ' ').collect();
    let lowered = plain.trim().to_ascii_lowercase();
    let words = lowered.split_whitespace().count();
    words <= 1 || words <= 4 && APPROVALS.iter().any(|approval| starts_with_word(&lowered, approval))
}

/// Whether a text begins with some words, and not only with a part of the last of them.
pub(super) fn starts_with_word(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| rest.chars().next().is_none_or(|letter| !letter.is_alphanumeric() && letter != '\''))
}

pub(super) fn is_listed(table: &str, word: &str) -> bool {
    !word.is_empty() && table.split(' ').any(|listed| listed == word)
}

/// Where some words stand in a text as words, the first time.
pub(super) fn find_words(text: &str, words: &str) -> Option<usize> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(words).map(|(start, _)| start).find(|start| {
        let is_open = text[..*start].chars().next_back().is_none_or(|letter| !is_letter(letter));
        is_open && text[start + words.len()..].chars().next().is_none_or(|letter| !is_letter(letter) && letter != '\'')
    })
}

/// The text outside of fenced code. A fence that is never closed reaches to the end.
fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join("\n")
}

/// The number and the text of an item of a numbered list.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let digits = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let number = line[..digits].parse().ok().filter(|_| digits <= 2)?;
    let rest = line[digits..].strip_prefix(['.', ')', ':'])?;
    let item = rest.strip_prefix([' ', '\t'])?.trim();
    (!item.is_empty()).then_some((number, item))
}

/// The sentences of a line. A stop ends one where a blank follows, unless it belongs to an abbreviation or to code.
pub(super) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let end = sentence_end(line);
        rest = Some(line[end..].trim_start()).filter(|rest| !rest.is_empty());
        Some(&line[..end])
    })
}

fn sentence_end(line: &str) -> usize {
    let mut is_code = false;
    for (place, letter) in line.char_indices() {
        match letter {
            '`' => is_code = !is_code,
            '.' | '!' | '?' if !is_code => {
                let end = place + 1;
                if line[end..].starts_with([' ', '\t']) && !(letter == '.' && is_abbreviated(&line[..place])) {
                    return end;
                }
            }
            _ => {}
        }
    }
    line.len()
}

fn is_abbreviated(text: &str) -> bool {
    const ABBREVIATIONS: [&str; 9] = ["approx", "cf", "e.g", "eg", "etc", "i.e", "ie", "resp", "vs"];
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.iter().any(|short| short.eq_ignore_ascii_case(word))
}

fn straight(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '‘' | '’' | 'ʼ' => '\'',
            '“' | '”' => '"',
            other => other,
        })
        .collect()
}
