//! What a statement means, in terms that other words for the same share: named things, concepts, and stems of the words that tell.

use std::collections::BTreeSet;

use super::concept::{Rank, concepts};
use super::entity::entities;
use super::language::{Language, has_any, split};
use super::speech::{find_words, lower};
use super::workflow::is_step;
use event::field::ObservationType;
use text::script::is_unspaced;

/// What opens the term of a thing that is named.
const NAME: char = '`';
/// The terms of a statement that forbids, and of one that forbids one thing and asks for another.
const BAN: &str = "!";
const BOTH: &str = "~";
/// The most terms of a statement and of a step.
const MOST_TERMS: usize = 40;
const MOST_STEP_TERMS: usize = 5;

/// The terms of a statement.
pub(super) fn terms_of(text: &str, language: &Language) -> Vec<String> {
    let names = entities(text);
    let mut terms: BTreeSet<String> = names.iter().map(|name| format!("{NAME}{}", lower(name))).collect();
    let plain = without_names(&lower(text), &names);
    let found = concepts(&plain);
    terms.extend(found.iter().filter(|found| found.rank != Rank::Common).map(|found| found.name.to_owned()));
    let mut rest = plain.clone();
    for found in found.iter().rev() {
        rest.replace_range(found.start..found.end, " ");
    }
    if language.is_unspaced() {
        // Where nothing stands between words, a rule's own words would make terms with their neighbours.
        for phrase in language.rules.iter().chain(&language.bans).chain(&language.musts) {
            rest = rest.replace(&**phrase, " ");
        }
    }
    terms.extend(word_terms(&rest, language));
    let mut terms: Vec<String> = terms.into_iter().take(MOST_TERMS).collect();
    terms.extend(relations(&lower(text), &terms, language));
    terms.extend(stance(&lower(text), language).map(str::to_owned));
    terms
}

/// What stands to what: what something is chosen over, and what comes before or after what. Terms that share all words may differ in
/// these alone.
fn relations(lowered: &str, terms: &[String], language: &Language) -> Vec<String> {
    let mut found = Vec::new();
    for contrast in INSTEAD {
        let Some(place) = find_words(lowered, contrast) else { continue };
        // Japanese names first what is not taken.
        let (before, behind) = (&lowered[..place], &lowered[place + contrast.len()..]);
        let rejected = if language.name == "ja" {
            before.rsplit(['、', ' ']).next().unwrap_or_default()
        } else {
            behind.split([',', '，', '、', '。']).next().unwrap_or_default()
        };
        let first = split(rejected).next().unwrap_or_default();
        let word = if language.is_unspaced() { rejected } else { first };
        let is_meant = |term: &&String| {
            let bare = term.trim_start_matches(NAME);
            !bare.is_empty() && (bare == word || language.stem(word) == bare || language.is_unspaced() && word.starts_with(bare))
        };
        found.extend(terms.iter().find(is_meant).map(|term| format!("not:{}", term.trim_start_matches(NAME))));
        break;
    }
    let named = concepts(lowered);
    for (relation, words, is_behind) in ORDERS {
        let places = words.iter().filter_map(|word| Some((find_words(lowered, word)?, word.len())));
        let Some((place, length)) = places.min() else { continue };
        let of = if is_behind {
            named.iter().filter(|found| found.end <= place && place - found.end <= 6).max_by_key(|found| found.end)
        } else {
            named.iter().filter(|found| found.start >= place + length && found.rank == Rank::Step).min_by_key(|found| found.start)
        };
        found.extend(of.map(|of| format!("{relation}:{}", of.name)));
    }
    found
}

/// What names what is not taken.
const INSTEAD: [&str; 10] =
    ["instead of", "rather than", "anstatt", "statt", "en vez de", "en lugar de", "au lieu de", "plutôt que", "ではなく", "而不是"];
/// What says which comes first, and whether it stands behind what it is about.
const ORDERS: [(&str, &[&str], bool); 4] = [
    ("before", &["before", "bevor", "vor", "antes de", "avant de", "avant d'", "avant"], false),
    ("after", &["after", "nachdem", "nach", "después de", "tras", "après"], false),
    ("before", &["前に", "之前", "前"], true),
    ("after", &["後に", "した後", "之后", "後", "后"], true),
];

/// The terms of a step, in one item.
pub(super) fn step_terms(step: &str, language: &Language) -> String {
    let lowered = lower(step);
    let found = concepts(&lowered);
    let mut terms: BTreeSet<String> = found.iter().map(|found| found.name.to_owned()).collect();
    // Running tells nothing of what is run.
    terms.remove("run");
    if terms.is_empty() {
        let names = entities(step);
        terms.extend(names.iter().map(|name| lower(name).replace(' ', "_")));
        terms.extend(word_terms(&without_names(&lowered, &names), language));
    }
    // Where something goes to tells two steps apart.
    let target = lowered.rsplit_once(" to ").map(|(_, target)| entities(target)).unwrap_or_default();
    terms.extend(target.iter().map(|name| format!("to:{}", lower(name).replace(' ', "_"))));
    terms.into_iter().take(MOST_STEP_TERMS).collect::<Vec<_>>().join(" ")
}

/// The terms of what a command reports: of a workflow the numbered steps of its details, else its pattern.
pub(super) fn model_terms(kind: ObservationType, pattern: &str, details: &str) -> Vec<String> {
    let language = Language::of(pattern);
    if kind != ObservationType::Workflow {
        return terms_of(pattern, language);
    }
    let is_mark = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ')' | '-' | '*' | ' ');
    let steps: Vec<&str> = details.lines().map(|line| line.trim_start_matches(is_mark)).filter(|step| !step.is_empty()).collect();
    let terms = steps.into_iter().map(|step| step_terms(step, language)).filter(|step| !step.is_empty());
    terms.collect()
}

/// Whether a statement forbids, or forbids one thing and asks for another.
fn stance(lowered: &str, language: &Language) -> Option<&'static str> {
    if !has_any(lowered, &language.bans) {
        return None;
    }
    let clause = lowered.split([',', ';', '、', '，']).next().unwrap_or_default();
    let has_more = lowered.len() > clause.len();
    let is_plain = has_any(clause, &language.bans) && !has_any(lowered, &language.spares);
    // A reason behind a comma asks for nothing.
    let orders = |clause: &str| !has_any(clause, &language.bans) && is_step(clause.trim_start(), language);
    let asks = has_more && (language.is_unspaced() || lowered.split([',', ';']).skip(1).any(orders));
    Some(if is_plain && !asks { BAN } else { BOTH })
}

/// Whether a text forbids something.
pub(crate) fn forbids(text: &str) -> bool {
    has_any(&lower(text), &Language::of(text).bans)
}

fn without_names(lowered: &str, names: &[String]) -> String {
    let mut plain = lowered.to_owned();
    for name in names {
        plain = plain.replace(&lower(name), " ");
    }
    plain
}

/// The stems of the words that tell; of scripts without blanks runs of one kind of letters, long ones in overlapping pairs.
fn word_terms(lowered: &str, language: &Language) -> Vec<String> {
    let english = Language::named("en");
    let mut terms = Vec::new();
    for word in lowered.split(|letter: char| !letter.is_alphanumeric() && letter != '\'') {
        let word = without_elision(word.trim_matches('\''), language);
        if word.chars().any(is_unspaced) {
            terms.extend(run_terms(word, language));
        } else if word.chars().nth(1).is_some() && !language.stop.has(word) && (!english.stop.has(word) || language.name == "de") {
            terms.push(language.stem(split(word).last().unwrap_or(word)));
        }
    }
    terms
}

/// A French word without what it swallowed: `d'ouvrir` opens as `ouvrir` does.
fn without_elision<'w>(word: &'w str, language: &Language) -> &'w str {
    const ELIDED: [&str; 9] = ["d", "l", "n", "j", "s", "c", "m", "t", "qu"];
    match word.split_once('\'') {
        Some((before, rest)) if language.name == "fr" && ELIDED.contains(&before) => rest,
        _ => word,
    }
}

fn run_terms(text: &str, language: &Language) -> Vec<String> {
    let kind = |letter: char| match letter {
        '\u{3041}'..='\u{309F}' => 0,
        '\u{30A0}'..='\u{30FF}' => 1,
        _ if is_unspaced(letter) => 2,
        _ => 3,
    };
    let letters: Vec<char> = text.chars().collect();
    let mut terms = Vec::new();
    for run in letters.chunk_by(|one, next| kind(*one) == kind(*next)) {
        let word: String = run.iter().collect();
        match kind(run[0]) {
            // Hiragana joins words and bends them.
            0 => {}
            2 if run.len() > 2 => terms.extend(run.windows(2).map(|pair| pair.iter().collect::<String>())),
            _ => terms.push(word),
        }
    }
    terms.retain(|term| !language.stop.has(term) && (term.chars().count() > 1));
    terms
}
