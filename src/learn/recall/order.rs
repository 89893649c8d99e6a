//! The order in which patterns are shown.

use std::cmp::{Ordering, Reverse};

use super::entry::Entry;
use super::question::{Purpose, Question};
use crate::pattern::Category;
use crate::rate::Confidence;
use setting::{InjectSettings, Order};

/// The order of categories where no goal says otherwise.
const CATEGORIES: [&str; 4] = ["mistake", "convention", "pattern", "insight"];

/// The place of a pattern among others; the lowest comes first. Fields count in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Whether the task is told in words, and the pattern does not fit it.
    is_misfit: bool,
    /// What coins have shown it to be worth, by token.
    value: Descending,
    category: usize,
    confidence: Confidence,
    figures: [Descending; 2],
    used: Reverse<i64>,
    number: Option<u32>,
    /// Where it stands in the pattern file.
    place: usize,
}

/// The value of what no coin has judged: neither good nor bad.
const NO_VALUE: Descending = Descending(0.0);

/// A number of which the highest comes first.
#[derive(Debug, PartialEq, Clone, Copy)]
struct Descending(f64);

impl Eq for Descending {}

impl PartialOrd for Descending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Descending {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

/// The score of a pattern for a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    pub(super) score: f64,
    pub(super) relevance: f64,
    pub(super) similarity: Option<f64>,
}

impl Rank {
    pub(super) fn of(entry: &Entry<'_>, worth: Worth, place: usize, question: &Question<'_>, settings: &InjectSettings) -> Self {
        let digits = entry.id.strip_prefix("P-").or_else(|| entry.id.strip_prefix("D-"));
        let number = digits.and_then(|digits| digits.parse().ok());
        if question.is_unfiltered {
            let figures = [Descending(0.0); 2];
            let confidence = Confidence::High;
            return Self {
                is_misfit: false,
                value: NO_VALUE,
                category: 0,
                confidence,
                figures,
                used: Reverse(0),
                number: None,
                place,
            };
        }
        match (question.purpose, settings.order) {
            (Purpose::Role, _) => Self {
                is_misfit: false,
                value: NO_VALUE,
                category: 0,
                confidence: Confidence::High,
                figures: [Descending(worth.score), Descending(entry.successes)],
                used: Reverse(entry.used_micros),
                number,
                place,
            },
            (_, Order::Score) => Self {
                is_misfit: is_misfit(entry, worth, question, settings),
                value: Descending(value_by_token(entry, settings)),
                category: category_rank(&entry.category, question.priority),
                confidence: Confidence::High,
                figures: [Descending(worth.relevance), Descending(worth.score)],
                used: Reverse(0),
                number,
                place,
            },
            // Within a bin the order of the pattern file stays.
            (_, Order::Confidence) => Self {
                is_misfit: false,
                value: NO_VALUE,
                category: category_rank(&entry.category, question.priority),
                // Bins are listed from the best to the worst.
                confidence: entry.confidence.unwrap_or(Confidence::Low),
                figures: [Descending(0.0); 2],
                used: Reverse(0),
                number: None,
                place,
            },
        }
    }
}

/// Whether a pattern does not fit. Where worth decides, one for other files would come first otherwise.
fn is_misfit(entry: &Entry<'_>, worth: Worth, question: &Question<'_>, settings: &InjectSettings) -> bool {
    let is_rated = question.task.is_some() || (question.rater.is_some() && entry.worth.is_some());
    is_rated && worth.relevance < settings.fit
}

/// What a pattern is worth by token of its text. What does harm does more of it the longer it is.
fn value_by_token(entry: &Entry<'_>, settings: &InjectSettings) -> f64 {
    let Some(worth) = entry.worth else { return 0.0 };
    // A vocabulary of tokens is too slow for thousands of patterns, and order needs no more than this.
    let characters = entry.summary.len().min(settings.most_characters);
    let tokens = f64::from(u32::try_from(characters.div_ceil(4)).unwrap_or(u32::MAX)).max(1.0);
    if worth < 0.0 { worth * tokens } else { worth / tokens }
}

/// The place of a category in the goal's list, else in the program's. A category that neither names comes last.
fn category_rank(category: &str, priority: &[String]) -> usize {
    // Almost all are of the four families themselves.
    let family = match CATEGORIES.iter().find(|known| **known == category) {
        Some(family) => family,
        None => Category::from_name(category).map_or(category, |category| category.family().name()),
    };
    let place = if priority.is_empty() {
        CATEGORIES.iter().position(|known| *known == family)
    } else {
        priority.iter().position(|known| known.eq_ignore_ascii_case(category) || known.eq_ignore_ascii_case(family))
    };
    place.unwrap_or(usize::MAX)
}
