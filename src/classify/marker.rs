//! Text from outside on one line: without what would speak to a terminal, a reader of Markdown or a model instead of a person.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::event::is_unprintable;

/// A text on one line of at most so many characters: white space collapsed, nothing unprintable.
#[must_use]
pub fn one_line(text: &str, most_characters: usize) -> String {
    let printable: String = text.chars().filter_map(printed).collect();
    let joined = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined.chars().nth(most_characters).is_none() {
        return joined;
    }
    let mut cut: String = joined.chars().take(most_characters.saturating_sub(1)).collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// The first place in a text that pattern files, agents' prompts or Markdown give a meaning of their own.
#[must_use]
pub fn find_marker(text: &str) -> Option<&str> {
    let title = text.trim_start();
    if title.starts_with('#') && title.trim_start_matches('#').starts_with([' ', '\t']) {
        return Some("#");
    }
    MARKER.iter().find_map(|marker| marker.find(text)).map(|found| found.as_str())
}

/// The text without such places.
#[must_use]
pub fn without_markers(text: &str) -> Cow<'_, str> {
    match &*MARKER {
        Some(marker) => marker.replace_all(text, " "),
        None => Cow::Borrowed(text),
    }
}

/// Blocks that hooks wrap around patterns, roles of a conversation, flags of pattern files, fences, words that hooks look for.
static MARKER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u:</?\s*(?i:[a-z-]*learnings|closedloop-[a-z-]+|system(?:-[a-z]+)?|assistant|human|instructions?)\b)[^<>]{0,80}>?",
        r"|(?-u:\[(?i:untested|prune|stale|review)\])|```|~~~|LEARNINGS_ACKNOWLEDGED|VALIDATION_(?:PASSED|FAILED)",
    ))
    .ok()
});

/// Breaks and tabs part words; everything else that cannot be seen is left out.
fn printed(character: char) -> Option<char> {
    match character {
        '\u{2028}' | '\u{2029}' => Some(' '),
        _ if character.is_whitespace() || character.is_control() => Some(' '),
        _ => (!is_unprintable(character)).then_some(character),
    }
}
