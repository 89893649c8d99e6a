//! A pattern's figures on each of the last days: what is known today, less the evidence of the days since.

use std::collections::BTreeMap;

use crate::figure::figure;
use crate::frame::word_at;
use learn::{Basis, Evidence, HISTORY_DAYS, ProjectEvidence, Trace, TracePoint};
use setting::Settings;
use text::diagnostic::Outcome;

/// Traces the patterns that have recent evidence. All days of all patterns are computed at once, by the rules of today's figures.
pub fn trace_patterns(
    bases: &BTreeMap<u32, Basis>,
    evidence: &[ProjectEvidence],
    settings: &Settings,
) -> Outcome<BTreeMap<u32, Trace>> {
    let mut by_pattern: BTreeMap<u32, BTreeMap<i64, Evidence>> = BTreeMap::new();
    for (row, age_days) in evidence.iter().filter_map(|row| Some((row, row.age_days?))) {
        *by_pattern.entry(row.pattern).or_default().entry(age_days).or_default() += row.evidence;
    }
    by_pattern.retain(|pattern, _| bases.contains_key(pattern));
    let mut rows: Vec<Basis> = Vec::new();
    for (pattern, days) in &by_pattern {
        let Some(today) = bases.get(pattern) else { continue };
        let mut then = Basis { fixed_weight: None, fixed_rate: None, ..*today };
        let mut past = vec![then];
        for age in 0..HISTORY_DAYS {
            if let Some(row) = days.get(&age) {
                then.evidence -= *row;
            }
            then.is_stale = false;
            past.push(then);
        }
        rows.extend(past.into_iter().rev());
    }
    let figures = figure(&rows, settings)?;
    let point = |row: usize| TracePoint {
        seen: rows[row].evidence.seen,
        rate: figures.rate.get(row),
        flag: figures.flag.get(row).and_then(word_at).unwrap_or_default(),
    };
    let width = usize::try_from(HISTORY_DAYS + 1).unwrap_or_default();
    let traces = by_pattern
        .keys()
        .enumerate()
        .map(|(place, pattern)| (*pattern, Trace { points: (place * width..(place + 1) * width).map(point).collect() }));
    Ok(traces.collect())
}
