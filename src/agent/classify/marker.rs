//! What in a text from outside would speak to a reader of Markdown, a hook or a model instead of a person.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

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
pub(super) fn without_markers(text: &str) -> Cow<'_, str> {
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
