//! Sightings by task: how many independent ones they are worth, by the same weights that rates have.

use std::collections::BTreeMap;

use crate::figure::figure;
use learn::{Basis, TaskRow, effective_count, real};
use setting::Settings;
use text::diagnostic::Outcome;

/// Says of each pattern that was seen in named tasks how many there are, and what its sightings are worth.
pub fn count_tasks(bases: &mut BTreeMap<u32, Basis>, rows: &[TaskRow], settings: &Settings) -> Outcome<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let each: Vec<Basis> = rows.iter().map(|row| Basis { evidence: row.into(), ..Basis::default() }).collect();
    let weights = figure(&each, settings)?.weight;
    let mut tasks: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        tasks.entry(row.pattern).or_default().push((weights.get(place).unwrap_or_default(), real(row.seen)));
    }
    for (pattern, tasks) in tasks {
        let Some(known) = bases.get_mut(&pattern) else { continue };
        let inside: f64 = tasks.iter().map(|(_, seen)| seen).sum();
        let outside = (real(known.evidence.seen) - inside).max(0.0);
        known.tasks = i64::try_from(tasks.len()).ok();
        known.effective_seen = Some(outside + effective_count(&tasks));
    }
    Ok(())
}
