//! Where in a repository a lesson was learned: the files that its event names.

use serde_json::Value;

use text::fit::is_unprintable;
use text::limit;

/// The most files that are kept of a lesson, and of a pattern.
pub(super) const MOST_FILES: usize = 20;

/// The files that a lesson names, each once: those of its context (`file`, `files`), then those of the places that it cites.
/// Agents wrote them, so what is no path inside of a repository is left out.
#[must_use]
pub fn parse_files(context: Option<&str>, citations: &[String]) -> Vec<String> {
    let mut files = Vec::new();
    let context: Value = context.and_then(|context| serde_json::from_str(context).ok()).unwrap_or_default();
    let listed = context.get("files").and_then(Value::as_array).into_iter().flatten();
    let named = context.get("file").into_iter().chain(listed).filter_map(Value::as_str);
    add(&mut files, named.filter_map(|file| normalise_path(path_before_line(file.trim()).unwrap_or(file))));
    add(&mut files, citations.iter().flat_map(|text| cited_paths(text)).filter_map(normalise_path));
    files
}

/// A path from the top of a repository, in its one spelling: `/` between its parts, and neither `.` nor empty parts. None for
/// what is absolute, leads upwards, is too long or cannot be printed.
#[must_use]
pub fn normalise_path(path: &str) -> Option<String> {
    let path = path.trim();
    if is_absolute(path) || path.len() > limit::LABEL_BYTES || path.chars().any(is_unprintable) {
        return None;
    }
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).collect();
    // What stands behind `./` may look like a path of another kind.
    let joined = Some(parts.join("/")).filter(|joined| !joined.is_empty() && joined.trim() == joined && !is_absolute(joined));
    joined.filter(|_| !parts.contains(&".."))
}

/// Adds files to a list that holds each once, as long as there is room.
pub(super) fn add(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for file in more {
        if list.len() == MOST_FILES {
            return;
        }
        if !list.contains(&file) {
            list.push(file);
        }
    }
}

/// The paths of the places `path:line` in a text. A bare word such as `localhost:80` is none, for nobody knows the files here.
fn cited_paths(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';'));
    let bare = words.map(|word| word.trim_matches(is_bracket).trim_end_matches(['.', ':']).trim_matches(is_bracket));
    // A quote may also end in front of the line.
    bare.filter_map(path_before_line).map(|path| path.trim_end_matches(is_bracket)).filter(|path| is_named(path))
}

/// The path in front of a line. A column or the end of a range may follow the line.
fn path_before_line(word: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut colons = word.match_indices(':').map(|(place, _)| (&word[..place], &word[place + 1..]));
    colons.find(|(path, line)| !path.is_empty() && line.split([':', '-']).all(is_number)).map(|(path, _)| path)
}

/// Whether something that was cited is spelled as a file: in a folder, or with an ending.
fn is_named(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_file = path.contains(['/', '\\']) || ending.chars().any(char::is_alphabetic);
    is_file && path.chars().any(char::is_alphabetic)
}

/// Quotes and brackets around a place, in prose.
const fn is_bracket(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '(' | ')' | '<' | '>' | '{' | '}')
}

/// Whether a path begins at the top of a file system, at somebody's home, at a drive such as `C:`, or is an address.
fn is_absolute(path: &str) -> bool {
    let has_drive = path.as_bytes().get(1) == Some(&b':') && path.starts_with(|letter: char| letter.is_ascii_alphabetic());
    has_drive || path.starts_with(['/', '\\', '~']) || path.contains("://")
}
