//! Words of a shell's command line: written so that they stay one word, and read as far as it takes to know a command.

use std::iter::Peekable;
use std::str::Chars;

/// A text as one word, whatever is in it.
#[must_use]
pub fn quote(text: &str) -> String {
    // Nothing is special between single quotes, and a single quote cannot stand there: it is set between two such texts.
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The words of the first command, without the variables that are set for it. What follows an operator, a redirection or
/// a `#` belongs to it no more. Nothing is expanded. None if a quotation has no end.
#[must_use]
pub fn first_command(line: &str) -> Option<Vec<String>> {
    let mut letters = line.chars().peekable();
    let mut words = Vec::new();
    loop {
        while letters.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
        match letters.peek() {
            None | Some('#') => break,
            Some(letter) if ends_command(*letter) => break,
            Some(_) => words.push(read_word(&mut letters)?),
        }
    }
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    Some(words.split_off(assignments))
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
