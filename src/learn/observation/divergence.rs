//! When two texts of one observation say different things.

use super::detail::detail_fields;
use text::review::Tokens;
use text::script::is_unspaced;

/// Whether details share less than a part of the shorter one's words. Whoever says the same in fewer words says nothing else, and
/// names of fields stand in all of them.
pub(super) fn diverge(one: &str, other: &str, below: f64) -> bool {
    let (one, other) = (Tokens::of(&told(one)), Tokens::of(&told(other)));
    !one.is_empty() && !other.is_empty() && one.overlap(&other) < below
}

/// What details say, without the names of their fields and with blanks between words.
fn told(details: &str) -> String {
    let values = detail_fields(details).into_iter().map(|(_, value)| spaced(&value));
    values.collect::<Vec<_>>().join(" ")
}

/// A text in which scripts that know no blanks are cut into overlapping pairs of letters: otherwise a sentence were one word.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    for letter in text.chars() {
        let is_run = is_unspaced(letter);
        match (before, is_run) {
            (Some(first), true) => spaced.extend([' ', first, letter]),
            (Some(_), false) => spaced.extend([' ', letter]),
            (None, true) => spaced.push(' '),
            (None, false) => spaced.push(letter),
        }
        before = is_run.then_some(letter);
    }
    spaced
}
