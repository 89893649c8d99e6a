//! What lessons, patterns of roles and observations share: ids, decisions, transitions. What differs stands with each of them.

mod decision;
mod id;
mod transition;

pub use decision::{Action, Decision, VoidDecision, note_of};
pub use id::Series;
pub use transition::{Transition, Watch, Watched};

/// A day, in microseconds.
pub(crate) const MICROS_OF_DAY: i64 = 86_400_000_000;

/// An instant as files show it.
pub(crate) fn instant(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}
