//! What a person typed, in sentences and numbered lists. Code, quotations and questions are no statements.

use super::language::{Language, opening, split};
use render::plain_text;
use text::script::is_unspaced;

/// The longest statement, in characters. What is longer was hardly typed.
const MOST_CHARACTERS: usize = 400;
/// So many lines of a turn are looked at: more of them are pasted.
const MOST_LINES: usize = 60;

/// What a person typed in one turn.
#[derive(Debug)]
pub(super) struct Speech {
    pub(super) language: &'static Language,
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
    /// Whether it asks for an answer. A polite request asks for a deed.
    pub(super) is_question: bool,
}

impl Statement {
    /// A sentence; none if nothing is in it, or too much.
    pub(super) fn new(text: &str, language: &Language) -> Option<Self> {
        let text = straight(&plain_text(text, usize::MAX));
        let is_marked = text.trim_end_matches([')', '"', '\'', '*', '_', ' ', '!']).ends_with(['?', '？']);
        let text = text.trim_end_matches(['.', '!', '?', ' ', ',', ';', ':', '。', '！', '？', '、', '，']);
        let text = text.trim_start_matches(['-', '*', '•', ' ', '¡']);
        if text.is_empty() || text.chars().nth(MOST_CHARACTERS).is_some() {
            return None;
        }
        let lowered = lower(text);
        // `Write the test first, I assume it is a local change?` orders before it asks.
        if let Some((order, _)) = text.rsplit_once(", ").filter(|(order, _)| is_marked && opens_with_order(order, language)) {
            return Some(Self { lowered: lower(order), text: order.to_owned(), is_question: false });
        }
        let asks = |openings: &[String]| openings.iter().any(|opening| lowered.starts_with(&**opening));
        let is_request =
            asks(&language.requests) || language.requests.iter().any(|request| lowered.contains(&format!(", {request}")));
        let is_question = !is_request && (is_marked || asks(&language.questions));
        Some(Self { text: text.to_owned(), lowered, is_question })
    }
}

fn opens_with_order(text: &str, language: &Language) -> bool {
    let lowered = lower(text);
    split(&lowered).count() > 2 && split(&lowered).next().is_some_and(|word| language.verbs.has(word))
}

/// A text in small letters, each as long as the one that it stands for.
pub(super) fn lower(text: &str) -> String {
    let small = |letter: char| {
        let mut lowered = letter.to_lowercase();
        match (lowered.next(), lowered.next()) {
            (Some(small), None) if small.len_utf8() == letter.len_utf8() => small,
            _ => letter,
        }
    };
    text.chars().map(small).collect()
}

/// What a person typed.
pub(super) fn parse_speech(text: &str) -> Speech {
    let plain = without_code(text);
    let language = Language::of(&plain);
    let mut speech = Speech { language, statements: Vec::new(), lists: Vec::new() };
    let mut list: Vec<Statement> = Vec::new();
    for line in plain.lines().take(MOST_LINES) {
        let line = line.trim();
        // A quotation is somebody else's, a bold label a report's, and a blank line ends no list.
        if line.is_empty() || line.starts_with('>') || line.contains("**") || line.starts_with('#') || line.starts_with('|') {
            continue;
        }
        match numbered(line) {
            Some((number, item)) if number == list.len() + 1 || number == 1 => {
                if number == 1 {
                    speech.close(&mut list);
                }
                list.extend(Statement::new(item, language));
            }
            _ => {
                speech.close(&mut list);
                speech.statements.extend(sentences(line).filter_map(|sentence| Statement::new(sentence, language)));
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
    let plain: String = text.chars().filter(|letter| letter.is_alphanumeric() || *letter == ' ' || *letter == '\'').collect();
    let lowered = plain.trim().to_lowercase();
    let language = Language::of(text);
    let words = if language.is_unspaced() { lowered.chars().count() / 4 } else { lowered.split_whitespace().count() };
    let most = if language.is_unspaced() { 3 } else { 4 };
    words <= most && opening(&lowered, &language.approvals).is_some() || !language.is_unspaced() && words <= 1
}

/// Whether a text begins with some words, and not only with a part of the last of them.
pub(super) fn starts_with_word(text: &str, words: &str) -> bool {
    let Some(rest) = text.strip_prefix(words) else { return false };
    !words.is_empty() && ends_apart(words, rest)
}

pub(super) fn is_listed(table: &str, word: &str) -> bool {
    !word.is_empty() && table.split_whitespace().any(|listed| listed == word)
}

/// Where some words stand in a text as words, the first time.
pub(super) fn find_words(text: &str, words: &str) -> Option<usize> {
    let first = words.chars().next()?;
    text.match_indices(words).map(|(start, _)| start).find(|start| {
        let before = text[..*start].chars().next_back();
        let is_open = !is_letter(first) || before.is_none_or(|letter| !is_letter(letter) || is_unspaced(letter));
        is_open && ends_apart(words, &text[start + words.len()..])
    })
}

/// Whether words end where they are cut off from what follows. Those of scripts without blanks end anywhere.
fn ends_apart(words: &str, rest: &str) -> bool {
    let last = words.chars().next_back();
    let is_free = last.is_none_or(|letter| !is_letter(letter));
    is_free || rest.chars().next().is_none_or(|letter| is_unspaced(letter) || !is_letter(letter) && letter != '\'')
}

fn is_letter(letter: char) -> bool {
    (letter.is_alphanumeric() || letter == '_') && !is_unspaced(letter)
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
            '。' | '！' | '？' if !is_code => return place + letter.len_utf8(),
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
    const ABBREVIATIONS: [&str; 12] = ["approx", "cf", "e.g", "eg", "etc", "i.e", "ie", "resp", "vs", "z.b", "d.h", "bzw"];
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
