//! Times and durations as text, each format once. Times are in UTC; those that no calendar holds are the empty text.

use jiff::Timestamp;

pub const DAY_MICROS: i64 = 86_400_000_000;

/// RFC 3339 with as many decimals as the time has: `2026-03-14T15:09:26.5Z`.
pub fn instant(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.to_string()).unwrap_or_default()
}

/// RFC 3339 with three decimals, as JavaScript writes times: `2026-03-14T15:09:26.500Z`.
pub fn to_milliseconds(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map(|time| format!("{time:.3}")).unwrap_or_default()
}

/// RFC 3339 in whole seconds, as shells write times: `2026-03-14T15:09:26Z`.
pub fn to_seconds(micros: i64) -> String {
    formatted(micros, "%FT%TZ")
}

/// For people: `2026-03-14 15:09`.
pub fn to_minutes(micros: i64) -> String {
    formatted(micros, "%F %R")
}

/// RFC 3339 with six decimals, or none where there are none, as Python's `isoformat` writes times.
pub fn to_microseconds(time: Timestamp) -> String {
    formatted(time.as_microsecond(), if time.subsec_microsecond() == 0 { "%FT%TZ" } else { "%FT%T.%6fZ" })
}

/// A duration for people: whole seconds below a minute, then minutes and hours with one decimal.
///
/// Each is rounded after its unit is chosen, so that a little less than a minute is `60s` and a little less than an hour `60.0m`.
pub fn duration_text(seconds: f64) -> String {
    if seconds < 60.0 {
        format!("{seconds:.0}s")
    } else if seconds < 3600.0 {
        format!("{:.1}m", seconds / 60.0)
    } else {
        format!("{:.1}h", seconds / 3600.0)
    }
}

/// The days from one instant to a later one; none to an earlier one.
#[expect(clippy::cast_precision_loss, reason = "days need no microseconds")]
pub fn days_between(from_micros: i64, to_micros: i64) -> f64 {
    to_micros.saturating_sub(from_micros).max(0) as f64 / DAY_MICROS as f64
}

fn formatted(micros: i64, format: &str) -> String {
    Timestamp::from_microsecond(micros).map(|time| time.strftime(format).to_string()).unwrap_or_default()
}
