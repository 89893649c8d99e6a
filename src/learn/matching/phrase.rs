//! What is matched against, and when a loose match counts.

use text::word::ratio;

/// A text by which a pattern is known. Several phrases may belong to one pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// The text. Space around it does not count.
    pub text: String,
    /// The number of the pattern.
    pub pattern: u32,
}

/// When a match in the substring or overlap tier counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Looseness {
    /// The characters that both lower-cased texts need.
    pub least_characters: usize,
    /// The distinct words that both texts need.
    pub least_words: usize,
    /// The shared part of all words that two texts must exceed.
    pub overlap: f64,
}

impl Default for Looseness {
    fn default() -> Self {
        Self { least_characters: 8, least_words: 2, overlap: 0.6 }
    }
}

impl Looseness {
    /// Whether a lower-cased text says enough to be matched loosely: a single letter is inside nearly every text.
    pub(super) fn admits(&self, lowered: &str, distinct_words: usize) -> bool {
        distinct_words >= self.least_words && lowered.chars().nth(self.least_characters.saturating_sub(1)).is_some()
    }

    /// Whether so many shared words out of all words of two texts are enough.
    ///
    /// The rounded quotient is compared, as the original does. Of all floats, the quotient 3/5 and the literal `0.6` are the
    /// nearest to the same number, hence the same float, and three of five shared words do not exceed it: no decimal threshold
    /// needs a tolerance. Texts that share no word never match, whatever the threshold.
    pub(super) fn overlaps(&self, shared: usize, all: usize) -> bool {
        shared > 0 && ratio(shared, all) > self.overlap
    }
}
