//! A pattern with its figures: one row of the published table, and what every report is made from.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::flag::Flag;
use super::rate::Confidence;
use crate::pattern::{Category, State, is_tool_scope};
use crate::truth::{self, State as Verdict};

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
    /// A pattern with its figures. Counts are those of [`Evidence`].
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Score {
        /// `P-` and its permanent number.
        pub id: String,
        /// What people have made of it.
        pub state: State,
        /// What sort of lesson it is.
        pub category: Category,
        /// The lesson in a sentence.
        pub summary: String,
        /// When it applies.
        pub trigger: Option<String>,
        /// Whom it is for: the organisation, or the tool itself.
        pub scope: Option<String>,
        /// The repository that it is for; `*` for all.
        pub repo: String,
        /// The agents that it is for; `*` for all.
        pub applies_to: Vec<String>,
        /// What it is about.
        pub tags: Vec<String>,
        /// Sightings: how often it was shown or used.
        pub seen: i64,
        /// Sightings in which agents say that they used it.
        pub applied: i64,
        /// Sightings in which it was shown and no use was reported.
        pub injected: i64,
        /// How often it was held back on purpose; no sighting.
        pub withheld: i64,
        /// How often it was offered where it could not be used; no sighting.
        pub offered: i64,
        /// Uses with a citation that does not hold.
        pub unverified: i64,
        /// Uses whose goal was met.
        pub met: i64,
        /// Uses without a judged goal.
        pub unjudged: i64,
        /// Uses whose goal was missed and whose relevance is known.
        pub missed_rated: i64,
        /// Uses whose goal was missed and whose relevance is not known.
        pub missed_unrated: i64,
        /// Uses that a build judges.
        pub built: i64,
        /// Those of them whose build failed.
        pub build_failed: i64,
        /// How often it was held back and the goal was met all the same.
        pub withheld_met: i64,
        /// How often it was held back and the goal was missed.
        pub withheld_missed: i64,
        /// How successes are counted.
        pub mode: Mode,
        /// The successes that are counted, in parts of one where a goal was missed.
        pub weight: f64,
        /// The successes for each sighting.
        pub rate: Option<f64>,
        /// The lower end of the rate's interval, at 90 percent.
        pub lower: Option<f64>,
        /// The upper end of the rate's interval, at 90 percent.
        pub upper: Option<f64>,
        /// The tasks behind the interval, where tasks are named.
        pub tasks: Option<i64>,
        /// The successes for each use: what `rate` would be if showing a pattern cost nothing.
        pub applied_rate: Option<f64>,
        /// The bin of the rate.
        pub confidence: Confidence,
        /// What to do about it; empty for nothing.
        pub flag: Flag,
        /// Why it has its flag.
        pub flag_reason: String,
        /// Whether the interval supports the flag.
        pub is_settled: bool,
        /// Iterations since it was last seen, in the projects that saw it.
        pub iterations_since: i64,
        /// When it was first shown or used.
        pub first_seen: Option<String> => AsTime,
        /// When it was last shown or used.
        pub last_seen: Option<String> => AsTime,
        /// When an agent last said that it used it.
        pub last_used: Option<String> => AsTime,
        /// How often its lesson was captured.
        pub captures: i64,
        /// When its lesson was first captured.
        pub learned: String => AsTime,
        /// When its lesson was last captured.
        pub last_captured: String => AsTime,
        /// The event of the first capture.
        pub source_event: String,
        /// The inbox file it stands in.
        pub source_file: String,
        /// The line of that file.
        pub source_line: i64,
        /// Who decided about it last, and why.
        pub note: Option<String>,
        /// The files that it was learned in, as paths from the top of their repository.
        pub files: Vec<String>,
        /// What logged coins say of it.
        pub verdict: Verdict,
        /// How much more often tasks succeed that were shown it, as a share: 0.1 is ten points.
        pub lift: Option<f64>,
        /// The lower end of the lift's interval, which holds at every look at once.
        pub lift_lower: Option<f64>,
        /// The upper end of that interval.
        pub lift_upper: Option<f64>,
        /// The lift after patterns of one category have borrowed strength from each other.
        pub lift_pooled: Option<f64>,
        /// The judged tasks behind the lift; runs where no task is named.
        pub units: i64,
        /// Days until a verdict, by the traffic of the last fortnight.
        pub days_left: Option<i64>,
        /// The chance that it is shown where it fits; none where no coin is tossed.
        pub coin: Option<f64>,
        /// How often another store had seen it.
        pub prior_seen: Option<i64>,
        /// The rate that another store gave it.
        pub prior_rate: Option<f64>,
        /// The flag that another store gave it.
        pub prior_flag: Option<String>,
        /// Which store that was: a project that shared it, or a file that was imported.
        pub prior_source: Option<String>,
        /// How many sightings here the other store's figures are worth.
        pub history: f64,
        /// The rate of what was seen here and of history together: what flags, order, injection and sharing follow.
        pub expected: Option<f64>,
    }
}

event::row! {
    /// What a pattern's figures rest on.
    #[derive(Debug, Clone, Copy, Default, PartialEq)]
    pub struct Basis {
        pub evidence: Evidence,
        /// The weight, where another way of counting gives it.
        pub fixed_weight: Option<f64>,
        /// The rate, where another way of counting gives it.
        pub fixed_rate: Option<f64>,
        pub iterations_since: i64,
        /// Whether that is too long.
        pub is_stale: bool,
        /// Whether coins prove that it helps, whatever its rate.
        pub is_proven: bool,
        /// How many tasks it was seen in, where tasks are named.
        pub tasks: Option<i64>,
        /// How many independent sightings those are worth, together with the sightings outside of any task.
        pub effective_seen: Option<f64>,
        /// How often another store has seen it.
        pub prior_seen: Option<i64>,
        /// The rate that another store gives it.
        pub prior_rate: Option<f64>,
        /// Whether another store has given it up.
        pub is_given_up: bool,
    }
}

impl Score {
    /// Takes over what the coins say of it.
    pub fn take_verdict(&mut self, verdict: &truth::Verdict) {
        self.verdict = verdict.verdict;
        (self.lift, self.lift_lower, self.lift_upper) = (verdict.lift, verdict.lower, verdict.upper);
        (self.lift_pooled, self.units, self.days_left) = (verdict.pooled, verdict.units, verdict.days_left);
        self.coin = verdict.coin;
    }

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

    /// Its rate, from here and from where it was taken over.
    #[must_use]
    pub fn known_rate(&self) -> Option<f64> {
        self.expected.or(self.rate).or(self.prior_rate)
    }

    /// How much is known of it, in sightings. History counts in part.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "nothing is seen so often")]
    pub fn known_weight(&self) -> f64 {
        if self.history > 0.0 { self.seen as f64 + self.history } else { self.known_seen() as f64 }
    }
}
