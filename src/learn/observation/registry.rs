//! The registry of observations: which sighting is which entry. Each entry belongs to one project and is of one type.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use xxhash_rust::xxh3::xxh3_128;

use super::detail::find_detail;
use super::meaning::{Meaning, Meanings};
use event::field::ObservationType;
use text::fit::single_spaced;

/// What every id begins with.
const MARK: &str = "obs_";

/// How many letters and digits follow, unless they are taken.
const LEAST_DIGITS: usize = 6;

/// How many letters and digits a hash has.
const MOST_DIGITS: usize = 24;

/// So much of what a pitfall is about tells it from others.
const TELLING: usize = 40;

/// The place of an entry among all observations, in the order in which they were first seen.
pub type ObservationPlace = u32;

/// Whether a text is the id of an observation: `obs_` and at least six letters or digits.
#[must_use]
pub fn is_observation_id(text: &str) -> bool {
    let digits = text.strip_prefix(MARK).unwrap_or_default();
    (LEAST_DIGITS..=60).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A pattern as it is compared: composed, in small letters, letters and digits of any script only, with single blanks between words.
#[must_use]
pub fn normalise_pattern(pattern: &str) -> String {
    let lowered: String = pattern.nfc().collect::<String>().to_lowercase().nfc().collect();
    // Marks belong to the letters that they stand on: in many scripts they are all that tells two words apart.
    let is_kept = |letter: &char| letter.is_alphanumeric() || letter.is_whitespace() || is_combining_mark(*letter);
    single_spaced(&lowered.chars().filter(is_kept).collect::<String>())
}

/// What was seen.
#[derive(Debug, Clone, Copy)]
pub struct Sighted<'r> {
    /// The project.
    pub project: &'r str,
    /// The type.
    pub observation_type: ObservationType,
    /// The id that it was given by whoever saw it.
    pub given: Option<&'r str>,
    /// What recurs.
    pub pattern: &'r str,
    /// The rest of it.
    pub details: &'r str,
    /// The terms by which it is known in other words; of a workflow one item a step.
    pub meaning: &'r [&'r str],
}

/// An entry of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservationEntry {
    pub id: String,
    pub project: String,
    pub observation_type: ObservationType,
}

/// How the entries of one project and type are found.
#[derive(Debug, Default)]
struct Shelf {
    given: HashMap<String, ObservationPlace>,
    wordings: HashMap<String, ObservationPlace>,
    issues: HashMap<[String; 2], ObservationPlace>,
    meanings: Meanings,
}

/// Which sighting is which entry. Folded in the order of landing, so that an entry keeps its id whatever is seen later.
#[derive(Debug, Default)]
pub struct ObservationRegistry {
    entries: Vec<ObservationEntry>,
    by_id: HashMap<String, ObservationPlace>,
    shelves: HashMap<String, HashMap<ObservationType, Shelf>>,
    /// Ids that sightings were given, whether or not they became an entry's. No other entry gets one of them.
    given: std::collections::HashSet<String>,
}

impl ObservationRegistry {
    /// The entry that a sighting belongs to: the one that it names; else the one of the same words; else, of pitfalls, the one that is
    /// about the same issue of the same area; else the one that means the same; else one of its own. What says nothing belongs to none.
    pub fn see(&mut self, seen: Sighted<'_>) -> Option<ObservationPlace> {
        let wording = wording(seen.pattern)?;
        let issue = issue_of(seen);
        let meaning = Meaning::parse(seen.observation_type, seen.meaning);
        let place = match self.find_seen(seen, &wording, issue.as_ref(), meaning.as_ref()) {
            Some(place) => place,
            None => self.add(seen, &wording),
        };
        let known = self.shelf(seen.project, seen.observation_type);
        // Whatever else is learned later, the same words, the same issue and the same name stay the same entry.
        known.wordings.entry(wording).or_insert(place);
        if let Some(issue) = issue {
            known.issues.entry(issue).or_insert(place);
        }
        if let Some(meaning) = meaning {
            known.meanings.add(place, meaning);
        }
        if let Some(given) = seen.given {
            known.given.entry(given.to_owned()).or_insert(place);
            self.given.insert(given.to_owned());
        }
        Some(place)
    }

    /// The entry of an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<ObservationPlace> {
        self.by_id.get(id).copied()
    }

    /// The entry of a project that goes by a name: by its id, else by one that its sightings were given.
    #[must_use]
    pub fn find_named(&self, project: &str, name: &str, of: Option<ObservationType>) -> Option<ObservationPlace> {
        let is_own = |place: &ObservationPlace| {
            let entry = &self.entries[*place as usize];
            entry.project == project && of.is_none_or(|of| of == entry.observation_type)
        };
        let by_name = || {
            let shelves = self.shelves.get(project)?;
            let types = ObservationType::ALL.iter().filter(|known| of.is_none_or(|of| of == **known));
            types.filter_map(|known| shelves.get(known)?.given.get(name).copied()).min()
        };
        self.find(name).filter(is_own).or_else(by_name)
    }

    /// The entries, in the order in which they were first seen.
    #[must_use]
    pub fn entries(&self) -> &[ObservationEntry] {
        &self.entries
    }

    fn find_seen(
        &self,
        seen: Sighted<'_>,
        wording: &str,
        issue: Option<&[String; 2]>,
        meaning: Option<&Meaning>,
    ) -> Option<ObservationPlace> {
        let named = seen.given.and_then(|given| self.find_named(seen.project, given, Some(seen.observation_type)));
        let known = self.shelves.get(seen.project).and_then(|shelves| shelves.get(&seen.observation_type));
        let of_words = || known?.wordings.get(wording).copied();
        let of_issue = || known?.issues.get(issue?).copied();
        let of_meaning = || known?.meanings.find(meaning?);
        named.or_else(of_words).or_else(of_issue).or_else(of_meaning)
    }

    fn add(&mut self, seen: Sighted<'_>, wording: &str) -> ObservationPlace {
        let place = ObservationPlace::try_from(self.entries.len()).unwrap_or(ObservationPlace::MAX);
        let given = seen.given.filter(|given| is_observation_id(given) && !self.is_taken(given));
        let id = given.map_or_else(|| self.make_id(seen, wording), str::to_owned);
        self.by_id.insert(id.clone(), place);
        let (project, observation_type) = (seen.project.to_owned(), seen.observation_type);
        self.entries.push(ObservationEntry { id, project, observation_type });
        place
    }

    /// An id from a hash of what the entry is, with as many digits as it takes to be the only one.
    fn make_id(&self, seen: Sighted<'_>, wording: &str) -> String {
        let kind = seen.observation_type.get();
        let tries = (0_u64..).flat_map(|salt| {
            let digits = digits(xxh3_128(format!("{}\0{kind}\0{wording}\0{salt}", seen.project).as_bytes()));
            (LEAST_DIGITS..=MOST_DIGITS).map(move |length| format!("{MARK}{}", &digits[..length]))
        });
        let mut free = tries.filter(|id| !self.is_taken(id));
        free.next().unwrap_or_default()
    }

    fn is_taken(&self, id: &str) -> bool {
        self.by_id.contains_key(id) || self.given.contains(id)
    }

    fn shelf(&mut self, project: &str, observation_type: ObservationType) -> &mut Shelf {
        if !self.shelves.contains_key(project) {
            self.shelves.insert(project.to_owned(), HashMap::new());
        }
        self.shelves.entry(project.to_owned()).or_default().entry(observation_type).or_default()
    }
}

/// What tells a pattern from others. One without any letter is compared as it is written: two of them would otherwise be the same.
fn wording(pattern: &str) -> Option<String> {
    let normal = normalise_pattern(pattern);
    if !normal.is_empty() {
        return Some(normal);
    }
    let written = single_spaced(pattern);
    (!written.is_empty()).then(|| format!("\0{written}"))
}

/// What a pitfall is about: its area and its issue, where both are told.
fn issue_of(seen: Sighted<'_>) -> Option<[String; 2]> {
    if seen.observation_type != ObservationType::Pitfall {
        return None;
    }
    let telling = |key: &str| {
        let value = normalise_pattern(&find_detail(seen.details, key)?);
        let value: String = value.chars().take(TELLING).collect();
        Some(value.trim_end().to_owned()).filter(|value| !value.is_empty())
    };
    Some([telling("area")?, telling("issue")?])
}

/// A hash as small letters and digits.
fn digits(mut hash: u128) -> String {
    const ALPHABET: [u8; 36] = *b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = String::with_capacity(MOST_DIGITS);
    for _ in 0..MOST_DIGITS {
        digits.push(char::from(ALPHABET[usize::try_from(hash % 36).unwrap_or_default()]));
        hash /= 36;
    }
    digits
}
