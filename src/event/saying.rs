//! The patterns that a role reports.

use std::borrow::Cow;

use super::field::{Field, Texts};
use super::member::Raw;
use super::rejection::Rejection;
use text::review::{MOST_SAYINGS, is_saying};

/// The patterns that a role reports: few, each of a length that says something and fits a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sayings<'a>(Vec<Cow<'a, str>>);

impl Sayings<'_> {
    /// The patterns.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|saying| &**saying)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that were found in a role's text.
    pub(super) fn found(sayings: Vec<String>) -> Self {
        Self(sayings.into_iter().map(Cow::Owned).collect())
    }
}

impl<'a> Field<'a> for Sayings<'a> {
    fn parse(raw: Raw<'a>) -> Result<Self, Rejection> {
        Ok(Self(Texts::parse(raw)?.iter().filter(|saying| is_saying(saying)).take(MOST_SAYINGS).collect()))
    }

    /// What is too short, too long or too much is kept as it was written.
    fn says_more(raw: Raw<'a>) -> bool {
        Texts::parse(raw)
            .is_ok_and(|texts| texts.iter().enumerate().any(|(place, text)| place >= MOST_SAYINGS || !is_saying(&text)))
    }
}
