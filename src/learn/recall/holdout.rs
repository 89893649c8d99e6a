//! Chances that are drawn for a run: holding patterns back, so that what showing them is worth can be measured, and showing again what
//! is flagged as PRUNE, so that it can lose the flag.

use xxhash_rust::xxh3::xxh3_64;

/// Whether a run's holdout contains a pattern. The holdout is the same for every caller of the run: what a goal says of the run
/// is then said of the run without them.
#[must_use]
pub fn is_withheld(run: &str, pattern: &str, part: f64) -> bool {
    is_drawn(&format!("{run}\0{pattern}"), part)
}

/// Whether a run shows a pattern although it is flagged as PRUNE. The draw has nothing to do with that of the holdout.
#[must_use]
pub fn is_retried(run: &str, pattern: &str, chance: f64) -> bool {
    is_drawn(&format!("prune\0{run}\0{pattern}"), chance)
}

#[expect(clippy::cast_precision_loss, reason = "the lowest bits of a hash do not matter")]
fn is_drawn(key: &str, chance: f64) -> bool {
    chance > 0.0 && xxh3_64(key.as_bytes()) as f64 / (u64::MAX as f64) < chance
}
