//! Values as other programs and databases write them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use crate::import::imported::{Notes, Refusal};
use text::fit::quoted;
use text::{fit, limit};

/// Seconds since 1970 stay below this for three thousand years; milliseconds have passed it since 1973.
const LEAST_MILLIS: f64 = 1e11;

/// The members of a record or a row. What is null is not there.
#[derive(Debug)]
pub(super) struct Members(pub(super) Map<String, Value>);

impl Members {
    fn find(&self, names: &[&str]) -> Option<(&Value, String)> {
        let found = names.iter().find_map(|name| Some((self.0.get(*name)?, (*name).to_owned())));
        found.filter(|(value, _)| !value.is_null())
    }

    /// A text that is not blank; numbers are taken as they are written.
    pub(super) fn text(&self, names: &[&str]) -> Option<String> {
        match self.find(names)?.0 {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// A name, made one if it is none.
    pub(super) fn name(&self, names: &[&str], notes: &mut Notes) -> Option<String> {
        let text = self.text(names)?;
        let fitted = fit::name(text.trim())?;
        note_change(names[0], &text, &fitted, notes);
        Some(fitted)
    }

    /// A label, made one if it is none.
    pub(super) fn label(&self, names: &[&str], notes: &mut Notes) -> Option<String> {
        let text = self.text(names)?;
        let fitted = fit::label(text.trim())?;
        note_change(names[0], &text, &fitted, notes);
        Some(fitted)
    }

    /// Labels, each made one if it is none.
    pub(super) fn labels(&self, name: &str, notes: &mut Notes) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let labels: Vec<String> = items.filter_map(fit::label).collect();
        if labels.len() > limit::LIST_ITEMS {
            notes.add(format!("`{name}` has {} items and was cut to {}", labels.len(), limit::LIST_ITEMS));
        }
        labels.into_iter().take(limit::LIST_ITEMS).collect()
    }

    /// A count. What is none is noted and left out.
    pub(super) fn count(&self, names: &[&str], notes: &mut Notes) -> Option<i64> {
        let (value, name) = self.find(names)?;
        let whole = |number: f64| (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number);
        #[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number that fits")]
        let count = match value {
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?).map(|number| number as i64)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let count = count.filter(|count| *count >= 0);
        if count.is_none() {
            notes.add(format!("`{name}` {} is not a count and was ignored", quoted(&value.to_string())));
        }
        count
    }

    /// A number. What is none is noted and left out.
    pub(super) fn number(&self, name: &str, notes: &mut Notes) -> Option<f64> {
        let (value, _) = self.find(&[name])?;
        let number = value
            .as_f64()
            .or_else(|| value.as_str()?.trim().parse().ok())
            .filter(|number: &f64| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            notes.add(format!("`{name}` {} is not a number and was ignored", quoted(&value.to_string())));
        }
        number
    }

    /// Whether something holds: databases write 0 and 1.
    pub(super) fn truth(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(holds)) => *holds,
            Some(Value::Number(number)) => number.as_f64().is_some_and(|number| number != 0.0),
            Some(Value::String(text)) => matches!(&*text.trim().to_lowercase(), "true" | "1" | "yes"),
            _ => false,
        }
    }

    /// A time: RFC 3339, as `SQLite` writes it, or seconds or milliseconds since 1970.
    pub(super) fn time(&self, names: &[&str]) -> Result<Option<Timestamp>, Refusal> {
        let Some((value, name)) = self.find(names) else { return Ok(None) };
        let time = match value {
            Value::String(text) => parse_text(text.trim()),
            Value::Number(number) => number.as_f64().and_then(parse_number),
            _ => None,
        };
        let time = time.ok_or_else(|| format!("`{name}` {} is not a time", quoted(&value.to_string())))?;
        if time.as_microsecond() < limit::EARLIEST_MICROS {
            return Err(format!("`{name}` {} is before 2000", quoted(&value.to_string())));
        }
        Ok(Some(time))
    }
}

fn note_change(name: &str, text: &str, fitted: &str, notes: &mut Notes) {
    if text.trim() != fitted {
        notes.add(format!("`{name}` {} became {}", quoted(text), quoted(fitted)));
    }
}

fn parse_text(text: &str) -> Option<Timestamp> {
    let as_instant = || text.parse::<Timestamp>().ok();
    // SQLite writes the time in UTC and without a zone.
    let as_date_time = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    as_instant().or_else(as_date_time).or_else(|| text.parse().ok().and_then(parse_number))
}

fn parse_number(number: f64) -> Option<Timestamp> {
    let millis = if number < LEAST_MILLIS { number * 1000.0 } else { number };
    #[expect(clippy::cast_possible_truncation, reason = "what is too large for a time is refused by it")]
    Timestamp::from_millisecond(millis.round() as i64).ok().filter(|_| millis.is_finite() && millis > 0.0)
}
