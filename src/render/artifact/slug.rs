//! Names of files: what a pattern is called where only a few characters are allowed.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The longest slug, in characters: at most 200 bytes, which every file system takes with an ending.
const MOST_CHARACTERS: usize = 50;
/// So many names are tried before a row is given up.
const MOST_CANDIDATES: u32 = 100;
/// Names that some systems keep for devices.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3",
    "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Small letters and digits of any script, with single dashes between them. The id's where a pattern holds none.
#[must_use]
pub fn slug(pattern: &str, id: &str) -> String {
    let slug = slugged(pattern);
    if slug.is_empty() { slugged(id) } else { slug }
}

/// Candidate names of a slug: itself, then numbered. The first free one is used.
pub fn candidates(slug: &str) -> impl Iterator<Item = String> + '_ {
    let numbered = (2..MOST_CANDIDATES).map(move |number| {
        let suffix = format!("-{number}");
        format!("{}{suffix}", cut(slug, MOST_CHARACTERS - suffix.len()))
    });
    Some(slug.to_owned()).filter(|slug| !RESERVED.contains(&&**slug)).into_iter().chain(numbered)
}

fn slugged(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        let continues = is_combining_mark(letter) && slug.ends_with(|last: char| last != '-');
        if letter.is_alphanumeric() || continues {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    cut(&slug.nfc().collect::<String>(), MOST_CHARACTERS)
}

/// The beginning of a slug, cut where a word ends if it is long enough to have one.
fn cut(slug: &str, most: usize) -> String {
    let Some((end, _)) = slug.char_indices().nth(most) else { return slug.trim_end_matches('-').to_owned() };
    let head = &slug[..end];
    let whole = if slug[end..].starts_with('-') { head } else { head.rsplit_once('-').map_or(head, |(words, _)| words) };
    whole.trim_end_matches('-').to_owned()
}
