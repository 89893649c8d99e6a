//! Text that agents wrote, made harmless for the context of another agent: it stays one line, and text.

use super::class::{is_blank, is_combining, is_invisible};
use super::skeleton::Skeleton;
use super::{Fate, shortened, spaced};

/// What a text that was cut ends with.
const CUT: &str = "...";

/// Words by which agents and hooks talk to each other. An agent that repeats a lesson must not say them by accident.
const SIGNALS: [&str; 5] = ["learnings_acknowledged", "validation_passed", "validation_failed", "no_learnings", "jkz:verdict"];

/// Names of tags by which contexts are structured, beside all that hold a dash, a colon or an underscore: they are no types in code.
const TAGS: [&str; 14] = [
    "assistant",
    "context",
    "example",
    "human",
    "important",
    "instructions",
    "invoke",
    "message",
    "prompt",
    "result",
    "system",
    "thinking",
    "tool",
    "user",
];

/// What stands in brackets before or behind a lesson in a block, or around what a person says to a model, and must not be forged.
const MARKS: [&str; 9] = ["high", "medium", "low", "untested", "review", "stale", "prune", "summary", "inst"];

/// Parts of track records, without their blanks.
const RECORDS: [&str; 2] = ["xvalidated", "xignored"];

/// What stands further behind a bracket makes no mark of it any more.
const MOST_MARK_CHARACTERS: usize = 256;

/// So many marks may be drawn onto one character: as much as any writing needs, too few to cover the lines around it.
const MOST_COMBINING: usize = 2;

/// A text on one line of at most so many characters that cannot close its block, open another, forge a marker, or hide or reorder
/// what stands around it.
pub fn prompt_text(text: &str, most_characters: usize) -> String {
    let mut line = Skeleton::new(&on_one_line(text));
    // Stand-ins for tags and rules look like what they stand for, so nothing that comes first can be made by them.
    break_signals(&mut line);
    open_marks(&mut line);
    break_origins(&mut line);
    close_tags(&mut line);
    soften_rules(&mut line);
    shortened(line.into_text(), most_characters, CUT)
}

/// A name from outside, as it may stand in a heading or an attribute: a few harmless characters. None if nothing is left.
pub fn prompt_name(name: &str) -> Option<String> {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':');
    let plain: String = name.chars().filter(is_plain).take(64).collect();
    (!plain.is_empty()).then_some(plain)
}

fn on_one_line(text: &str) -> String {
    let mut combined = 0;
    spaced(text, |letter| {
        if !is_blank(letter) && is_invisible(letter) {
            return Fate::Gone;
        }
        combined = if is_combining(letter) { combined + 1 } else { 0 };
        match combined {
            _ if is_blank(letter) => Fate::Blank,
            0..=MOST_COMBINING => Fate::Kept,
            _ => Fate::Gone,
        }
    })
}

/// A word that hooks listen to gets dashes for its signs.
fn break_signals(line: &mut Skeleton) {
    for signal in SIGNALS.map(|signal| signal.chars().collect::<Vec<char>>()) {
        let starts = line.letters().windows(signal.len()).enumerate().filter(|(_, part)| **part == signal);
        for start in starts.map(|(start, _)| start).collect::<Vec<usize>>() {
            let signs = signal.iter().enumerate().filter(|(_, letter)| matches!(letter, '_' | ':'));
            signs.for_each(|(offset, _)| line.replace(start + offset, '-'));
        }
    }
}

/// A bin, a flag or a track record in brackets stands in parentheses.
fn open_marks(line: &mut Skeleton) {
    let mut opened = Vec::new();
    for index in 0..line.letters().len() {
        match line.letters()[index] {
            '[' => opened.push(index),
            ']' => {
                if let Some(start) = opened.pop().filter(|start| is_mark(&line.letters()[start + 1..index])) {
                    line.replace(start, '(');
                    line.replace(index, ')');
                }
            }
            _ => {}
        }
    }
}

fn is_mark(inside: &[char]) -> bool {
    let inside = &inside[..inside.len().min(MOST_MARK_CHARACTERS)];
    let word: String = inside.iter().filter(|letter| letter.is_alphanumeric()).collect();
    let is_score = inside.contains(&':') && word.starts_with("score");
    MARKS.contains(&&*word) || is_score || RECORDS.iter().any(|record| word.contains(record))
}

/// Where a lesson comes from, `(via:role)`, is said behind it and never in it.
fn break_origins(line: &mut Skeleton) {
    for start in 0..line.letters().len() {
        let mut behind = line.letters().iter().enumerate().skip(start).filter(|(_, letter)| **letter != ' ');
        if "(via".chars().all(|wanted| behind.next().is_some_and(|(_, letter)| *letter == wanted))
            && let Some((index, ':')) = behind.next()
        {
            line.replace(index, '-');
        }
    }
}

/// Whatever could be read as a tag or a comment loses its opening sign. `Vec<String>` is none.
fn close_tags(line: &mut Skeleton) {
    for index in 0..line.letters().len() {
        let (before, sign) = line.letters().split_at(index);
        if sign[0] == '<' && opens_tag(before, &sign[1..]) {
            line.replace(index, '‹');
        }
    }
}

fn opens_tag(before: &[char], behind: &[char]) -> bool {
    let blanks = behind.iter().take_while(|letter| **letter == ' ').count();
    let behind = &behind[blanks..];
    if matches!(behind.first(), Some('/' | '!' | '?' | '|' | '<')) {
        return true;
    }
    if !behind.first().is_some_and(|first| first.is_alphabetic()) {
        return false;
    }
    // A type's parameters follow its name or two colons, and a comparison has blanks on both sides.
    let is_code = before.ends_with(&[':', ':']) || before.last().is_some_and(|last| last.is_alphanumeric() || *last == '_');
    let is_part = |letter: &&char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.');
    let name: String = behind.iter().take_while(is_part).collect();
    (blanks == 0 && !is_code) || name.contains(['-', '_', ':']) || TAGS.contains(&&*name)
}

/// Runs of signs that rule off blocks or open code: `===`, fences.
fn soften_rules(line: &mut Skeleton) {
    let mut start = 0;
    while start < line.letters().len() {
        let first = line.letters()[start];
        let end = start + line.letters()[start..].iter().take_while(|letter| **letter == first).count();
        let stand_in = match first {
            '=' => Some('＝'),
            '`' => Some('ˋ'),
            '~' => Some('∼'),
            _ => None,
        };
        if let Some(stand_in) = stand_in.filter(|_| end - start >= 3) {
            (start..end).for_each(|index| line.replace(index, stand_in));
        }
        start = end;
    }
}
