//! Keys: names in the one form in which they are compared.

use std::borrow::Cow;

use caseless::Caseless as _;
use unicode_normalization::UnicodeNormalization as _;

/// A name as it is compared: without white space around it, whatever the case and the composition of its letters.
///
/// Engines and languages disagree about lower case (`ΟΔΟΣ`, `İ`) and about white space (U+00A0). So this is applied once, when an event
/// is taken, and its result is stored: no query folds a name by itself.
#[must_use]
pub fn key(name: &str) -> Cow<'_, str> {
    let name = name.trim();
    if !name.is_ascii() {
        let folded: String = fold(name);
        return if folded == name { Cow::Borrowed(name) } else { Cow::Owned(folded) };
    }
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) }
}

/// Canonical caseless matching of the Unicode standard (3.13, D145), in composed form. Folding may uncover a letter that folds again
/// once it is composed, so it is repeated until nothing changes.
fn fold(name: &str) -> String {
    let once = |text: &str| text.nfd().default_case_fold().nfc().collect::<String>();
    let first = once(name);
    let second = once(&first);
    if second == first { first } else { once(&second) }
}
