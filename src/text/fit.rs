//! The one sanitiser: text that somebody else wrote, made fit for the place where it will stand.
//!
//! | function | place | blanks and controls | invisible characters | bound |
//! |---|---|---|---|---|
//! | [`plain_text`] | a line for people: terminal, log, message | one space | removed | characters, then `…` |
//! | [`terminal_text`] | several lines for people | a space each; line ends stay | a space each | none |
//! | [`quoted`] | a quotation in a message | U+FFFD each | U+FFFD each | 60 characters, then `…` |
//! | [`prompt_text`] | a line of an agent's context or of an artifact | one space | removed | characters, then `...` |
//! | [`prompt_name`] | a name in a heading or an attribute | removed | removed | 64 characters |
//! | [`printable`] | a text of an event | controls become a space each | a space each | bytes |
//! | [`label`] | a label of an event: an id, a path | as they are, or as [`printable`] | refused, or a space each | 1 KiB |
//! | [`name`] | a name of an event, and so a file name | `_` each; spaces stay | `_` each | 200 bytes, hash |
//! | [`cell_text`] | a cell of TOON and CSV | controls become one space | removed | 131,071 characters |
//! | [`closedloop_cell`] | a cell as ClosedLoop writes it | line ends and NUL become a space | kept | 131,071 characters |
//! | [`one_line`] | an observation as it is kept | one space | kept | none |
//! | [`single_spaced`] | a text that is compared or hashed | white space becomes one space | kept | none |
//! | [`visible`] | a role's report before it is parsed | controls removed, white space kept | removed | none |
//!
//! The last four keep more, on purpose. ClosedLoop's dialect exists for comparing files byte by byte. Wordings are hashed into ids, and
//! an observation's length decides which wording stays: removing a character there would rename what was published. These texts pass
//! another function before anybody sees them.
//!
//! Every function gives one line for one line, and its own result unchanged ([`quoted`] apart, which adds its quotes).

mod class;
mod prompt;
mod skeleton;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use xxhash_rust::xxh3::xxh3_64;

pub use class::{is_blank, is_invisible, is_space, is_unprintable};
pub use prompt::{prompt_name, prompt_text};

use crate::limit;

/// The bytes of a dash and the hash that keep two long names apart after cutting.
const DIGEST_BYTES: usize = 17;

/// One less than the longest field that Python's csv module accepts by default.
const CELL_CHARACTERS: usize = 131_071;

/// A line for people: nothing in it moves, hides or reorders what stands around it, and an escape sequence is only its letters.
pub fn plain_text(text: &str, most_characters: usize) -> String {
    let line = spaced(text, |letter| match letter {
        _ if is_blank(letter) => Fate::Blank,
        _ if is_unprintable(letter) => Fate::Gone,
        _ => Fate::Kept,
    });
    shortened(line, most_characters, "…")
}

/// Text for people that may have several lines.
pub fn terminal_text(text: &str) -> String {
    replaced(text, |letter| letter != '\n' && is_unprintable(letter), ' ')
}

pub fn quoted(text: &str) -> String {
    const SHOWN_CHARACTERS: usize = 60;
    let end = text.char_indices().nth(SHOWN_CHARACTERS).map(|(end, _)| end);
    let shown = replaced(&text[..end.unwrap_or(text.len())], is_unprintable, '\u{fffd}');
    format!("`{shown}{}`", if end.is_some() { "…" } else { "" })
}

/// A text on one line, without anything that moves or hides what stands around it, cut to a number of bytes.
pub fn printable(text: &str, most_bytes: usize) -> String {
    cut(replaced(text, is_unprintable, ' ').trim(), most_bytes).trim_end().to_owned()
}

/// A label as it is, where it is one; else one that is printable and not too long. None if nothing is left.
pub fn label(text: &str) -> Option<String> {
    if text.len() <= limit::LABEL_BYTES && !text.trim().is_empty() && !text.chars().any(is_unprintable) {
        return Some(text.to_owned());
    }
    Some(printable(text, limit::LABEL_BYTES)).filter(|label| !label.is_empty())
}

/// A name: what separates paths or cannot be printed becomes `_`, and long ones that differ still do after cutting. None if
/// there is nothing in it.
pub fn name(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let mut name = replaced(text, |letter| is_unprintable(letter) || matches!(letter, '/' | '\\'), '_');
    if matches!(&*name, "." | "..") {
        name = "_".repeat(name.len());
    }
    if name.len() > limit::NAME_BYTES {
        name = format!("{}-{:016x}", cut(&name, limit::NAME_BYTES - DIGEST_BYTES), xxh3_64(text.as_bytes()));
    }
    Some(name)
}

/// The text of a cell as every reader of the file sees it.
///
/// TOON and CSV spell a quote and a backslash differently, so there is no spelling that all readers take for the same text:
/// a quote becomes an apostrophe and a backslash its full-width twin. The ends are trimmed, because ClosedLoop trims them too. A text
/// that is longer than Python's csv module accepts is cut.
pub fn cell_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => safe.push('\''),
            '\\' => safe.push('\u{ff3c}'),
            // A line break of two characters is still one gap.
            _ if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => {
                if !safe.ends_with(' ') {
                    safe.push(' ');
                }
            }
            _ if is_unprintable(letter) => {}
            _ => safe.push(letter),
        }
    }
    cell_beginning(safe.trim()).to_owned()
}

/// The text of a cell as ClosedLoop writes it. A line break would end the row, and older versions of Python's csv module refuse a NUL.
pub fn closedloop_cell(text: &str) -> String {
    let line = replaced(&text.replace("\r\n", " "), |letter| matches!(letter, '\n' | '\r' | '\0'), ' ');
    cell_beginning(strip(&line)).to_owned()
}

/// White space and controls become single spaces.
pub fn one_line(text: &str) -> String {
    spaced(text, |letter| if is_blank(letter) { Fate::Blank } else { Fate::Kept })
}

/// White space becomes single spaces; everything else is part of what the text says.
pub fn single_spaced(text: &str) -> String {
    spaced(text, |letter| if letter.is_whitespace() { Fate::Blank } else { Fate::Kept })
}

/// A text without what cannot be seen. What people read as one thing must not be another for programs.
pub fn visible(text: &str) -> Cow<'_, str> {
    static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[[\p{Cc}\p{Cf}]&&\S]").ok());
    HIDDEN.as_ref().map_or(Cow::Borrowed(text), |hidden| hidden.replace_all(text, ""))
}

/// The longest beginning of a text that has at most so many bytes and no half character.
pub fn cut(text: &str, most_bytes: usize) -> &str {
    let mut end = text.len().min(most_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Trims what Python's `str.strip` trims.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Trims the end as Python's `str.rstrip` does.
pub fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Another character for each of a class.
pub fn replaced(text: &str, is_odd: impl Fn(char) -> bool, stand_in: char) -> String {
    text.chars().map(|letter| if is_odd(letter) { stand_in } else { letter }).collect()
}

/// What becomes of a character.
enum Fate {
    Kept,
    /// It parts words.
    Blank,
    Gone,
}

/// A text with one space wherever blanks stand between what is kept, and none at its ends.
fn spaced(text: &str, mut fate: impl FnMut(char) -> Fate) -> String {
    let mut line = String::with_capacity(text.len());
    let mut is_parted = false;
    for letter in text.chars() {
        match fate(letter) {
            Fate::Blank => is_parted = !line.is_empty(),
            Fate::Gone => {}
            Fate::Kept => {
                if std::mem::take(&mut is_parted) {
                    line.push(' ');
                }
                line.push(letter);
            }
        }
    }
    line
}

/// A text of at most so many characters. One that is cut ends with a mark.
fn shortened(text: String, most_characters: usize, mark: &str) -> String {
    if text.chars().nth(most_characters).is_none() {
        return text;
    }
    let kept: String = text.chars().take(most_characters.saturating_sub(mark.chars().count())).collect();
    kept.trim_end().chars().chain(mark.chars().take(most_characters)).collect()
}

fn cell_beginning(text: &str) -> &str {
    text.char_indices().nth(CELL_CHARACTERS).map_or(text, |(end, _)| strip_end(&text[..end]))
}
