//! Simulated loops through the code that judges real ones: what share of verdicts is false, and how many true effects are found.

use std::collections::BTreeMap;

use fastrand::Rng;

use super::cell::{Cell, Cells};
use super::coin::{LADDER, Salt, next_chance};
use super::pool::pool;
use super::state::{DayCells, Fold, Setup, State};
use crate::rounding::real;

/// The chance that a unit has the loop at all.
const LOOP_CHANCE: f64 = 0.9;

/// The coin that patterns start with.
const START_CHANCE: f64 = 0.8;

/// A world in which loops are simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct World {
    /// The mean of true lifts, and their standard deviation.
    pub lifts: (f64, f64),
    /// If given, this share of patterns has +size, the same share has -size, and the others do nothing.
    pub extremes: Option<(f64, f64)>,
    pub patterns: usize,
    /// How many patterns fit a unit.
    pub fitting: usize,
    pub units_per_hour: usize,
    pub days: u32,
    /// Whether coins follow the pooled lifts.
    pub adapts: bool,
    pub setup: Setup,
}

/// What became of one simulated loop.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Simulated {
    /// Verdicts ever given at any hourly look, and those of them that are wrong.
    pub verdicts: u32,
    pub false_verdicts: u32,
    /// Patterns with an effect in `extremes`, and those that had the right verdict at some look.
    pub effects: u32,
    pub found: u32,
    /// The verdict on the loop, ever.
    pub loop_helps: bool,
    pub loop_hurts: bool,
    pub ratio_alarm: bool,
    /// The gain of units with the loop over nothing, by day.
    pub gain: Vec<f64>,
}

/// Simulates one loop with a look every hour.
#[must_use]
pub fn simulate(world: &World, seed: u64) -> Simulated {
    Simulation::new(world, seed).run()
}

struct Simulation<'w> {
    world: &'w World,
    random: Rng,
    salt: Salt,
    names: Vec<String>,
    lifts: Vec<f64>,
    popularity: Vec<f64>,
    chances: Vec<f64>,
    /// Units of the current day, by pattern; 0 is the loop.
    today: BTreeMap<u32, BTreeMap<Cell, u64>>,
    named: Vec<(bool, bool)>,
    outcome: Simulated,
}

impl<'w> Simulation<'w> {
    fn new(world: &'w World, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let lifts = true_lifts(world, &mut random);
        Self {
            popularity: (0..world.patterns).map(|_| 0.6 * normal(&mut random)).collect(),
            names: (1..=world.patterns).map(|number| format!("P-{number:03}")).collect(),
            chances: vec![START_CHANCE; world.patterns],
            named: vec![(false, false); world.patterns],
            salt: Salt::new(format!("simulated-{seed}")),
            today: BTreeMap::new(),
            outcome: Simulated::default(),
            lifts,
            random,
            world,
        }
    }

    fn run(mut self) -> Simulated {
        let mut fold = Fold::new(self.world.setup);
        for day in 0..self.world.days {
            let mut gain = 0.0;
            let mut looked = fold.clone();
            for hour in 0..24 {
                let now = f64::from(day) + f64::from(hour) / 24.0;
                let units: Vec<f64> = (0..self.world.units_per_hour).filter_map(|unit| self.live(day, hour, unit, now)).collect();
                gain += units.iter().sum::<f64>() / real(units.len().max(1) as u64);
                // A look in mid-day folds the day so far on the days before it.
                looked = fold.clone();
                let cells = self.cells(i64::from(day));
                looked.advance(i64::from(day), &cells, |_| 0.5);
                self.note(&looked);
            }
            fold = looked;
            self.today.clear();
            self.outcome.gain.push(gain / 24.0);
            if self.world.adapts {
                self.adapt(&fold);
            }
        }
        self.finish()
    }

    /// One unit: which patterns fit, how coins fall, how it ends. Returns what the loop was worth to it, if it had the loop.
    fn live(&mut self, day: u32, hour: u32, unit: usize, now: f64) -> Option<f64> {
        let name = format!("{day}-{hour}-{unit}");
        let fitting = self.fitting();
        let is_on = self.salt.toss(&name, Salt::LOOP, LOOP_CHANCE).is_shown;
        let coins: Vec<bool> =
            fitting.iter().map(|place| self.salt.toss(&name, &self.names[*place], self.chances[*place]).is_shown).collect();
        let effect: f64 = fitting.iter().zip(&coins).filter(|(_, shown)| **shown).map(|(place, _)| self.lifts[*place]).sum();
        // Work gets easier over time, follows the week, and differs between units.
        let share = now / f64::from(self.world.days);
        let drift = 0.35 + 0.3 * share + 0.05 * libm::sin(std::f64::consts::TAU * now / 7.0);
        let base = (drift + 0.12 * normal(&mut self.random)).clamp(0.02, 0.98);
        let chance = if is_on { (base + effect).clamp(0.02, 0.98) } else { base };
        let outcome_hundredths = if self.random.f64() < chance { 100 } else { 0 };
        self.count(0, LOOP_CHANCE, is_on, outcome_hundredths);
        if !is_on {
            return None;
        }
        for (place, is_shown) in fitting.into_iter().zip(coins) {
            let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
            self.count(number, self.chances[place], is_shown, outcome_hundredths);
        }
        Some(chance - base)
    }

    fn count(&mut self, pattern: u32, chance: f64, is_shown: bool, outcome_hundredths: u32) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a chance in millionths")]
        let cell = Cell { propensity_millionths: (chance * 1e6).round() as u32, is_shown, outcome_hundredths };
        *self.today.entry(pattern).or_default().entry(cell).or_default() += 1;
    }

    /// The patterns that fit a unit: drawn without replacement, by popularity.
    fn fitting(&mut self) -> Vec<usize> {
        let random = &mut self.random;
        let mut keyed: Vec<(f64, usize)> = self
            .popularity
            .iter()
            .enumerate()
            .map(|(place, popularity)| (popularity - libm::log(-libm::log(positive(random))), place))
            .collect();
        let most = self.world.fitting.min(keyed.len());
        keyed.sort_by(|left, right| right.0.total_cmp(&left.0));
        keyed.truncate(most);
        keyed.into_iter().map(|(_, place)| place).collect()
    }

    fn cells(&self, day: i64) -> Vec<DayCells> {
        let of = |(pattern, cells): (&u32, &BTreeMap<Cell, u64>)| {
            let judged: Cells = cells.iter().map(|(cell, units)| (*cell, *units)).collect();
            DayCells { pattern: *pattern, day, epoch: 0, drawn: judged.arms(), judged }
        };
        self.today.iter().map(of).collect()
    }

    fn note(&mut self, looked: &Fold) {
        for (number, judged) in looked.judged() {
            self.outcome.ratio_alarm |= judged.state == State::Broken;
            let (helps, hurts) = (judged.state == State::Helps, judged.state == State::Hurts);
            if let Some(named) = (*number as usize).checked_sub(1).and_then(|place| self.named.get_mut(place)) {
                *named = (named.0 | helps, named.1 | hurts);
            } else {
                self.outcome.loop_helps |= helps;
                self.outcome.loop_hurts |= hurts;
            }
        }
    }

    fn adapt(&mut self, fold: &Fold) {
        let known: Vec<(usize, (f64, f64))> = fold
            .judged()
            .range(1..)
            .filter_map(|(number, judged)| judged.lift.map(|lift| (*number as usize - 1, (lift.lift, lift.squared_error()))))
            .collect();
        let lifts: Vec<(f64, f64)> = known.iter().map(|(_, lift)| *lift).collect();
        for ((place, _), (lift, deviation)) in known.iter().zip(pool(&lifts).patterns) {
            self.chances[*place] = next_chance(lift, deviation);
        }
    }

    fn finish(mut self) -> Simulated {
        for (lift, (helps, hurts)) in self.lifts.iter().zip(&self.named) {
            self.outcome.verdicts += u32::from(*helps) + u32::from(*hurts);
            self.outcome.false_verdicts += u32::from(*helps && *lift <= 0.0) + u32::from(*hurts && *lift >= 0.0);
            if self.world.extremes.is_some() && *lift != 0.0 {
                self.outcome.effects += 1;
                self.outcome.found += u32::from(if *lift > 0.0 { *helps } else { *hurts });
            }
        }
        self.outcome
    }
}

fn true_lifts(world: &World, random: &mut Rng) -> Vec<f64> {
    let Some((share, size)) = world.extremes else {
        return (0..world.patterns).map(|_| world.lifts.0 + world.lifts.1 * normal(random)).collect();
    };
    let mut lifts = vec![0.0; world.patterns];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of few patterns")]
    let each = (share * real(world.patterns as u64)) as usize;
    for (place, lift) in lifts.iter_mut().enumerate().take(2 * each) {
        *lift = if place < each { size } else { -size };
    }
    random.shuffle(&mut lifts);
    lifts
}

/// A draw above 0: its logarithm is finite.
fn positive(random: &mut Rng) -> f64 {
    1.0 - random.f64()
}

fn normal(random: &mut Rng) -> f64 {
    (-2.0 * libm::log(positive(random))).sqrt() * libm::cos(std::f64::consts::TAU * random.f64())
}

/// The chance that a pattern starts with must be one that coins can come back to.
const _: () = assert!(LADDER[5] == START_CHANCE);
