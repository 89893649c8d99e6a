//! Pooled lifts: patterns of one category borrow strength from each other. For coins and ranking, never for verdicts.

use crate::rounding::real;

/// Lifts of one category differ by 2 to 5 points.
const SPREAD: (f64, f64) = (0.000_4, 0.002_5);

/// The pooled lifts of one category.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// The category's mean, drawn to 0 with one pattern's worth of doubt.
    pub mean: f64,
    /// The variance between patterns.
    pub spread: f64,
    /// The variance of the mean.
    pub doubt: f64,
    /// Each pattern's pooled lift and its standard deviation.
    pub patterns: Vec<(f64, f64)>,
}

/// Pools lifts, each with its squared error.
#[must_use]
pub fn pool(lifts: &[(f64, f64)]) -> Pooled {
    let spread = between(lifts).clamp(SPREAD.0, SPREAD.1);
    let total: f64 = lifts.iter().map(|(_, error)| 1.0 / (error + spread)).sum::<f64>() + 1.0 / spread;
    let mean = lifts.iter().map(|(lift, error)| lift / (error + spread)).sum::<f64>() / total;
    let patterns = lifts.iter().map(|(lift, error)| {
        let own = spread / (spread + error);
        (mean + own * (lift - mean), (own * error + (1.0 - own).powi(2) / total).sqrt())
    });
    Pooled { mean, spread, doubt: 1.0 / total, patterns: patterns.collect() }
}

impl Pooled {
    /// What is expected of a pattern of the category that no unit was judged for, and its standard deviation.
    #[must_use]
    pub fn untested(&self) -> (f64, f64) {
        (self.mean, (self.spread + self.doubt).sqrt())
    }
}

/// The variance between patterns by Paule and Mandel, found by halving.
fn between(lifts: &[(f64, f64)]) -> f64 {
    let degrees = real(lifts.len() as u64) - 1.0;
    let excess = |spread: f64| {
        let total: f64 = lifts.iter().map(|(_, error)| 1.0 / (error + spread)).sum();
        let mean = lifts.iter().map(|(lift, error)| lift / (error + spread)).sum::<f64>() / total;
        lifts.iter().map(|(lift, error)| (lift - mean).powi(2) / (error + spread)).sum::<f64>() - degrees
    };
    if lifts.len() < 2 || excess(0.0) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}
