//! The lines of a text, and which of them are prose, code, or words of others.

use std::collections::HashMap;

/// The most lines of a text's front matter: whoever opens a text with a rule must not lose it up to the next one.
const MOST_FRONT_LINES: usize = 100;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Words of the role.
    Prose,
    /// The opening of a fence, with what it says of the code.
    Opening(&'a str),
    /// Inside of a fence.
    Code,
    /// The end of a fence.
    Closing,
    /// Front matter, or a block that the role was shown and repeats.
    Shown,
}

/// A line of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without its end.
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) part: Part<'a>,
}

/// The lines of a text. As in Markdown, a fence that nobody closes reaches to the end; front matter and shown blocks that nobody
/// closes are none, so that a stray mark hides nothing.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = split(text);
    mark_front(&mut lines);
    mark_shown(&mut lines);
    mark_fences(&mut lines);
    lines
}

/// A line behind the mark of a list's item.
pub(super) fn strip_bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let behind = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let number = line.strip_prefix('(').unwrap_or(line);
        let behind = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let closing: &[char] = if number.len() < line.len() { &[')'] } else { &['.', ')'] };
        (1..=9).contains(&(number.len() - behind.len())).then(|| behind.strip_prefix(closing)).flatten()
    })?;
    (behind.is_empty() || behind.starts_with(char::is_whitespace)).then(|| unticked(behind.trim_start()))
}

/// An item of a list of tasks behind its box.
fn unticked(item: &str) -> &str {
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|open| item.strip_prefix(open)).unwrap_or(item).trim_start()
}

/// A line behind the marks of all lists that it opens.
pub(super) fn strip_bullets(mut line: &str) -> &str {
    while let Some(inner) = strip_bullet(line) {
        line = inner;
    }
    line.trim_start()
}

/// Lines end with a line feed, a carriage return, or both.
fn split(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for piece in text.split_inclusive(['\n', '\r']) {
        let is_rest_of_end = piece == "\n" && text.as_bytes()[..start].ends_with(b"\r");
        if !is_rest_of_end {
            found.push(Line { text: piece.trim_end_matches(['\n', '\r']), start, part: Part::Prose });
        }
        start += piece.len();
    }
    found
}

fn mark_front(lines: &mut [Line<'_>]) {
    let is_open = lines.first().is_some_and(|first| first.text.trim_start_matches('\u{feff}').trim_end() == "---");
    if !is_open || !lines.get(1).is_some_and(|second| is_key(second.text)) {
        return;
    }
    let is_end = |line: &Line<'_>| matches!(line.text.trim_end(), "---" | "...");
    if let Some(end) = lines.iter().take(MOST_FRONT_LINES).skip(1).position(is_end) {
        lines[..end + 2].iter_mut().for_each(|line| line.part = Part::Shown);
    }
}

/// Whether a line names a value, as in YAML.
fn is_key(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default();
    name.len() < line.len()
        && !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'))
}

/// Marks the blocks that roles are shown. They are looked for inside of fences too, where a role may repeat them.
fn mark_shown(lines: &mut [Line<'_>]) {
    let ends = lines.iter().enumerate().map(|(index, line)| (bare(line.text), index));
    let last: HashMap<&str, usize> = ends.filter(|(line, _)| line.starts_with("</") || line.starts_with("===")).collect();
    let mut open: Option<String> = None;
    for (index, line) in lines.iter_mut().enumerate() {
        let written = bare(line.text);
        if open.is_none() {
            open = end_of_shown(written).filter(|end| last.get(&**end).is_some_and(|last| *last > index));
        }
        if let Some(end) = &open {
            line.part = Part::Shown;
            if written == end {
                open = None;
            }
        }
    }
}

/// The line that ends the block which a line opens.
fn end_of_shown(line: &str) -> Option<String> {
    if line.starts_with("=== HISTORICAL PATTERNS") && line.ends_with("===") {
        return Some("=== END HISTORICAL PATTERNS ===".to_owned());
    }
    let tag = line.strip_prefix('<')?.strip_suffix('>')?;
    let name = tag.split([' ', '\t']).next()?;
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    let is_shown = name.ends_with("learnings") || name.ends_with("patterns");
    (is_name && is_shown).then(|| format!("</{name}>"))
}

/// A line without white space around it and without the marks of a quotation.
fn bare(line: &str) -> &str {
    line.trim_start_matches(|sign: char| sign == '>' || sign.is_whitespace()).trim_end()
}

fn mark_fences(lines: &mut [Line<'_>]) {
    let mut open: Option<(char, usize)> = None;
    for line in lines.iter_mut().filter(|line| line.part == Part::Prose) {
        line.part = match open {
            None => match opening(line.text) {
                Some((sign, length, info)) => {
                    open = Some((sign, length));
                    Part::Opening(info)
                }
                None => Part::Prose,
            },
            Some(fence) if closes(line.text, fence) => {
                open = None;
                Part::Closing
            }
            Some(_) => Part::Code,
        };
    }
}

/// The sign, the length and the info string of a fence that opens here. It may be indented as deeply as the list it stands in.
fn opening(line: &str) -> Option<(char, usize, &str)> {
    let line = strip_bullets(line);
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let info = line.trim_start_matches(sign);
    let length = line.len() - info.len();
    // Three backticks may also stand around code within a line.
    (length >= 3 && !(sign == '`' && info.contains('`'))).then(|| (sign, length, info.trim()))
}

fn closes(line: &str, (sign, length): (char, usize)) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|letter| letter == sign)
}
