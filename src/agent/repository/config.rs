//! The configuration of a repository, as far as it says where the repository came from.

use std::iter::Peekable;
use std::str::Chars;

type Letters<'a> = Peekable<Chars<'a>>;

/// The address of `origin`. The last one counts, as for `git`.
pub(super) fn origin_in(config: &str) -> Option<String> {
    let config = config.strip_prefix('\u{feff}').unwrap_or(config).replace("\r\n", "\n");
    let mut letters = config.chars().peekable();
    let mut is_origin = false;
    let mut found = None;
    while let Some(letter) = letters.next() {
        match letter {
            '[' => is_origin = read_section(&mut letters).is_some_and(|(name, part)| name == "remote" && part == "origin"),
            first if first.is_ascii_alphabetic() => {
                let setting = read_setting(first, &mut letters);
                if let Some((_, value)) = setting.filter(|(key, _)| is_origin && key == "url") {
                    found = Some(value);
                }
            }
            blank if blank.is_whitespace() => {}
            _ => skip_line(&mut letters),
        }
    }
    found
}

/// The name of a section and of its part. What follows the bracket may stand on the same line.
fn read_section(letters: &mut Letters<'_>) -> Option<(String, String)> {
    let name = take(letters, |letter| !matches!(letter, ' ' | '\t' | '"' | ']' | '\n')).to_ascii_lowercase();
    skip_blanks(letters);
    let mut part = String::new();
    match letters.next()? {
        // An old spelling, whose case makes no difference.
        ']' => return Some(name.split_once('.').map_or((name.clone(), part), |(name, part)| (name.to_owned(), part.to_owned()))),
        '"' => {}
        _ => return None,
    }
    loop {
        match letters.next()? {
            '"' => break,
            '\n' => return None,
            '\\' => part.push(letters.next()?),
            plain => part.push(plain),
        }
    }
    (letters.next()? == ']').then_some((name, part))
}

/// A key and its value, which is empty if none is set.
fn read_setting(first: char, letters: &mut Letters<'_>) -> Option<(String, String)> {
    let rest = take(letters, |letter| letter.is_ascii_alphanumeric() || *letter == '-');
    let key = format!("{first}{rest}").to_ascii_lowercase();
    skip_blanks(letters);
    if letters.next_if_eq(&'=').is_none() {
        skip_line(letters);
        return Some((key, String::new()));
    }
    skip_blanks(letters);
    Some((key, read_value(letters)?))
}

/// A value up to the end of its line or a comment. Blanks at its end belong to it only in quotes. None if a quotation has no end.
fn read_value(letters: &mut Letters<'_>) -> Option<String> {
    let mut value = String::new();
    let mut solid = 0;
    let mut is_quoted = false;
    while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' | '#' if !is_quoted => {
                skip_line(letters);
                break;
            }
            '\\' => match letters.next()? {
                '\n' => continue,
                'n' => value.push('\n'),
                't' => value.push('\t'),
                plain => value.push(plain),
            },
            plain => value.push(plain),
        }
        if is_quoted || !letter.is_whitespace() {
            solid = value.len();
        }
    }
    value.truncate(solid);
    (!is_quoted).then_some(value)
}

fn take(letters: &mut Letters<'_>, is_part: impl Fn(&char) -> bool) -> String {
    std::iter::from_fn(|| letters.next_if(&is_part)).collect()
}

fn skip_blanks(letters: &mut Letters<'_>) {
    while letters.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
}

fn skip_line(letters: &mut Letters<'_>) {
    while letters.next_if(|letter| *letter != '\n').is_some() {}
}
