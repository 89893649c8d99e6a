//! How much patterns are like what is sought, and what that adds to what they are worth.

use std::collections::HashMap;

use text::digest::sha256;
use text::review::normalise;

/// How much texts are like the one that is sought.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Similarities {
    by_text: HashMap<String, f64>,
    weight: f64,
}

impl Similarities {
    /// Similarities by the hashes of texts as they are compared, and what they count for, of 1. What is no number is left out.
    #[must_use]
    pub fn new(by_text: impl IntoIterator<Item = (String, f64)>, weight: f64) -> Self {
        Self { by_text: by_text.into_iter().filter(|(_, similarity)| similarity.is_finite()).collect(), weight }
    }

    /// Whether no text is known to be like or unlike what is sought.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    /// How much a text is like what is sought, from -1 to 1, if that is known.
    #[must_use]
    pub fn of(&self, text: &str) -> Option<f64> {
        self.by_text.get(&sha256(normalise(text).as_bytes())).copied()
    }

    /// What a pattern is worth that is so much like what is sought.
    #[must_use]
    pub fn blend(&self, similarity: f64, score: f64) -> f64 {
        blend(similarity, score, self.weight)
    }
}

/// A similarity and a score as one: the one counts for its weight, the other for the rest. What points away is no better than what
/// has nothing to do with it, and a score beyond 1 cannot outweigh what means the same.
#[must_use]
pub fn blend(similarity: f64, score: f64, weight: f64) -> f64 {
    let blended = weight * similarity.clamp(0.0, 1.0) + (1.0 - weight) * score.min(1.0);
    if blended.is_finite() { blended } else { 0.0 }
}
