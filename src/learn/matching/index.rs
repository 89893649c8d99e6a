//! Matching many triggers against the same phrases.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use super::containment::Containment;
use super::overlap::Overlap;
use super::phrase::{Looseness, Phrase};
use super::phrasebook::Phrasebook;
use super::tier::{Match, Tier};
use text::fit::strip;
use text::word::{Words, distinct_words, ratio};

/// The phrases of all patterns, ready to be matched as [`definition`](super::definition) says.
///
/// Several threads may match at once: each call has its own buffers. What only the loose tiers need is made when the first trigger
/// reaches them.
#[derive(Debug)]
pub struct Index {
    looseness: Looseness,
    book: Phrasebook,
    loose: OnceLock<Loose>,
}

/// What the loose tiers need.
#[derive(Debug)]
struct Loose {
    containment: Containment,
    overlap: Overlap,
    /// Whether each text says enough to be matched loosely.
    says_enough: Vec<bool>,
}

impl Index {
    /// An index of the phrases.
    #[must_use]
    pub fn new(phrases: &[Phrase], looseness: Looseness) -> Self {
        Self { looseness, book: Phrasebook::new(phrases), loose: OnceLock::new() }
    }

    /// The one pattern that a trigger is credited to: see [`definition::best`](super::definition::best).
    #[must_use]
    pub fn best(&self, trigger: &str) -> Option<Match> {
        let trigger = strip(trigger);
        if trigger.is_empty() {
            return None;
        }
        if let Some(pattern) = self.book.lowest_spelled(trigger) {
            return Some(Match { pattern, tier: Tier::Exact, closeness: 1.0 });
        }
        let lowered = trigger.to_lowercase();
        if let Some(pattern) = self.book.texts().find(&lowered).and_then(|text| self.book.lowest(text)) {
            return Some(Match { pattern, tier: Tier::Case, closeness: 1.0 });
        }
        let words = distinct_words(&lowered);
        if !self.looseness.admits(&lowered, words.len()) {
            return None;
        }
        let loose = self.loose();
        self.best_contained(loose, &lowered).or_else(|| self.best_overlapping(loose, &words))
    }

    /// Every pattern that a trigger matches, by pattern number: see [`definition::every`](super::definition::every).
    #[must_use]
    pub fn every(&self, trigger: &str) -> Vec<Match> {
        let lowered = trigger.to_lowercase();
        let (texts, loose) = (self.book.texts(), self.loose());
        let mut found = Vec::new();
        for &owner in texts.find(&lowered).map_or(&[][..], |text| self.book.owners(text)) {
            let tier = if self.book.is_spelled(owner, trigger) { Tier::Exact } else { Tier::Case };
            found.push(Match { pattern: owner.pattern, tier, closeness: 1.0 });
        }
        let mut add = |text, tier, closeness| {
            found.extend(self.book.owners(text).iter().map(|owner| Match { pattern: owner.pattern, tier, closeness }));
        };
        if let Some(nothing) = texts.find("") {
            add(nothing, Tier::Substring, 0.0);
        }
        loose.containment.visit_inside(texts, &lowered, 1, |text| {
            add(text, Tier::Substring, ratio(texts.get(text).len(), lowered.len()));
        });
        let _complete: ControlFlow<()> = loose.containment.visit_around(texts, &lowered, |text| {
            // An empty text around an empty trigger is the same text, which a better tier has found.
            add(text, Tier::Substring, ratio(lowered.len(), texts.get(text).len().max(1)));
            ControlFlow::Continue(())
        });
        loose.overlap.visit(&distinct_words(&lowered), |text, closeness| add(text, Tier::Overlap, closeness));
        found.sort_unstable_by(|left, right| left.pattern.cmp(&right.pattern).then_with(|| left.compare(right)));
        found.dedup_by_key(|found| found.pattern);
        found
    }

    fn best_contained(&self, loose: &Loose, lowered: &str) -> Option<Match> {
        let texts = self.book.texts();
        let mut best = Best::default();
        let mut add = |text: u32, closeness| {
            let counts = loose.says_enough[text as usize];
            if counts {
                best.add(self.book.lowest(text), Tier::Substring, closeness);
            }
            counts
        };
        let _first: ControlFlow<()> = loose.containment.visit_around(texts, lowered, |text| {
            // The texts come in the order of their lengths and patterns: none of the rest is better.
            if add(text, ratio(lowered.len(), texts.get(text).len())) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // No text has more characters than bytes.
        loose.containment.visit_inside(texts, lowered, self.looseness.least_characters, |text| {
            add(text, ratio(texts.get(text).len(), lowered.len()));
        });
        best.found
    }

    fn best_overlapping(&self, loose: &Loose, words: &Words) -> Option<Match> {
        let mut best = Best::default();
        loose.overlap.visit(words, |text, closeness| {
            if loose.says_enough[text as usize] {
                best.add(self.book.lowest(text), Tier::Overlap, closeness);
            }
        });
        best.found
    }

    fn loose(&self) -> &Loose {
        self.loose.get_or_init(|| {
            let texts = self.book.texts();
            let overlap = Overlap::new(texts, self.looseness);
            let says_enough = |text| self.looseness.admits(texts.get(text), overlap.count_words(text));
            let says_enough = texts.numbers().map(says_enough).collect();
            Loose { containment: Containment::new(texts), overlap, says_enough }
        })
    }
}

/// The best match so far.
#[derive(Default)]
struct Best {
    found: Option<Match>,
}

impl Best {
    fn add(&mut self, pattern: Option<u32>, tier: Tier, closeness: f64) {
        let Some(candidate) = pattern.map(|pattern| Match { pattern, tier, closeness }) else { return };
        if self.found.is_none_or(|found| candidate.compare(&found).is_lt()) {
            self.found = Some(candidate);
        }
    }
}
