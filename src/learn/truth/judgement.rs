//! From sums to judgements: which epoch a unit belongs to, what the days of an epoch say together, and whether a guard objects.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::{Cell, Cells};
use super::lift::{ALPHA, Lift, estimate, steadiness};
use super::state::{DayCells, Fold, Judged, Setup, State, baseline};
use super::subject::Subject;
use crate::history::HISTORY_DAYS;
use crate::rounding::real;
use text::time::DAY_MICROS;

event::words! {
    /// Whether a unit counts.
    pub enum Standing {
        Judged = "judged",
        /// It was judged after the time in which an outcome counts.
        Late = "late",
        /// It may still be judged in time.
        Pending = "pending",
        /// Nobody judged it.
        Unjudged = "unjudged",
    }
}

event::row! {
    /// How many units drew which coin, arm and outcome on a day: a row of `sql/truth/cell.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CellRow {
        pub metric: String,
        /// 0 is the loop; none for an experiment.
        pub pattern: Option<u32>,
        pub experiment: String,
        /// When the evidence was last begun anew.
        pub begun_micros: Option<i64> = "begun_us",
        /// The day of the coin, counted from 1970.
        pub day: i64,
        pub propensity_millionths: u32,
        pub is_shown: bool,
        pub standing: Standing,
        pub outcome_hundredths: Option<u32>,
        pub units: u64,
    }
}

event::row! {
    /// How units went that were judged on a day: a row of `sql/truth/baseline.sql`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BaselineRow {
        pub day: i64,
        pub units: u64,
        pub outcome_hundredths: u64,
    }
}

/// What judging depends on beside the sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule<'r> {
    pub setup: Setup,
    pub epoch_days: i64,
    /// The metric that decides.
    pub metric: &'r str,
    /// By how much a guarded metric may fall.
    pub guard_limit: f64,
    /// The day of the horizon, counted from 1970.
    pub today: i64,
}

/// Units of one arm in the current epoch, by standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arm {
    pub judged: u64,
    pub late: u64,
    pub pending: u64,
    pub unjudged: u64,
}

impl Arm {
    /// All units that drew this arm.
    #[must_use]
    pub const fn drawn(&self) -> u64 {
        self.judged + self.late + self.pending + self.unjudged
    }

    /// The share of units without an outcome among those that no longer wait for one.
    #[must_use]
    pub fn lost(&self) -> Option<f64> {
        let settled = self.judged + self.late + self.unjudged;
        (settled > 0).then(|| real(self.late + self.unjudged) / real(settled))
    }

    fn add(&mut self, standing: Standing, units: u64) {
        *match standing {
            Standing::Judged => &mut self.judged,
            Standing::Late => &mut self.late,
            Standing::Pending => &mut self.pending,
            Standing::Unjudged => &mut self.unjudged,
        } += units;
    }
}

/// What a guarded metric says of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    pub metric: String,
    pub cells: Cells,
    pub lift: Option<Lift>,
    /// Whether it got worse by more than is allowed, and that is no accident.
    pub is_breached: bool,
}

/// What the coins say of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub judged: Judged,
    /// With the guards' objection.
    pub state: State,
    pub shown: Arm,
    pub withheld: Arm,
    pub guards: Vec<Guard>,
    /// The lift as the last whole day left it: coins change once a day.
    pub settled_lift: Option<Lift>,
    /// The lift at the end of each of the last days on which any coin fell, the earliest first.
    pub lifts: Vec<(i64, Option<Lift>)>,
}

/// What the coins say of everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    pub findings: BTreeMap<Subject, Finding>,
}

impl Judgement {
    /// Patterns that are proven to help. They are not flagged for pruning, whatever their rate.
    #[must_use]
    pub fn helping(&self) -> BTreeSet<u32> {
        let helps = self.findings.iter().filter(|(_, finding)| finding.state == State::Helps);
        helps.filter_map(|(subject, _)| if let Subject::Pattern(number) = subject { Some(*number) } else { None }).collect()
    }
}

/// Judges everything that had a coin. Rows may come in any order.
#[must_use]
pub fn judge(rows: &[CellRow], before: &[BaselineRow], rule: &Rule<'_>) -> Judgement {
    let epochs = Epochs::new(rows, rule);
    let mut trials: BTreeMap<Subject, Trial> = BTreeMap::new();
    for row in rows {
        let subject = Subject::of(row.pattern, &row.experiment);
        let epoch = epochs.of(&subject, row);
        let trial = trials.entry(subject).or_default();
        if row.metric == rule.metric {
            trial.add(row, epoch);
        } else if let Some((cell, units)) = cell_of(row) {
            trial.guards.entry(row.metric.clone()).or_default().entry(epoch).or_default().add(cell, units);
        }
    }
    let expected = |epoch: i64| mean_before(before, epoch);
    let (alone, together): (BTreeMap<Subject, Trial>, BTreeMap<Subject, Trial>) =
        trials.into_iter().partition(|(subject, _)| matches!(subject, Subject::Experiment(_)));
    let mut findings = fold(together, rule, &expected);
    for (subject, trial) in alone {
        findings.extend(fold([(subject, trial)].into(), rule, &expected));
    }
    Judgement { findings }
}

/// The outcome that bets of an epoch expect: the mean of what was judged on the days before it.
fn mean_before(before: &[BaselineRow], epoch: i64) -> f64 {
    let earlier = before.iter().filter(|row| row.day < epoch.div_euclid(DAY_MICROS));
    let (units, sum) = earlier.fold((0, 0), |(units, sum), row| (units + row.units, sum + row.outcome_hundredths));
    baseline((units > 0).then(|| real(sum) / real(units) / 100.0))
}

/// When epochs begin: with the first coin of a subject, then every so many days, and whenever somebody begins anew.
struct Epochs {
    first_days: BTreeMap<(Subject, Option<i64>), i64>,
    days: i64,
}

impl Epochs {
    fn new(rows: &[CellRow], rule: &Rule<'_>) -> Self {
        let mut first_days: BTreeMap<(Subject, Option<i64>), i64> = BTreeMap::new();
        // Guards have rows of judged units only, so the first day is that of the metric that decides.
        for row in rows.iter().filter(|row| row.metric == rule.metric) {
            let first = first_days.entry((Subject::of(row.pattern, &row.experiment), row.begun_micros)).or_insert(row.day);
            *first = row.day.min(*first);
        }
        Self { first_days, days: rule.epoch_days.max(1) }
    }

    /// The instant at which the epoch of a row begins, in microseconds since 1970.
    fn of(&self, subject: &Subject, row: &CellRow) -> i64 {
        let begun = row.begun_micros;
        let anchor = begun.map_or_else(
            || self.first_days.get(&(subject.clone(), None)).copied().unwrap_or(row.day),
            |begun| begun.div_euclid(DAY_MICROS),
        );
        let day = anchor + (row.day - anchor).div_euclid(self.days) * self.days;
        begun.unwrap_or(i64::MIN).max(day.saturating_mul(DAY_MICROS))
    }
}

/// The units of a day.
#[derive(Default)]
struct Tossed {
    judged: Cells,
    /// Shown and withheld units by chance, judged or not.
    drawn: BTreeMap<u32, (u64, u64)>,
}

/// The sums of one subject.
#[derive(Default)]
struct Trial {
    /// By day and epoch.
    days: BTreeMap<(i64, i64), Tossed>,
    /// Shown and withheld units by epoch.
    arms: BTreeMap<i64, (Arm, Arm)>,
    /// Cells by metric and epoch.
    guards: BTreeMap<String, BTreeMap<i64, Cells>>,
}

impl Trial {
    fn add(&mut self, row: &CellRow, epoch: i64) {
        let day = self.days.entry((row.day, epoch)).or_default();
        if let Some((cell, units)) = cell_of(row) {
            day.judged.add(cell, units);
        }
        let (shown, withheld) = day.drawn.entry(row.propensity_millionths).or_default();
        *(if row.is_shown { shown } else { withheld }) += row.units;
        let (shown, withheld) = self.arms.entry(epoch).or_default();
        (if row.is_shown { shown } else { withheld }).add(row.standing, row.units);
    }
}

fn cell_of(row: &CellRow) -> Option<(Cell, u64)> {
    let CellRow { propensity_millionths, is_shown, .. } = *row;
    row.outcome_hundredths.map(|outcome_hundredths| (Cell { propensity_millionths, is_shown, outcome_hundredths }, row.units))
}

/// Folds subjects over their days, all of a day at once.
fn fold(trials: BTreeMap<Subject, Trial>, rule: &Rule<'_>, expected: &dyn Fn(i64) -> f64) -> BTreeMap<Subject, Finding> {
    let mut days: BTreeMap<i64, Vec<DayCells>> = BTreeMap::new();
    for (subject, trial) in &trials {
        for ((day, epoch), Tossed { judged, drawn }) in &trial.days {
            days.entry(*day).or_default().push(DayCells {
                pattern: subject.place(),
                day: *day,
                epoch: *epoch,
                judged: judged.clone(),
                drawn: drawn.clone(),
            });
        }
    }
    let mut fold = Fold::new(rule.setup);
    let mut settled: BTreeMap<u32, Option<Lift>> = BTreeMap::new();
    let mut lifts: BTreeMap<u32, Vec<(i64, Option<Lift>)>> = BTreeMap::new();
    // What the first of the told days began with is told by the last day before it.
    let told = days.range(..=rule.today - HISTORY_DAYS).next_back().map_or(i64::MIN, |(day, _)| *day);
    for (day, cells) in &days {
        fold.advance(*day, cells, expected);
        if *day < rule.today {
            settled = fold.judged().iter().map(|(number, judged)| (*number, judged.lift)).collect();
        }
        if *day >= told {
            for (number, judged) in fold.judged() {
                lifts.entry(*number).or_default().push((*day, judged.lift));
            }
        }
    }
    let judged = fold.judged();
    let finding = |(subject, trial): (Subject, Trial)| {
        let judged = judged.get(&subject.place())?.clone();
        let (shown, withheld) = trial.arms.get(&judged.epoch).copied().unwrap_or_default();
        let guards: Vec<Guard> = trial
            .guards
            .into_iter()
            .filter_map(|(metric, mut epochs)| Some(guard(metric, epochs.remove(&judged.epoch)?, rule)))
            .collect();
        let is_blocked = judged.state == State::Helps && guards.iter().any(|guard| guard.is_breached);
        let state = if is_blocked { State::Blocked } else { judged.state };
        let settled_lift = settled.get(&subject.place()).copied().flatten();
        let lifts = lifts.get(&subject.place()).cloned().unwrap_or_default();
        Some((subject, Finding { judged, state, shown, withheld, guards, settled_lift, lifts }))
    };
    trials.into_iter().filter_map(finding).collect()
}

/// A guard objects where its whole interval lies below 0 and its lift below the limit: a lift that is only unlucky blocks nothing.
fn guard(metric: String, cells: Cells, rule: &Rule<'_>) -> Guard {
    let lift = estimate(&cells, steadiness(rule.setup.smallest), ALPHA);
    let is_breached = lift.is_some_and(|lift| lift.upper() < 0.0 && lift.lift < -rule.guard_limit);
    Guard { metric, cells, lift, is_breached }
}
