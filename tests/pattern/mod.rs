//! The pattern book: what the fold makes of lessons and decisions.

mod category;
mod decision;
mod horizon;
mod identity;
pub mod merge;
pub mod naive;
mod place;
mod tool;

use std::collections::BTreeMap;

use learn::pattern::{Decision, Entry, FoldRule, Lesson, Registry, Source, fold_lessons};
use learn::subject::Action;

/// The fold by default, with everything in sight.
pub const RULE: FoldRule = FoldRule { overlap: 0.8, as_of_micros: i64::MAX };

/// Folds entries in this order, the n-th at the n-th instant, from the n-th line.
fn folded<const COUNT: usize>(entries: [Entry; COUNT]) -> Registry {
    fold_lessons(numbered(entries), RULE)
}

/// Gives entries their places in the log.
fn numbered(entries: impl IntoIterator<Item = Entry>) -> Vec<Entry> {
    let place = |(number, mut entry): (i64, Entry)| {
        let (Entry::Lesson(Lesson { source, .. }) | Entry::Decision(Decision { source, .. })) = &mut entry;
        if source.time_micros == 0 {
            source.time_micros = number;
        }
        let time_micros = source.time_micros;
        (source.event, source.sequence, source.line) = (format!("e{number}"), number, number);
        if let Entry::Lesson(lesson) = &mut entry {
            lesson.captured_micros = time_micros;
        }
        entry
    };
    (1..).zip(entries).map(place).collect()
}

fn source() -> Source {
    Source { event: String::new(), time_micros: 0, sequence: 0, file: "inbox.jsonl".to_owned(), line: 0 }
}

fn lesson(summary: &str) -> Lesson {
    Lesson {
        source: source(),
        project: "shop".to_owned(),
        pattern_id: None,
        captured_micros: 0,
        summary: summary.to_owned(),
        detail: None,
        trigger: None,
        category: None,
        scope: None,
        repo: None,
        confidence: None,
        applies_to: Vec::new(),
        tags: Vec::new(),
        seen_count: None,
        success_rate: None,
        source_project: None,
        origin: None,
        flags: None,
        files: Vec::new(),
    }
}

/// A captured lesson.
fn learned(summary: &str) -> Entry {
    Entry::Lesson(lesson(summary))
}

/// A lesson under an id of another store.
fn named(id: &str, summary: &str) -> Entry {
    Entry::Lesson(Lesson { pattern_id: Some(id.to_owned()), ..lesson(summary) })
}

/// A person's decision.
fn decided(id: &str, action: Action) -> Entry {
    let (pattern_id, actor) = (id.to_owned(), "ann".to_owned());
    Entry::Decision(Decision { source: source(), pattern_id, action, actor, reason: None })
}

/// Ids and summaries in the order of the book.
fn listed(book: &Registry) -> Vec<(String, String)> {
    book.patterns().map(|pattern| (pattern.id(), pattern.summary.clone())).collect()
}

/// The pattern of each capture.
fn homes(book: &Registry) -> BTreeMap<String, u32> {
    let captures = book.patterns().flat_map(|pattern| pattern.sightings.iter().map(|sighting| (sighting, pattern.number)));
    captures.map(|(sighting, number)| (sighting.event.clone(), number)).collect()
}
