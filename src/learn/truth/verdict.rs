//! Verdicts and their sums as they are published: one row a subject, whole numbers beside every figure.

use serde::{Deserialize, Serialize};

use super::judgement::{Arm, Finding, Rule};
use super::state::State;
use super::subject::Subject;
use crate::rounding::real;
use text::day::Day;

event::row! {
    /// What the coins say of the loop, a pattern or an experiment. Lifts are shares: 0.1 is ten points.
    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Verdict {
        /// `loop`, the id of a pattern, or `experiment` and its name.
        pub subject: String,
        /// What they say: helps, hurts, no effect that matters, or not enough data.
        pub verdict: State,
        /// The metric that decides.
        pub metric: String,
        /// How much more often units succeed that were shown it.
        pub lift: Option<f64>,
        /// The lower end of the lift's interval, which holds at every look at once.
        pub lower: Option<f64>,
        /// The upper end of that interval.
        pub upper: Option<f64>,
        /// The judged units of the epoch: tasks, or runs that name none.
        pub units: i64,
        /// Those that were shown it.
        pub shown: i64,
        /// Those that it was held back from.
        pub withheld: i64,
        /// All units that drew a coin in the epoch, judged or not.
        pub drawn_shown: i64,
        /// The same, where the coin said to hold back.
        pub drawn_withheld: i64,
        /// Units that stay without an outcome.
        pub unjudged_shown: i64,
        /// The same, where it was held back.
        pub unjudged_withheld: i64,
        /// Those of them that were judged after `truth.settle_hours`.
        pub late: i64,
        /// Units that may still be judged.
        pub pending: i64,
        /// The outcome that bets expect.
        pub baseline: f64,
        /// The natural logarithm of the e-value that it helps.
        pub ln_helps: f64,
        /// The natural logarithm of the e-value that it hurts.
        pub ln_hurts: f64,
        /// The natural logarithm of the e-value that rows are lost.
        pub ln_ratio_mismatch: f64,
        /// The sum of e(1-e) over units.
        pub weight: f64,
        /// The sum of squared residuals.
        pub variance: f64,
        /// The lift after patterns of one category have borrowed strength from each other. For coins and order, never for verdicts.
        pub pooled: Option<f64>,
        /// The standard deviation of the pooled lift.
        pub pooled_deviation: Option<f64>,
        /// The chance of being shown from here on.
        pub coin: Option<f64>,
        /// What order goes by, per token: the pooled lift and half its deviation.
        pub worth: Option<f64>,
        /// Judged units a day over the last fortnight.
        pub units_per_day: f64,
        /// Days until the smallest lift that matters would be told from none.
        pub days_left: Option<i64>,
        /// The day on which the evidence begins.
        pub epoch: String,
        /// The day since which the verdict stands.
        pub since: Option<String>,
        /// Whether the verdict is of an earlier epoch, and this one has not spoken.
        pub is_earlier: bool,
        /// Guarded metrics that got worse.
        pub guards: Vec<String>,
    }
}

event::row! {
    /// Units of the current epoch of a subject by coin, arm and outcome: what every figure of its verdict is computed from.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Sum {
        /// `loop`, the id of a pattern, or `experiment` and its name.
        pub subject: String,
        /// The metric of the outcome.
        pub metric: String,
        /// The chance of being shown, in millionths.
        pub propensity_millionths: i64,
        /// Whether the coin said to show it.
        pub is_shown: bool,
        /// The outcome, in hundredths: 0 is the worst, 100 the best.
        pub outcome_hundredths: i64,
        /// How many units these are.
        pub units: i64,
    }
}

impl Verdict {
    #[must_use]
    pub fn new(subject: &Subject, finding: &Finding, rule: &Rule<'_>) -> Self {
        let Finding { judged, state, shown, withheld, guards, .. } = finding;
        let lost = |arm: &Arm| count(arm.late + arm.unjudged);
        Self {
            subject: subject.to_string(),
            verdict: *state,
            metric: rule.metric.to_owned(),
            lift: judged.lift.map(|lift| lift.lift),
            lower: judged.lift.map(|lift| lift.lower()),
            upper: judged.lift.map(|lift| lift.upper()),
            units: count(judged.units()),
            shown: count(shown.judged),
            withheld: count(withheld.judged),
            drawn_shown: count(shown.drawn()),
            drawn_withheld: count(withheld.drawn()),
            unjudged_shown: lost(shown),
            unjudged_withheld: lost(withheld),
            late: count(shown.late + withheld.late),
            pending: count(shown.pending + withheld.pending),
            baseline: judged.baseline,
            ln_helps: judged.evidence.helps,
            ln_hurts: judged.evidence.hurts,
            ln_ratio_mismatch: judged.mismatch,
            weight: judged.lift.map_or(0.0, |lift| lift.weight),
            variance: judged.lift.map_or(0.0, |lift| lift.variance),
            units_per_day: judged.units_per_day(rule.today),
            days_left: (*state == State::NotEnough)
                .then(|| judged.days_left(rule.today, &rule.setup))
                .flatten()
                .and_then(|days| i64::try_from(days).ok()),
            epoch: Day::of_micros(judged.epoch).to_string(),
            since: judged.changes.last().map(|(day, _)| day_text(*day)),
            is_earlier: matches!(state, State::Helps | State::Hurts | State::Blocked) && judged.entered < judged.epoch,
            guards: guards.iter().filter(|guard| guard.is_breached).map(|guard| guard.metric.clone()).collect(),
            ..Self::default()
        }
    }

    /// The share of judged units that went without.
    #[must_use]
    pub fn withheld_share(&self) -> Option<f64> {
        (self.units > 0).then(|| real(self.withheld) / real(self.units))
    }

    /// The share of settled units without an outcome, where it was shown and where it was withheld.
    #[must_use]
    pub fn unjudged_shares(&self) -> Option<(f64, f64)> {
        let share = |lost: i64, judged: i64| (lost + judged > 0).then(|| real(lost) / real(lost + judged));
        share(self.unjudged_shown, self.shown).zip(share(self.unjudged_withheld, self.withheld))
    }
}

impl Sum {
    /// The sums of a subject, guards included.
    pub fn list(subject: &Subject, finding: &Finding, rule: &Rule<'_>) -> Vec<Self> {
        let own = std::iter::once((rule.metric, &finding.judged.cells));
        let guards = finding.guards.iter().map(|guard| (&*guard.metric, &guard.cells));
        own.chain(guards)
            .flat_map(|(metric, cells)| {
                cells.iter().map(|(cell, units)| Self {
                    subject: subject.to_string(),
                    metric: metric.to_owned(),
                    propensity_millionths: i64::from(cell.propensity_millionths),
                    is_shown: cell.is_shown,
                    outcome_hundredths: i64::from(cell.outcome_hundredths),
                    units: count(units),
                })
            })
            .collect()
    }
}

fn count(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}

fn day_text(day: i64) -> String {
    Day::of_micros(day.saturating_mul(text::time::DAY_MICROS)).to_string()
}
