//! Rates patterns against one list of changed paths.

use std::collections::{BTreeSet, HashMap};

use super::keyword::{Sieve, letter_runs};
use super::path::split_words;
use super::tag::Tags;
use crate::rounding::round_half_even;
use setting::{RelevanceSettings, TagMatch};

/// The word for how the scores come about.
pub const METHOD: &str = "context_tags";

/// How relevant a pattern is.
#[derive(Debug, Clone, PartialEq)]
pub struct Relevance {
    /// From 0 to 1, with two decimals.
    pub score: f64,
    /// The tags and words by which it is relevant, sorted.
    pub matched: Vec<String>,
}

/// Rates patterns against one list of changed paths. The paths are read once, however many patterns are rated.
#[derive(Debug)]
pub struct Rater {
    sieve: Sieve,
    boost: f64,
    matching: TagMatch,
    tags: BTreeSet<String>,
    /// The words of each path.
    words: Vec<BTreeSet<String>>,
    /// The first path that holds a word.
    first_path: HashMap<String, usize>,
}

impl Rater {
    /// A rater for these paths, which are relative to their repository, with `/` and without quotes.
    ///
    /// Where nothing was changed there is nothing to be relevant to: callers then rate no pattern at all. A rater of no paths
    /// gives 0 to every pattern, which would read as if each had been found irrelevant.
    #[must_use]
    pub fn new(paths: &[String], settings: &RelevanceSettings) -> Self {
        let known = Tags::new(settings);
        let tags = paths.iter().flat_map(|path| known.earned(path)).map(str::to_owned).collect();
        let words: Vec<_> = paths.iter().map(|path| words_of(path, settings.matching)).collect();
        let mut first_path = HashMap::new();
        for (place, word) in words.iter().enumerate().flat_map(|(place, words)| words.iter().map(move |word| (place, word))) {
            first_path.entry(word.clone()).or_insert(place);
        }
        Self { sieve: Sieve::new(settings), boost: settings.boost, matching: settings.matching, tags, words, first_path }
    }

    /// Rates a pattern by its summary and its tags, which stand in one text with any sign between them.
    ///
    /// The score is the part of its keywords that are tags of the changed paths, and more if the summary shares a word with a
    /// path. The order of the paths does not matter for it.
    #[must_use]
    pub fn rate(&self, summary: &str, context: &str) -> Relevance {
        let keywords = self.sieve.keywords(summary, context);
        let mut matched: BTreeSet<String> = keywords.intersection(&self.tags).cloned().collect();
        let base = share(matched.len(), keywords.len());
        let shared = self.shared(&self.sieve.shareable(summary));
        let boost = if shared.is_empty() { 0.0 } else { self.boost };
        matched.extend(shared);
        Relevance { score: round_half_even((base + boost).clamp(0.0, 1.0), 2), matched: matched.into_iter().collect() }
    }

    /// The score alone. It is asked for thousands of patterns in an agent's turn, and names no words, so it builds none.
    #[must_use]
    pub fn score(&self, summary: &str, context: &str) -> f64 {
        let lowered = format!("{summary} {context}").to_lowercase();
        let (mut keywords, mut matched) = (0, 0);
        self.sieve.visit_keywords(&lowered, |word| {
            keywords += 1;
            matched += usize::from(self.tags.contains(word));
        });
        let is_shared = self.sieve.any_shareable(summary, |word| self.first_path.contains_key(word));
        let boost = if is_shared { self.boost } else { 0.0 };
        round_half_even((share(matched, keywords) + boost).clamp(0.0, 1.0), 2)
    }

    /// The words that the paths share with a summary. The original stops at the first path that shares any.
    fn shared(&self, shareable: &BTreeSet<String>) -> Vec<String> {
        let known = shareable.iter().filter(|word| self.first_path.contains_key(*word));
        match self.matching {
            TagMatch::Word => known.cloned().collect(),
            TagMatch::Substring => {
                let first = known.filter_map(|word| self.first_path.get(word)).min();
                let words = first.and_then(|place| self.words.get(*place));
                words.into_iter().flat_map(|words| words.intersection(shareable)).cloned().collect()
            }
        }
    }
}

fn words_of(path: &str, matching: TagMatch) -> BTreeSet<String> {
    match matching {
        TagMatch::Substring => letter_runs(&path.to_lowercase()).map(str::to_owned).collect(),
        TagMatch::Word => split_words(path).into_iter().map(str::to_lowercase).collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a text has far fewer words than 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
