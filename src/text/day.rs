//! A day of the calendar, UTC: what the lake is partitioned by.

use std::fmt;
use std::str::FromStr;

use crate::time::DAY_MICROS;
use jiff::civil::Date;

/// A day, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(i32);

impl Day {
    pub fn of_micros(micros: i64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "300,000 years of microseconds hold fewer than 2^31 days")]
        Self(micros.div_euclid(DAY_MICROS) as i32)
    }

    /// Days since 1970-01-01.
    #[must_use]
    pub const fn number(self) -> i32 {
        self.0
    }

    #[must_use]
    pub const fn earlier_by(self, days: i32) -> Self {
        Self(self.0.saturating_sub(days))
    }

    fn date(self) -> Date {
        Date::constant(1970, 1, 1).saturating_add(jiff::Span::new().days(self.0))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.date())
    }
}

impl FromStr for Day {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let date: Date = text.parse()?;
        Ok(Self((date - Date::constant(1970, 1, 1)).get_days()))
    }
}
