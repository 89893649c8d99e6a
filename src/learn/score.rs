//! A pattern with its figures: one row of the published table, and what every report is made from.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::flag::Flag;
use super::rate::Confidence;
use crate::pattern::{Category, State, is_tool_scope};

event::words! {
    /// How the successes of a pattern are counted.
    pub enum Mode {
        /// Each use counts in full.
        Simple = "simple",
        /// A use whose goal was missed counts in part.
        GoalWeighted = "goal-weighted",
    }
}

event::row! {
    /// A pattern with its figures.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Score {
        /// The pattern's id.
        pub id: String,
        /// What people have made of it.
        pub state: State,
        /// What sort of lesson it is.
        pub category: Category,
        /// The lesson in a sentence.
        pub summary: String,
        /// When it applies.
        pub trigger: Option<String>,
        /// Who it is for.
        pub scope: Option<String>,
        /// The repository it holds for.
        pub repo: String,
        /// The agents it is for.
        pub applies_to: Vec<String>,
        /// What it is about.
        pub tags: Vec<String>,
        /// How often it was shown or used.
        pub seen: i64,
        /// How often agents say that they used it.
        pub applied: i64,
        /// How often it was shown and no use was reported.
        pub injected: i64,
        /// How often it was held back on purpose.
        pub withheld: i64,
        /// How often it was shown beside a tool's use, which counts for nothing.
        pub offered: i64,
        /// How often it was used with a citation that does not hold.
        pub unverified: i64,
        /// How often it was used and the goal was met.
        pub met: i64,
        /// How often it was used and no goal was judged.
        pub unjudged: i64,
        /// How often it was used, the goal was missed, and its relevance is known.
        pub missed_rated: i64,
        /// How often it was used, the goal was missed, and its relevance is not known.
        pub missed_unrated: i64,
        /// How often it was used where a build judges the work.
        pub built: i64,
        /// How often that build failed.
        pub build_failed: i64,
        /// How often it was held back and the goal was met all the same.
        pub withheld_met: i64,
        /// How often it was held back and the goal was missed.
        pub withheld_missed: i64,
        /// Whether goals count.
        pub mode: Mode,
        /// The successes that are counted, in parts of one where a goal was missed.
        pub weight: f64,
        /// The successes for each sighting.
        pub rate: Option<f64>,
        /// The lower end of the rate's interval, at 90 percent.
        pub lower: Option<f64>,
        /// The upper end of the rate's interval, at 90 percent.
        pub upper: Option<f64>,
        /// The successes for each use: what `rate` would be if showing a pattern cost nothing.
        pub applied_rate: Option<f64>,
        /// The bin of the rate.
        pub confidence: Confidence,
        /// The flag.
        pub flag: Flag,
        /// Why it is flagged.
        pub flag_reason: String,
        /// Whether the interval supports the flag.
        pub is_settled: bool,
        /// For how many iterations it was not seen.
        pub iterations_since: i64,
        /// When it was first seen.
        pub first_seen: Option<String>,
        /// When it was last seen.
        pub last_seen: Option<String>,
        /// When an agent last said that it used it.
        pub last_used: Option<String>,
        /// How often its lesson was captured.
        pub captures: i64,
        /// When its lesson was first captured.
        pub learned: String,
        /// When its lesson was last captured.
        pub last_captured: String,
        /// The event of that capture.
        pub source_event: String,
        /// The inbox file it stands in.
        pub source_file: String,
        /// The line there.
        pub source_line: i64,
        /// Who decided about it last, and why.
        pub note: Option<String>,
        /// The files that it was learned in, as paths from the top of their repository.
        pub files: Vec<String>,
        /// How often another store had seen it.
        pub prior_seen: Option<i64>,
        /// The rate that another store gave it.
        pub prior_rate: Option<f64>,
    }
}

event::row! {
    /// What a pattern's figures rest on.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct Basis {
        /// What was counted.
        pub evidence: Evidence,
        /// The weight, where another way of counting gives it.
        pub fixed_weight: Option<f64>,
        /// The rate, where another way of counting gives it.
        pub fixed_rate: Option<f64>,
        /// For how many iterations it was not seen.
        pub iterations_since: i64,
        /// Whether that is too long.
        pub is_stale: bool,
    }
}

impl Score {
    /// Whether the pattern is in use.
    #[must_use]
    pub const fn is_in_use(&self) -> bool {
        self.state.is_in_use()
    }

    /// Whether it is a lesson for the organisation, rather than about the tool itself.
    #[must_use]
    pub fn is_for_organisation(&self) -> bool {
        !is_tool_scope(self.scope.as_deref())
    }

    /// How often it was seen, here or where it was taken over from.
    #[must_use]
    pub fn known_seen(&self) -> i64 {
        if self.seen > 0 { self.seen } else { self.prior_seen.unwrap_or(0) }
    }

    /// Its rate, from here or from where it was taken over.
    #[must_use]
    pub fn known_rate(&self) -> Option<f64> {
        self.rate.or(self.prior_rate)
    }
}
