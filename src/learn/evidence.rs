//! What was counted for each pattern, from the rows of `sql/merge/evidence.sql`.

use std::collections::BTreeMap;

use arrow::array::Array as _;

use event::row::Rows;
use text::diagnostic::Outcome;

macro_rules! evidence {
    ($($(#[$doc:meta])* $field:ident,)+) => {
        /// The evidence of a pattern. Only sums, so that parts can be added in any order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Evidence { $($(#[$doc])* pub $field: i64,)+
            /// When it was first seen, in microseconds since 1970.
            pub first_micros: Option<i64>,
            /// When it was last seen, in microseconds since 1970.
            pub last_micros: Option<i64>,
            /// When an agent last said that it used it, in microseconds since 1970.
            pub used_micros: Option<i64>,
        }

        impl Evidence {
            /// Nothing was counted.
            pub const NOTHING: Self = Self { $($field: 0,)+ first_micros: None, last_micros: None, used_micros: None };
        }

        impl std::ops::AddAssign for Evidence {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)+
                self.first_micros = earliest(self.first_micros, other.first_micros);
                self.last_micros = self.last_micros.max(other.last_micros);
                self.used_micros = self.used_micros.max(other.used_micros);
            }
        }

        /// Evidence by pattern number, then by project.
        pub type ProjectEvidence = BTreeMap<u32, BTreeMap<String, Evidence>>;

        /// Reads the rows of the merged evidence.
        pub fn parse_evidence(rows: &Rows) -> Outcome<ProjectEvidence> {
            let mut all = ProjectEvidence::new();
            for part in rows.parts() {
                let (patterns, projects) = (part.numbers("pattern")?, part.texts("project")?);
                let (firsts, lasts, uses) = (part.numbers("first_us")?, part.numbers("last_us")?, part.numbers("used_us")?);
                $(let $field = part.numbers(stringify!($field))?;)+
                for row in 0..part.len() {
                    let Ok(pattern) = u32::try_from(patterns.value(row)) else { continue };
                    let evidence = Evidence {
                        $($field: $field.value(row),)+
                        first_micros: firsts.is_valid(row).then(|| firsts.value(row)),
                        last_micros: lasts.is_valid(row).then(|| lasts.value(row)),
                        used_micros: uses.is_valid(row).then(|| uses.value(row)),
                    };
                    *all.entry(pattern).or_default().entry(projects.value(row).to_owned()).or_default() += evidence;
                }
            }
            Ok(all)
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
    /// The part of `met` whose build failed.
    failed_met,
    /// The part of `unjudged` whose build failed.
    failed_unjudged,
    /// The part of `missed_rated` whose build failed.
    failed_missed_rated,
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

const fn earliest(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if one < other { one } else { other }),
        (Some(only), None) | (None, Some(only)) => Some(only),
        (None, None) => None,
    }
}
