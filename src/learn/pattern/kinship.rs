//! Which pattern a lesson belongs to: by its trigger, or by the words that two summaries share.

use std::collections::{BTreeSet, HashMap, HashSet};

use text::word::distinct_words;

/// The words of a text, each once, without case. A text without any is a word of its own: two of them have nothing in common
/// unless they are the same.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words: BTreeSet<String> = distinct_words(&lower).into_iter().map(str::to_owned).collect();
    if words.is_empty() { BTreeSet::from([lower.trim().to_owned()]) } else { words }
}

/// Whether two sets of words share at least this part of all their words, and at least one.
pub(super) fn is_kin(one: &BTreeSet<String>, other: &BTreeSet<String>, overlap: f64) -> bool {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    shared > 0 && reaches(shared, all, overlap)
}

/// `shared / all >= overlap`, without a rounding of the quotient that could put 4 of 5 below 0.8.
fn reaches(shared: usize, all: usize, overlap: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 words")]
    let (shared, all) = (shared as f64, all as f64);
    shared + 1e-9 >= overlap * all
}

/// Finds the patterns that a lesson may belong to, without looking at all of them. Patterns of different repositories
/// are never kin: what holds in one place need not hold in another.
#[derive(Debug)]
pub(super) struct Kinship {
    overlap: f64,
    by_trigger: HashMap<(String, String), usize>,
    by_words: HashMap<(String, BTreeSet<String>), usize>,
    /// What `by_words` says of the texts of patterns, for those that repeat one word for word: most do.
    by_text: HashMap<String, Vec<(String, usize)>>,
    holders: HashMap<String, Vec<usize>>,
    sets: Vec<(String, BTreeSet<String>)>,
    texts: Vec<String>,
}

impl Kinship {
    pub(super) fn new(overlap: f64) -> Self {
        Self {
            overlap,
            by_trigger: HashMap::new(),
            by_words: HashMap::new(),
            by_text: HashMap::new(),
            holders: HashMap::new(),
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
        for word in &set {
            self.holders.entry(word.clone()).or_default().push(place);
        }
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

    fn find_near(&self, repo: &str, set: &BTreeSet<String>) -> Option<usize> {
        let mut rarest: Vec<&String> = set.iter().collect();
        rarest.sort_by_key(|word| self.holders.get(*word).map_or(0, Vec::len));
        // Kin share at least `needed` of these words, so they hold at least one of any `len - needed + 1` of them.
        let needed = (1..=set.len()).find(|&shared| reaches(shared, set.len(), self.overlap)).unwrap_or(set.len());
        let mut candidates = HashSet::new();
        for word in rarest.into_iter().take(set.len() + 1 - needed.min(set.len())) {
            candidates.extend(self.holders.get(word).into_iter().flatten().copied());
        }
        let kin = candidates.into_iter().filter(|&place| {
            let (other_repo, other) = &self.sets[place];
            other_repo == repo && is_kin(other, set, self.overlap)
        });
        kin.min()
    }
}
