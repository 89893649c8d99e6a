//! Lessons about the tool itself rather than about what is built with it: they have a list and numbers of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::lesson::{Entry, Lesson};
use crate::subject::Series;
use text::word::{Counter, Tokens, WordIndex, ratio};

/// Lessons that share this part of the words of the longer one are the same lesson.
const OVERLAP: f64 = 0.8;

/// The highest number that another store's id may claim.
const HIGHEST_CLAIM: u32 = 999_999;

/// A lesson about the tool itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolLesson {
    /// Its number, which never changes and is never used again.
    pub number: u32,
    /// The lesson in a sentence.
    pub summary: String,
    /// When it applies.
    pub trigger: Option<String>,
    /// More about it.
    pub detail: Option<String>,
    /// What sort of lesson it is, as it was written.
    pub category: Option<String>,
    /// The project it was learned in.
    pub project: String,
    pub captured_micros: i64,
    /// When it entered the list, in microseconds since 1970.
    pub merged_micros: i64,
    /// Whether it lies within the horizon.
    is_known: bool,
}

impl ToolLesson {
    /// Its id: `SL-` and at least three digits.
    #[must_use]
    pub fn id(&self) -> String {
        Series::TOOL.id(self.number)
    }
}

/// Whether a scope means the tool itself.
#[must_use]
pub fn is_tool_scope(scope: Option<&str>) -> bool {
    scope.is_some_and(|scope| scope.trim().eq_ignore_ascii_case("closedloop"))
}

/// Folds the lessons about the tool, in the order of landing, into the list of those that differ. Lessons behind the horizon
/// take their numbers too and are then left out, so that no number depends on the instant that is asked for.
#[must_use]
pub fn fold_tool_lessons<'e>(entries: impl IntoIterator<Item = &'e Entry>, as_of_micros: i64) -> Vec<ToolLesson> {
    let mut shelf = Shelf::default();
    for entry in entries {
        if let Entry::Lesson(lesson) = entry
            && is_tool_scope(lesson.scope.as_deref())
            && !lesson.summary.trim().is_empty()
        {
            shelf.put(lesson, lesson.source.time_micros <= as_of_micros);
        }
    }
    let mut lessons: Vec<ToolLesson> = shelf.lessons.into_iter().filter(|lesson| lesson.is_known).collect();
    lessons.sort_by_key(|lesson| lesson.number);
    lessons
}

#[derive(Default)]
struct Shelf {
    lessons: Vec<ToolLesson>,
    /// How many words each lesson has.
    lengths: Vec<usize>,
    index: WordIndex,
    counter: Counter,
    by_trigger: BTreeMap<String, usize>,
    numbers: BTreeSet<u32>,
}

impl Shelf {
    fn put(&mut self, lesson: &Lesson, is_known: bool) {
        let summary = lesson.summary.trim();
        let words = Tokens::all(summary);
        let trigger = lesson.trigger.as_deref().map(str::trim).filter(|trigger| !trigger.is_empty());
        let same = trigger.and_then(|trigger| self.by_trigger.get(trigger).copied());
        let same = same.or_else(|| self.find_alike(&words));
        match same {
            // The first capture within the horizon says what the lesson is, also where a later one landed before it.
            Some(place) if self.lessons[place].is_known || !is_known => {}
            Some(place) => self.lessons[place] = make(self.lessons[place].number, lesson, is_known),
            None => {
                let number = self.number_for(lesson.pattern_id.as_deref());
                self.numbers.insert(number);
                if let Some(trigger) = trigger {
                    self.by_trigger.insert(trigger.to_owned(), self.lessons.len());
                }
                self.index.add(u32::try_from(self.lessons.len()).unwrap_or(u32::MAX), &words);
                self.lengths.push(words.len());
                self.lessons.push(make(number, lesson, is_known));
            }
        }
    }

    /// The first lesson that shares enough of the words of the longer one. Texts without words are alike to none.
    fn find_alike(&mut self, words: &Tokens) -> Option<usize> {
        let sharing = self.index.sharing(words, &mut self.counter).into_iter().map(|(place, shared)| (place as usize, shared));
        let alike = sharing.filter(|&(place, shared)| ratio(shared, self.lengths[place].max(words.len())) >= OVERLAP);
        alike.map(|(place, _)| place).min()
    }

    /// The number that a lesson brings along, if it is free; else the next.
    fn number_for(&self, id: Option<&str>) -> u32 {
        let claimed = id.and_then(|id| id.strip_prefix("SL-")).and_then(|digits| digits.parse().ok());
        let claimed = claimed.filter(|number| (1..=HIGHEST_CLAIM).contains(number) && !self.numbers.contains(number));
        claimed.unwrap_or_else(|| self.numbers.last().map_or(1, |last| last + 1))
    }
}

fn make(number: u32, lesson: &Lesson, is_known: bool) -> ToolLesson {
    ToolLesson {
        number,
        summary: lesson.summary.trim().to_owned(),
        trigger: lesson.trigger.clone(),
        detail: lesson.detail.clone(),
        category: lesson.category.clone(),
        project: lesson.project.clone(),
        captured_micros: lesson.captured_micros,
        merged_micros: lesson.source.time_micros,
        is_known,
    }
}
