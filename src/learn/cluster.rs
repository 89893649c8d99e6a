//! Tasks: what happens in the runs of one task is no independent evidence. How many independent sightings some tasks are worth.

use crate::evidence::Evidence;
use crate::rounding::real;

event::row! {
    /// The evidence of one task about a pattern: a row of `sql/task.sql`.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TaskRow {
        pub pattern: u32,
        pub seen: i64,
        pub met: i64,
        pub unjudged: i64,
        pub missed_rated: i64,
        pub missed_unrated: i64,
        pub missed_relevance_millionths: i64,
        pub failed_unrated: i64,
        pub failed_relevance_millionths: i64,
        pub failed_missed_unrated: i64,
        pub failed_missed_relevance_millionths: i64,
    }
}

impl From<&TaskRow> for Evidence {
    fn from(row: &TaskRow) -> Self {
        Self {
            seen: row.seen,
            met: row.met,
            unjudged: row.unjudged,
            missed_rated: row.missed_rated,
            missed_unrated: row.missed_unrated,
            missed_relevance_millionths: row.missed_relevance_millionths,
            failed_unrated: row.failed_unrated,
            failed_relevance_millionths: row.failed_relevance_millionths,
            failed_missed_unrated: row.failed_missed_unrated,
            failed_missed_relevance_millionths: row.failed_missed_relevance_millionths,
            ..Self::default()
        }
    }
}

/// How many independent observations the tasks are worth, each given as the sum of its observations and their number. One task
/// decides nothing: it is worth none. Where nothing but successes or nothing but failures was seen, each task is worth one.
#[must_use]
pub fn effective_count(tasks: &[(f64, f64)]) -> f64 {
    let (sum, count) = tasks.iter().fold((0.0, 0.0), |(sum, count), task| (sum + task.0, count + task.1));
    let number = real(tasks.len() as u64);
    if tasks.len() < 2 || count <= 0.0 {
        return 0.0;
    }
    let mean = sum / count;
    match squared_error(tasks) {
        Some(error) if mean > 0.0 && mean < 1.0 => {
            if error > 0.0 {
                (mean * (1.0 - mean) / error).min(count)
            } else {
                count
            }
        }
        _ => number,
    }
}

/// The variance of the mean over all observations, from how tasks differ; none of fewer than two tasks.
#[must_use]
pub fn squared_error(tasks: &[(f64, f64)]) -> Option<f64> {
    let (sum, count) = tasks.iter().fold((0.0, 0.0), |(sum, count), task| (sum + task.0, count + task.1));
    let number = real(tasks.len() as u64);
    if tasks.len() < 2 || count <= 0.0 {
        return None;
    }
    let mean = sum / count;
    let spread: f64 = tasks.iter().map(|(sum, count)| (sum - mean * count).powi(2)).sum();
    Some(number / (number - 1.0) * spread / (count * count))
}
