//! Up to where the log is seen.

use store::lake::{Extent, Past};
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};

/// Up to where the log is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Horizon {
    /// The last instant, in microseconds since 1970.
    pub as_of_micros: i64,
    /// The last event in the order of landing, where that is known.
    pub through: Option<i64>,
}

impl Horizon {
    pub const EVERYTHING: Self = Self { as_of_micros: i64::MAX, through: None };

    /// Whether everything lies within it that the sums of pruned days were made from: sums cannot be cut in two.
    #[must_use]
    pub fn covers(self, past: &Past) -> bool {
        let is_early = past.before.parse().is_ok_and(|before| Day::of_micros(self.as_of_micros) < before);
        let has_happened = !is_early && self.as_of_micros >= past.latest_micros;
        has_happened && self.through.is_none_or(|through| through >= past.last_sequence)
    }

    pub(super) fn check(self, past: &Past) -> Outcome<()> {
        if self.covers(past) {
            return Ok(());
        }
        let latest = text::time::instant(past.latest_micros);
        Err(Diagnostic::edit(
            format!(
                "the log of the days before {} was pruned: only sums are left of it, with all that was known of them at {latest}",
                past.before
            ),
            "ask for a later instant with --as-of, or publish anew with `outerloop run hourly`; what was published back then may \
             still be there",
        ))
    }

    /// The condition under which a row is seen, where the files hold what they do.
    pub(super) fn condition(self, extent: Extent) -> String {
        let is_ahead = self.as_of_micros < extent.latest_micros;
        let happened = is_ahead.then(|| format!("ts <= make_timestamptz({})", self.as_of_micros));
        where_all(happened.into_iter().chain(self.landed(extent)))
    }

    pub(super) fn landed(self, extent: Extent) -> Option<String> {
        self.through.filter(|through| *through < extent.last_sequence).map(|through| format!("landing_seq <= {through}"))
    }
}

pub(super) fn where_all(conditions: impl IntoIterator<Item = String>) -> String {
    let conditions: Vec<String> = conditions.into_iter().collect();
    if conditions.is_empty() { String::new() } else { format!(" where {}", conditions.join(" and ")) }
}
