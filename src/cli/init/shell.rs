//! Words of a shell's command line: written so that they stay one word, and read as far as it takes to know a command.

use std::iter::Peekable;
use std::str::Chars;

/// A text as one word, whatever is in it.
#[must_use]
pub(super) fn quote(text: &str) -> String {
    // Nothing is special between single quotes, and a single quote cannot stand there: it is set between two such texts.
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The words of the first command, without the variables that are set for it. What follows an operator, a redirection or
/// a `#` belongs to it no more. Nothing is expanded. None if a quotation has no end.
#[must_use]
pub(super) fn first_command(line: &str) -> Option<Vec<String>> {
    let mut words = read_words(&mut line.chars().peekable())?;
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    Some(words.split_off(assignments))
}

/// Whether a line does nothing beside its first command: only redirections, `|| true` and comments follow.
#[must_use]
pub(super) fn is_single(line: &str) -> bool {
    let mut letters = line.chars().peekable();
    read_words(&mut letters).is_some() && ends_harmlessly(&mut letters).is_some()
}

/// None if something else is done.
fn ends_harmlessly(letters: &mut Peekable<Chars<'_>>) -> Option<()> {
    let mut is_over = false;
    loop {
        skip_blanks(letters);
        match *letters.peek().unwrap_or(&'\0') {
            '\0' => return letters.next().is_none().then_some(()),
            '#' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '\n' => {
                letters.next();
                is_over = true;
            }
            _ if is_over => return None,
            '|' => skip_fallback(letters)?,
            '<' | '>' | '&' => skip_redirection(letters)?,
            ';' | '(' | ')' => return None,
            // What is no operator is one more argument.
            _ => drop(read_word(letters)?),
        }
    }
}

fn skip_fallback(letters: &mut Peekable<Chars<'_>>) -> Option<()> {
    letters.next();
    letters.next_if_eq(&'|')?;
    skip_blanks(letters);
    matches!(&*read_word(letters)?, "true" | ":").then_some(())
}

/// Passes a redirection to or from a file or a descriptor. None if it is another operator, or needs more than a word.
fn skip_redirection(letters: &mut Peekable<Chars<'_>>) -> Option<()> {
    match letters.next()? {
        '<' => drop(letters.next_if(|letter| matches!(letter, '&' | '>'))),
        '>' => drop(letters.next_if(|letter| matches!(letter, '&' | '>' | '|'))),
        _ => {
            letters.next_if_eq(&'>')?;
            letters.next_if_eq(&'>');
        }
    }
    skip_blanks(letters);
    (!read_word(letters)?.is_empty()).then_some(())
}

fn read_words(letters: &mut Peekable<Chars<'_>>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    loop {
        skip_blanks(letters);
        match letters.peek() {
            None | Some('#') => return Some(words),
            Some(letter) if ends_command(*letter) => return Some(words),
            Some(_) => words.push(read_word(letters)?),
        }
    }
}

fn skip_blanks(letters: &mut Peekable<Chars<'_>>) {
    while letters.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
}

fn read_word(letters: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut word = String::new();
    while let Some(letter) = letters.next_if(|letter| !matches!(letter, ' ' | '\t') && !ends_command(*letter)) {
        match letter {
            '\'' => loop {
                match letters.next()? {
                    '\'' => break,
                    inner => word.push(inner),
                }
            },
            '"' => loop {
                match letters.next()? {
                    '"' => break,
                    '\\' => word.push(letters.next()?),
                    inner => word.push(inner),
                }
            },
            '\\' => word.push(letters.next()?),
            plain => word.push(plain),
        }
    }
    Some(word)
}

const fn ends_command(letter: char) -> bool {
    matches!(letter, ';' | '&' | '|' | '(' | ')' | '<' | '>' | '\n')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let is_name_letter = |letter: char| letter == '_' || letter.is_ascii_alphanumeric();
        name.starts_with(|first: char| !first.is_ascii_digit()) && name.chars().all(is_name_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_read_back_as_one_word() {
        for text in ["plain", "two words", "it's", "'", "''", "a\"b\\c", "$(x) `y` ;&|", "line\nline", ""] {
            assert_eq!(first_command(&quote(text)), Some(vec![text.to_owned()]), "{text}");
        }
    }
}
