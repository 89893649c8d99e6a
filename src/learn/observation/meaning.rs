//! When two sightings mean the same in other words: the same steps in the same order, or the same things done to the same things. The terms
//! come with the sighting, so that nothing that was recognised once is read differently later.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::registry::ObservationPlace;
use event::field::ObservationType;

/// What opens the term of a thing that is named: a file, a command, a program.
const NAME: char = '`';
/// The term of a statement that forbids.
const BAN: &str = "!";
/// The term of one that forbids something and asks for another.
const BOTH: &str = "~";
/// Steps that go with every other one, so that sharing them says little.
const COMMON: [&str; 6] = ["commit", "push", "fix", "run", "pull", "test"];
/// The least likeness of two that mean the same: of steps, of terms that share what they name, and of terms that name nothing alike.
const STEPS: f64 = 0.72;
const NAMED: f64 = 0.48;
const UNNAMED: f64 = 0.58;
/// The weight of a named thing beside a word's, and of a telling step beside a common one's.
const NAME_WEIGHT: u32 = 3;
const STEP_WEIGHT: u32 = 2;
/// So many wordings of an entry are compared with: one that is far from the first would lead further from it.
const MOST_WORDINGS: usize = 6;

/// What a sighting means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Steps in their order, each with its terms.
    Steps(Vec<BTreeSet<String>>),
    /// Terms, and whether something is forbidden, where that is all that is said.
    Terms { terms: BTreeSet<String>, is_ban: Option<bool> },
}

impl Meaning {
    /// Reads the terms of a sighting; none if it has none.
    pub(super) fn parse(observation_type: ObservationType, items: &[&str]) -> Option<Self> {
        if observation_type == ObservationType::Workflow {
            let steps: Vec<BTreeSet<String>> = items.iter().map(|step| step.split(' ').map(str::to_owned).collect()).collect();
            return (!steps.is_empty()).then_some(Self::Steps(steps));
        }
        let terms: BTreeSet<String> =
            items.iter().filter(|term| ![BAN, BOTH].contains(*term)).map(|term| (*term).to_owned()).collect();
        // Whoever corrects forbids and orders in one breath.
        let is_open = observation_type == ObservationType::Pitfall || items.contains(&BOTH);
        let is_ban = (!is_open).then(|| items.contains(&BAN));
        (!terms.is_empty()).then_some(Self::Terms { terms, is_ban })
    }

    /// Whether two mean the same, and how much they are alike.
    fn likeness(&self, other: &Self) -> Option<f64> {
        match (self, other) {
            (Self::Steps(own), Self::Steps(steps))
                if !is_part(own, steps) && !is_part(steps, own) && !leads_elsewhere(own, steps) =>
            {
                Some(ordered_likeness(own, steps)).filter(|like| *like >= STEPS)
            }
            (Self::Terms { terms: own, is_ban: forbids }, Self::Terms { terms, is_ban })
                if forbids.is_none() || is_ban.is_none() || forbids == is_ban =>
            {
                let names = |terms: &BTreeSet<String>| terms.iter().filter(|term| term.starts_with(NAME)).cloned().collect();
                let (own_names, names): (BTreeSet<String>, BTreeSet<String>) = (names(own), names(terms));
                let is_shared = own_names.intersection(&names).next().is_some();
                if !is_shared && !own_names.is_empty() && !names.is_empty() || is_contrary(own, terms) || is_contrary(terms, own) {
                    return None;
                }
                let least = if is_shared { NAMED } else { UNNAMED };
                let shared: u32 = own.intersection(terms).map(|term| weight_of_term(term)).sum();
                let all: u32 = own.iter().chain(terms).map(|term| weight_of_term(term)).sum();
                Some(dice(shared, all)).filter(|like| *like >= least)
            }
            _ => None,
        }
    }

    fn terms(&self) -> impl Iterator<Item = &String> {
        let (steps, terms) = match self {
            Self::Steps(steps) => (Some(steps.iter().flatten()), None),
            Self::Terms { terms, .. } => (None, Some(terms.iter())),
        };
        steps.into_iter().flatten().chain(terms.into_iter().flatten())
    }
}

/// Whether two may mean the same in words that share nothing: neither forbids what the other asks for, and they do not name different
/// things. Steps share at least one, or they are other steps.
#[must_use]
pub fn may_mean_the_same(observation_type: ObservationType, one: &[String], other: &[String]) -> bool {
    let parse = |items: &[String]| Meaning::parse(observation_type, &items.iter().map(String::as_str).collect::<Vec<_>>());
    match (parse(one), parse(other)) {
        (Some(Meaning::Steps(one)), Some(Meaning::Steps(other))) => ordered_likeness(&one, &other) > 0.0,
        (Some(Meaning::Terms { terms: own, is_ban: forbids }), Some(Meaning::Terms { terms, is_ban })) => {
            let is_opposite = forbids.zip(is_ban).is_some_and(|(forbids, is_ban)| forbids != is_ban);
            let names = |terms: &BTreeSet<String>| terms.iter().filter(|term| term.starts_with(NAME)).cloned().collect();
            let (own, names): (BTreeSet<String>, BTreeSet<String>) = (names(&own), names(&terms));
            !is_opposite && (own == names || own.is_empty() || names.is_empty() || own.intersection(&names).next().is_some())
        }
        _ => false,
    }
}

/// What the entries of one project and type mean.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    known: Vec<(ObservationPlace, Meaning)>,
    by_term: HashMap<String, Vec<usize>>,
    wordings: HashMap<ObservationPlace, usize>,
}

impl Meanings {
    /// Remembers a meaning of an entry.
    pub(super) fn add(&mut self, place: ObservationPlace, meaning: Meaning) {
        let wordings = self.wordings.entry(place).or_default();
        if *wordings == MOST_WORDINGS || self.known.iter().any(|(of, known)| *of == place && *known == meaning) {
            return;
        }
        *wordings += 1;
        let terms: BTreeSet<&String> = meaning.terms().collect();
        for term in terms {
            self.by_term.entry(term.clone()).or_default().push(self.known.len());
        }
        self.known.push((place, meaning));
    }

    /// The entry that means the same; of several the one that is most alike, of these the first.
    pub(super) fn find(&self, meaning: &Meaning) -> Option<ObservationPlace> {
        let mut candidates: BTreeMap<usize, u32> = BTreeMap::new();
        for index in meaning.terms().filter_map(|term| self.by_term.get(term)).flatten() {
            *candidates.entry(*index).or_default() += 1;
        }
        let alike = candidates.keys().filter_map(|index| {
            let (place, known) = &self.known[*index];
            Some((meaning.likeness(known)?, *place))
        });
        let best = alike.max_by(|(one, first), (other, second)| one.total_cmp(other).then_with(|| second.cmp(first)));
        best.map(|(_, place)| place)
    }
}

/// Whether both say where something goes to, and say different places.
fn leads_elsewhere(one: &[BTreeSet<String>], other: &[BTreeSet<String>]) -> bool {
    let targets = |steps: &[BTreeSet<String>]| -> BTreeSet<String> {
        steps.iter().flatten().filter(|term| term.starts_with("to:")).cloned().collect()
    };
    let (one, other) = (targets(one), targets(other));
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

/// Whether one step is only a part of several: the others say more than what goes with every step.
fn is_part(one: &[BTreeSet<String>], several: &[BTreeSet<String>]) -> bool {
    let is_other = |step: &&BTreeSet<String>| !step.iter().all(|term| COMMON.contains(&&**term));
    one.len() == 1 && several.len() > 1 && several.iter().filter(is_other).count() > 1
}

/// How much two sequences of steps share in their order, from 0 to 1.
fn ordered_likeness(one: &[BTreeSet<String>], other: &[BTreeSet<String>]) -> f64 {
    let mut best = vec![vec![0_u32; other.len() + 1]; one.len() + 1];
    for (row, step) in one.iter().enumerate() {
        for (column, next) in other.iter().enumerate() {
            let shared: u32 = step.intersection(next).map(|term| weight_of_step(term)).sum();
            best[row + 1][column + 1] = best[row][column + 1].max(best[row + 1][column]).max(best[row][column] + shared);
        }
    }
    let all: u32 = one.iter().chain(other).flatten().map(|term| weight_of_step(term)).sum();
    dice(best[one.len()][other.len()], all)
}

fn weight_of_step(term: &str) -> u32 {
    if COMMON.contains(&term) { 1 } else { STEP_WEIGHT }
}

fn weight_of_term(term: &str) -> u32 {
    match term {
        // What stands to what is compared by itself.
        _ if relation_of(term).is_some() => 0,
        _ if term.starts_with(NAME) => NAME_WEIGHT,
        _ => 1,
    }
}

/// The relation that a term tells, and of what: what is not taken, or what something comes before or after.
fn relation_of(term: &str) -> Option<(&str, &str)> {
    term.split_once(':').filter(|(relation, _)| ["not", "before", "after"].contains(relation))
}

/// Whether one chooses what the other does not take, or puts into another order what both name.
fn is_contrary(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    let names = |terms: &BTreeSet<String>, of: &str| terms.contains(of) || terms.contains(&format!("{NAME}{of}"));
    let told = |terms: &BTreeSet<String>, relation: &str| {
        terms.iter().filter_map(|term| relation_of(term)).find(|(told, _)| *told == relation).map(|(_, of)| of.to_owned())
    };
    one.iter().filter_map(|term| relation_of(term)).any(|(relation, of)| match relation {
        "not" => told(other, "not").is_some_and(|rejected| rejected != of && (names(other, of) || names(one, &rejected))),
        "before" => {
            told(other, "after").is_some_and(|after| after == of)
                || told(other, "before").is_some_and(|before| before != of && names(one, &before) && names(other, of))
        }
        _ => told(other, "after").is_some_and(|after| after != of && names(one, &after) && names(other, of)),
    })
}

fn dice(shared: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { 2.0 * f64::from(shared) / f64::from(all) }
}
