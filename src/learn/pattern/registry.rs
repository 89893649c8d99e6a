//! The patterns that are known, each with the events that it comes from.

use std::collections::HashMap;

use super::category::Category;
use super::lesson::Decision;
use super::tool::is_tool_scope;
use crate::subject::{Action, Series, note_of};

event::words! {
    /// What people have made of a pattern.
    pub enum State {
        /// Learned, not decided yet.
        Learned = "learned",
        /// A person stands behind it.
        Promoted = "promoted",
        /// Out of use. The same lesson captured again does not bring it back.
        Retired = "retired",
        /// Refused for good. The same lesson captured again does not bring it back.
        Rejected = "rejected",
    }
}

impl State {
    /// Whether the pattern is in use.
    #[must_use]
    pub const fn is_in_use(self) -> bool {
        matches!(self, Self::Learned | Self::Promoted)
    }
}

/// One capture of a pattern's lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The event's id.
    pub event: String,
    /// When it happened, in microseconds since 1970.
    pub time_micros: i64,
    /// The inbox file it stands in.
    pub file: String,
    /// The line there, from 1.
    pub line: i64,
}

/// What another store knew of a pattern when it was taken over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prior {
    /// How sure it was.
    pub confidence: Option<String>,
    /// How often it had been seen.
    pub seen: Option<i64>,
    pub rate: Option<f64>,
    /// The flag that it had there.
    pub flag: Option<String>,
    /// The project that shared it, or the file that it was read from.
    pub source: Option<String>,
}

impl Prior {
    /// The stronger of two: the higher rate with its confidence, and the higher count.
    #[must_use]
    pub fn or_stronger(self, other: Self) -> Self {
        let seen = self.seen.max(other.seen);
        let is_better = match (self.rate, other.rate) {
            (Some(own), Some(others)) => own >= others,
            (own, others) => own.is_some() || others.is_none(),
        };
        let better = if is_better { self } else { other };
        Self { seen, ..better }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Its number, which never changes and is never used again.
    pub number: u32,
    /// What sort of lesson it is.
    pub category: Category,
    /// The lesson in a sentence.
    pub summary: String,
    /// When it applies.
    pub trigger: Option<String>,
    /// Who it is for: an organisation, or a tool.
    pub scope: Option<String>,
    /// The repository it holds for; `*` for all.
    pub repo: String,
    /// The agents it is for.
    pub applies_to: Vec<String>,
    /// What it is about.
    pub tags: Vec<String>,
    /// What people have made of it.
    pub state: State,
    /// Who decided last, and why.
    pub note: Option<String>,
    /// The captures of its lesson, as far as they lie within the horizon.
    pub sightings: Vec<Sighting>,
    /// Other words in which the same lesson was captured.
    pub also_said: Vec<String>,
    /// What another store knew of it.
    pub prior: Prior,
    /// The files that its last captures were learned in, as paths from the top of their repository.
    pub files: Vec<String>,
    /// When evidence of its effect was begun anew, in microseconds since 1970.
    pub restarts: Vec<i64>,
}

impl Pattern {
    /// Its id: `P-` and at least three digits.
    #[must_use]
    pub fn id(&self) -> String {
        pattern_id(self.number)
    }

    /// Whether its lesson was captured within the horizon.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.sightings.is_empty()
    }

    /// Whether it is a lesson for the organisation, rather than about the tool itself.
    #[must_use]
    pub fn is_for_organisation(&self) -> bool {
        !is_tool_scope(self.scope.as_deref())
    }

    pub(super) fn decide(&mut self, decision: &Decision) {
        if decision.action == Action::Retest {
            self.restarts.push(decision.source.time_micros);
        }
        self.state = match (decision.action, self.state) {
            (Action::Promote, _) => State::Promoted,
            (Action::Retire, _) => State::Retired,
            (Action::Reject, _) => State::Rejected,
            (Action::Restore, State::Retired | State::Rejected) | (Action::Clear, _) => State::Learned,
            (Action::Restore | Action::Annotate | Action::Retest, state) => state,
        };
        self.note = Some(note_of(&decision.actor, decision.reason.as_deref()));
    }
}

/// The id of a number.
#[must_use]
pub fn pattern_id(number: u32) -> String {
    Series::LESSON.id(number)
}

/// The number of an id.
#[must_use]
pub fn pattern_number(id: &str) -> Option<u32> {
    Series::LESSON.number(id)
}

/// A decision about a pattern that was not known when it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidDecision {
    /// The pattern it names.
    pub pattern_id: String,
    /// Who decided.
    pub actor: String,
    /// The inbox file it stands in.
    pub file: String,
    /// The line there, from 1.
    pub line: i64,
}

/// All patterns.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    pub(super) patterns: Vec<Pattern>,
    pub(super) places: HashMap<u32, usize>,
    pub(super) void: Vec<VoidDecision>,
    pub(super) odd_categories: u64,
}

impl Registry {
    /// The patterns whose lesson was captured within the horizon, by number.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().filter(|pattern| pattern.is_known())
    }

    /// The pattern of that number.
    #[must_use]
    pub fn find(&self, number: u32) -> Option<&Pattern> {
        self.places.get(&number).map(|&place| &self.patterns[place]).filter(|pattern| pattern.is_known())
    }

    /// The pattern of that id.
    #[must_use]
    pub fn find_id(&self, id: &str) -> Option<&Pattern> {
        self.find(pattern_number(id)?)
    }

    /// Decisions about patterns that were not known when they were taken.
    #[must_use]
    pub fn void_decisions(&self) -> &[VoidDecision] {
        &self.void
    }

    /// Number of lessons with an unknown category.
    #[must_use]
    pub const fn odd_categories(&self) -> u64 {
        self.odd_categories
    }
}
