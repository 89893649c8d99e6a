//! What the injection index holds of a pattern.

use std::borrow::Cow;

use crate::flag::Flag;
use crate::rate::Confidence;
use crate::relevance::split_words;

/// What parts the texts of a list. No label holds it, for labels can be printed.
const BETWEEN: char = '\u{1f}';

/// What the injection index holds of a pattern. Texts are borrowed from the index, and lists are parted when they are looked at: of
/// thousands of patterns a handful is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// The pattern's id.
    pub id: Cow<'a, str>,
    /// What sort of lesson it is.
    pub category: Cow<'a, str>,
    /// The bin of its rate; none for what a role learned.
    pub confidence: Option<Confidence>,
    pub flag: Flag,
    /// What people have made of it.
    pub state: Cow<'a, str>,
    /// The repository it holds for; empty for all.
    pub repo: Cow<'a, str>,
    /// The project that alone may see it; empty for all.
    pub project: Cow<'a, str>,
    /// The role that learned it; empty where it was learned for all.
    pub role: Cow<'a, str>,
    /// The agents it is for; empty for all.
    pub applies_to: Cow<'a, str>,
    /// What it is about.
    pub tags: Cow<'a, str>,
    /// The files it was learned at.
    pub files: Cow<'a, str>,
    /// The phases it was learned in.
    pub phases: Cow<'a, str>,
    /// How often it was seen, here or where it was taken over from.
    pub seen: i64,
    /// Its rate, from here or from where it was taken over.
    pub rate: Option<f64>,
    /// The successes that count for it.
    pub successes: f64,
    /// What counts against it.
    pub failures: f64,
    /// How often it held.
    pub validated: i64,
    /// How often it was shown and left unused.
    pub ignored: i64,
    /// How often its use led to what was wanted.
    pub reinforced: i64,
    /// When it was last used or captured, in microseconds since 1970.
    pub used_micros: i64,
    /// The words of its summary and of each tag, as [`words_to_find`] makes them.
    pub words: Cow<'a, str>,
    /// The lesson in a sentence.
    pub summary: Cow<'a, str>,
    /// The chance that it is shown where it fits; none where no coin is tossed for it.
    pub coin: Option<f64>,
    /// What it is worth by the coins that were tossed: the order goes by this, per token.
    pub worth: Option<f64>,
}

impl Entry<'_> {
    /// The same with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        Entry {
            id: own(self.id),
            category: own(self.category),
            confidence: self.confidence,
            flag: self.flag,
            state: own(self.state),
            repo: own(self.repo),
            project: own(self.project),
            role: own(self.role),
            applies_to: own(self.applies_to),
            tags: own(self.tags),
            files: own(self.files),
            phases: own(self.phases),
            seen: self.seen,
            rate: self.rate,
            successes: self.successes,
            failures: self.failures,
            validated: self.validated,
            ignored: self.ignored,
            reinforced: self.reinforced,
            used_micros: self.used_micros,
            words: own(self.words),
            summary: own(self.summary),
            coin: self.coin,
            worth: self.worth,
        }
    }
}

/// The texts of a list.
pub fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(BETWEEN).filter(|text| !text.is_empty())
}

/// A list as the index holds it.
#[must_use]
pub fn list(texts: &[String]) -> String {
    texts.join(&BETWEEN.to_string())
}

/// The words of a summary and of its tags in small letters, each between blanks, so that whole words are found by looking for them
/// with their blanks. A bar keeps the words of one text from standing beside those of the next.
#[must_use]
pub fn words_to_find(summary: &str, tags: &[String]) -> String {
    let mut words = String::from(" ");
    for text in std::iter::once(summary).chain(tags.iter().map(String::as_str)) {
        words.push_str(&spaced(text));
        words.push_str("| ");
    }
    words
}

/// The words of a text in small letters, each with a blank behind it.
pub(super) fn spaced(text: &str) -> String {
    split_words(text).into_iter().fold(String::new(), |words, word| words + &word.to_lowercase() + " ")
}
