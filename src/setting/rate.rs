//! The settings of how lessons become patterns, and patterns get rates, bins and flags.

use crate::section::{SHARE, settings};
use crate::words;

settings! {
    /// How lessons become patterns.
    #[derive(Copy)]
    pub struct MergeSettings {
        /// Two lessons are one pattern if they share this part of all words of both, or if they have the same trigger.
        overlap: f64 = 0.8, in SHARE;
    }

    /// How an event that names no pattern is matched by its text: the same text, the same but for case, one inside the other, or
    /// enough words in common. The best match counts, and one pattern gets the credit.
    #[derive(Copy)]
    pub struct AttributionSettings {
        /// Texts with fewer characters match only if they are equal.
        least_characters: usize = 8;
        /// Texts with fewer words match only if they are equal.
        least_words: usize = 2;
        /// Texts match if they share more than this part of their words.
        overlap: f64 = 0.6, in SHARE;
    }

    /// The weight of an application of a pattern.
    pub struct RateSettings {
        /// Whether a missed goal reduces the weight. If not, every verified application weighs 1.
        goal_weighted: bool = true;
        /// Weight of a fully relevant application whose goal was missed. Less relevant ones weigh less in proportion.
        missed_goal: f64 = 0.5, in SHARE;
        /// Relevance of an application that nobody rated.
        unrated_relevance: f64 = 0.5, in SHARE;
        /// Least relevance to what an agent touched at which not using a pattern counts against it. Below it, and for an agent that
        /// neither changed a file nor ran a command, the pattern was only offered: that counts for nothing.
        silence_relevance: f64 = 0.1, in SHARE;
        /// Factor on the weight of a fully relevant application whose build failed. Less relevant ones lose less in proportion. The original
        /// ignores build results, as 1 does.
        failed_build: f64 = 1.0, in SHARE;
        /// Weight of a sighting that another store has counted (an imported pattern file, a shared entry), beside one seen here. 0 leaves
        /// such history out; compat always does.
        history: f64 = 0.5, in SHARE;
        /// Most sightings that history is worth, so that what is seen here can overrule it.
        history_most: u64 = 20;
        /// The agents whose applications a build judges.
        build_agents: Vec<String> = words(&["implementation-subagent"]);
    }

    /// Bins of confidence.
    #[derive(Copy)]
    pub struct ConfidenceSettings {
        /// Confidence is high from this rate on.
        high: f64 = 0.70, in SHARE;
        /// Confidence is medium from this rate on.
        medium: f64 = 0.40, in SHARE;
    }

    /// Flags of patterns.
    #[derive(Copy)]
    pub struct FlagSettings {
        /// Patterns below this rate are flagged as REVIEW.
        review_below: f64 = 0.40, in SHARE;
        /// Patterns below this rate are flagged as PRUNE once they were seen often enough.
        prune_below: f64 = 0.40, in SHARE;
        /// Seen more often than this is often enough for PRUNE.
        prune_over: u64 = 20;
        /// Patterns are flagged as STALE if they were not seen in this many iterations of the projects that use them.
        stale_after: u64 = 10;
    }

    /// Goal statistics.
    #[derive(Copy, Eq)]
    pub struct StatisticsSettings {
        /// How many runs a goal needs for any statistics.
        least_runs: u64 = 5;
        /// How many runs with a pattern its statistics need.
        least_applications: u64 = 3;
        /// How many of the latest runs make a trend.
        trend_runs: u64 = 10;
        /// How many of the latest runs of each goal are read. The limit keeps the cost of a cycle from growing over the years.
        most_runs: u32 = 1000;
    }
}
