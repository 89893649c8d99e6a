//! The settings of what is learned from roles' deliberations.

use std::collections::BTreeMap;

use crate::section::{Limits, SHARE, at_least, between, settings};

/// A weight against a pattern, or a number of days.
const AMOUNT: Limits = between(0.0, 1000.0);

settings! {
    /// Learning from roles' deliberations (`outerloop feedback`, `outerloop outcome`). The score is that of [inject.score].
    pub struct DeliberationSettings {
        /// Statements of one role and project are one pattern if they share this part of their words.
        overlap: f64 = 0.80, in SHARE;
        /// Whether a role that repeats a pattern it was shown confirms that pattern.
        echo_confirms: bool = false;
        /// A pattern is a candidate from this many sightings on.
        candidate_seen: u32 = 2;
        /// A pattern is verified from this many sightings on, if these were in enough contexts.
        verified_seen: u32 = 3;
        /// How many contexts a verified pattern needs.
        verified_contexts: u32 = 2;
        /// A pattern without use for more than this many days is deprecated, unless it is exempt from decay. A pattern that a person
        /// activated stays until a person retires it.
        idle_days: f64 = 42.0, in AMOUNT;
        /// A pattern that was passed over this often in favour of others is deprecated.
        most_skips: u32 = 10;
        /// A pattern is trusted from this many reinforcements on. Its rejection is then reported as a regression.
        trusted_from: u32 = 3;
        /// Weight of a rejection by a validator against a pattern.
        penalty: f64 = 1.0, in AMOUNT;
        /// The same for the patterns of single roles.
        penalties: BTreeMap<String, f64> = ["inspector", "sentinel"].map(|role| (role.to_owned(), 1.5)).into(), in AMOUNT;
        /// Whether a rejection counts only if the validator gives evidence.
        rejection_needs_evidence: bool = false;
        /// The weakest evidence with which a verdict reinforces patterns: 1 output of a program, 2 a quotation with its place,
        /// 3 reasoning.
        weakest_evidence: i64 = 2, in between(1.0, 3.0);
        /// How many patterns that were learned at its files a verdict reinforces.
        reinforced_by_file: usize = 5;
        /// How many patterns a verdict reinforces if none was learned at its files.
        reinforced: usize = 3;
        /// Weight of a failed outcome against the patterns of its run.
        failed_outcome: f64 = 0.5, in AMOUNT;
        /// A rejected finding is matched to a pattern if they share this part of their words.
        rejected_overlap: f64 = 0.60, in SHARE;
        /// How many words a rejected finding and its pattern must share.
        rejected_words: usize = 3;
        review: ReviewSettings;
        insight: InsightSettings;
    }

    /// Review of role patterns (`outerloop patterns review` and `status`).
    #[derive(Copy)]
    pub struct ReviewSettings {
        /// Two patterns of one role may be duplicates if they share this part of their words.
        overlap: f64 = 0.6, in SHARE;
        /// A pattern may be wrong if more than this share of its weight is against it.
        rejected: f64 = 0.5, in SHARE;
        /// The state is critical above this share of stale patterns.
        critical_stale: f64 = 0.5, in SHARE;
        /// The state is critical above this many possible duplicates.
        critical_pairs: usize = 10;
        /// The state is good up to this share of stale patterns, if there are few possible duplicates.
        good_stale: f64 = 0.2, in SHARE;
        /// How many possible duplicates are few.
        good_pairs: usize = 2;
    }

    /// Assessment of roles: how many of their runs pass, and how often validators agree with them.
    #[derive(Copy)]
    pub struct InsightSettings {
        /// A role is flagged below this share of passed runs.
        low_pass: f64 = 0.5, in SHARE;
        /// How many runs a role must have to be flagged.
        low_pass_runs: u32 = 2;
        /// A role and its validator are misaligned below this agreement.
        misaligned: f64 = 0.70, in SHARE;
        /// A role and its validator are well calibrated above this agreement.
        calibrated: f64 = 0.90, in SHARE;
        /// A validator that is also more lenient than the role may be rubber-stamping above this agreement.
        nodding: f64 = 0.85, in SHARE;
        /// The data is thin with fewer runs than this.
        thin_runs: u32 = 10;
        /// A trend compares this many days with as many before them.
        trend_days: u32 = 14, in at_least(1.0);
    }
}

impl DeliberationSettings {
    /// Weight of a rejection against a pattern of a role.
    #[must_use]
    pub fn penalty_of(&self, role: &str) -> f64 {
        self.penalties.iter().find(|(known, _)| known.eq_ignore_ascii_case(role)).map_or(self.penalty, |(_, penalty)| *penalty)
    }
}
