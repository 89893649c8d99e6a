//! Failures that recur: one pattern an adapter and type of failure.

use std::collections::BTreeMap;

use crate::rounding::round_half_away;
use event::row::Rows;
use setting::ReliabilitySettings;
use text::diagnostic::Outcome;
use text::key::key;
use text::time::days_between;

/// A failure that was seen at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailurePattern {
    /// Adapter and type of failure, as keys.
    pub id: String,
    /// The adapter: the first one of the run that failed.
    pub adapter: String,
    /// The type of failure, as it was spelled first.
    pub failure_type: String,
    /// How often it was seen.
    pub occurrences: i64,
    /// How often it was seen since a person last cleared it.
    pub since_clear: i64,
    /// Successes of the adapter since it was last seen, where somebody asks for them.
    pub successes_since: i64,
    /// When it was last seen, in microseconds since 1970.
    pub last_micros: i64,
}

impl FailurePattern {
    /// The confidence in it.
    #[must_use]
    pub fn confidence(&self, settings: &ReliabilitySettings) -> f64 {
        confidence(self.occurrences, settings)
    }
}

/// The id of the pattern of a failure.
#[must_use]
pub fn failure_id(adapter: &str, failure_type: &str) -> String {
    format!("{}::{}", key(adapter), key(failure_type))
}

/// The confidence in a failure that was seen so often. In thousandths, so that it is the same however it was reached.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "settings from 0 to 1, and far below 2^52")]
pub fn confidence(occurrences: i64, settings: &ReliabilitySettings) -> f64 {
    let thousandths = |part: f64| (part * 1000.0).round() as i64;
    let gained = thousandths(settings.confidence_step).saturating_mul(occurrences.max(1) - 1);
    let sum = thousandths(settings.first_confidence).saturating_add(gained);
    sum.min(thousandths(settings.most_confidence)) as f64 / 1000.0
}

/// What is left of a confidence at an instant: what was gained fades while the failure is not seen. Nothing is stored of it.
#[must_use]
pub fn effective_confidence(confidence: f64, last_micros: i64, as_of_micros: i64, settings: &ReliabilitySettings) -> f64 {
    let Some(half_life) = settings.confidence_half_life_days else { return confidence };
    let idle_days = days_between(last_micros, as_of_micros);
    let first = settings.first_confidence;
    round_half_away(first + (confidence - first) * (-idle_days / half_life).exp2(), 3)
}

/// What to do about a failure: what the settings say of it, of its adapter or of all, else advice of the program's own.
#[must_use]
pub fn fix_for(pattern: &FailurePattern, settings: &ReliabilitySettings) -> String {
    let said = [&*pattern.id, &*pattern.adapter, "*"].into_iter().find_map(|key| settings.fixes.get(key));
    if let Some(said) = said {
        return said.replace("{type}", &pattern.failure_type);
    }
    match &*pattern.adapter {
        "terminal" => "Check that the command is allowed, runs in the right folder and has its environment.".to_owned(),
        "github" => "Check that the branch is up to date, the token is valid and the remote allows writing.".to_owned(),
        _ => format!("Check the adapter's input and expected state for {}.", pattern.failure_type),
    }
}

event::row! {
    /// A failure by its adapter and the key of its type, and something that was counted of it.
    struct FailureRow<'r> {
        adapter: &'r str,
        failure_key: &'r str,
    }
}

event::row! {
    struct SeenRow<'r> {
        failure: FailureRow<'r>,
        failure_type: &'r str,
        occurrences: i64,
        last_us: i64,
    }
}

impl FailureRow<'_> {
    fn id(&self) -> String {
        format!("{}::{}", self.adapter, self.failure_key)
    }
}

/// Reads the rows of `sql/policy/failure.sql`. Nothing is cleared yet.
pub fn parse_failures(rows: &Rows) -> Outcome<Vec<FailurePattern>> {
    let mut patterns = Vec::with_capacity(rows.count());
    rows.each(|SeenRow { failure, failure_type, occurrences, last_us }| {
        patterns.push(FailurePattern {
            id: failure.id(),
            adapter: failure.adapter.to_owned(),
            failure_type: failure_type.to_owned(),
            occurrences,
            since_clear: occurrences,
            successes_since: 0,
            last_micros: last_us,
        });
        Ok(())
    })?;
    Ok(patterns)
}

/// How often failures were seen since each time they were cleared: by pattern, place of the clear in the order of landing.
pub type Since = BTreeMap<String, BTreeMap<i64, i64>>;

event::row! {
    struct SinceRow<'r> {
        failure: FailureRow<'r>,
        cleared_seq: i64,
        occurrences: i64,
    }
}

/// Reads the rows of `sql/policy/since.sql`.
pub fn parse_since(rows: &Rows) -> Outcome<Since> {
    let mut since = Since::new();
    rows.each(|row: SinceRow<'_>| {
        since.entry(row.failure.id()).or_default().insert(row.cleared_seq, row.occurrences);
        Ok(())
    })?;
    Ok(since)
}

/// Successes of an adapter since a failure was last seen, by the failure's id.
pub type Recovery = BTreeMap<String, i64>;

event::row! {
    struct RecoveryRow<'r> {
        failure: FailureRow<'r>,
        successes: i64,
    }
}

/// Reads the rows of `sql/policy/recovery.sql`.
pub fn parse_recoveries(rows: &Rows) -> Outcome<Recovery> {
    let mut recoveries = Recovery::new();
    rows.each(|row: RecoveryRow<'_>| {
        recoveries.insert(row.failure.id(), row.successes);
        Ok(())
    })?;
    Ok(recoveries)
}
