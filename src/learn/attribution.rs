//! Which pattern an event counts for: the one whose id it names, if only as its text, else the one whose text it quotes best.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use arrow::array::RecordBatch;

use super::matching::{Index, Looseness, Phrase};
use crate::pattern::Registry;
use crate::role::role_pattern_place;
use event::cell::batch_of;
use setting::{AttributionSettings, Compat};
use text::diagnostic::{Diagnostic, Outcome};

/// How many subjects make a second thread worth its start.
const LEAST_FOR_A_THREAD: usize = 4096;

/// The word for an event that names its pattern.
const BY_ID: &str = "id";

/// Marks events without a matching pattern.
const UNKNOWN: &str = "unknown";

event::row! {
    /// A way in which events name a pattern, as `sql/subject.sql` yields it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Subject {
        /// The id they carry; empty for none.
        pub pattern_id: String,
        /// The text they quote; empty for none.
        pub trigger: String,
        /// How many applications name it so.
        pub applications: i64,
    }
}

impl Subject {
    /// Some agents write the id where the text belongs.
    fn id(&self) -> &str {
        if self.pattern_id.is_empty() { &self.trigger } else { &self.pattern_id }
    }

    fn is_of_role(&self) -> bool {
        role_pattern_place(self.id()).is_some()
    }
}

/// Which subjects count for which patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attribution {
    /// Subject, pattern number, and how it was found.
    found: Vec<(usize, u32, &'static str)>,
    /// Number of applications that match no pattern.
    pub unattributed: i64,
    /// How many applications count for patterns of roles, which are judged in another way.
    pub of_roles: i64,
    /// The texts that most of those without a pattern quote, with how many.
    pub strangers: Vec<(String, i64)>,
}

/// Finds the patterns of all subjects.
pub fn attribute(
    registry: &Registry,
    subjects: &[Subject],
    settings: &AttributionSettings,
    compat: Compat,
) -> Outcome<Attribution> {
    let finder = Finder { registry, index: Index::new(&phrases(registry, compat), looseness(settings)), compat };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(1 + subjects.len() / LEAST_FOR_A_THREAD);
    let share = subjects.len().div_ceil(threads).max(1);
    let finder = &finder;
    let found = thread::scope(|scope| {
        let parts = subjects.chunks(share).enumerate();
        let workers: Vec<_> = parts.map(|(part, chunk)| scope.spawn(move || finder.find_all(part * share, chunk))).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Result<Vec<_>, _>>()
    });
    let found = found.map_err(|_| Diagnostic::bug("matching texts to patterns was interrupted"))?;
    Ok(collect(subjects, found.concat()))
}

/// The subjects that may count for one pattern. All others count for another or for none: which of several patterns is the best
/// only matters to those that this one matches at all.
#[must_use]
pub fn candidates(
    registry: &Registry,
    subjects: &[Subject],
    pattern: u32,
    settings: &AttributionSettings,
    compat: Compat,
) -> Vec<Subject> {
    let mut phrases = phrases(registry, compat);
    phrases.retain(|phrase| phrase.pattern == pattern);
    let finder = Finder { registry, index: Index::new(&phrases, looseness(settings)), compat };
    let may_count = |subject: &&Subject| {
        let mut is_found = false;
        finder.find(subject, |found, _| is_found |= found == pattern);
        is_found
    };
    subjects.iter().filter(may_count).cloned().collect()
}

const fn looseness(settings: &AttributionSettings) -> Looseness {
    let AttributionSettings { least_characters, least_words, overlap } = *settings;
    Looseness { least_characters, least_words, overlap }
}

impl Attribution {
    /// The columns of the table that queries join events with.
    pub const COLUMNS: &'static str =
        "pattern_id varchar not null, trigger varchar not null, pattern bigint not null, tier varchar not null";

    /// The same, where each subject that counts for no pattern has one of its own: what is said of it in the same words is then
    /// known to be said of it.
    #[must_use]
    pub fn with_strangers(mut self, subjects: &[Subject]) -> Self {
        let known: BTreeSet<usize> = self.found.iter().map(|(subject, ..)| *subject).collect();
        let strangers = (0..subjects.len()).filter(|subject| !known.contains(subject));
        // The registry numbers its patterns from 1 up, so these numbers are free.
        self.found.extend(strangers.zip((0..=u32::MAX).rev()).map(|(subject, number)| (subject, number, UNKNOWN)));
        self
    }

    /// The rows of that table.
    pub fn table(&self, subjects: &[Subject]) -> Outcome<RecordBatch> {
        batch_of::<Attributed<'_>, _>(self.found.iter().map(|&(subject, pattern, tier)| {
            let Subject { pattern_id, trigger, .. } = &subjects[subject];
            Attributed { pattern_id, trigger, pattern, tier }
        }))
    }
}

event::row! {
    struct Attributed<'r> {
        pattern_id: &'r str,
        trigger: &'r str,
        pattern: u32,
        tier: &'r str,
    }
}

struct Finder<'b> {
    registry: &'b Registry,
    index: Index,
    compat: Compat,
}

impl Finder<'_> {
    fn find_all(&self, first: usize, subjects: &[Subject]) -> Vec<(usize, u32, &'static str)> {
        let mut found = Vec::with_capacity(subjects.len());
        for (offset, subject) in subjects.iter().enumerate() {
            self.find(subject, |pattern, tier| found.push((first + offset, pattern, tier)));
        }
        found
    }

    fn find(&self, subject: &Subject, mut take: impl FnMut(u32, &'static str)) {
        // The original knows no ids. Where there is no text either, the id is all there is.
        let may_name = self.compat == Compat::None || subject.trigger.is_empty();
        if subject.is_of_role() {
            return;
        }
        let id = subject.id();
        if may_name && let Some(pattern) = self.registry.find_id(id) {
            return take(pattern.number, BY_ID);
        }
        match self.compat {
            Compat::None => {
                if let Some(best) = self.index.best(&subject.trigger) {
                    take(best.pattern, best.tier.name());
                }
            }
            Compat::ClosedLoop => {
                for one in self.index.every(&subject.trigger) {
                    take(one.pattern, one.tier.name());
                }
            }
        }
    }
}

/// The texts by which patterns are known. The original knows summaries only.
fn phrases(registry: &Registry, compat: Compat) -> Vec<Phrase> {
    let mut phrases = Vec::new();
    for pattern in registry.patterns() {
        let mut add = |text: &String| phrases.push(Phrase { text: text.clone(), pattern: pattern.number });
        add(&pattern.summary);
        if compat == Compat::None {
            pattern.also_said.iter().for_each(&mut add);
            pattern.trigger.iter().filter(|trigger| **trigger != pattern.summary).for_each(&mut add);
        }
    }
    phrases
}

fn collect(subjects: &[Subject], found: Vec<(usize, u32, &'static str)>) -> Attribution {
    /// Maximum number of unmatched texts shown.
    const SHOWN: usize = 10;
    let mut is_found = vec![false; subjects.len()];
    for (subject, ..) in &found {
        is_found[*subject] = true;
    }
    let unknown = subjects.iter().zip(&is_found).filter(|(_, is_found)| !**is_found).map(|(subject, _)| subject);
    let (of_roles, lost): (Vec<&Subject>, Vec<&Subject>) = unknown.partition(|subject| subject.is_of_role());
    let count = |subjects: &[&Subject]| subjects.iter().map(|subject| subject.applications).sum();
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for Subject { pattern_id, trigger, applications } in lost.iter().filter(|subject| subject.applications > 0) {
        *counts.entry(if trigger.is_empty() { pattern_id } else { trigger }).or_default() += applications;
    }
    let mut strangers: Vec<(String, i64)> = counts.into_iter().map(|(text, count)| (text.to_owned(), count)).collect();
    strangers.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    strangers.truncate(SHOWN);
    Attribution { found, unattributed: count(&lost), of_roles: count(&of_roles), strangers }
}
