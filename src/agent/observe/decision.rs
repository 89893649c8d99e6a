//! Decisions: a choice and its reason in what one person says.

use super::entity::{containment, shared_words};
use super::marker::{ANCHORS, CHOICES, CONTRASTS, HOPES, INTERJECTIONS, MODALS, NO_REASONS, REASON_OPENINGS, TIMES};
use super::sighting::{Sighting, as_pattern, laid_out};
use super::speech::{Speech, Statement, find_words, is_listed, sentences, starts_with_word};
use super::workflow::{ECHO, opens_with_verb, order_start};
use event::field::ObservationType;
use render::plain_text;

/// Interjections that are orders or judgements too, unless a mark follows.
const DOUBTFUL: [&str; 6] = ["stop", "wait", "wrong", "right", "again", "so"];
/// The fewest words of a choice and of a reason.
const CHOICE_WORDS: usize = 2;
const REASON_WORDS: usize = 3;

/// The decisions of a turn, in answer to what the agent said.
pub(super) fn find_decisions(speech: &Speech, prior: &str) -> Vec<Sighting> {
    let mut found = Vec::new();
    let mut before: Option<&Statement> = None;
    for statement in &speech.statements {
        let is_echo = containment(&statement.text, prior) >= ECHO;
        if !statement.is_question && !is_echo {
            let explained = || explained(statement).or_else(|| before.and_then(|before| justified(before, statement)));
            let decision = decided(statement).or_else(explained);
            found.extend(decision.filter(Decision::is_told).map(|decision| decision.sighting(prior)));
        }
        before = Some(statement);
    }
    found
}

struct Decision {
    choice: String,
    reason: String,
    quote: String,
}

impl Decision {
    fn is_told(&self) -> bool {
        let count = |text: &str| text.split(' ').filter(|word| !word.is_empty()).count();
        let reason = self.reason.to_ascii_lowercase();
        let is_none = NO_REASONS.iter().any(|none| starts_with_word(&reason, none) && count(&reason) <= count(none) + 2);
        count(&self.choice) >= CHOICE_WORDS && count(&self.reason) >= REASON_WORDS && !is_none
    }

    fn sighting(self, prior: &str) -> Sighting {
        let context = context_of(prior, &self.quote);
        Sighting {
            id: None,
            kind: ObservationType::Decision,
            pattern: as_pattern(&self.choice),
            details: laid_out(&[("context", &context), ("decision", &self.choice), ("rationale", &self.reason)]),
            evidence: vec![self.quote],
            is_supported: true,
        }
    }
}

/// A choice and its reason in one sentence.
fn decided(statement: &Statement) -> Option<Decision> {
    let (text, lowered) = (&statement.text, &statement.lowered);
    let start = opening_end(lowered);
    let (place, anchor) = find_anchor(lowered, start)?;
    let behind = place + anchor.len();
    let (choice, reason) = if anchor == "that's why" {
        ((behind, text.len()), (start, place))
    } else if place <= start {
        // The reason comes first, and ends where the choice begins.
        let comma = lowered[behind..].match_indices(',').map(|(comma, _)| behind + comma);
        let comma = comma.into_iter().find(|comma| is_choice(lowered[comma + 1..].trim_start()))?;
        ((comma + 1, text.len()), (behind, comma))
    } else {
        // What is to be avoided or reached is said by the anchor's words too.
        let from =
            if anchor.starts_with("because") || matches!(anchor, "since" | "given that" | "due to") { behind } else { place };
        ((start, place), (from, text.len()))
    };
    let chosen = lowered[choice.0..choice.1].trim_matches([' ', ',']);
    if !is_choice(chosen) {
        return None;
    }
    let part = |(from, to): (usize, usize)| text[from..to].trim_matches([' ', ',', '-', ':', '(', ')']).to_owned();
    Some(Decision { choice: bare(&part(choice)), reason: part(reason), quote: text.clone() })
}

/// The reason for a choice: the reason why we do something is that.
fn explained(statement: &Statement) -> Option<Decision> {
    let openings = ["the reason why we ", "the reason we ", "the reason i ", "the reason for "];
    let (text, lowered) = (&statement.text, &statement.lowered);
    let start = opening_end(lowered);
    let opening = openings.iter().find(|opening| lowered[start..].starts_with(**opening))?;
    let from = start + opening.len();
    let link =
        [" is that ", " is because ", " is "].iter().filter_map(|link| Some((lowered[from..].find(link)?, link.len()))).min_by_key(
            // Of those that begin at one place the longest says most.
            |(place, length)| (*place, usize::MAX - length),
        );
    let (place, length) = link?;
    let (choice, reason) = (text[from..from + place].trim(), text[from + place + length..].trim());
    Some(Decision { choice: choice.to_owned(), reason: reason.to_owned(), quote: text.clone() })
}

/// A choice, and its reason in the next sentence.
fn justified(before: &Statement, statement: &Statement) -> Option<Decision> {
    let opening = REASON_OPENINGS.iter().find(|opening| statement.lowered.starts_with(**opening))?;
    let start = opening_end(&before.lowered);
    if before.is_question || !is_choice(&before.lowered[start..]) {
        return None;
    }
    let quote = format!("{}. {}", before.text, statement.text);
    Some(Decision { choice: bare(&before.text[start..]), reason: statement.text[opening.len()..].to_owned(), quote })
}

/// The first anchor of a sentence. `since` speaks of time more often than not.
fn find_anchor(lowered: &str, start: usize) -> Option<(usize, &'static str)> {
    let found = ANCHORS.iter().filter_map(|anchor| Some((start + find_words(&lowered[start..], anchor)?, *anchor)));
    let is_reason =
        |(place, anchor): &(usize, &str)| *anchor != "since" || !is_time(&lowered[place + anchor.len()..], &lowered[..*place]);
    // Of those that begin at one place the longest says most.
    found.filter(is_reason).min_by_key(|(place, anchor)| (*place, usize::MAX - anchor.len()))
}

fn is_time(behind: &str, before: &str) -> bool {
    let word = behind.trim_start().trim_start_matches("the ").split([' ', ',', '.']).next().unwrap_or_default();
    before.trim_end().ends_with("ever") || is_listed(TIMES, word) || word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a text chooses: an order, a will, or one thing before another.
pub(super) fn is_choice(lowered: &str) -> bool {
    let is_will = CHOICES.iter().any(|choice| lowered.starts_with(choice));
    let is_contrast = CONTRASTS.iter().any(|contrast| lowered.contains(contrast));
    let is_rule = MODALS.iter().any(|modal| lowered.contains(modal));
    if is_hope(lowered) {
        return false;
    }
    is_will || is_rule || opens_with_verb(&lowered[order_start(lowered)..]) || is_contrast && !starts_with_word(lowered, "it")
}

/// Whether a text says how things are to be only because somebody hopes so.
fn is_hope(lowered: &str) -> bool {
    let behind = MODALS.iter().filter_map(|modal| lowered.split_once(modal)).map(|(_, behind)| behind);
    behind.into_iter().any(|behind| HOPES.iter().any(|hope| starts_with_word(behind, hope)))
}

/// Where a sentence begins behind interjections.
pub(super) fn opening_end(lowered: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &lowered[start..];
        let trimmed = rest.trim_start_matches([' ', ',', '.', '!', ':', ';', '-', '—', '–']);
        start += rest.len() - trimmed.len();
        let is_interjection = |word: &&&str| {
            let Some(behind) = trimmed.strip_prefix(**word) else { return false };
            let is_apart = behind.is_empty() || behind.starts_with([',', '.', '!', ':', ';', '-']);
            is_apart || behind.strip_prefix(' ').is_some_and(|behind| stands_alone(word, behind))
        };
        let Some(word) = INTERJECTIONS.iter().filter(is_interjection).max_by_key(|word| word.len()) else { return start };
        start += word.len();
    }
}

/// Whether a word that a blank follows is an interjection all the same. `No force pushes` forbids something.
fn stands_alone(word: &str, behind: &str) -> bool {
    const SUBJECTS: [&str; 8] = ["the", "you", "we", "it", "that", "this", "i", "not"];
    let is_no = matches!(word, "no" | "nope" | "nah");
    !DOUBTFUL.contains(&word) && (!is_no || is_choice(behind) || SUBJECTS.iter().any(|subject| starts_with_word(behind, subject)))
}

/// A choice without who makes it.
fn bare(choice: &str) -> String {
    const WILLS: [&str; 15] = [
        "let's ",
        "let us ",
        "we'll ",
        "we will ",
        "we should ",
        "we must ",
        "we need to ",
        "we have to ",
        "i want to ",
        "i want you to ",
        "i want ",
        "you should ",
        "you must ",
        "please ",
        "we ",
    ];
    let lowered = choice.to_ascii_lowercase();
    let will = WILLS.iter().find(|will| lowered.starts_with(**will));
    choice[will.map_or(0, |will| will.len())..].trim().to_owned()
}

/// What the agent had said: the sentence that has most in common with the answer, else its last.
fn context_of(prior: &str, answer: &str) -> String {
    let all: Vec<&str> = prior.lines().flat_map(sentences).filter(|sentence| !sentence.trim().is_empty()).collect();
    let nearest = all.iter().enumerate().max_by_key(|(index, sentence)| (shared_words(sentence, answer).len(), *index));
    plain_text(nearest.map_or(prior, |(_, sentence)| sentence), 200)
}
