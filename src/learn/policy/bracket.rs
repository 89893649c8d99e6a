//! A value between its bounds, folded from both of them at once.

/// Where a value can be after some steps, whatever it was before them.
///
/// Each step is a monotone function: it adds, clamps and rounds. So what began between the two bounds ends between what the
/// bounds become, and as soon as these two meet, the value is known without anything that happened before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    low: f64,
    high: f64,
}

impl Bracket {
    /// Anything between two bounds.
    #[must_use]
    pub const fn between(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    #[must_use]
    pub const fn at(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// Takes a step, which must be monotone.
    pub fn step(&mut self, step: impl Fn(f64) -> f64) {
        let is_known = self.value().is_some();
        self.low = step(self.low);
        self.high = if is_known { self.low } else { step(self.high) };
    }

    /// The value, if the steps leave no choice.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "both are results of the same steps; close is not known")]
    pub fn value(&self) -> Option<f64> {
        (self.low == self.high).then_some(self.low)
    }
}
