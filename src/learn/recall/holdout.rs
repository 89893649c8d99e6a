//! Holding patterns back on purpose, so that what showing them is worth can be measured.

use xxhash_rust::xxh3::xxh3_64;

/// Whether a run's holdout contains a pattern. The holdout is the same for every caller of the run: what a goal says of the run
/// is then said of the run without them.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the lowest bits of a hash do not matter")]
pub fn is_withheld(run: &str, pattern: &str, part: f64) -> bool {
    part > 0.0 && xxh3_64(format!("{run}\0{pattern}").as_bytes()) as f64 / (u64::MAX as f64) < part
}
