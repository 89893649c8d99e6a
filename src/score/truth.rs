//! Verdicts with what follows from them: lifts pooled within categories on a frame, tomorrow's coins, and the order of showing.

use std::collections::BTreeMap;

use polars::prelude::*;

use crate::frame::{broken, place_of};
use learn::pattern::Category;
use learn::truth::{Judgement, Lift, Pooled, Rule, State, Subject, Sum, Verdict, next_chance, pool};
use learn::{Flag, Score};
use setting::Settings;
use text::diagnostic::Outcome;

/// The coin of a pattern that is flagged for pruning or proven to hurt: low, and not 0, so that evidence can still acquit it.
const LOW_COIN: f64 = 0.1;

/// How far above its pooled lift a pattern is valued: what is little known is worth finding out.
const OPTIMISM: f64 = 0.5;

/// What is published about the coins.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdicts {
    /// The loop first, then patterns by number, then experiments by name.
    pub verdicts: Vec<Verdict>,
    pub sums: Vec<Sum>,
    /// The chance that a unit has the loop at all; none where no coin is tossed.
    pub loop_coin: Option<f64>,
    /// The coin of each pattern in use, and what it is worth, by number.
    pub coins: BTreeMap<u32, (Option<f64>, Option<f64>)>,
}

/// Works out what follows from a judgement. `is_on` says whether coins are tossed from here on.
pub fn weigh_truth(
    judgement: &Judgement,
    rule: &Rule<'_>,
    scores: &[(u32, &Score)],
    is_on: bool,
    settings: &Settings,
) -> Outcome<Verdicts> {
    let pooled = pool_lifts(judgement, scores, |lift, _| lift)?;
    // Coins change once a day: they follow what the last whole day left.
    let settled = if settings.truth.adapt { Some(pool_lifts(judgement, scores, |_, settled| settled)?) } else { None };
    let is_judged = judgement.findings.iter().any(|(subject, finding)| is_pattern(subject) && finding.judged.units() > 0);
    let mut published = Verdicts { loop_coin: is_on.then_some(settings.truth.loop_coin).filter(is_a_coin), ..Verdicts::default() };
    for (subject, finding) in &judgement.findings {
        published.verdicts.push(Verdict::new(subject, finding, rule));
        published.sums.extend(Sum::list(subject, finding, rule));
    }
    for (number, score) in scores.iter().filter(|(_, score)| score.is_in_use()) {
        let state = judgement.findings.get(&Subject::Pattern(*number)).map(|finding| finding.state);
        let adapted =
            settled.as_ref().and_then(|settled| settled.get(number)).map(|(lift, deviation)| next_chance(*lift, *deviation));
        let coin = is_on.then(|| choose_coin(state, score, adapted, settings)).filter(is_a_coin);
        let worth = pooled.get(number).filter(|_| is_on && is_judged).map(|(lift, deviation)| lift + OPTIMISM * deviation);
        published.coins.insert(*number, (coin, worth));
    }
    for verdict in &mut published.verdicts {
        let Some(number) = learn::pattern::pattern_number(&verdict.subject) else { continue };
        let (lift, deviation) = pooled.get(&number).copied().unzip();
        let (coin, worth) = published.coins.get(&number).copied().unwrap_or_default();
        *verdict = Verdict { pooled: lift, pooled_deviation: deviation, coin, worth, ..std::mem::take(verdict) };
    }
    Ok(published)
}

const fn is_pattern(subject: &Subject) -> bool {
    matches!(subject, Subject::Pattern(_))
}

fn is_a_coin(chance: &f64) -> bool {
    *chance > 0.0 && *chance < 1.0
}

/// A proven harm and a flag for pruning lower the coin; a proven help overrules the flag. What a person rejected has none at all.
fn choose_coin(state: Option<State>, score: &Score, adapted: Option<f64>, settings: &Settings) -> f64 {
    let is_pruned = score.flag == Flag::Prune && state != Some(State::Helps);
    if state == Some(State::Hurts) || is_pruned {
        return LOW_COIN;
    }
    adapted.unwrap_or_else(|| settings.pattern_coin())
}

/// Pooled lifts and their deviations by number. Patterns that no unit was judged for get what is expected of their category.
fn pool_lifts(
    judgement: &Judgement,
    scores: &[(u32, &Score)],
    choose: impl Fn(Option<Lift>, Option<Lift>) -> Option<Lift>,
) -> Outcome<BTreeMap<u32, (f64, f64)>> {
    let lift_of = |number: u32| {
        let finding = judgement.findings.get(&Subject::Pattern(number))?;
        choose(finding.judged.lift, finding.settled_lift)
    };
    let rows: Vec<(u32, Category, Option<Lift>)> =
        scores.iter().map(|(number, score)| (*number, score.category.family(), lift_of(*number))).collect();
    pool_frame(&rows).map_err(|error| broken(&error))
}

fn pool_frame(rows: &[(u32, Category, Option<Lift>)]) -> PolarsResult<BTreeMap<u32, (f64, f64)>> {
    let frame = DataFrame::new(
        rows.len(),
        vec![
            Column::new("number".into(), rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>()),
            Column::new("category".into(), rows.iter().map(|(_, category, _)| place_of(*category)).collect::<Vec<_>>()),
            Column::new("lift".into(), rows.iter().map(|(.., lift)| lift.map(|lift| lift.lift)).collect::<Vec<_>>()),
            Column::new("error".into(), rows.iter().map(|(.., lift)| lift.map(|lift| lift.squared_error())).collect::<Vec<_>>()),
        ],
    )?;
    let mut pooled = BTreeMap::new();
    for category in Category::ALL {
        let of_category = frame.filter(&frame.column("category")?.u32()?.equal(place_of(*category)))?;
        let is_tested = of_category.column("lift")?.f64()?.is_not_null();
        let tested = of_category.filter(&is_tested)?;
        let (lifts, errors) = (tested.column("lift")?.f64()?, tested.column("error")?.f64()?);
        let known: Vec<(f64, f64)> = lifts.iter().flatten().zip(errors.iter().flatten()).collect();
        let category: Pooled = pool(&known);
        pooled.extend(tested.column("number")?.u32()?.iter().flatten().zip(category.patterns.iter().copied()));
        let untested = of_category.filter(&!is_tested)?;
        let expected = category.untested();
        pooled.extend(untested.column("number")?.u32()?.iter().flatten().map(|number| (number, expected)));
    }
    Ok(pooled)
}
