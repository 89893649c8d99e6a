//! Foreign values, made to fit the fields of an event. Every change is noted.
//!
//! Numbers and white space are those of Python: what ClosedLoop counted as a number decides what a field means. One difference is
//! left: Python also takes the decimal digits of other scripts.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::imported::{Notes, Refusal};
use event::parse_time;
use text::fit::{self, cut, quoted};
use text::limit;

/// What an empty run or role is called; the original writes the same word where it knows no run.
pub(super) const UNKNOWN: &str = "unknown";

/// Seconds since 1970 stay below this for three thousand years; milliseconds have passed it since 1973.
const LEAST_MILLIS: f64 = 1e11;

/// A name: what separates paths or cannot be printed becomes `_`. None if there is nothing in it.
pub(super) fn fit_name(text: &str, field: &str, notes: &mut Notes) -> Option<String> {
    let name = fit::name(text)?;
    if name != text {
        notes.add(format!("`{field}` {} became {}", quoted(text), quoted(&name)));
    }
    Some(name)
}

/// A name that an event cannot do without.
pub(super) fn fit_needed_name(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_name(text, field, notes).unwrap_or_else(|| {
        notes.add(format!("`{field}` is empty and became `{UNKNOWN}`"));
        UNKNOWN.to_owned()
    })
}

/// The project that all events of an import belong to, made a name if it is none.
pub(super) fn fit_project(project: &str) -> String {
    fit_name(project, "project", &mut Notes::default()).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// A label: what cannot be printed becomes a space. None if nothing is left.
pub(super) fn fit_label(text: &str, field: &str, notes: &mut Notes) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let label = fit::label(text);
    if label.as_deref() != Some(text) {
        notes.add(format!("`{field}` {} became {}", quoted(text), quoted(label.as_deref().unwrap_or_default())));
    }
    label
}

/// A text, cut at its limit.
pub(super) fn fit_text(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_bytes(text, limit::TEXT_BYTES, field, notes).to_owned()
}

/// A short text that is kept beside the fields, cut where a name would be.
pub(super) fn fit_aside(text: &str, field: &str, notes: &mut Notes) -> String {
    fit_bytes(text, limit::NAME_BYTES, field, notes).to_owned()
}

/// A list of texts: trimmed, without empty ones.
pub(super) fn fit_texts<'a>(items: impl Iterator<Item = &'a str>, field: &str, notes: &mut Notes) -> Vec<String> {
    let texts = items.map(trim).filter(|item| !item.is_empty()).collect();
    bounded(texts, field, notes).into_iter().map(|item| fit_bytes(item, limit::ITEM_BYTES, field, notes).to_owned()).collect()
}

/// A list of labels: trimmed, without empty ones.
pub(super) fn fit_labels<'a>(items: impl Iterator<Item = &'a str>, field: &str, notes: &mut Notes) -> Vec<String> {
    let labels = items.map(trim).filter(|item| !item.is_empty()).collect();
    bounded(labels, field, notes).into_iter().filter_map(|item| fit_label(item, field, notes)).collect()
}

fn fit_bytes<'a>(text: &'a str, most_bytes: usize, field: &str, notes: &mut Notes) -> &'a str {
    if text.len() > most_bytes {
        notes.add(format!("`{field}` has {} bytes and was cut to {most_bytes}", text.len()));
    }
    cut(text, most_bytes)
}

fn bounded<'a>(mut items: Vec<&'a str>, field: &str, notes: &mut Notes) -> Vec<&'a str> {
    if items.len() > limit::LIST_ITEMS {
        notes.add(format!("`{field}` has {} items and was cut to {}", items.len(), limit::LIST_ITEMS));
        items.truncate(limit::LIST_ITEMS);
    }
    items
}

pub(super) use text::fit::{strip as trim, strip_end as trim_end};

/// The number that `float` reads, which may be infinite or not a number at all.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    // Most fields are words; this spares them the search for underscores.
    let text = trim(text);
    let opens_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'i' | b'I' | b'n' | b'N');
    text.as_bytes().first().filter(|byte| opens_number(byte))?;
    without_underscores(text)?.parse().ok()
}

/// The whole number, zero or more, that `int` reads. Numbers beyond what an event holds count as unreadable.
pub(super) fn parse_count(text: &str) -> Option<i64> {
    let text = without_underscores(trim(text))?;
    text.parse::<i64>().ok().filter(|count| *count >= 0)
}

/// The text without its underscores, if each of them stands between two digits.
fn without_underscores(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('_') {
        return Some(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let is_between = |at: usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let all_between = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || is_between(at));
    all_between.then(|| Cow::Owned(text.replace('_', "")))
}

/// The time of a row. What the door would refuse as too early is refused here.
pub(super) fn parse_row_time(text: &str) -> Result<Timestamp, Refusal> {
    let micros = parse_time(text).ok_or_else(|| format!("the time {} is not RFC 3339", quoted(text)))?;
    if micros < limit::EARLIEST_MICROS {
        return Err(format!("the time {} is before 2000", quoted(text)));
    }
    Timestamp::from_microsecond(micros).map_err(|_| format!("the time {} is too far in the future", quoted(text)))
}

/// The time of a file. A file may have lost its own: one from before 2000 is moved there.
pub(super) fn fit_file_time(modified: Timestamp, notes: &mut Notes) -> Timestamp {
    let micros = modified.as_microsecond();
    if micros < limit::EARLIEST_MICROS {
        notes.add(format!("the file's time {modified} is before 2000 and was set to 2000"));
    }
    Timestamp::from_microsecond(micros.max(limit::EARLIEST_MICROS)).unwrap_or(modified)
}

/// A time as other programs and databases write it: RFC 3339, as `SQLite` does, or seconds or milliseconds since 1970.
pub(super) fn parse_any_time(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => parse_time_text(text.trim()),
        Value::Number(number) => number.as_f64().and_then(parse_time_number),
        _ => None,
    }
}

fn parse_time_text(text: &str) -> Option<Timestamp> {
    let as_instant = || text.parse::<Timestamp>().ok();
    // SQLite writes the time in UTC and without a zone.
    let as_date_time = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    as_instant().or_else(as_date_time).or_else(|| text.parse().ok().and_then(parse_time_number))
}

fn parse_time_number(number: f64) -> Option<Timestamp> {
    let millis = if number < LEAST_MILLIS { number * 1000.0 } else { number };
    #[expect(clippy::cast_possible_truncation, reason = "what is too large for a time is refused by it")]
    Timestamp::from_millisecond(millis.round() as i64).ok().filter(|_| millis.is_finite() && millis > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_follow_the_grammar_of_python() {
        for (text, value) in [("0.5", 0.5), (" 1 ", 1.0), ("\u{1f}2\u{a0}", 2.0), ("1_0.5_0e0_1", 105.0), ("+.5", 0.5), ("5.", 5.0)]
        {
            assert_eq!(parse_float(text), Some(value), "{text:?}");
        }
        assert_eq!(parse_float("-iNfInItY"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_float("1e400"), Some(f64::INFINITY));
        assert!(parse_float("NaN").is_some_and(f64::is_nan));
        for text in ["", " ", "_1", "1_", "1__0", "1_.0", "1e", "e5", ".", "+", "0x10", "1,5", "in_f", "1 0", "1\0"] {
            assert_eq!(parse_float(text), None, "{text:?}");
        }
    }

    #[test]
    fn counts_follow_the_grammar_of_python_and_are_not_negative() {
        for (text, value) in [("7", 7), (" 007 ", 7), ("+1_000", 1000), ("-0", 0)] {
            assert_eq!(parse_count(text), Some(value), "{text:?}");
        }
        for text in ["", "-1", "1.0", "1_", "x", "99999999999999999999", "+-1"] {
            assert_eq!(parse_count(text), None, "{text:?}");
        }
    }
}
