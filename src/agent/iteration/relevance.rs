//! How relevant each pattern was to what an iteration changed, as events.

use super::turn::Turn;
use learn::relevance::{METHOD, Rater};
use render::toon::Row;
use text::fit;

/// Rates every pattern, each by its id. Without any changed file there is nothing to rate by, and nothing is said.
pub fn relevance_lines(turn: &Turn, patterns: &[Row], rater: &Rater) -> Result<Vec<String>, String> {
    patterns
        .iter()
        .map(|pattern| {
            let relevance = rater.rate(&pattern.summary, &pattern.context);
            turn.draft("relevance")
                .with_some("pattern_id", fit::name(&pattern.id))
                .with("score", relevance.score)
                .with("method", METHOD)
                .with_items("matched_concepts", relevance.matched)
                .finish()
        })
        .collect()
}
