//! Pitfalls: a person rejects what the agent just did, or sends it elsewhere, and names what it is about.

use super::decision::{is_choice, opening_end};
use super::entity::{entities, shared_words};
use super::marker::{ACTIONS, ANCHORS, DEEDS, NO_REJECTIONS, REJECTIONS, TASTE, VAGUE};
use super::sighting::{Sighting, as_pattern, cut_at_word, laid_out};
use super::speech::{Speech, Statement, find_words, is_listed, sentences, starts_with_word};
use event::field::ObservationType;
use render::plain_text;

/// What may stand before a rejection.
const BEFORE: [&str; 12] = ["hey", "hmm", "oh", "ugh", "ok", "okay", "well", "actually", "please", "sorry", "but", "and"];
/// The most characters of a quotation.
const QUOTE_CHARACTERS: usize = 400;
/// The fewest words that say what is wrong.
const LEAST_WORDS: usize = 3;
/// Words of what came of it.
const DAMAGE: &str =
    "breaks break broke broken fails fail failed lose loses lost corrupts corrupted overwrites overwrote wipes deletes leaks";

/// The pitfall of a turn, right after something that the agent did.
pub(super) fn find_pitfall(speech: &Speech, user: &str, prior: &str) -> Option<Sighting> {
    if !is_rejection(user) {
        return None;
    }
    let (place, correction) = correction_in(speech)?;
    let lowered = correction.to_ascii_lowercase();
    let has_taste = lowered.split(|letter: char| !letter.is_alphanumeric()).any(|word| is_listed(TASTE, word));
    let named = entities(&correction);
    let is_vague = named.is_empty() && VAGUE.iter().any(|vague| lowered.contains(vague));
    if is_vague || has_taste {
        return None;
    }
    let shared = shared_words(user, prior);
    let action = action_in(prior, &correction)?;
    // Without anything that both name, nobody could tell later what it was about.
    let own = shared_words(&correction, prior);
    let words = if own.is_empty() { shared } else { own };
    let area = named.first().cloned().or_else(|| (!words.is_empty()).then(|| words.join(" ")))?;
    let rest = &speech.statements[place..];
    let (impact, resolution) = (impact_in(rest), resolution_in(rest).unwrap_or_else(|| correction.clone()));
    let quote = |text: &str| cut_at_word(&plain_text(text, usize::MAX), QUOTE_CHARACTERS).to_owned();
    Some(Sighting {
        id: None,
        kind: ObservationType::Pitfall,
        pattern: as_pattern(&correction),
        evidence: vec![format!("prior: {}", quote(&action)), format!("user: {}", quote(user))],
        details: laid_out(&[("area", &area), ("issue", &action), ("impact", &impact), ("resolution", &resolution)]),
        is_supported: true,
    })
}

/// Whether a turn opens with a rejection.
fn is_rejection(user: &str) -> bool {
    let straight = user.replace(['’', 'ʼ'], "'");
    let lowered = plain_text(&straight, QUOTE_CHARACTERS).to_ascii_lowercase();
    let mut text = lowered.as_str();
    while let Some(word) =
        BEFORE.iter().find(|word| starts_with_word(text, word) && !NO_REJECTIONS.iter().any(|none| text.starts_with(none)))
    {
        text = text[word.len()..].trim_start_matches([' ', ',', '.', '!', '-']);
        if text.is_empty() {
            return false;
        }
    }
    let is_none = NO_REJECTIONS.iter().any(|none| text.starts_with(none));
    let is_order = ["wait for", "stop the", "don't forget", "do not forget", "don't worry", "do not worry"]
        .iter()
        .any(|order| text.starts_with(order));
    let is_word = |rejection: &str| rejection.ends_with(|letter: char| letter.is_alphanumeric());
    let opens = |rejection: &str| if is_word(rejection) { starts_with_word(text, rejection) } else { text.starts_with(rejection) };
    !is_none && !is_order && REJECTIONS.iter().any(|rejection| opens(rejection))
}

/// The first sentence that says what is wrong or what to do, without interjections, and its place.
fn correction_in(speech: &Speech) -> Option<(usize, String)> {
    speech.statements.iter().enumerate().take(3).find_map(|(place, statement)| {
        let text = statement.text[opening_end(&statement.lowered)..].trim();
        let is_enough = text.split(' ').count() >= LEAST_WORDS;
        (!statement.is_question && is_enough).then(|| (place, text.to_owned()))
    })
}

/// What the agent did: the sentence of its deeds that has most in common with the correction, else its last. None if its last
/// words are a question, to which a no is an answer.
fn action_in(prior: &str, correction: &str) -> Option<String> {
    let all: Vec<&str> = prior.lines().flat_map(sentences).map(str::trim).filter(|sentence| !sentence.is_empty()).collect();
    if all.last().is_none_or(|last| last.ends_with('?')) {
        return None;
    }
    let deeds = all.iter().enumerate().filter(|(_, sentence)| is_deed(sentence));
    let nearest = deeds.max_by_key(|(index, sentence)| (shared_words(sentence, correction).len(), *index));
    nearest.map(|(_, sentence)| plain_text(sentence, QUOTE_CHARACTERS))
}

fn is_deed(sentence: &str) -> bool {
    let lowered = sentence.replace('’', "'").to_ascii_lowercase();
    let lowered = lowered.trim_start_matches(['-', '*', '#', ' ', '✅', '✓']);
    let first = lowered.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    !lowered.ends_with('?')
        && (is_listed(DEEDS, first) || ACTIONS.iter().any(|action| find_words(lowered, action.trim_end()).is_some()))
}

/// What came of it, as the person says: a reason, or damage.
fn impact_in(statements: &[Statement]) -> String {
    let reason = statements.iter().find_map(|statement| {
        let found = ANCHORS.iter().filter_map(|anchor| Some((find_words(&statement.lowered, anchor)?, anchor.len()))).min();
        found.map(|(place, length)| statement.text[place + length..].trim_matches([' ', ',', ':']).to_owned())
    });
    let is_damage = |statement: &&Statement| {
        statement.lowered.split(|letter: char| !letter.is_alphanumeric()).any(|word| is_listed(DAMAGE, word))
    };
    let damage = || statements.iter().skip(1).find(is_damage).map(|statement| statement.text.clone());
    reason.filter(|reason| !reason.is_empty()).or_else(damage).unwrap_or_else(|| "it had to be corrected".to_owned())
}

/// What to do instead.
fn resolution_in(statements: &[Statement]) -> Option<String> {
    let text = |statement: &Statement| statement.text[opening_end(&statement.lowered)..].trim().to_owned();
    let says_instead = |statement: &&Statement| find_words(&statement.lowered, "instead").is_some();
    let instead = statements.iter().find(says_instead).map(text);
    let orders =
        |statement: &&Statement| !statement.is_question && is_choice(&statement.lowered[opening_end(&statement.lowered)..]);
    instead.or_else(|| statements.iter().skip(1).find(orders).map(text))
}
