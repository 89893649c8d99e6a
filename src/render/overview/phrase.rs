//! Figures and words as sentences use them.

use text::fit::plain_text;

/// How many letters of a name a sentence holds.
const NAME: usize = 40;

/// Below this count a share says little.
pub(crate) const SMALL: i64 = 30;

/// A share in whole percent: `74%`. Nothing that is not all is called 100%, and nothing that is something 0%.
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    if rounded >= 100.0 && share < 1.0 {
        return ">99%".to_owned();
    }
    if rounded <= 0.0 && share > 0.0 {
        return "<1%".to_owned();
    }
    format!("{rounded:.0}%")
}

/// A difference of shares in percentage points, with its sign: `+10.2`.
pub fn points(share: f64) -> String {
    let text = format!("{:+.1}", share * 100.0);
    if text == "-0.0" { "+0.0".to_owned() } else { text.replace('-', "\u{2212}") }
}

/// A number with its thousands apart.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "\u{2212}".to_owned() } else { String::new() };
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 run`, `2 runs`.
pub(crate) fn counted(number: i64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A part of a whole; none of nothing.
pub(crate) fn share(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| learn::real(part) / learn::real(whole))
}

/// A share with its count, and a warning where the count is small.
pub(crate) fn share_of(part: i64, whole: i64) -> String {
    let small = if whole < SMALL { " (small sample)" } else { "" };
    share(part, whole).map_or_else(|| "none".to_owned(), |share| format!("{} of {}{small}", percent(share), grouped(whole)))
}

/// A name that somebody else chose, within a sentence.
pub(crate) fn named(name: &str) -> String {
    plain_text(name, NAME)
}

/// A name as one word of a command; none where a shell could take it for more than a word.
pub fn shell_word(name: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/' | ':' | '@');
    (!name.is_empty() && !name.starts_with('-') && name.len() <= 80 && name.chars().all(is_plain)).then_some(name)
}

/// The command that explains an adapter of a project, or lists all where a name is no plain word.
pub(crate) fn adapter_command(adapter: &str, project: Option<&str>) -> String {
    match (shell_word(adapter), project, project.and_then(shell_word)) {
        (Some(adapter), None, _) => format!("outerloop policy explain {adapter}"),
        (Some(adapter), Some(_), Some(project)) => format!("outerloop policy explain {adapter} --project {project}"),
        _ => "outerloop policy list".to_owned(),
    }
}

pub(crate) fn quantity(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
