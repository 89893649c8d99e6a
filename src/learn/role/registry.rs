//! The patterns of roles: which saying is which pattern. Each belongs to one role of one project, and to no other.

use std::collections::HashMap;

use crate::subject::Series;
use text::key::key;
use text::review::{Kind, Likeness, normalise};
use text::word::{Counter, Tokens, WordIndex, reaches};

/// The place of a pattern among all patterns of roles, in the order in which they were first said.
pub type Place = u32;

/// The id of a pattern.
#[must_use]
pub fn role_pattern_id(place: Place) -> String {
    Series::ROLE.id(place.saturating_add(1))
}

/// The place of an id.
#[must_use]
pub fn role_pattern_place(id: &str) -> Option<Place> {
    Series::ROLE.number(id)?.checked_sub(1)
}

/// The place of a text among all texts that were said.
pub type TextPlace = u32;

/// A role of a project.
#[derive(Debug)]
pub struct RoleGroup {
    /// The project.
    pub project: String,
    /// The role, in small letters.
    pub role: String,
    /// Its patterns, in the order in which they were first said.
    pub patterns: Vec<Place>,
    by_text: HashMap<TextPlace, Place>,
    by_wording: HashMap<String, Place>,
    index: WordIndex,
}

#[derive(Debug)]
struct Said {
    text: String,
    kind: Kind,
}

/// Which saying is which pattern. Folded in the order of landing, so that a pattern keeps its id whatever is said later.
#[derive(Debug)]
pub struct RoleRegistry {
    overlap: f64,
    groups: Vec<RoleGroup>,
    by_role: HashMap<String, HashMap<String, usize>>,
    texts: Vec<Said>,
    by_text: HashMap<String, TextPlace>,
    /// The group and the words of each pattern.
    patterns: Vec<(usize, Tokens)>,
}

impl RoleRegistry {
    /// An empty registry. Sayings that share this part of their words are one pattern.
    #[must_use]
    pub fn new(overlap: f64) -> Self {
        Self {
            overlap,
            groups: Vec::new(),
            by_role: HashMap::new(),
            texts: Vec::new(),
            by_text: HashMap::new(),
            patterns: Vec::new(),
        }
    }

    /// The place of a role of a project. Roles differ by more than case.
    pub fn group(&mut self, project: &str, role: &str) -> usize {
        if let Some(place) = self.by_role.get(project).and_then(|roles| roles.get(role)) {
            return *place;
        }
        let lowered = key(role).into_owned();
        let roles = self.by_role.entry(project.to_owned()).or_default();
        let place = *roles.entry(lowered.clone()).or_insert_with(|| {
            self.groups.push(RoleGroup {
                project: project.to_owned(),
                role: lowered,
                patterns: Vec::new(),
                by_text: HashMap::new(),
                by_wording: HashMap::new(),
                index: WordIndex::default(),
            });
            self.groups.len() - 1
        });
        roles.insert(role.to_owned(), place);
        place
    }

    /// The pattern that a role's saying is, and the place of the saying among all texts. A pattern of the same words, else the one
    /// that shares the most, else one of its own.
    pub fn say(&mut self, group: usize, saying: &str) -> (Place, TextPlace) {
        let text = match self.by_text.get(saying) {
            Some(text) => *text,
            None => self.add_text(saying),
        };
        if let Some(place) = self.groups[group].by_text.get(&text) {
            return (*place, text);
        }
        let wording = normalise(saying);
        let place = self.find(group, &wording).unwrap_or_else(|| self.add_pattern(group, &wording));
        let group = &mut self.groups[group];
        group.by_text.insert(text, place);
        // Whatever else is learned later, the same words stay the same pattern.
        group.by_wording.entry(wording).or_insert(place);
        (place, text)
    }

    fn add_text(&mut self, saying: &str) -> TextPlace {
        let place = TextPlace::try_from(self.texts.len()).unwrap_or(TextPlace::MAX);
        self.texts.push(Said { text: saying.to_owned(), kind: Kind::of(saying) });
        self.by_text.insert(saying.to_owned(), place);
        place
    }

    fn add_pattern(&mut self, group: usize, wording: &str) -> Place {
        let place = Place::try_from(self.patterns.len()).unwrap_or(Place::MAX);
        let tokens = Tokens::of(wording);
        self.groups[group].index.add(place, &tokens);
        self.groups[group].patterns.push(place);
        self.patterns.push((group, tokens));
        place
    }

    fn find(&self, group: usize, wording: &str) -> Option<Place> {
        if let Some(place) = self.groups[group].by_wording.get(wording) {
            return Some(*place);
        }
        let tokens = Tokens::of(wording);
        let near = self.groups[group].index.near(&tokens, self.overlap).into_iter();
        let likeness = near.map(|place| (place, self.tokens(place).likeness(&tokens)));
        closest(likeness.filter(|(_, likeness)| reaches(*likeness, self.overlap)))
    }

    /// The pattern of a role that is said in the same words.
    #[must_use]
    pub fn find_equal(&self, group: usize, text: &str) -> Option<Place> {
        self.groups[group].by_wording.get(&normalise(text)).copied()
    }

    /// The one of some patterns that speaks of the same as a text: that shares the largest part of the shorter one's words.
    pub fn find_alike_among(&self, among: impl Iterator<Item = Place>, tokens: &Tokens, rule: Likeness) -> Option<Place> {
        let alike = among.map(|place| (place, self.tokens(place)));
        let alike = alike.filter(|(_, known)| rule.is_alike(known, tokens));
        closest(alike.map(|(place, known)| (place, known.overlap(tokens))))
    }

    /// Those of a role's patterns that speak of the same as a text, and how close they are.
    pub fn find_alike(&self, group: usize, tokens: &Tokens, rule: Likeness, counter: &mut Counter) -> Vec<(Place, f64)> {
        let sharing = self.groups[group].index.sharing(tokens, counter).into_iter();
        let known = sharing.filter(|(_, shared)| *shared >= rule.shared).map(|(place, _)| (place, self.tokens(place)));
        known.filter(|(_, known)| rule.is_alike(known, tokens)).map(|(place, known)| (place, known.overlap(tokens))).collect()
    }

    /// Whether two patterns would be one if one role had said both.
    #[must_use]
    pub fn is_alike(&self, one: Place, other: Place) -> bool {
        reaches(self.tokens(one).likeness(self.tokens(other)), self.overlap)
    }

    /// The words of a pattern, as they were first said.
    #[must_use]
    pub fn tokens(&self, place: Place) -> &Tokens {
        &self.patterns[place as usize].1
    }

    /// The role that a pattern belongs to.
    #[must_use]
    pub fn group_of(&self, place: Place) -> Option<usize> {
        self.patterns.get(place as usize).map(|(group, _)| *group)
    }

    /// The roles, in the order in which they first spoke.
    #[must_use]
    pub fn groups(&self) -> &[RoleGroup] {
        &self.groups
    }

    /// How many patterns there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// A text that was said, and what sort of saying it is.
    #[must_use]
    pub fn text(&self, place: TextPlace) -> (&str, Kind) {
        let said = &self.texts[place as usize];
        (&said.text, said.kind)
    }
}

/// The closest of some; of equals the one that was said first.
#[must_use]
pub fn closest(found: impl Iterator<Item = (Place, f64)>) -> Option<Place> {
    found.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0))).map(|(place, _)| place)
}
