//! The rows of `org-patterns.toon`, each a lesson with what the original made of it.

use jiff::Timestamp;

use super::repair::{fit_label, fit_labels, fit_name, fit_project, fit_text};
use crate::import::imported::{Imported, Notes, Record, Refusal};
use crate::import::time::fit_file_time;
use event::Draft;
use render::toon::{Located, Row};

/// Imports the rows of `org-patterns.toon`: a `learning` event a row, at the time at which the file was written.
#[must_use]
pub fn import_patterns(rows: &[Located], modified: Timestamp, project: &str) -> Imported {
    let project = fit_project(project);
    let mut imported = Imported::default();
    for Located { line, row } in rows {
        let mut notes = Notes::default();
        let outcome = read_row(row, modified, &project, &mut notes);
        imported.book(*line, &row.summary, notes, outcome);
    }
    imported
}

/// The event of a row.
pub(super) fn read_row(row: &Row, modified: Timestamp, project: &str, notes: &mut Notes) -> Result<Record, Refusal> {
    if row.summary.trim().is_empty() {
        return Err("the summary is empty".to_owned());
    }
    let event = Draft::new("learning", fit_file_time(modified, notes), project)
        .with_some("pattern_id", fit_name(&row.id, "pattern_id", notes))
        .with_some("category", fit_label(&row.category, "category", notes))
        .with("summary", fit_text(&row.summary, "summary", notes))
        .with_some("confidence", fit_label(&row.confidence, "confidence", notes))
        .with("seen_count", fit_seen_count(row.seen_count, notes))
        .with_some("success_rate", row.success_rate.and_then(|rate| fit_rate(rate, notes)))
        .with_items("applies_to", fit_labels(row.applies_to.split('|'), "applies_to", notes))
        .with_items("tags", fit_labels(row.context.split('|'), "tags", notes))
        .with_some("repo", fit_label(&row.repo, "repo", notes))
        .with_some("flags", Some(&*row.flags).filter(|flags| !flags.is_empty()).map(|flags| fit_text(flags, "flags", notes)))
        .with("origin", "org-patterns.toon");
    Ok(Record::Events(vec![event.finish()?]))
}

fn fit_seen_count(seen_count: u64, notes: &mut Notes) -> i64 {
    i64::try_from(seen_count).unwrap_or_else(|_| {
        notes.add(format!("`seen_count` {seen_count} is too large and was clamped"));
        i64::MAX
    })
}

fn fit_rate(rate: f64, notes: &mut Notes) -> Option<f64> {
    if !rate.is_finite() {
        notes.add(format!("`success_rate` {rate} is not a finite number"));
        return None;
    }
    if !(0.0..=1.0).contains(&rate) {
        notes.add(format!("`success_rate` {rate} is outside 0 to 1 and was clamped"));
    }
    Some(rate.clamp(0.0, 1.0))
}
