//! The patterns of roles: which saying is which pattern. Each belongs to one role of one project, and to no other.

use std::collections::HashMap;

use text::review::{Kind, Likeness, Tokens, normalise};

/// What keeps two thirds of five from being less than 0.6 by a rounding.
const EPSILON: f64 = 1e-9;

/// The place of a pattern among all patterns of roles, in the order in which they were first said.
pub type Place = u32;

/// The id of a pattern.
#[must_use]
pub fn role_pattern_id(place: Place) -> String {
    format!("D-{:03}", place.saturating_add(1))
}

/// The place of an id. Nothing else than `D-` and three to nine digits is one, and no place has two ids.
#[must_use]
pub fn role_pattern_place(id: &str) -> Option<Place> {
    let digits = id.strip_prefix("D-").filter(|digits| (3..=9).contains(&digits.len()))?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let place = digits.parse::<Place>().ok().filter(|_| is_number)?.checked_sub(1)?;
    (role_pattern_id(place) == id).then_some(place)
}

/// Counts the words that patterns share with a text. Kept between searches, so that none has to make room for all patterns.
#[derive(Debug, Default)]
pub struct Counter {
    shared: Vec<u32>,
    touched: Vec<Place>,
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
    /// Which patterns hold a word.
    holders: HashMap<u64, Vec<Place>>,
}

#[derive(Debug)]
struct Said {
    text: String,
    kind: Kind,
}

/// Which saying is which pattern. Folded in the order of landing, so that a pattern keeps its id whatever is said later.
#[derive(Debug)]
pub struct RoleBook {
    overlap: f64,
    groups: Vec<RoleGroup>,
    by_role: HashMap<String, HashMap<String, usize>>,
    texts: Vec<Said>,
    by_text: HashMap<String, TextPlace>,
    /// The group and the words of each pattern.
    patterns: Vec<(usize, Tokens)>,
}

impl RoleBook {
    /// An empty book. Sayings that share this part of their words are one pattern.
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
        let lowered = role.trim().to_lowercase();
        let roles = self.by_role.entry(project.to_owned()).or_default();
        let place = *roles.entry(lowered.clone()).or_insert_with(|| {
            self.groups.push(RoleGroup {
                project: project.to_owned(),
                role: lowered,
                patterns: Vec::new(),
                by_text: HashMap::new(),
                by_wording: HashMap::new(),
                holders: HashMap::new(),
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
        for token in tokens.iter() {
            self.groups[group].holders.entry(token).or_default().push(place);
        }
        self.groups[group].patterns.push(place);
        self.patterns.push((group, tokens));
        place
    }

    fn find(&self, group: usize, wording: &str) -> Option<Place> {
        if let Some(place) = self.groups[group].by_wording.get(wording) {
            return Some(*place);
        }
        let tokens = Tokens::of(wording);
        let mut near: Vec<Place> = self.rarest(group, &tokens).into_iter().flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        let likeness = near.into_iter().map(|place| (place, self.tokens(place).likeness(&tokens)));
        closest(likeness.filter(|(_, likeness)| *likeness + EPSILON >= self.overlap))
    }

    /// The holders of a text's rarest words. Whatever shares at least so many of all its words holds one of any of them that are more
    /// than it may lack.
    fn rarest(&self, group: usize, tokens: &Tokens) -> Vec<&Vec<Place>> {
        let holders = &self.groups[group].holders;
        let mut found: Vec<Option<&Vec<Place>>> = tokens.iter().map(|token| holders.get(&token)).collect();
        found.sort_by_key(|places| places.map_or(0, Vec::len));
        #[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 words")]
        let needed = (0..=tokens.len()).find(|shared| *shared as f64 + EPSILON >= self.overlap * tokens.len() as f64);
        let looked_at = tokens.len() + 1 - needed.unwrap_or(tokens.len()).max(1).min(tokens.len().max(1));
        found.into_iter().take(looked_at).flatten().collect()
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
        counter.shared.resize(self.patterns.len(), 0);
        for token in tokens.iter() {
            for place in self.groups[group].holders.get(&token).into_iter().flatten() {
                let shared = &mut counter.shared[*place as usize];
                if *shared == 0 {
                    counter.touched.push(*place);
                }
                *shared += 1;
            }
        }
        let mut alike = Vec::new();
        for place in counter.touched.drain(..) {
            let shared = std::mem::take(&mut counter.shared[place as usize]) as usize;
            let known = self.tokens(place);
            if shared >= rule.shared && rule.is_alike(known, tokens) {
                alike.push((place, known.overlap(tokens)));
            }
        }
        alike
    }

    /// Whether two patterns would be one if one role had said both.
    #[must_use]
    pub fn is_alike(&self, one: Place, other: Place) -> bool {
        self.tokens(one).likeness(self.tokens(other)) + EPSILON >= self.overlap
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
