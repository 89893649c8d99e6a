//! What fields hold.

/// What a field holds: for those who make foreign values fit before the door sees them, and for the reference of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Text,
    Label,
    Name,
    Texts,
    Labels,
    Json,
    Count,
    Number,
    Unit,
    Flag,
    /// A time with its zone.
    Time,
    /// A number from 0 to 1, never null.
    Quality,
    Retries,
    Rating,
    Passed,
    Level,
    /// One of a few words.
    Words(&'static [&'static str]),
    Adapters,
    Failure,
    /// A number, or anything else, which is kept as it was written.
    Score,
    /// A label, or anything else, which is kept as it was written.
    Written,
    Sayings,
    Decisions,
    Vector,
}
