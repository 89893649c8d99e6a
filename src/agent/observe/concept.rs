//! The routine of development, by the words of all languages: what makes a step one that people ask for again and again.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use text::script::is_unspaced;

/// What a concept is worth for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// It makes the step a routine.
    Step,
    /// It is what a step is done to.
    Object,
    /// It goes with every other one.
    Common,
}

/// A concept in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) name: &'static str,
    pub(super) rank: Rank,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    step: BTreeMap<String, Vec<String>>,
    object: BTreeMap<String, Vec<String>>,
    common: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
struct Term {
    text: String,
    is_open: bool,
    name: String,
    rank: Rank,
}

static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("language/concept.toml")).unwrap_or_default();
    let ranked = [(Rank::Step, file.step), (Rank::Object, file.object), (Rank::Common, file.common)];
    let terms = ranked.into_iter().flat_map(|(rank, table)| {
        let named = table.into_iter().flat_map(|(name, terms)| terms.into_iter().map(move |term| (name.clone(), term)));
        named.map(move |(name, term)| {
            let text = term.trim_end_matches('*').to_owned();
            Term { is_open: text.len() < term.len(), text, name, rank }
        })
    });
    let mut terms: Vec<Term> = terms.collect();
    terms.sort_by_key(|term| std::cmp::Reverse(term.text.len()));
    terms
});

/// The concepts of a text, in the order of their appearance. Where two overlap, the longer term is meant.
pub(super) fn concepts(lowered: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for term in TERMS.iter() {
        for (start, _) in lowered.match_indices(&*term.text) {
            let end = start + term.text.len();
            let is_apart = |letter: char| !letter.is_alphanumeric() && letter != '_' || is_unspaced(letter);
            let opens = lowered[..start].chars().next_back().is_none_or(is_apart) || term.text.starts_with(is_unspaced);
            let closes = term.is_open || lowered[end..].chars().next().is_none_or(is_apart) || term.text.ends_with(is_unspaced);
            let is_free = found.iter().all(|known| end <= known.start || known.end <= start);
            if opens && closes && is_free {
                let rest = &lowered[end..];
                let tail = rest.find(|letter: char| !letter.is_alphanumeric() || is_unspaced(letter)).unwrap_or(rest.len());
                let end = if term.is_open { end + tail } else { end };
                found.push(Found { start, end, name: &term.name, rank: term.rank });
            }
        }
    }
    found.sort_by_key(|found| found.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_term_is_the_concept_and_every_language_has_its_words() {
        let names = |text: &str| concepts(text).iter().map(|found| found.name).collect::<Vec<_>>();
        assert_eq!(names("open a pull request, then push"), ["pr", "push"]);
        assert_eq!(names("look at the pr review comments"), ["pr", "comment"]);
        assert_eq!(names("先提交，再推送"), ["commit", "push"]);
        assert_eq!(names("コミットしてプッシュ"), ["commit", "push"]);
        assert_eq!(names("committe das und pushe"), ["commit", "push"]);
        assert_eq!(names("the contest is a latest thing"), [""; 0]);
    }
}
