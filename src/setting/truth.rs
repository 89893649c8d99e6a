//! The settings of the holdout: whether and how coins are tossed, and what they are judged by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::inject::Order;
use crate::parse::Conflict;
use crate::root::{Compat, Settings};
use crate::section::{REDUCING, SHARE, at_least, between, choices, settings};
use crate::words;

/// The longest name of an experiment, in bytes: it stands in every event of it.
const MOST_NAME_BYTES: usize = 60;

/// Failures of machines and services, not of work.
#[rustfmt::skip]
const INFRASTRUCTURE: [&str; 10] = [
    "infrastructure", "environment", "network", "rate-limit", "quota", "provider-error", "api-error", "out-of-memory", "disk-full",
    "approval-denied",
];

settings! {
    /// Randomised holdout: coins decide which tasks are shown which patterns, so that the effect of a pattern, and of all of them, can
    /// be measured. Every coin is logged and can be recomputed (`outerloop truth audit`). Never any coin with `compat`.
    pub struct TruthSettings {
        /// When to toss: "auto" begins by itself once hooks have shown patterns and outcomes were judged; "always"; "never".
        on: Tossing;
        /// Chance that a task, or a run that names no task, is shown patterns at all. The others show what the whole loop is worth.
        loop_coin: f64 = 0.9, in SHARE;
        /// Chance that a pattern is shown where it would be shown. It keeps its place where it is not.
        coin: f64 = 0.8, in SHARE;
        /// Whether coins follow the evidence: patterns that seem to help are shown more often, others less. Recommended from about 200
        /// runs a day.
        adapt: bool = false;
        /// The outcome that decides: "goal", "score", "result", "quality", "tokens" or "duration".
        metric: Metric;
        /// The smallest effect that matters, as a share of tasks.
        smallest: f64 = 0.10, in REDUCING;
        /// Hours after which a task without an outcome stays without one.
        settle_hours: u32 = 24;
        /// Days after which the evidence of a pattern starts anew, because models and code change.
        epoch_days: u32 = 90, in at_least(1.0);
        /// Types of failures (`failure_type` of a run) that say nothing about what was shown: such runs are not judged.
        infrastructure: Vec<String> = words(&INFRASTRUCTURE);
        /// Outcomes that a pattern must not worsen, whatever it does for the one that decides.
        guards: Vec<Metric> = vec![Metric::Tokens, Metric::Duration, Metric::Result];
        /// By how much a pattern may worsen a guarded outcome, as a share of tasks.
        guard_limit: f64 = 0.05, in SHARE;
        /// Settings to compare: one share of the tasks gets the variant, the others the settings as they stand. A variant changes
        /// `tokens`, `most` or `order` of the section `inject`, `coin`, or the `text` of a `pattern`.
        experiment: BTreeMap<String, ExperimentSettings>, example "{ short = { tokens = 300, share = 0.5 } }";
    }

    /// A variant of some settings, tried on a share of the tasks.
    pub struct ExperimentSettings {
        /// Share of the tasks that get the variant.
        share: f64 = 0.5, in between(0.01, 0.99);
        /// The variant's `inject.tokens`.
        tokens: Option<usize>;
        /// The variant's `inject.most`.
        most: Option<usize>;
        /// The variant's `inject.order`.
        order: Option<Order>;
        /// The variant's `truth.coin`.
        coin: Option<f64>, in SHARE;
        /// The pattern that gets another text.
        pattern: Option<String>;
        /// That text.
        text: Option<String>;
    }
}

/// When coins are tossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tossing {
    /// Once the workspace has exposures of hooks and judged outcomes.
    #[default]
    Auto,
    Always,
    Never,
}

/// What a unit of work is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Whether its goals were met.
    #[default]
    Goal,
    /// The score of its goals.
    Score,
    /// Its result: success, partial or failure.
    Result,
    /// The quality of its run.
    Quality,
    /// Whether its run took no more tokens than half of the runs before the epoch.
    Tokens,
    /// Whether its run took no longer than half of the runs before the epoch.
    Duration,
}

choices! { Tossing, Metric }

impl Metric {
    /// The word that settings use for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Score => "score",
            Self::Result => "result",
            Self::Quality => "quality",
            Self::Tokens => "tokens",
            Self::Duration => "duration",
        }
    }
}

impl Settings {
    /// Whether any coin may be tossed in this workspace.
    #[must_use]
    pub fn may_toss(&self) -> bool {
        self.compat == Compat::None && self.truth.on != Tossing::Never
    }

    /// The chance of a pattern to be shown where nothing else sets its coin. `inject.holdout` says the same from the other side.
    #[must_use]
    pub fn pattern_coin(&self) -> f64 {
        if self.inject.holdout > 0.0 { 1.0 - self.inject.holdout } else { self.truth.coin }
    }
}

pub(crate) fn check(settings: &Settings) -> Result<(), Conflict> {
    let least = settings.inject.least_tokens;
    settings.truth.experiment.iter().try_for_each(|(name, experiment)| {
        let refuse = |holds: bool, what: &str, remedy: String| {
            Conflict::unless(holds, &["truth.experiment", "truth"], || (format!("the experiment `{name}` {what}"), remedy))
        };
        let is_plain = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        refuse(
            !name.is_empty() && name.len() <= MOST_NAME_BYTES && is_plain(name),
            "has a name that is no plain word",
            format!("write at most {MOST_NAME_BYTES} letters, digits, hyphens and underscores"),
        )?;
        let ExperimentSettings { tokens, most, order, coin, pattern, text, .. } = experiment;
        let is_change = tokens.is_some() || most.is_some() || order.is_some() || coin.is_some() || text.is_some();
        refuse(is_change, "changes nothing", "add `tokens`, `most`, `order`, `coin`, or `pattern` and `text`".to_owned())?;
        refuse(pattern.is_some() == text.is_some(), "has only one of `pattern` and `text`", "give both or neither".to_owned())?;
        refuse(
            tokens.is_none_or(|tokens| tokens >= least),
            "has `tokens` below `inject.least_tokens`: nothing would be shown",
            format!("write at least {least}"),
        )
    })
}
