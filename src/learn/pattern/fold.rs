//! Folding the log into the registry: the same log gives the same numbers, whenever and however often it is folded.

use std::collections::{HashSet, VecDeque};

use super::category::Category;
use super::kinship::Kinship;
use super::lesson::{Decision, Entry, Lesson, Source};
use super::place;
use super::registry::{Pattern, Prior, Registry, Sighting, State, VoidDecision, pattern_number};

/// The highest number that an imported id may claim. Higher ones get a new number, so that one odd
/// line cannot use up the numbers.
const HIGHEST_CLAIM: u32 = 999_999;

/// The files of this many captures say where a pattern was learned: code moves, and old places mislead.
const RECENT_CAPTURES: usize = 10;

/// How the log is folded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldRule {
    /// Lessons that share this part of their words are one pattern.
    pub overlap: f64,
    /// The horizon, in microseconds since 1970. What happens later takes its number and is otherwise not known yet.
    pub as_of_micros: i64,
}

/// Folds lessons and decisions, which come in the order of landing.
#[must_use]
pub fn fold_lessons(entries: impl IntoIterator<Item = Entry>, rule: FoldRule) -> Registry {
    let mut folding = Folding {
        registry: Registry::default(),
        kinship: Kinship::new(rule.overlap),
        recent: Vec::new(),
        told: HashSet::new(),
        next: 1,
        rule,
    };
    for entry in entries {
        match entry {
            Entry::Lesson(lesson) => folding.learn(lesson),
            Entry::Decision(decision) => folding.decide(&decision),
        }
    }
    let mut registry = folding.registry;
    for (pattern, captures) in registry.patterns.iter_mut().zip(folding.recent) {
        place::add(&mut pattern.files, captures.into_iter().flatten());
    }
    registry.patterns.sort_by_key(|pattern| pattern.number);
    registry.places = registry.patterns.iter().enumerate().map(|(place, pattern)| (pattern.number, place)).collect();
    registry
}

struct Folding {
    registry: Registry,
    kinship: Kinship,
    /// The files of each pattern's last captures, by its place.
    recent: Vec<VecDeque<Vec<String>>>,
    /// The stores that have told each pattern, by its place. What a store says again is no capture.
    told: HashSet<(usize, String)>,
    /// The number that the next pattern gets.
    next: u32,
    rule: FoldRule,
}

impl Folding {
    fn learn(&mut self, lesson: Lesson) {
        let summary = lesson.summary.trim();
        if summary.is_empty() {
            return;
        }
        let repo = scope_of(lesson.repo.as_deref());
        let trigger = trigger_of(&lesson);
        let place = match self.find(&lesson, &repo, trigger, summary) {
            Found::Known(place) => place,
            Found::Unknown(number) => {
                self.kinship.add(&repo, trigger, summary);
                self.add(number)
            }
        };
        if self.is_visible(&lesson.source) {
            let is_told_again = store_of(&lesson).is_some_and(|store| !self.told.insert((place, store)));
            if is_told_again {
                return self.restate(place, &lesson);
            }
            self.sight(place, repo, &lesson);
            let recent = &mut self.recent[place];
            if recent.len() == RECENT_CAPTURES {
                recent.pop_front();
            }
            recent.push_back(lesson.files);
        }
    }

    /// A lesson that names its pattern belongs to that one, unless the number means another lesson here. All others belong to
    /// their nearest kin.
    fn find(&self, lesson: &Lesson, repo: &str, trigger: Option<&str>, summary: &str) -> Found {
        let named = lesson.pattern_id.as_deref().and_then(pattern_number).filter(|number| *number <= HIGHEST_CLAIM);
        match named.map(|number| (number, self.registry.places.get(&number))) {
            Some((_, Some(&place))) if self.kinship.is_kin_of(place, summary) => Found::Known(place),
            Some((number, None)) => Found::Unknown(number),
            _ => self.kinship.find(repo, trigger, summary).map_or(Found::Unknown(self.next), Found::Known),
        }
    }

    /// Adds a pattern of which nothing but its number is known. Gives its place.
    fn add(&mut self, number: u32) -> usize {
        let place = self.registry.patterns.len();
        self.registry.places.insert(number, place);
        self.next = self.next.max(number.saturating_add(1));
        self.registry.patterns.push(Pattern {
            number,
            category: Category::Pattern,
            summary: String::new(),
            trigger: None,
            scope: None,
            repo: String::new(),
            applies_to: Vec::new(),
            tags: Vec::new(),
            state: State::Learned,
            note: None,
            sightings: Vec::new(),
            also_said: Vec::new(),
            prior: Prior::default(),
            files: Vec::new(),
            restarts: Vec::new(),
        });
        self.recent.push(VecDeque::new());
        place
    }

    /// The first capture within the horizon says what the pattern is, also where a later one landed before it.
    fn sight(&mut self, place: usize, repo: String, lesson: &Lesson) {
        let pattern = &mut self.registry.patterns[place];
        if pattern.is_known() {
            let summary = lesson.summary.trim();
            if pattern.summary != summary && !pattern.also_said.iter().any(|said| said == summary) {
                pattern.also_said.push(summary.to_owned());
            }
        } else {
            let category = lesson.category.as_deref().map(Category::from_name);
            self.registry.odd_categories += u64::from(category == Some(None));
            pattern.category = category.flatten().unwrap_or(Category::Pattern);
            lesson.summary.trim().clone_into(&mut pattern.summary);
            pattern.trigger = trigger_of(lesson).map(str::to_owned);
            pattern.scope.clone_from(&lesson.scope);
            pattern.repo = repo;
        }
        extend(&mut pattern.applies_to, &lesson.applies_to);
        extend(&mut pattern.tags, &lesson.tags);
        let Source { event, file, line, .. } = lesson.source.clone();
        pattern.sightings.push(Sighting { event, time_micros: lesson.captured_micros, file, line });
        self.take_prior(place, lesson);
    }

    /// A store says again what it said before: its figures and lists may have changed, but nobody has captured the lesson again.
    fn restate(&mut self, place: usize, lesson: &Lesson) {
        let pattern = &mut self.registry.patterns[place];
        extend(&mut pattern.applies_to, &lesson.applies_to);
        extend(&mut pattern.tags, &lesson.tags);
        self.take_prior(place, lesson);
    }

    fn take_prior(&mut self, place: usize, lesson: &Lesson) {
        let pattern = &mut self.registry.patterns[place];
        if lesson.seen_count.is_some() || lesson.success_rate.is_some() || lesson.confidence.is_some() {
            let told = Prior {
                confidence: lesson.confidence.clone(),
                seen: lesson.seen_count,
                rate: lesson.success_rate,
                flag: lesson.flags.clone(),
                source: store_of(lesson),
            };
            // What other projects share is weighed; what the same store says again replaces what it said before.
            let is_shared = lesson.source_project.is_some();
            pattern.prior = if is_shared { told.or_stronger(std::mem::take(&mut pattern.prior)) } else { told };
        }
    }

    fn decide(&mut self, decision: &Decision) {
        if !self.is_visible(&decision.source) {
            return;
        }
        let place = pattern_number(&decision.pattern_id).and_then(|number| self.registry.places.get(&number));
        match place {
            Some(&place) => self.registry.patterns[place].decide(decision),
            None => self.registry.void.push(VoidDecision {
                pattern_id: decision.pattern_id.clone(),
                actor: decision.actor.clone(),
                file: decision.source.file.clone(),
                line: decision.source.line,
            }),
        }
    }

    const fn is_visible(&self, source: &Source) -> bool {
        source.time_micros <= self.rule.as_of_micros
    }
}

/// The store that a lesson was taken over from: the project that shared it, or the file that it was read from.
fn store_of(lesson: &Lesson) -> Option<String> {
    lesson.source_project.clone().or_else(|| lesson.origin.clone())
}

enum Found {
    /// The place of the pattern in the registry.
    Known(usize),
    /// The number for a pattern of its own.
    Unknown(u32),
}

fn trigger_of(lesson: &Lesson) -> Option<&str> {
    lesson.trigger.as_deref().map(str::trim).filter(|trigger| !trigger.is_empty())
}

/// `*`, nothing and white space all mean every repository.
fn scope_of(repo: Option<&str>) -> String {
    repo.map(str::trim).filter(|repo| !repo.is_empty()).unwrap_or("*").to_owned()
}

fn extend(list: &mut Vec<String>, more: &[String]) {
    for item in more {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}
