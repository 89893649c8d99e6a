//! Which notes people should look at, and how the whole of them fares.

use std::collections::BTreeMap;

use serde::Serialize;

use super::figure::{Advice, Surroundings, advise, age_days, documented_part, weigh_note};
use super::note::Note;
use crate::role::{Health, health};
use setting::{DeliberationSettings, MemorySettings};

/// What keeps 0.6 from being less than itself by a rounding.
const EPSILON: f64 = 1e-9;

/// A note of which documents say so much is covered by them.
const COVERED: f64 = 0.8;
/// A note of which they say so much adds to what they say.
const EXTENDS: f64 = 0.3;

/// A note that nobody has changed for long.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StaleNote {
    /// The note.
    pub name: String,
    /// How old it is.
    pub age_days: f64,
    pub source: String,
}

/// Two notes that may be one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotePair {
    /// The one.
    pub first: String,
    /// The other.
    pub second: String,
    /// The part of all their words that they share.
    pub similarity: f64,
}

/// How a note relates to the documents that everybody reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// The note.
    pub name: String,
    /// In a word: `new_rule`, `extends_existing` or `already_covered`.
    pub class: &'static str,
    /// The part of it that documents say already.
    pub documented: f64,
}

/// A note that leaves something out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LackingNote {
    /// The note.
    pub name: String,
    /// What it leaves out.
    pub lacks: Vec<&'static str>,
}

/// A note and what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeighedNote {
    /// The note.
    pub name: String,
    /// The sum of its figures.
    pub sum: f64,
}

/// How the notes fare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoteStatus {
    /// In a word.
    pub health: Health,
    /// How many there are.
    pub notes: usize,
    /// How many are stale.
    pub stale: usize,
    /// How many pairs overlap.
    pub pairs: usize,
    /// How many there are of each sort.
    pub by_type: BTreeMap<String, usize>,
}

/// Which notes people should look at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotesReview {
    /// Notes that nobody has changed for long, the oldest first.
    pub stale: Vec<StaleNote>,
    /// Pairs that overlap, the most alike first.
    pub overlapping: Vec<NotePair>,
    /// How each note relates to the documents.
    pub redundancy: Vec<Coverage>,
    /// Notes that leave something out.
    pub needs_rewrite: Vec<LackingNote>,
    /// Notes that should become rules for all, the best first.
    pub promotion: Vec<WeighedNote>,
    /// The health of the notes.
    pub stats: NoteStatus,
}

/// Finds which notes people should look at.
#[must_use]
pub fn review_notes(
    notes: &[Note],
    around: &Surroundings<'_>,
    settings: &MemorySettings,
    limits: &DeliberationSettings,
) -> NotesReview {
    let stale = find_stale(notes, around.now_micros, settings);
    let overlapping = find_pairs(notes, settings.overlap);
    let weighed = notes.iter().map(|note| {
        let sum = weigh_note(note, notes, around, settings).weigh(&settings.weights);
        WeighedNote { name: note.name.clone(), sum }
    });
    let mut promotion: Vec<WeighedNote> = weighed.filter(|note| advise(note.sum, settings) == Advice::Promote).collect();
    promotion.sort_by(|one, other| other.sum.total_cmp(&one.sum).then_with(|| one.name.cmp(&other.name)));
    let lacking = notes.iter().filter(|note| !note.lacks.is_empty());
    NotesReview {
        stats: status_of(notes, stale.len(), overlapping.len(), limits),
        stale,
        overlapping,
        redundancy: notes.iter().map(|note| cover(note, around, settings)).collect(),
        needs_rewrite: lacking.map(|note| LackingNote { name: note.name.clone(), lacks: note.lacks.clone() }).collect(),
        promotion,
    }
}

/// Sums up how the notes fare.
#[must_use]
pub fn sum_up_notes(notes: &[Note], now_micros: i64, settings: &MemorySettings, limits: &DeliberationSettings) -> NoteStatus {
    let (stale, pairs) = (find_stale(notes, now_micros, settings).len(), find_pairs(notes, settings.overlap).len());
    status_of(notes, stale, pairs, limits)
}

fn status_of(notes: &[Note], stale: usize, pairs: usize, limits: &DeliberationSettings) -> NoteStatus {
    let mut by_type = BTreeMap::new();
    for note in notes {
        *by_type.entry(note.kind.clone()).or_default() += 1;
    }
    NoteStatus { health: health(stale, notes.len(), pairs, limits), notes: notes.len(), stale, pairs, by_type }
}

fn find_stale(notes: &[Note], now_micros: i64, settings: &MemorySettings) -> Vec<StaleNote> {
    let aged = notes.iter().map(|note| (note, age_days(note, now_micros)));
    let mut stale: Vec<StaleNote> = aged
        .filter(|(_, age)| *age > f64::from(settings.stale_days))
        .map(|(note, age)| StaleNote { name: note.name.clone(), age_days: age, source: note.time_source.clone() })
        .collect();
    stale.sort_by(|one, other| other.age_days.total_cmp(&one.age_days).then_with(|| one.name.cmp(&other.name)));
    stale
}

/// The pairs of notes that share so many of their words. Those of very different lengths cannot.
#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 words")]
fn find_pairs(notes: &[Note], overlap: f64) -> Vec<NotePair> {
    let mut sorted: Vec<&Note> = notes.iter().filter(|note| !note.words.is_empty()).collect();
    sorted.sort_by(|one, other| one.words.len().cmp(&other.words.len()).then_with(|| one.name.cmp(&other.name)));
    let mut pairs = Vec::new();
    for (place, one) in sorted.iter().enumerate() {
        let near = sorted[place + 1..].iter();
        for other in near.take_while(|other| one.words.len() as f64 + EPSILON >= overlap * other.words.len() as f64) {
            let similarity = one.words.likeness(&other.words);
            if similarity + EPSILON >= overlap {
                let (first, second) = if one.name <= other.name { (one, other) } else { (other, one) };
                pairs.push(NotePair { first: first.name.clone(), second: second.name.clone(), similarity });
            }
        }
    }
    let names = |pair: &NotePair| (pair.first.clone(), pair.second.clone());
    pairs.sort_by(|one, other| other.similarity.total_cmp(&one.similarity).then_with(|| names(one).cmp(&names(other))));
    pairs
}

fn cover(note: &Note, around: &Surroundings<'_>, settings: &MemorySettings) -> Coverage {
    let documented = documented_part(note, around.documents, settings.documented);
    let class = match documented + EPSILON {
        part if part >= COVERED => "already_covered",
        part if part >= EXTENDS => "extends_existing",
        _ => "new_rule",
    };
    Coverage { name: note.name.clone(), class, documented }
}
