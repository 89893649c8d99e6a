//! Texts that share most of their words.
//!
//! Words are ranked by rarity. Two texts that share enough words share one of the rarest few of each (the prefix filter), so only
//! these are looked up; lengths and signatures rule out nearly all of what is found, and the rest is counted.

use smallvec::SmallVec;

use super::lexicon::Lexicon;
use super::phrase::Looseness;
use super::rows::Rows;
use text::word::{Words, count_shared, distinct_words, least_shared, ratio};

/// The texts by their rarest words.
#[derive(Debug)]
pub(super) struct Overlap {
    looseness: Looseness,
    vocabulary: Lexicon,
    /// The rank of each word of the vocabulary, the rarest first.
    ranks: Vec<u32>,
    /// The ranks of the words of each text, sorted.
    texts: Rows<u32>,
    /// The texts that have a word among their rarest, by rank of the word, those of fewest words first.
    rarest: Rows<Posting>,
}

/// A text and what rules it out most often.
#[derive(Debug, Clone, Copy, Default)]
struct Posting {
    signature: u64,
    text: u32,
    /// How many distinct words the text has.
    words: u32,
}

/// A trigger, ready to be compared.
struct Query {
    /// How many distinct words the trigger has.
    words: usize,
    /// How many of them any text must share.
    least: usize,
    /// The sorted ranks of those that are in the vocabulary.
    ranks: SmallVec<[u32; 24]>,
    signature: u64,
}

impl Overlap {
    /// Makes ready to find the texts.
    pub(super) fn new(texts: &Lexicon, looseness: Looseness) -> Self {
        let mut vocabulary = Lexicon::default();
        let mut numbers = Rows::new();
        for text in texts.numbers() {
            numbers.push(distinct_words(texts.get(text)).iter().map(|word| vocabulary.add(word)));
        }
        let ranks = rank(&numbers, vocabulary.len());
        let mut texts = Rows::new();
        for text in 0..numbers.len() {
            texts.push(sorted(numbers.get(text).iter().map(|&word| ranks[word as usize])));
        }
        let rarest = collect_rarest(&texts, vocabulary.len(), looseness);
        Self { looseness, vocabulary, ranks, texts, rarest }
    }

    /// How many distinct words a text has.
    pub(super) fn count_words(&self, text: u32) -> usize {
        self.texts.get(text as usize).len()
    }

    /// Visits the texts that share enough words with a trigger, and how close they are, in no order and perhaps more than once.
    pub(super) fn visit(&self, words: &Words, mut visit: impl FnMut(u32, f64)) {
        let Some(least) = least_shared(words.len(), |shared, all| self.looseness.overlaps(shared, all)) else { return };
        let known = words.iter().filter_map(|word| self.vocabulary.find(word)).map(|word| self.ranks[word as usize]);
        let ranks = sorted(known);
        let signature = sign(&ranks);
        // A word that no text has is rarer than any other: it takes a place among the rarest, and finds nothing.
        let unknown = words.len() - ranks.len();
        let prefix = (words.len() + 1 - least).saturating_sub(unknown);
        let query = Query { words: words.len(), least, ranks, signature };
        for (place, &rank) in query.ranks.iter().enumerate().take(prefix) {
            let postings = self.rarest.get(rank as usize);
            let long_enough = postings.partition_point(|posting| (posting.words as usize) < least);
            // This word and those behind it: had one before it been shared, it would have found the text.
            self.visit_postings(&query, query.ranks.len() - place, &postings[long_enough..], &mut visit);
        }
    }

    /// Visits the texts of a list that share enough of the last so many words of the trigger.
    fn visit_postings(&self, query: &Query, remaining: usize, postings: &[Posting], visit: &mut impl FnMut(u32, f64)) {
        let mut rest = postings;
        let mut least = query.least;
        while let Some(&Posting { words, .. }) = rest.first() {
            let (run, longer) = rest.split_at(rest.partition_point(|posting| posting.words == words));
            rest = longer;
            let words = words as usize;
            // The more words a text has, the more of them must be shared.
            while least <= remaining && !self.looseness.overlaps(least, query.words + words - least) {
                least += 1;
            }
            if least > remaining.min(words) {
                return;
            }
            // Each bit in which the signatures differ is a word that is not shared.
            let Some(unshared) = (query.ranks.len() + words).checked_sub(2 * least) else { continue };
            for posting in run.iter().filter(|posting| (posting.signature ^ query.signature).count_ones() as usize <= unshared) {
                let shared = count_shared(&query.ranks, self.texts.get(posting.text as usize));
                let all = query.words + words - shared;
                if self.looseness.overlaps(shared, all) {
                    visit(posting.text, ratio(shared, all));
                }
            }
        }
    }
}

/// The rank of each word by the number of texts that have it.
fn rank(numbers: &Rows<u32>, words: usize) -> Vec<u32> {
    let mut frequencies = vec![0_usize; words];
    for &word in (0..numbers.len()).flat_map(|text| numbers.get(text)) {
        frequencies[word as usize] += 1;
    }
    let mut order: Vec<usize> = (0..words).collect();
    order.sort_by_key(|&word| frequencies[word]);
    let mut ranks = vec![0; words];
    for (rank, word) in (0..).zip(order) {
        ranks[word] = rank;
    }
    ranks
}

fn collect_rarest(texts: &Rows<u32>, words: usize, looseness: Looseness) -> Rows<Posting> {
    let mut order: Vec<(u32, usize)> = (0..).zip(0..texts.len()).collect();
    order.sort_by_key(|&(_, text)| texts.get(text).len());
    let prefixes = order.iter().flat_map(|&(number, text)| {
        let ranks = texts.get(text);
        let posting = Posting { signature: sign(ranks), text: number, words: u32::try_from(ranks.len()).unwrap_or(u32::MAX) };
        let prefix =
            least_shared(ranks.len(), |shared, all| looseness.overlaps(shared, all)).map_or(0, |least| ranks.len() + 1 - least);
        ranks.iter().take(prefix).map(move |&rank| (rank as usize, posting))
    });
    Rows::grouped(words, prefixes)
}

fn sorted(ranks: impl Iterator<Item = u32>) -> SmallVec<[u32; 24]> {
    let mut ranks: SmallVec<[u32; 24]> = ranks.collect();
    ranks.sort_unstable();
    ranks
}

/// A bit for each word. Words may share one.
fn sign(ranks: &[u32]) -> u64 {
    ranks.iter().fold(0, |signature, rank| signature | 1 << (rank % 64))
}
