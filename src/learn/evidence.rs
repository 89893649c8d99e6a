//! What was counted for each pattern, from the rows of `sql/merge/evidence.sql`.

use std::collections::{BTreeMap, BTreeSet};

use super::score::Basis;
use super::staleness::Iterations;

macro_rules! evidence {
    ($($(#[$doc:meta])* $field:ident,)+) => {
        event::row! {
            /// The evidence of a pattern. Only sums, so that parts can be added in any order.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub struct Evidence {
                $($(#[$doc])* pub $field: i64,)+
                /// When it was first seen, in microseconds since 1970.
                pub first_micros: Option<i64> = "first_us",
                /// When it was last seen, in microseconds since 1970.
                pub last_micros: Option<i64> = "last_us",
                /// When an agent last said that it used it, in microseconds since 1970.
                pub used_micros: Option<i64> = "used_us",
            }
        }

        impl std::ops::AddAssign for Evidence {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
                self.first_micros = self.first_micros.into_iter().chain(other.first_micros).min();
                self.last_micros = self.last_micros.max(other.last_micros);
                self.used_micros = self.used_micros.max(other.used_micros);
            }
        }

        impl std::ops::SubAssign for Evidence {
            /// Takes a part away. Times stay: a part does not tell which was the first or the last of the rest.
            fn sub_assign(&mut self, other: Self) {
                $(self.$field -= other.$field;)+
            }
        }
    };
}

evidence! {
    /// How often it was shown or used.
    seen,
    /// How often agents say that they used it.
    applied,
    /// How often it was shown and no use was reported.
    injected,
    /// How often it was held back on purpose.
    withheld,
    /// Number of times it was offered beside a tool call, where no acknowledgment is requested.
    offered,
    /// How often it was used with a citation that does not hold.
    unverified,
    /// How often it was seen where a goal was judged.
    judged,
    /// How often it was used and the goal was met.
    met,
    /// How often it was used and no goal was judged.
    unjudged,
    /// How often it was used, the goal was missed, and its relevance is known.
    missed_rated,
    /// How often it was used, the goal was missed, and its relevance is not known.
    missed_unrated,
    /// The relevance of those where it is known, in millionths, summed.
    missed_relevance_millionths,
    /// How often it was used where a build judges the work.
    built,
    /// How often that build failed.
    build_failed,
    /// How often it was used, no goal was missed, the build failed, and its relevance is not known.
    failed_unrated,
    /// The relevance of those where it is known, in millionths, summed.
    failed_relevance_millionths,
    /// The part of `missed_unrated` whose build failed.
    failed_missed_unrated,
    /// The part of `missed_relevance_millionths` whose build failed.
    failed_missed_relevance_millionths,
    /// How often it was held back and the goal was met all the same.
    withheld_met,
    /// How often it was held back and the goal was missed.
    withheld_missed,
    /// Events that named it by its id.
    by_id,
    /// Events that quoted it exactly.
    by_exact,
    /// Events that quoted it but for case.
    by_case,
    /// Events that quoted a part of it, or more than it.
    by_substring,
    /// Events that quoted enough of its words.
    by_jaccard,
}

event::row! {
    /// The evidence of a pattern in one project.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProjectEvidence {
        pub pattern: u32,
        pub project: String,
        /// Whole days before the instant; none for what is older than the last days.
        pub age_days: Option<i64>,
        pub evidence: Evidence,
    }
}

/// Adds up the evidence of each pattern, by its number, and finds out since when the pattern was not seen.
#[must_use]
pub fn gather_evidence(rows: Vec<ProjectEvidence>, iterations: &Iterations, stale_after: u64) -> BTreeMap<u32, Basis> {
    let mut sums: BTreeMap<u32, (Evidence, BTreeSet<String>)> = BTreeMap::new();
    for ProjectEvidence { pattern, project, evidence, .. } in rows {
        let (sum, seen_in) = sums.entry(pattern).or_default();
        *sum += evidence;
        if evidence.seen > 0 {
            seen_in.insert(project);
        }
    }
    let bases = sums.into_iter().map(|(pattern, (evidence, seen_in))| {
        let since = evidence.last_micros.map_or(0, |last| iterations.since(&seen_in, last));
        let is_stale = evidence.seen > 0 && since >= stale_after;
        (pattern, Basis { evidence, iterations_since: since.try_into().unwrap_or(i64::MAX), is_stale, ..Basis::default() })
    });
    bases.collect()
}
