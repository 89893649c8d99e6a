//! The words of a pattern that say what it is about.

use std::collections::{BTreeSet, HashSet};

use super::path::split_words;
use setting::{RelevanceSettings, TagMatch};
use text::word::distinct_words;

/// English words that say nothing about what a text is about.
const STOPWORDS: [&str; 79] = [
    "a", "above", "after", "all", "always", "an", "and", "are", "as", "at", "be", "been", "before", "being", "below", "between",
    "both", "but", "by", "check", "could", "did", "do", "does", "during", "each", "every", "few", "for", "from", "had", "has",
    "have", "how", "if", "in", "into", "is", "just", "make", "may", "might", "more", "most", "must", "never", "no", "nor", "not",
    "of", "on", "only", "or", "other", "own", "same", "shall", "should", "so", "some", "such", "than", "the", "then", "through",
    "to", "too", "under", "use", "using", "very", "was", "were", "when", "where", "why", "will", "with", "would",
];

/// Whether a word says nothing about what a text is about.
pub(crate) fn is_stopword(word: &str) -> bool {
    STOPWORDS.binary_search(&word).is_ok()
}

/// Folders in which code of every sort lies: to share one with a path says nothing.
const LAYOUT: [&str; 3] = ["lib", "pkg", "src"];

/// Tells keywords from other words.
#[derive(Debug)]
pub(super) struct Sieve {
    matching: TagMatch,
    least_characters: usize,
    stopwords: HashSet<String>,
}

impl Sieve {
    pub(super) fn new(settings: &RelevanceSettings) -> Self {
        let own = STOPWORDS.iter().map(|word| (*word).to_owned());
        let others = settings.stopwords.iter().map(|word| word.to_lowercase());
        Self { matching: settings.matching, least_characters: settings.least_keyword, stopwords: own.chain(others).collect() }
    }

    /// The keywords of a pattern.
    pub(super) fn keywords(&self, summary: &str, context: &str) -> BTreeSet<String> {
        let mut keywords = BTreeSet::new();
        self.visit_keywords(&format!("{summary} {context}").to_lowercase(), |word| {
            keywords.insert(word.to_owned());
        });
        keywords
    }

    /// Visits the keywords of a text in small letters, each once.
    pub(super) fn visit_keywords(&self, lowered: &str, visit: impl FnMut(&str)) {
        distinct_words(lowered).into_iter().filter(|word| self.is_identifier(word) && self.is_telling(word)).for_each(visit);
    }

    /// Whether a word of a summary that may earn the boost is one of those.
    pub(super) fn any_shareable(&self, summary: &str, mut is_one: impl FnMut(&str) -> bool) -> bool {
        match self.matching {
            TagMatch::Substring => letter_runs(&summary.to_lowercase()).any(is_one),
            TagMatch::Word => {
                let mut lowered = String::new();
                split_words(summary).into_iter().any(|word| {
                    lowered.clear();
                    if word.is_ascii() {
                        lowered.push_str(word);
                        lowered.make_ascii_lowercase();
                    } else {
                        lowered.push_str(&word.to_lowercase());
                    }
                    // Most words stand in no path, which is the cheapest question.
                    is_one(&lowered) && self.is_telling(&lowered) && !LAYOUT.contains(&&*lowered)
                })
            }
        }
    }

    /// The words of a summary that may earn the boost if a path holds one of them.
    pub(super) fn shareable(&self, summary: &str) -> BTreeSet<String> {
        match self.matching {
            TagMatch::Substring => letter_runs(&summary.to_lowercase()).map(str::to_owned).collect(),
            TagMatch::Word => {
                let words = split_words(summary).into_iter().map(str::to_lowercase);
                words.filter(|word| self.is_telling(word) && !LAYOUT.contains(&&**word)).collect()
            }
        }
    }

    /// Whether a word looks like a name. To the original, letters of other alphabets spoil a word.
    fn is_identifier(&self, word: &str) -> bool {
        let opens = |letter: char| letter == '_' || letter.is_alphabetic();
        word.starts_with(opens) && (self.matching == TagMatch::Word || word.is_ascii())
    }

    fn is_telling(&self, word: &str) -> bool {
        word.chars().count() >= self.least_characters && !self.stopwords.contains(word)
    }
}

/// The longest runs of the letters a to z.
pub(super) fn letter_runs(lowered: &str) -> impl Iterator<Item = &str> {
    lowered.split(|letter: char| !letter.is_ascii_lowercase()).filter(|run| !run.is_empty())
}
