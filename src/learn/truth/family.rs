//! Many patterns at once: e-BH keeps the share of false verdicts among all verdicts.

use crate::rounding::real;

/// Which of many hypotheses stand at a false discovery rate, by the logarithms of their current e-values.
#[must_use]
pub fn discoveries(evidence: &[f64], rate: f64) -> Vec<bool> {
    let count = real(evidence.len() as u64);
    let mut order: Vec<usize> = (0..evidence.len()).collect();
    order.sort_by(|left, right| evidence[*right].total_cmp(&evidence[*left]));
    let holds = |place: usize| evidence[order[place]] >= libm::log(count / (rate * real(place as u64 + 1)));
    let found = (0..order.len()).rev().find(|place| holds(*place)).map_or(0, |place| place + 1);
    let mut discovered = vec![false; evidence.len()];
    for place in &order[..found] {
        discovered[*place] = true;
    }
    discovered
}
