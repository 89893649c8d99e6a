//! Which pattern a lesson belongs to: by its trigger, or by the words that two summaries share.

use std::collections::HashMap;

use text::word::{Tokens, WordIndex, reaches};

/// The words of a text. One without any is a word of its own: two of them have nothing in common unless they are the same.
fn words(text: &str) -> Tokens {
    let words = Tokens::all(text);
    if words.is_empty() { Tokens::single(text) } else { words }
}

/// Whether two texts share at least this part of all their words, and at least one.
fn is_kin(one: &Tokens, other: &Tokens, overlap: f64) -> bool {
    let likeness = one.likeness(other);
    likeness > 0.0 && reaches(likeness, overlap)
}

/// Finds the patterns that a lesson may belong to, without looking at all of them. Patterns of different repositories
/// are never kin: what holds in one place need not hold in another.
#[derive(Debug)]
pub(super) struct Kinship {
    overlap: f64,
    by_trigger: HashMap<(String, String), usize>,
    by_words: HashMap<(String, Tokens), usize>,
    /// What `by_words` says of the texts of patterns, for those that repeat one word for word: most do.
    by_text: HashMap<String, Vec<(String, usize)>>,
    index: WordIndex,
    sets: Vec<(String, Tokens)>,
    texts: Vec<String>,
}

impl Kinship {
    pub(super) fn new(overlap: f64) -> Self {
        Self {
            overlap,
            by_trigger: HashMap::new(),
            by_words: HashMap::new(),
            by_text: HashMap::new(),
            index: WordIndex::default(),
            sets: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// Adds the next pattern. The first to have a trigger or a set of words keeps it.
    pub(super) fn add(&mut self, repo: &str, trigger: Option<&str>, summary: &str) {
        let place = self.sets.len();
        if let Some(trigger) = trigger {
            self.by_trigger.entry((repo.to_owned(), trigger.to_owned())).or_insert(place);
        }
        let set = words(summary);
        self.index.add(u32::try_from(place).unwrap_or(u32::MAX), &set);
        let same = *self.by_words.entry((repo.to_owned(), set.clone())).or_insert(place);
        self.by_text.entry(summary.to_owned()).or_default().push((repo.to_owned(), same));
        self.sets.push((repo.to_owned(), set));
        self.texts.push(summary.to_owned());
    }

    /// The place of the first pattern that is kin.
    pub(super) fn find(&self, repo: &str, trigger: Option<&str>, summary: &str) -> Option<usize> {
        if let Some(trigger) = trigger
            && let Some(&place) = self.by_trigger.get(&(repo.to_owned(), trigger.to_owned()))
        {
            return Some(place);
        }
        let repeated = self.by_text.get(summary).and_then(|places| places.iter().find(|(other, _)| other == repo));
        if let Some((_, place)) = repeated {
            return Some(*place);
        }
        let key = (repo.to_owned(), words(summary));
        // The same words are the closest kin there is.
        self.by_words.get(&key).copied().or_else(|| self.find_near(repo, &key.1))
    }

    /// Whether the pattern at a place is kin: by the words with which it was added, since what the book says of it depends on
    /// the horizon.
    pub(super) fn is_kin_of(&self, place: usize, summary: &str) -> bool {
        self.texts[place] == summary || is_kin(&self.sets[place].1, &words(summary), self.overlap)
    }

    fn find_near(&self, repo: &str, words: &Tokens) -> Option<usize> {
        let mut near = self.index.near(words, self.overlap).into_iter().map(|place| place as usize);
        near.find(|&place| {
            let (other_repo, other) = &self.sets[place];
            other_repo == repo && is_kin(other, words, self.overlap)
        })
    }
}
