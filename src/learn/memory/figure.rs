//! What speaks for a note: five figures from 0 to 1, their sum, and the advice that follows.

use serde::Serialize;

use super::note::Note;
use setting::MemorySettings;
use text::review::Tokens;
use text::time::days_between;
use text::word::share;

/// What keeps seven tenths from being less than 0.7 by a rounding.
const EPSILON: f64 = 1e-9;

/// A pattern bears a statement out only if they share so many words.
const LEAST_SHARED: usize = 3;

/// A note fades to nothing over so many times the days after which it is stale.
const FADING: f64 = 3.0;

/// What speaks for a note.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// How much of it no document says already.
    pub undocumented: f64,
    /// How far published patterns bear it out.
    pub borne_out: f64,
    /// How concrete it is.
    pub specificity: f64,
    /// Whether it is fresh, and what it names exists.
    pub relevance: f64,
    /// How far no other note says it.
    pub uniqueness: f64,
}

impl Figures {
    /// The sum of the figures, each by its weight.
    #[must_use]
    pub fn weigh(&self, weights: &[f64; 5]) -> f64 {
        let Self { undocumented, borne_out, specificity, relevance, uniqueness } = *self;
        let figures = [undocumented, borne_out, specificity, relevance, uniqueness];
        figures.iter().zip(weights).map(|(figure, weight)| figure * weight).sum()
    }
}

/// What a person may do with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    /// Make it a rule for all.
    Promote,
    /// Leave it where it is.
    Keep,
    /// Put it away.
    Archive,
}

impl Advice {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Keep => "keep",
            Self::Archive => "archive",
        }
    }
}

/// What follows from a sum.
#[must_use]
pub fn advise(sum: f64, settings: &MemorySettings) -> Advice {
    if sum + EPSILON >= settings.promote {
        Advice::Promote
    } else if sum + EPSILON >= settings.archive {
        Advice::Keep
    } else {
        Advice::Archive
    }
}

/// What a note is held against.
pub struct Surroundings<'s> {
    /// The words of each statement of the documents that everybody reads.
    pub documents: &'s [Tokens],
    /// The words of each published pattern.
    pub patterns: &'s [Tokens],
    /// Whether a path exists in the work tree.
    pub exists: &'s dyn Fn(&str) -> bool,
    /// The instant, in microseconds since 1970.
    pub now_micros: i64,
}

/// Works out the figures of a note among others, of which it may be one.
#[must_use]
pub fn weigh_note(note: &Note, others: &[Note], around: &Surroundings<'_>, settings: &MemorySettings) -> Figures {
    let likenesses = others.iter().filter(|other| other.name != note.name).map(|other| note.words.likeness(&other.words));
    Figures {
        undocumented: 1.0 - documented_part(note, around.documents, settings.documented),
        borne_out: borne_out(note, around.patterns),
        specificity: (2.0 * share(note.concrete, note.statements.len())).min(1.0),
        relevance: freshness(note, around.now_micros, settings) * there(note, around.exists),
        uniqueness: 1.0 - likenesses.fold(0.0, f64::max),
    }
}

/// The part of a note's words that stands in statements of the documents that say the same.
pub(super) fn documented_part(note: &Note, documents: &[Tokens], least: f64) -> f64 {
    let all: usize = note.statements.iter().map(Tokens::len).sum();
    let covered = note.statements.iter().map(|statement| {
        let shared = documents.iter().map(|known| known.shared(statement)).max().unwrap_or(0);
        if share(shared, statement.len()) + EPSILON >= least { shared } else { 0 }
    });
    share(covered.sum(), all)
}

fn borne_out(note: &Note, patterns: &[Tokens]) -> f64 {
    let pairs = note.statements.iter().flat_map(|statement| patterns.iter().map(move |pattern| (statement, pattern)));
    pairs
        .filter(|(statement, pattern)| statement.shared(pattern) >= LEAST_SHARED)
        .map(|(one, other)| one.overlap(other))
        .fold(0.0, f64::max)
}

fn freshness(note: &Note, now_micros: i64, settings: &MemorySettings) -> f64 {
    let stale = f64::from(settings.stale_days);
    (1.0 - (age_days(note, now_micros) - stale) / (stale * FADING)).clamp(0.0, 1.0)
}

/// The part of the paths that a note names that exists; whoever names none is not mistaken.
fn there(note: &Note, exists: &dyn Fn(&str) -> bool) -> f64 {
    if note.paths.is_empty() { 1.0 } else { share(note.paths.iter().filter(|path| exists(path)).count(), note.paths.len()) }
}

/// How old a note is. One from the future is new.
pub(super) fn age_days(note: &Note, now_micros: i64) -> f64 {
    days_between(note.time_micros, now_micros)
}
