//! Text of observations as it may stand in a document: data, whatever it looks like.

use crate::prompt::prompt_text;

/// The longest title, in characters.
const TITLE_CHARACTERS: usize = 200;
/// The longest value of a bullet, in characters.
const LINE_CHARACTERS: usize = 4000;
/// How many lines of details are shown.
const MOST_LINES: usize = 500;
/// How deep a line may stand, in blanks.
const MOST_INDENT: usize = 12;

/// The title of an observation: its pattern on one line, or its id where nothing is left of that.
#[must_use]
pub fn title(pattern: &str, id: &str) -> String {
    let title = prompt_text(pattern, TITLE_CHARACTERS);
    if title.is_empty() { id.to_owned() } else { title }
}

/// A text on one line, such as the value of a bullet.
pub(super) fn line(text: &str) -> String {
    prompt_text(text, LINE_CHARACTERS)
}

/// An item of a list: a line that opens neither a key nor a heading.
pub(super) fn item(text: &str) -> String {
    escaped(line(text))
}

/// A text of several lines. No line of it is a heading, a rule, the end of front matter, a bullet with a key, a fence or a comment.
pub(super) fn block(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for written in text.lines().take(MOST_LINES) {
        let shown = escaped(line(written));
        let is_blank = shown.is_empty();
        // Blank lines at the start say nothing, and one between two paragraphs is enough.
        if is_blank && lines.last().is_none_or(String::is_empty) {
            continue;
        }
        let indent = if is_blank { 0 } else { indent_of(written).min(MOST_INDENT) };
        lines.push(format!("{}{shown}", " ".repeat(indent)));
    }
    lines.join("\n").trim_end().to_owned()
}

/// A text of a slash command or a skill in which nothing runs and nothing is fetched: hosts run what stands in backticks behind `!`,
/// and put in the file that is named behind `@`.
pub(super) fn inert(text: &str) -> String {
    let mut inert = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let opens_file = letter == '@'
            && !before.is_alphanumeric()
            && before != '\\'
            && letters.peek().is_some_and(|next| !next.is_whitespace());
        if opens_file {
            inert.push('\\');
        }
        inert.push(letter);
        if letter == '!' && letters.peek() == Some(&'`') {
            inert.push(' ');
        }
        before = letter;
    }
    inert
}

fn indent_of(line: &str) -> usize {
    let blanks = line.chars().take_while(|letter| matches!(letter, ' ' | '\t'));
    blanks.map(|letter| if letter == '\t' { 4 } else { 1 }).sum()
}

/// A line that Markdown would take for more than text gets a backslash, which Markdown does not show.
fn escaped(line: String) -> String {
    let is_rule = !line.is_empty() && (line.chars().all(|sign| sign == '-') || line.chars().all(|sign| sign == '='));
    let behind_bullet = line.strip_prefix(['-', '*', '+']).map_or("", str::trim_start);
    if line.starts_with('#') || line.starts_with("---") || is_rule || is_key(&line) || is_key(behind_bullet) {
        format!("\\{line}")
    } else {
        line
    }
}

/// Whether a text opens with a key as bullets of entries have it: `**Status**:`.
fn is_key(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("**") else { return false };
    inside.find("**").is_some_and(|end| inside[..end].ends_with(':') || inside[end + 2..].trim_start().starts_with(':'))
}
