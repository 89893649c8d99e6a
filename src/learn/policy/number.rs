//! Numbers as the original writes them: whole ones without a point.

use serde::Serializer;
use serde_json::{Number, Value};

pub use text::time::{DAY_MICROS, to_milliseconds as iso};

/// A number as JSON: `1`, not `1.0`.
#[must_use]
pub fn number(value: f64) -> Value {
    match whole(value) {
        Some(whole) => Value::from(whole),
        None => Number::from_f64(value).map_or(Value::Null, Value::Number),
    }
}

/// Serializes a number without a point where it is whole.
pub fn plain<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match whole(*value) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(*value),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
}
