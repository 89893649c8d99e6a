//! Whether a pattern helps: worked numbers, laws, and simulated loops.

use learn::truth::{
    ALARM, ALPHA, Cell, Cells, DayCells, Salt, Setup, State, World, baseline, discoveries, estimate, hash, judge_days, next_chance,
    phi, pool, ratio_mismatch, simulate, steadiness, units_needed, wager,
};
use proptest::prelude::*;

const SETUP: Setup = Setup { smallest: 0.1, rate: 0.05 };

/// Cells as people write them: chance, arm, outcome, units.
fn cells(rows: &[(f64, u8, f64, u64)]) -> Cells {
    let cell = |chance: f64, arm: u8, outcome: f64| Cell {
        propensity_millionths: (chance * 1e6).round() as u32,
        is_shown: arm == 1,
        outcome_hundredths: (outcome * 1e2).round() as u32,
    };
    rows.iter().map(|(chance, arm, outcome, units)| (cell(*chance, *arm, *outcome), *units)).collect()
}

/// Counts of a yes-no outcome at one coin: shown and met, shown and missed, withheld and met, withheld and missed.
fn counts(chance: f64, [a, b, c, d]: [u64; 4]) -> Cells {
    cells(&[(chance, 1, 1.0, a), (chance, 1, 0.0, b), (chance, 0, 1.0, c), (chance, 0, 0.0, d)])
}

#[track_caller]
fn near(left: f64, right: f64) {
    assert!((left - right).abs() < 5.1e-7, "{left} is not {right}");
}

#[test]
fn coins_are_hashes_that_anybody_can_recompute() {
    for (salt, unit, pattern, chance, digest, draw, is_shown) in [
        ("s1", "ISSUE-17", "P-001", 0.8, 0xcca8_67b7_eb99_f493_u64, 0.799_445, true),
        ("s1", "ISSUE-17", "*", 0.9, 0xf669_d8d3_9da4_accc, 0.962_553, false),
        ("s1", "run-00000003", "P-004", 0.8, 0x5b26_a8fd_13a2_1d3e, 0.356_059, true),
        ("s2", "ISSUE-17", "P-001", 0.8, 0x6c0f_0c41_5943_7fa7, 0.422_105, true),
    ] {
        assert_eq!(hash(salt, unit, pattern), digest);
        let coin = Salt::new(salt.to_owned()).toss(unit, pattern, chance);
        near(coin.draw, draw);
        assert_eq!(coin.is_shown, is_shown);
    }
}

#[test]
fn wagers_and_lifts_have_the_worked_numbers() {
    let two_coins = {
        let mut both = counts(0.8, [300, 340, 95, 65]);
        both.merge(&counts(0.1, [4, 11, 80, 60]));
        both
    };
    let scores = cells(&[
        (0.5, 1, 1.0, 40),
        (0.5, 1, 0.75, 30),
        (0.5, 1, 0.25, 10),
        (0.5, 0, 1.0, 22),
        (0.5, 0, 0.75, 28),
        (0.5, 0, 0.25, 30),
    ]);
    for (cells, mean, [helps, hurts, lift, radius, weight, variance]) in [
        (counts(0.8, [504, 336, 105, 105]), 0.5, [2.249_013, -3.405_105, 0.1, 0.117_151, 168.0, 41.824]),
        (counts(0.9, [90, 90, 10, 10]), 0.5, [-0.570_38, -0.570_38, 0.0, 0.484_733, 18.0, 4.702_5]),
        (two_coins, 0.55, [-3.726_649, 4.228_379, -0.141_804, 0.126_134, 141.95, 34.280_34]),
        (scores, 0.7, [5.725_869, -1.913_677, 0.181_25, 0.201_153, 40.0, 3.171_094]),
        (counts(0.8, [30, 10, 0, 6]), 0.6, [2.940_491, -1.361_961, 0.531_664, 0.927_19, 7.36, 0.657_714]),
    ] {
        let evidence = wager(&cells, mean);
        near(evidence.helps, helps);
        near(evidence.hurts, hurts);
        let figures = estimate(&cells, steadiness(0.1), ALPHA).expect("coins");
        near(figures.lift, lift);
        near(figures.radius, radius);
        near(figures.weight, weight);
        near(figures.variance, variance);
    }
}

#[test]
fn three_failures_of_shown_units_are_no_verdict() {
    let evidence = wager(&cells(&[(0.8, 1, 0.0, 3)]), 0.5);
    near(evidence.helps, -0.208_215);
    near(evidence.hurts, 0.157_44);
    near(evidence.hurts.exp(), 1.170_51);
    // 56 patterns, each shown in three failed units.
    let days: Vec<DayCells> = (1..=56).map(|pattern| day(pattern, 0, 0, cells(&[(0.8, 1, 0.0, 3)]))).collect();
    let fold = judge_days(&days, SETUP, |_| 0.5);
    assert!(fold.judged().values().all(|judged| judged.state == State::NotEnough));
}

#[test]
fn sample_ratios_have_the_worked_numbers() {
    near(ratio_mismatch(&[(800_000, (840, 210))].into()), -0.918_128);
    let lost = ratio_mismatch(&[(800_000, (3200, 640))].into());
    near(lost, 11.784_656);
    assert!(lost >= ALARM);
}

#[test]
fn pooled_lifts_have_the_worked_numbers() {
    let pooled = pool(&[(0.12, 0.0016), (0.02, 0.0009), (-0.05, 0.0025), (0.01, 0.0004), (-0.02, 0.01)]);
    near(pooled.mean, 0.017_15);
    assert!((pooled.spread - 0.002_024_48).abs() < 5.1e-9);
    let lifts = [0.074_597, 0.019_123, -0.012_896, 0.011_18, 0.010_895];
    let deviations = [0.031_627, 0.025_977, 0.035_855, 0.018_679, 0.045_408];
    for ((pattern, lift), deviation) in pooled.patterns.iter().zip(lifts).zip(deviations) {
        near(pattern.0, lift);
        near(pattern.1, deviation);
    }
}

#[test]
fn families_of_verdicts_have_the_worked_numbers() {
    let found = discoveries(&[6.802_395, 1.098_612, 5.560_682, -1.609_438, 3.806_662, 5.010_635], 0.05);
    assert_eq!(found, [true, false, true, false, true, true]);
    let found = discoveries(&[100.0_f64, 70.0, 45.0, 31.0, 1.0, 0.5].map(f64::ln), 0.05);
    assert_eq!(found, [true, true, true, true, false, false]);
    assert!(discoveries(&[], 0.05).is_empty());
}

#[test]
fn coins_adapt_by_the_worked_numbers() {
    for (lift, deviation, chance, step) in [(0.03, 0.02, 0.998_65, 0.9), (-0.01, 0.03, 0.252_493, 0.2), (0.0, 0.05, 0.5, 0.5)] {
        near(phi(2.0 * lift / deviation), chance);
        assert!((next_chance(lift, deviation) - step).abs() < f64::EPSILON);
    }
}

#[test]
fn units_needed_have_the_worked_numbers() {
    let eta = steadiness(0.1);
    near(eta, 7.0);
    assert_eq!(units_needed(0.1, 0.8, 0.25, eta), Some(2075));
    assert_eq!(units_needed(0.05, 0.9, 0.25, eta), Some(15_913));
    assert_eq!(units_needed(0.1, 0.5, 0.21, eta), Some(1110));
    assert_eq!(units_needed(0.1, 1.0, 0.25, eta), None, "without a coin nothing is ever known");
}

#[test]
fn baselines_are_rounded_and_kept_off_the_ends() {
    assert_eq!([None, Some(0.0), Some(0.514), Some(1.0)].map(baseline), [0.5, 0.05, 0.51, 0.95]);
}

fn day(pattern: u32, day: i64, epoch: i64, judged: Cells) -> DayCells {
    DayCells { pattern, day, epoch, drawn: judged.arms(), judged }
}

/// One pattern after the given days.
fn state_after(days: &[DayCells]) -> (State, Vec<(i64, State)>) {
    let fold = judge_days(days, SETUP, |_| 0.5);
    let judged = fold.judged().get(&1).expect("the pattern").clone();
    (judged.state, judged.changes)
}

#[test]
fn a_verdict_is_left_only_when_its_evidence_is_nearly_gone() {
    let strong = day(1, 0, 0, counts(0.5, [80, 20, 50, 50]));
    assert_eq!(state_after(std::slice::from_ref(&strong)).0, State::Helps);
    // Evidence sinks below what entering needs, not below what staying needs.
    let contrary = day(1, 1, 0, counts(0.5, [44, 56, 50, 50]));
    let both = wager(
        &{
            let mut sum = strong.judged.clone();
            sum.merge(&contrary.judged);
            sum
        },
        0.5,
    );
    assert!(both.helps < 20_f64.ln() && both.helps >= 4_f64.ln(), "{both:?}");
    assert_eq!(state_after(&[strong.clone(), contrary.clone()]), (State::Helps, vec![(0, State::Helps)]));
    // The same sums in one day never reach a verdict.
    assert_eq!(state_after(&[day(1, 1, 0, strong.judged.clone()), contrary]).0, State::NotEnough);
    let opposite = day(1, 2, 0, counts(0.5, [20, 80, 50, 50]));
    assert_eq!(state_after(&[strong, opposite]).0, State::NotEnough);
}

#[test]
fn a_verdict_outlives_its_epoch_until_the_next_one_speaks() {
    let strong = day(1, 0, 0, counts(0.5, [80, 20, 50, 50]));
    let faint = day(1, 90, 1, counts(0.5, [5, 5, 5, 5]));
    assert_eq!(state_after(&[strong.clone(), faint]).0, State::Helps);
    let opposite = day(1, 90, 1, counts(0.5, [30, 70, 50, 50]));
    assert_ne!(state_after(&[strong, opposite]).0, State::Helps);
}

#[test]
fn lost_rows_silence_the_verdict() {
    let mut lost = day(1, 0, 0, counts(0.8, [2000, 1200, 220, 420]));
    assert_eq!(state_after(std::slice::from_ref(&lost)).0, State::Broken);
    // The coin is sound where the rows are there and nobody judged them.
    lost.drawn = [(800_000, (3200, 800))].into();
    assert_eq!(state_after(&[lost]).0, State::Broken, "judged units alone raise the alarm too");
}

#[test]
fn a_changed_coin_is_no_effect() {
    // Work was hard while the coin was 0.9, and easy at 0.1: shown units look bad, and nothing helps or hurts.
    let mut mixed = counts(0.9, [180, 720, 20, 80]);
    mixed.merge(&counts(0.1, [80, 20, 720, 180]));
    let lift = estimate(&mixed, steadiness(0.1), ALPHA).expect("coins");
    near(lift.lift, 0.0);
    let shown = (180.0 + 80.0) / 1000.0;
    let withheld = (20.0 + 720.0) / 1000.0;
    assert!(shown - withheld < -0.4, "the raw rates differ by {}", shown - withheld);
}

fn any_cells() -> impl Strategy<Value = Vec<DayCells>> {
    let chance = prop::sample::select(vec![100_000_u32, 500_000, 800_000]);
    let cell = (chance, any::<bool>(), prop::sample::select(vec![0_u32, 50, 100]), 1_u64..30);
    let one = (0_u32..4, 0_i64..6, prop::collection::vec(cell, 1..5));
    prop::collection::vec(one, 1..40).prop_map(|rows| {
        rows.into_iter()
            .map(|(pattern, number, units)| {
                let judged = units
                    .into_iter()
                    .map(|(propensity_millionths, is_shown, outcome_hundredths, units)| {
                        (Cell { propensity_millionths, is_shown, outcome_hundredths }, units)
                    })
                    .collect();
                day(pattern, number, number / 3, judged)
            })
            .collect()
    })
}

/// A verdict outlives its epoch until the new one speaks. Once that says the same, the verdict is its own, and falls with it.
#[test]
fn an_epoch_that_repeats_a_verdict_makes_it_its_own() {
    let strong = || counts(0.5, [90, 10, 10, 90]);
    let rows = |last: Cells| [day(1, 0, 0, strong()), day(1, 100, 90, strong()), day(1, 101, 90, last)];
    let of = |cells: &[DayCells]| {
        let fold = judge_days(cells, SETUP, |_| 0.5);
        let judged = &fold.judged()[&1];
        (judged.state, judged.entered)
    };
    assert_eq!(of(&rows(Cells::default())[..1]), (State::Helps, 0));
    assert_eq!(of(&rows(Cells::default())[..2]), (State::Helps, 90));
    // The evidence of the new epoch is gone again, and nothing of the one before holds the verdict up.
    assert_ne!(of(&rows(counts(0.5, [10, 70, 70, 10]))).0, State::Helps);
}

proptest! {
    #[test]
    fn neither_order_nor_cuts_of_cells_show(rows in any_cells(), seed in any::<u64>()) {
        let whole = judge_days(&rows, SETUP, |_| 0.5);
        let mut shuffled = rows;
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        prop_assert_eq!(&judge_days(&shuffled, SETUP, |_| 0.5), &whole);
        // Each unit as a row of its own.
        let single: Vec<DayCells> = shuffled
            .iter()
            .flat_map(|row| row.judged.iter().map(|(cell, units)| day(row.pattern, row.day, row.epoch, [(cell, units)].into_iter().collect())))
            .collect();
        prop_assert_eq!(&judge_days(&single, SETUP, |_| 0.5), &whole);
    }
}

/// A small world, so that the test takes seconds. `outerloop selfcheck` has the large ones.
fn world(lifts: (f64, f64)) -> World {
    World { lifts, extremes: None, patterns: 10, fitting: 5, units_per_hour: 4, days: 10, adapts: true, setup: SETUP }
}

#[test]
fn loops_in_which_nothing_helps_get_few_verdicts() {
    let loops = 60_u64;
    let results: Vec<_> = (0..loops).map(|seed| simulate(&world((0.0, 0.0)), seed)).collect();
    let wrong = results.iter().filter(|result| result.verdicts > 0).count();
    let loop_wrong = results.iter().filter(|result| result.loop_helps || result.loop_hurts).count();
    // One loop in ten is allowed, one verdict on the loop in twenty.
    assert!(wrong <= 6 && loop_wrong <= 3, "{wrong} and {loop_wrong} of {loops}");
    assert_eq!(simulate(&world((0.0, 0.0)), 7), simulate(&world((0.0, 0.0)), 7));
}

#[test]
fn loops_full_of_help_are_found_out() {
    let results: Vec<_> = (0..10).map(|seed| simulate(&world((0.08, 0.0)), seed)).collect();
    assert!(results.iter().filter(|result| result.loop_helps).count() >= 8, "{results:?}");
    assert!(results.iter().all(|result| !result.loop_hurts && result.false_verdicts == 0));
}
