//! When a figure reaches a target, and how nearly.

use agent::goal::{Direction, Threshold, rounded_score};
use proptest::prelude::*;

fn threshold(target: f64, direction: Direction) -> Threshold {
    Threshold { metric: "figure".to_owned(), target, direction }
}

#[test]
fn a_tie_goes_to_the_even_digit_of_the_exact_value() {
    for (exact, rounded) in [(0.125, 0.12), (0.375, 0.38), (0.625, 0.62), (0.875, 0.88), (0.015, 0.01), (-3.0, 0.0), (7.0, 1.0)] {
        assert_eq!(rounded_score(exact).to_bits(), f64::to_bits(rounded), "{exact}");
    }
}

#[test]
fn a_target_of_zero_is_reached_or_missed() {
    let none = threshold(0.0, Direction::Below);
    assert_eq!([none.score(0.0), none.score(1.0)].map(f64::to_bits), [1.0, 0.0].map(f64::to_bits));
    assert!(none.is_reached(0.0) && !none.is_reached(0.1));
}

proptest! {
    #[test]
    fn scores_are_parts_of_one_and_better_values_never_score_less(
        target in -10.0..1000.0_f64, value in -2000.0..2000.0_f64, more in 0.0..2000.0_f64
    ) {
        let (above, below) = (threshold(target, Direction::Above), threshold(target, Direction::Below));
        for score in [above.score(value), below.score(value)] {
            prop_assert!((0.0..=1.0).contains(&score));
        }
        prop_assert!(above.score(value + more) >= above.score(value));
        prop_assert!(below.score(value + more) <= below.score(value));
        prop_assert!(above.is_reached(value) || below.is_reached(value));
    }

    #[test]
    fn what_reaches_a_target_scores_a_half_or_more(target in 0.01..1000.0_f64, part in 0.0..1.0_f64) {
        prop_assert!(threshold(target, Direction::Below).score(target * part) >= 0.5);
        prop_assert!(threshold(target, Direction::Above).score(target * (1.0 + part)) >= 0.5);
    }
}
