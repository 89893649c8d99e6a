//! The one place that reads the machine's clock.

use jiff::Timestamp;

/// The time, for those who may know it.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> Timestamp {
    Timestamp::now()
}
