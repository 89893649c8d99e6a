//! What the coins say: the sums of the lake become verdicts.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};

use super::explain::drift;
use super::inquiry::Inquiry;
use super::study::table;
use super::{Aim, CycleOptions};
use crate::{Arguments, Horizon};
use event::row::Rows;
use learn::truth::{Judgement, Rule, Setup, Standing, Subject, Sum, Verdict, bets, contributions, judge};
use serde::Serialize;
use setting::{Compat, Metric, Settings, Tossing, VERDICT_FILE};
use store::publish::Generation;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::time::DAY_MICROS;

/// False verdicts that are allowed among all verdicts, a side.
const FALSE_VERDICTS: f64 = 0.05;

const HOUR_MICROS: i64 = 3_600_000_000;

event::row! {
    /// What there is to measure: the row of `sql/truth/holding.sql`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Holding {
        pub coins: i64,
        pub first_micros: Option<i64> = "first_us",
        pub exposures: i64,
        pub goals: i64,
        pub runs: i64,
    }
}

impl Holding {
    /// How many outcomes there are of the metric's sort.
    const fn outcomes(&self, metric: Metric) -> i64 {
        match metric {
            Metric::Goal | Metric::Score => self.goals,
            Metric::Result | Metric::Quality | Metric::Tokens | Metric::Duration => self.runs,
        }
    }

    /// Whether coins are tossed from here on. A workspace that has tossed some goes on, also when old exposures are pruned.
    fn is_on(&self, settings: &Settings) -> bool {
        let is_ready = self.coins > 0 || (self.exposures > 0 && self.outcomes(settings.truth.metric) > 0);
        settings.may_toss() && (settings.truth.on == Tossing::Always || is_ready)
    }
}

/// What the coins say, and whether any are tossed from here on.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tossed {
    pub(super) holding: Holding,
    pub(super) is_on: bool,
    pub(super) judgement: Judgement,
}

/// Judges what had a coin. Where there is none, the lake is asked no more than that.
pub(super) fn compute_truth(inquiry: &Inquiry<'_>) -> Outcome<Tossed> {
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    if settings.compat != Compat::None {
        return Ok(Tossed::default());
    }
    let holding = inquiry.truth_holding()?;
    let mut tossed = Tossed { holding, is_on: holding.is_on(settings), judgement: Judgement::default() };
    if holding.coins > 0 {
        let cells: Vec<_> = inquiry.load("truth_cell", Rows::read)?;
        let before: Vec<_> = inquiry.load("truth_baseline", Rows::read)?;
        tossed.judgement = judge(&cells, &before, &rule_of(settings, horizon));
    }
    Ok(tossed)
}

/// Why a pattern has its verdict: units, sums and bets, worked out anew.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthExplanation {
    /// The verdict. Its evidence is worked out anew; what follows from all patterns together is as it was published.
    pub verdict: Verdict,
    /// The units of all epochs, in the order of time.
    pub units: Vec<UnitReason>,
    /// The sums of the current epoch, with what each adds to the lift.
    pub sums: Vec<(Sum, f64)>,
    /// What each bet makes of a stake of 1, by its odds; as logarithms.
    pub bets: Vec<(f64, f64)>,
    /// The smallest lift that matters.
    pub smallest: f64,
}

event::row! {
    /// A unit that had a coin: a row of `sql/truth/explanation.sql`.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct UnitReason {
        pub project: String,
        pub unit: String,
        pub time_micros: i64 = "first_us",
        pub propensity_millionths: i64,
        pub is_shown: bool,
        pub standing: Standing,
        pub outcome_hundredths: Option<i64>,
        /// The inbox file and line of the coin; none where its day was pruned.
        pub file: Option<String> = "landing_file",
        pub line: Option<i64> = "landing_line",
    }
}

/// Explains the verdict on the loop or on an experiment of a published generation. Beside it, what changed since.
pub fn explain_subject(
    workspace: &Workspace,
    generation: &Generation,
    options: CycleOptions<'_>,
    subject: &Subject,
) -> Outcome<(TruthExplanation, Vec<String>)> {
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Every)?;
    let explanation = explain_truth(&inquiry, generation, subject)?.ok_or_else(|| {
        let remedy = "`outerloop status` says whether coins are tossed; experiments stand in the setting `truth.experiment`";
        Diagnostic::edit(format!("no task had a coin for `{}`", subject.to_string().escape_default()), remedy)
    })?;
    Ok((explanation, drift(&inquiry, generation)?))
}

/// Works the evidence of a pattern, of the loop or of an experiment out anew. None where no unit had a coin for it.
pub(super) fn explain_truth(
    inquiry: &Inquiry<'_>,
    generation: &Generation,
    subject: &Subject,
) -> Outcome<Option<TruthExplanation>> {
    let CycleOptions { settings, horizon, .. } = inquiry.options()?;
    let tossed = compute_truth(inquiry)?;
    let Some(finding) = tossed.judgement.findings.get(subject) else { return Ok(None) };
    let rule = rule_of(settings, horizon);
    let own = Verdict::new(subject, finding, &rule);
    // Whether a verdict stands depends on all patterns together, and so do pooled lifts and coins.
    let published: Vec<Verdict> = generation.parse(VERDICT_FILE, render::parse_table).unwrap_or_default();
    let verdict = match published.into_iter().find(|verdict| verdict.subject == own.subject) {
        Some(Verdict { verdict, pooled, pooled_deviation, coin, worth, days_left, since, is_earlier, .. }) => {
            Verdict { verdict, pooled, pooled_deviation, coin, worth, days_left, since, is_earlier, ..own }
        }
        None => own,
    };
    let cells = &finding.judged.cells;
    let sums = Sum::list(subject, finding, &rule).into_iter().filter(|sum| sum.metric == rule.metric);
    let (pattern, experiment) = match subject {
        Subject::Loop => (0, ""),
        Subject::Pattern(number) => (i64::from(*number), ""),
        Subject::Experiment(name) => (-1, &**name),
    };
    let asked = Arguments::values([("pattern", pattern.into()), ("experiment", experiment.into())]);
    Ok(Some(TruthExplanation {
        verdict,
        units: inquiry.ask("truth_explanation", &asked, Rows::read)?,
        sums: sums.zip(contributions(cells)).collect(),
        bets: bets(cells, finding.judged.baseline),
        smallest: rule.setup.smallest,
    }))
}

/// What judging depends on beside the sums.
pub(super) fn rule_of(settings: &Settings, horizon: Horizon) -> Rule<'static> {
    Rule {
        setup: Setup { smallest: settings.truth.smallest, rate: FALSE_VERDICTS },
        epoch_days: i64::from(settings.truth.epoch_days),
        metric: settings.truth.metric.name(),
        guard_limit: settings.truth.guard_limit,
        today: horizon.as_of_micros.div_euclid(DAY_MICROS),
    }
}

/// The metric that decides, and those that guard it.
pub(super) fn rules(settings: &Settings, horizon: Horizon) -> Outcome<RecordBatch> {
    let mut metrics = vec![settings.truth.metric];
    metrics.extend(settings.truth.guards.iter().copied());
    let mut known: Vec<Metric> = Vec::new();
    metrics.retain(|metric| {
        !known.contains(metric) && {
            known.push(*metric);
            true
        }
    });
    let every = |value: i64| Arc::new(Int64Array::from_iter_values(metrics.iter().map(|_| value))) as ArrayRef;
    table([
        ("metric", Arc::new(StringArray::from_iter_values(metrics.iter().map(|metric| metric.name()))) as ArrayRef),
        ("is_primary", Arc::new(metrics.iter().map(|metric| Some(*metric == settings.truth.metric)).collect::<BooleanArray>())),
        ("settle_us", every(i64::from(settings.truth.settle_hours).saturating_mul(HOUR_MICROS))),
        ("as_of_us", every(horizon.as_of_micros)),
    ])
}

/// The periods since the first coin, as far as a metric needs them. The first reaches back to the beginning of time.
pub(super) fn periods(holding: Holding, settings: &Settings, horizon: Horizon) -> Outcome<RecordBatch> {
    let is_wanted = |metric: &Metric| matches!(metric, Metric::Tokens | Metric::Duration);
    let wanted = is_wanted(&settings.truth.metric) || settings.truth.guards.iter().any(is_wanted);
    let length = i64::from(settings.truth.epoch_days).max(1).saturating_mul(DAY_MICROS);
    let mut begins = Vec::new();
    if let Some(first) = holding.first_micros.filter(|_| wanted) {
        let mut begin = first.div_euclid(DAY_MICROS) * DAY_MICROS;
        while begin <= horizon.as_of_micros {
            begins.push(begin);
            begin = begin.saturating_add(length);
        }
    }
    table([
        ("begin_us", Arc::new(Int64Array::from_iter_values(begins.iter().copied())) as ArrayRef),
        ("end_us", Arc::new(Int64Array::from_iter_values(begins.iter().map(|begin| begin.saturating_add(length))))),
    ])
}

/// When the evidence of patterns was begun anew.
pub(super) fn restarts<'p>(patterns: impl Iterator<Item = &'p learn::pattern::Pattern>) -> Outcome<RecordBatch> {
    let mut rows: Vec<(i64, i64, i64)> = Vec::new();
    for pattern in patterns {
        let mut begins = pattern.restarts.clone();
        begins.sort_unstable();
        begins.dedup();
        let ends = begins.iter().skip(1).copied().chain([i64::MAX]);
        rows.extend(begins.iter().zip(ends).map(|(begin, end)| (i64::from(pattern.number), *begin, end)));
    }
    let column = |pick: fn(&(i64, i64, i64)) -> i64| Arc::new(Int64Array::from_iter_values(rows.iter().map(pick))) as ArrayRef;
    table([("pattern", column(|row| row.0)), ("begin_us", column(|row| row.1)), ("end_us", column(|row| row.2))])
}

/// The types of failures that say nothing about what was shown. Services write `rate_limit` where people write `rate-limit`.
pub(super) fn infrastructure(settings: &Settings) -> Outcome<RecordBatch> {
    let keys: std::collections::BTreeSet<String> =
        settings.truth.infrastructure.iter().map(|name| text::key::key(name).replace(['_', ' '], "-")).collect();
    table([("failure_key", Arc::new(StringArray::from_iter_values(keys)) as ArrayRef)])
}
