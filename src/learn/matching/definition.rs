//! What matching means, pair by pair. [`Index`](super::Index) finds the same faster, and is tested against this.

use std::collections::BTreeMap;

use super::phrase::{Looseness, Phrase};
use super::tier::{Match, Tier};
use text::fit::strip;
use text::word::{distinct_words, ratio};

/// The one pattern that a trigger is credited to: the best tier wins, then the closest text, then the lowest pattern number.
///
/// Both texts are trimmed, and an empty one matches nothing. The loose tiers count only where both texts say enough.
#[must_use]
pub fn best(phrases: &[Phrase], looseness: Looseness, trigger: &str) -> Option<Match> {
    let trigger = strip(trigger);
    let mut best: Option<Match> = None;
    for phrase in phrases.iter().filter(|phrase| !trigger.is_empty() && !strip(&phrase.text).is_empty()) {
        let Some(found) = compare(phrase, looseness, trigger) else { continue };
        let counts = found.tier <= Tier::Case || says_enough(looseness, trigger) && says_enough(looseness, strip(&phrase.text));
        if counts && best.is_none_or(|best| found.compare(&best).is_lt()) {
            best = Some(found);
        }
    }
    best
}

/// Every pattern that a trigger matches in any tier, with its best match, by pattern number: what the original counts.
///
/// Only the phrases are trimmed, no text is too short, and an empty text is inside every other.
#[must_use]
pub fn every(phrases: &[Phrase], looseness: Looseness, trigger: &str) -> Vec<Match> {
    let mut found: BTreeMap<u32, Match> = BTreeMap::new();
    for candidate in phrases.iter().filter_map(|phrase| compare(phrase, looseness, trigger)) {
        let known = found.entry(candidate.pattern).or_insert(candidate);
        if candidate.compare(known).is_lt() {
            *known = candidate;
        }
    }
    found.into_values().collect()
}

/// The first tier in which a trigger matches a phrase.
fn compare(phrase: &Phrase, looseness: Looseness, trigger: &str) -> Option<Match> {
    let found = |tier, closeness| Some(Match { pattern: phrase.pattern, tier, closeness });
    let text = strip(&phrase.text);
    if trigger == text {
        return found(Tier::Exact, 1.0);
    }
    let (trigger, text) = (trigger.to_lowercase(), text.to_lowercase());
    if trigger == text {
        return found(Tier::Case, 1.0);
    }
    if trigger.contains(&text) || text.contains(&trigger) {
        return found(Tier::Substring, ratio(trigger.len().min(text.len()), trigger.len().max(text.len())));
    }
    let (trigger, text) = (distinct_words(&trigger), distinct_words(&text));
    let shared = trigger.iter().filter(|word| text.contains(word)).count();
    let all = trigger.len() + text.len() - shared;
    if looseness.overlaps(shared, all) { found(Tier::Overlap, ratio(shared, all)) } else { None }
}

fn says_enough(looseness: Looseness, text: &str) -> bool {
    let lowered = text.to_lowercase();
    looseness.admits(&lowered, distinct_words(&lowered).len())
}
