//! Verdicts, folded over UTC days, so that the cadence of cycles cannot show. A verdict is entered by e-BH over all patterns and
//! left only when its own evidence is nearly gone.

use std::collections::BTreeMap;

use super::cell::Cells;
use super::family::discoveries;
use super::lift::{ALPHA, Lift, estimate, steadiness};
use super::power::units_needed;
use super::ratio::{ALARM, ratio_mismatch};
use super::wager::{Book, Evidence};
use crate::rounding::{real, round_half_away};

/// Evidence below which a verdict is left: the natural logarithm of 4.
const LEAVE: f64 = 1.386_294_361_119_890_6;

/// Days of traffic behind a forecast.
const TRAFFIC_DAYS: i64 = 14;

event::words! {
    /// What the coins say of a pattern, or of the whole loop.
    pub enum State {
        /// No unit had a coin.
        Unassigned = "unassigned",
        /// Too few units for any verdict.
        NotEnough = "not enough data",
        /// An effect above the smallest that matters is ruled out.
        NoEffect = "no effect",
        Helps = "helps",
        Hurts = "hurts",
        /// It helps by the metric that decides, and a guarded metric got worse.
        Blocked = "blocked",
        /// Fewer or more units were shown than the coin allows: rows are lost, so nothing is said.
        Broken = "broken",
    }
}

/// What the fold needs to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The smallest lift that matters.
    pub smallest: f64,
    /// False verdicts allowed among all verdicts, a side.
    pub rate: f64,
}

/// The units of one pattern that drew their coin on one day of one epoch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayCells {
    /// The pattern's number; 0 is the whole loop.
    pub pattern: u32,
    /// The day, counted from 1970.
    pub day: i64,
    pub epoch: i64,
    pub judged: Cells,
    /// Units shown and withheld by chance, judged or not.
    pub drawn: BTreeMap<u32, (u64, u64)>,
}

/// A pattern after some day.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub pattern: u32,
    pub epoch: i64,
    /// The outcome that bets expect.
    pub baseline: f64,
    pub cells: Cells,
    pub drawn: BTreeMap<u32, (u64, u64)>,
    pub evidence: Evidence,
    pub lift: Option<Lift>,
    /// Evidence that the logged coin was not fair: the larger of all units and of judged ones.
    pub mismatch: f64,
    pub state: State,
    /// The epoch in which the state was entered.
    pub entered: i64,
    /// Every change of the state, by day.
    pub changes: Vec<(i64, State)>,
    /// Units by day of the epoch, for the forecast.
    by_day: BTreeMap<i64, u64>,
}

impl Judged {
    fn new(pattern: u32, epoch: i64, baseline: f64) -> Self {
        Self {
            pattern,
            epoch,
            baseline,
            cells: Cells::default(),
            drawn: BTreeMap::new(),
            evidence: Evidence { helps: 0.0, hurts: 0.0 },
            lift: None,
            mismatch: 0.0,
            state: State::Unassigned,
            entered: epoch,
            changes: Vec::new(),
            by_day: BTreeMap::new(),
        }
    }

    /// Adds the units of a day and computes the figures anew.
    fn take(&mut self, cells: &DayCells, setup: &Setup, book: &mut Book) {
        self.cells.merge(&cells.judged);
        for (level, (shown, withheld)) in &cells.drawn {
            let sum = self.drawn.entry(*level).or_default();
            *sum = (sum.0 + shown, sum.1 + withheld);
        }
        *self.by_day.entry(cells.day).or_default() += cells.judged.units();
        self.evidence = book.wager(&self.cells, self.baseline);
        self.lift = estimate(&self.cells, steadiness(setup.smallest), ALPHA);
        let (all, judged) = (&self.drawn, self.cells.arms());
        let of_all = ratio_mismatch(all);
        self.mismatch = if judged == *all { of_all } else { of_all.max(ratio_mismatch(&judged)) };
    }

    /// The state after a day. `stands` says which verdicts the family of patterns supports.
    fn decide(&self, stands: Stands, setup: &Setup) -> State {
        if self.mismatch >= ALARM {
            return State::Broken;
        }
        if self.drawn.is_empty() && self.cells.is_empty() {
            // A verdict of an earlier epoch stands until the new one speaks.
            return if self.is_verdict() { self.state } else { State::Unassigned };
        }
        let is_older = self.entered < self.epoch;
        let Evidence { helps, hurts } = self.evidence;
        if self.state == State::Helps && (is_older || helps >= LEAVE) && hurts < LEAVE {
            return State::Helps;
        }
        if self.state == State::Hurts && (is_older || hurts >= LEAVE) && helps < LEAVE {
            return State::Hurts;
        }
        match (stands.helps, stands.hurts, &self.lift) {
            (true, ..) => State::Helps,
            (_, true, _) => State::Hurts,
            (_, _, Some(lift)) if lift.lower() > -setup.smallest && lift.upper() < setup.smallest => State::NoEffect,
            _ => State::NotEnough,
        }
    }

    const fn is_verdict(&self) -> bool {
        matches!(self.state, State::Helps | State::Hurts)
    }

    fn enter(&mut self, state: State, day: i64) {
        if self.state != state {
            self.changes.push((day, state));
            self.entered = self.epoch;
        }
        self.state = state;
    }

    #[must_use]
    pub fn units(&self) -> u64 {
        self.cells.units()
    }

    /// Judged units a day over the last fortnight, or since the epoch began.
    #[must_use]
    pub fn units_per_day(&self, today: i64) -> f64 {
        let Some(first) = self.by_day.keys().next() else { return 0.0 };
        let recent: u64 = self.by_day.range(today - TRAFFIC_DAYS + 1..=today).map(|(_, units)| units).sum();
        real(recent) / real((today - first + 1).clamp(1, TRAFFIC_DAYS))
    }

    /// Days until a lift of the smallest size that matters is told from 0, by the traffic of the last fortnight.
    #[must_use]
    pub fn days_left(&self, today: i64, setup: &Setup) -> Option<u64> {
        let (_, spread) = self.cells.moments()?;
        let a_day = self.units_per_day(today);
        let chance = self.lift?.weight / real(self.units());
        let needed = units_needed(setup.smallest, chance_of(chance), spread, steadiness(setup.smallest))?;
        let left = needed.saturating_sub(self.units());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below 2^53")]
        (a_day > 0.0).then(|| (real(left) / a_day).ceil() as u64)
    }
}

/// The chance of 0.5 or more whose e(1-e) is this.
fn chance_of(overlap: f64) -> f64 {
    f64::midpoint(1.0, (1.0 - 4.0 * overlap).max(0.0).sqrt())
}

/// Which verdicts are supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stands {
    helps: bool,
    hurts: bool,
}

/// The states of all patterns and of the loop after some day.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    setup: Setup,
    /// By number; 0 is the loop.
    judged: BTreeMap<u32, Judged>,
    book: Book,
}

impl Fold {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self { setup, judged: BTreeMap::new(), book: Book::default() }
    }

    /// Takes all cells of one day and decides. Days come in order.
    pub fn advance<'c>(&mut self, day: i64, cells: impl IntoIterator<Item = &'c DayCells>, baseline: impl Fn(i64) -> f64) {
        for cells in cells {
            let judged =
                self.judged.entry(cells.pattern).or_insert_with(|| Judged::new(cells.pattern, cells.epoch, baseline(cells.epoch)));
            if judged.epoch < cells.epoch {
                let (state, entered, changes) = (judged.state, judged.entered, std::mem::take(&mut judged.changes));
                *judged = Judged { state, entered, changes, ..Judged::new(cells.pattern, cells.epoch, baseline(cells.epoch)) };
            }
            judged.take(cells, &self.setup, &mut self.book);
        }
        self.decide(day);
    }

    /// Patterns are one family; the loop is a question of its own, asked in both directions at once.
    fn decide(&mut self, day: i64) {
        let family: Vec<u32> = self.judged.range(1..).filter(|(_, judged)| !judged.cells.is_empty()).map(|(id, _)| *id).collect();
        let side = |value: fn(&Evidence) -> f64| {
            let evidence: Vec<f64> = family.iter().map(|id| value(&self.judged[id].evidence)).collect();
            discoveries(&evidence, self.setup.rate)
        };
        let (helps, hurts) = (side(|evidence| evidence.helps), side(|evidence| evidence.hurts));
        let mut stands: BTreeMap<u32, Stands> =
            family.iter().zip(helps.into_iter().zip(hurts)).map(|(id, (helps, hurts))| (*id, Stands { helps, hurts })).collect();
        if let Some(whole) = self.judged.get(&0) {
            let is_sure = whole.evidence.either() >= -libm::log(self.setup.rate);
            let lift = whole.lift.map_or(0.0, |lift| lift.lift);
            stands.insert(0, Stands { helps: is_sure && lift > 0.0, hurts: is_sure && lift < 0.0 });
        }
        for judged in self.judged.values_mut() {
            let stands = stands.get(&judged.pattern).copied().unwrap_or_default();
            let state = judged.decide(stands, &self.setup);
            judged.enter(state, day);
            // An epoch that says the same as the one before has spoken: the verdict is its own.
            if (stands.helps && state == State::Helps) || (stands.hurts && state == State::Hurts) {
                judged.entered = judged.epoch;
            }
        }
    }

    /// Patterns by number; 0 is the loop.
    #[must_use]
    pub const fn judged(&self) -> &BTreeMap<u32, Judged> {
        &self.judged
    }
}

/// Folds the cells of all days. Cells may come in any order, and several may be of one pattern and day.
pub fn judge_days(cells: &[DayCells], setup: Setup, baseline: impl Fn(i64) -> f64) -> Fold {
    let mut days: BTreeMap<i64, BTreeMap<(i64, u32), DayCells>> = BTreeMap::new();
    for cells in cells {
        let merged = days.entry(cells.day).or_default().entry((cells.epoch, cells.pattern)).or_insert_with(|| DayCells {
            pattern: cells.pattern,
            day: cells.day,
            epoch: cells.epoch,
            ..DayCells::default()
        });
        merged.judged.merge(&cells.judged);
        for (level, (shown, withheld)) in &cells.drawn {
            let sum = merged.drawn.entry(*level).or_default();
            *sum = (sum.0 + shown, sum.1 + withheld);
        }
    }
    let mut fold = Fold::new(setup);
    for (day, cells) in &days {
        fold.advance(*day, cells.values(), &baseline);
    }
    fold
}

/// The outcome that bets of an epoch expect: the loop's mean before it, in hundredths, and 0.5 where nothing is known.
#[must_use]
pub fn baseline(before: Option<f64>) -> f64 {
    before.map_or(0.5, |mean| round_half_away(mean, 2).clamp(0.05, 0.95))
}
