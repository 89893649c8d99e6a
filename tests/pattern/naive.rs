//! The fold as it is defined, pattern by pattern, without any index.

use std::collections::{BTreeMap, BTreeSet};

use learn::pattern::{Entry, Lesson};

/// A pattern as far as lessons are compared with it.
struct Known {
    number: u32,
    repo: String,
    trigger: Option<String>,
    words: BTreeSet<String>,
}

/// The pattern's number of each lesson, by event.
pub fn homes(entries: &[Entry], overlap: f64) -> BTreeMap<String, u32> {
    let mut known: Vec<Known> = Vec::new();
    let mut homes = BTreeMap::new();
    for entry in entries {
        let Entry::Lesson(lesson) = entry else { continue };
        if !lesson.summary.trim().is_empty() {
            homes.insert(lesson.source.event.clone(), home(&mut known, lesson, overlap));
        }
    }
    homes
}

fn home(known: &mut Vec<Known>, lesson: &Lesson, overlap: f64) -> u32 {
    let repo = lesson.repo.as_deref().map(str::trim).filter(|repo| !repo.is_empty()).unwrap_or("*").to_owned();
    let trigger = lesson.trigger.as_deref().map(str::trim).filter(|trigger| !trigger.is_empty()).map(str::to_owned);
    let words = words(&lesson.summary);
    let claim = lesson.pattern_id.as_deref().and_then(claim);
    let holder = claim.and_then(|number| known.iter().find(|pattern| pattern.number == number));
    let found = match (claim, holder) {
        // The number is free, so it is taken.
        (Some(_), None) => None,
        (_, Some(holder)) if is_kin(holder, &words, overlap) => Some(holder.number),
        _ => {
            let here = || known.iter().filter(|pattern| pattern.repo == repo);
            let by_trigger = here().find(|pattern| trigger.is_some() && pattern.trigger == trigger);
            let by_words = || here().find(|pattern| pattern.words == words);
            let by_kin = || here().find(|pattern| is_kin(pattern, &words, overlap));
            by_trigger.or_else(by_words).or_else(by_kin).map(|pattern| pattern.number)
        }
    };
    found.unwrap_or_else(|| {
        let next = known.iter().map(|pattern| pattern.number).max().unwrap_or(0) + 1;
        let number = claim.filter(|number| known.iter().all(|pattern| pattern.number != *number)).unwrap_or(next);
        known.push(Known { number, repo, trigger, words });
        number
    })
}

/// The number that an id of another store claims: `P-`, at least three digits, no more zeros than needed, below a million.
fn claim(id: &str) -> Option<u32> {
    let number: u32 = id.strip_prefix("P-")?.parse().ok()?;
    (number > 0 && number < 1_000_000 && id == format!("P-{number:03}")).then_some(number)
}

fn is_kin(pattern: &Known, words: &BTreeSet<String>, overlap: f64) -> bool {
    let shared = pattern.words.intersection(words).count();
    let all = pattern.words.union(words).count();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let part = shared as f64 / all as f64;
    // 4 of 5 are four fifths, whatever the last bit of the quotient says.
    shared > 0 && part + 1e-9 >= overlap
}

/// The words of a text; of a text without any, the text.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words: BTreeSet<String> = lower
        .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if words.is_empty() { BTreeSet::from([lower.trim().to_owned()]) } else { words }
}
