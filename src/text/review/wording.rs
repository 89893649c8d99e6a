//! When two sayings are the same, when they are alike, and what sort of saying one is.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use smallvec::SmallVec;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};
use xxhash_rust::xxh3::xxh3_64;

use crate::word::distinct_words;

/// What sort of saying a pattern is. Later ones say more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Something that was noticed.
    Observation,
    /// What leads to what.
    Causal,
    /// What must or must not be done.
    Rule,
}

impl Kind {
    /// All kinds, the least first.
    pub const ALL: [Self; 3] = [Self::Observation, Self::Causal, Self::Rule];

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Causal => "causal",
            Self::Rule => "rule",
        }
    }

    /// The kind of that word.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a saying: as its tag says, else by its words.
    #[must_use]
    pub fn of(saying: &str) -> Self {
        let (tag, text) = untagged(saying);
        tag.unwrap_or_else(|| Self::by_words(text))
    }

    fn by_words(text: &str) -> Self {
        static SETS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
            const RULE: &str = r"\b(?i-u:always|never|must|do not|requires?|required|forbid|forbidden)\b";
            const CAUSAL: &str =
                r"\b(?i-u:because|causes|leads to|results in|due to|therefore)\b|\b(?i-u:if)\b.*\b(?i-u:then)\b|->|=>|[→⇒⟶⟹]";
            RegexSet::new([RULE, CAUSAL]).ok()
        });
        // Whoever breaks a line between two words still means them.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = SETS.as_ref().map(|sets| sets.matches(&text));
        match found {
            Some(found) if found.matched(0) => Self::Rule,
            Some(found) if found.matched(1) => Self::Causal,
            _ => Self::Observation,
        }
    }
}

/// A saying without the marks of a list and of its kind.
#[must_use]
pub fn plain_saying(saying: &str) -> &str {
    untagged(saying).1
}

/// The kind that a saying's tag names, and the saying without the marks of a list and of its kind.
fn untagged(saying: &str) -> (Option<Kind>, &str) {
    static MARKS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\s*(?:(?:[-*+•]|[0-9]{1,9}[.)])\s+)?(?:\[((?i-u:rule|causal|observation))\]:?\s*)?").ok());
    let Some(marks) = MARKS.as_ref().and_then(|marks| marks.captures(saying)) else { return (None, saying.trim()) };
    let kind = marks.get(1).and_then(|tag| Kind::from_name(&tag.as_str().to_lowercase()));
    (kind, saying[marks.get_match().end()..].trim())
}

/// A saying as it is compared: composed, in small letters, with single blanks, without marks at its beginning and at its end.
#[must_use]
pub fn normalise(saying: &str) -> String {
    let composed = if is_nfc(saying) { saying.to_owned() } else { saying.nfc().collect() };
    let lowered = plain_saying(&composed).to_lowercase();
    let mut text = String::with_capacity(lowered.len());
    for word in lowered.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.truncate(text.trim_end_matches(['.', ';', ',', ':', '!', ' ']).len());
    text
}

/// Words that say nothing by themselves, sorted.
const STOP: [&str; 23] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "no", "not", "of", "on", "or", "that", "the",
    "this", "to", "with",
];

/// The words of a text that say something, each once: as hashes, which are compared faster than words are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Tokens(SmallVec<[u64; 16]>);

impl Tokens {
    /// The words of a text. Those of one letter and the most common ones do not count.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let lowered = text.to_lowercase();
        let words = distinct_words(&lowered);
        let telling = words.iter().filter(|word| word.chars().nth(1).is_some() && STOP.binary_search(word).is_err());
        let mut hashes: SmallVec<[u64; 16]> = telling.map(|word| xxh3_64(word.as_bytes())).collect();
        hashes.sort_unstable();
        Self(hashes)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hashes, sorted.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().copied()
    }

    /// How many words two texts share.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        let (mut one, mut two, mut shared) = (0, 0, 0);
        while let (Some(left), Some(right)) = (self.0.get(one), other.0.get(two)) {
            match left.cmp(right) {
                std::cmp::Ordering::Less => one += 1,
                std::cmp::Ordering::Greater => two += 1,
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    one += 1;
                    two += 1;
                }
            }
        }
        shared
    }

    /// The part of all words of two texts that they share (Jaccard).
    #[must_use]
    pub fn likeness(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        part(shared, self.len() + other.len() - shared)
    }

    /// The part of the shorter text's words that the longer one holds too (the overlap coefficient).
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f64 {
        part(self.shared(other), self.len().min(other.len()))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 words")]
fn part(shared: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::STOP;

    #[test]
    fn common_words_are_sorted_for_the_search() {
        assert!(STOP.is_sorted());
    }
}
