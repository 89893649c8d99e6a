//! Decisions: a choice and its reason in what one person says.

use super::concept::concepts;
use super::entity::{containment, entities, shared_words};
use super::language::{Language, find_first, has_any, opening, split};
use super::meaning::terms_of;
use super::plain::plain_step;
use super::sighting::{Sighting, as_pattern, laid_out};
use super::speech::{Speech, Statement, find_words, sentences, starts_with_word};
use super::title::{as_order, impersonal};
use super::workflow::{ECHO, opens_with_verb, order_start};
use event::field::{Lack, ObservationType};
use render::plain_text;

/// Interjections that are orders or judgements too, unless a mark follows.
const DOUBTFUL: [&str; 9] = ["stop", "wait", "wrong", "right", "again", "so", "para", "pas", "arrête"];
/// The fewest words of a choice and of a reason, and the fewest letters where nothing stands between words.
const CHOICE_WORDS: usize = 2;
const REASON_WORDS: usize = 2;
const LEAST_LETTERS: usize = 4;

/// The decisions of a turn, each with the statement that tells it.
pub(super) fn find_decisions(speech: &Speech, prior: Option<&str>) -> Vec<(Sighting, Statement)> {
    let language = speech.language;
    let mut found = Vec::new();
    let mut before: Option<&Statement> = None;
    for (place, statement) in speech.statements.iter().enumerate() {
        let is_echo = prior.is_some_and(|prior| containment(&statement.text, prior) >= ECHO);
        let is_report = has_any(&statement.lowered, &language.reports) || has_any(&statement.lowered, &language.here);
        let next = speech.statements.get(place + 1);
        if !statement.is_question && !is_echo {
            found.extend(directed(statement, next, language).map(|sighting| (sighting, statement.clone())));
        }
        if !statement.is_question && !is_echo && !is_report {
            let explained = || explained(statement, language).or_else(|| justified(before?, statement, language));
            let decision = decided(statement, language).or_else(explained).filter(|decision| decision.is_told(language));
            found.extend(decision.map(|decision| (decision.sighting(prior, language), statement.clone())));
        }
        before = Some(statement);
    }
    found
}

/// What somebody wants to hold, without a reason: it is kept, and lacks one.
fn directed(statement: &Statement, next: Option<&Statement>, language: &Language) -> Option<Sighting> {
    if !has_any(&statement.lowered, &language.directives) {
        return None;
    }
    // `I'd prefer that` says what in the next line.
    let is_short = split(&statement.lowered).count() < 5;
    let said = if is_short { next.map(|next| next.text.as_str())? } else { &statement.text };
    Some(Sighting {
        id: None,
        kind: ObservationType::Decision,
        pattern: as_pattern(&directive_title(said)),
        details: laid_out(&[("decision", said)]),
        meaning: terms_of(said, language),
        evidence: vec![statement.text.clone(), said.to_owned()],
        lacks: Some(Lack::Reason),
    })
}

/// What somebody wants to hold, as an order: without who wants it, and without second thoughts.
fn directive_title(said: &str) -> String {
    let first = said.split("...").next().unwrap_or(said).split('…').next().unwrap_or(said);
    let first = first.split(", but ").next().unwrap_or(first);
    let order = first.split_once(" is to ").map_or(first, |(_, order)| order);
    let order = order.strip_prefix("not ").map_or_else(|| order.to_owned(), |rest| format!("do not {rest}"));
    plain_step(&order)
}

#[derive(Debug)]
struct Decision {
    choice: String,
    reason: String,
    /// The reason as a clause of its own, with the word that joins it: without it some languages leave a torn sentence.
    clause: String,
    /// Whether it says what is to come of the choice, not what led to it.
    is_aim: bool,
    quote: String,
}

impl Decision {
    /// Whether it says what is chosen and why, and holds beyond the moment.
    fn is_told(&self, language: &Language) -> bool {
        let (choice, reason) = (self.choice.to_lowercase(), self.reason.to_lowercase());
        let is_none = language.no_reasons.iter().any(|none| find_words(&reason, none).is_some());
        let is_taste = language.taste.occur_in(&choice);
        let is_enough = if language.is_unspaced() {
            letters(&choice) >= LEAST_LETTERS && letters(&reason) >= LEAST_LETTERS
        } else {
            choice.split_whitespace().count() >= CHOICE_WORDS && reason.split_whitespace().count() >= REASON_WORDS
        };
        let first = split(&choice[order_start(&choice, language)..]).next().unwrap_or_default();
        is_enough && !is_none && !is_taste && !language.moment.has(first) && has_content(&self.choice, language)
    }

    fn sighting(self, prior: Option<&str>, language: &Language) -> Sighting {
        let spoken_of = prior.map(|prior| context_of(prior, &self.quote)).unwrap_or_default();
        let clause = as_pattern(&self.clause);
        // What led to a choice is its context; what it is to bring is what comes of it.
        let (ground, aim) = if self.is_aim { ("", &*clause) } else { (&*clause, "") };
        let context = [&*spoken_of, ground].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(". ");
        let decision = as_order(&self.choice, language);
        let fields = [("context", &*context), ("decision", &*decision), ("rationale", aim)];
        let told: Vec<(&str, &str)> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        Sighting {
            id: None,
            kind: ObservationType::Decision,
            pattern: as_pattern(&decision),
            details: laid_out(&told),
            meaning: terms_of(&format!("{}, {}", self.choice, self.reason), language),
            evidence: vec![self.quote],
            lacks: None,
        }
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// Whether a choice says what is chosen. `Go with option B` and `do it` mean nothing to whoever reads it later.
fn has_content(choice: &str, language: &Language) -> bool {
    const EMPTY: &str = "option variante approach way plan one first second a b c it this that go with";
    let lowered = choice.to_lowercase();
    let is_telling = |word: &&str| {
        let is_empty = EMPTY.split(' ').any(|empty| empty == *word);
        !is_empty
            && !language.stop.has(word)
            && word.chars().nth(1).is_some()
            && !word.chars().all(|letter| letter.is_ascii_digit())
    };
    language.is_unspaced()
        || !entities(choice).is_empty()
        || !concepts(&lowered).is_empty()
        || split(&lowered).any(|word| is_telling(&word))
}

/// A choice and its reason in one sentence.
fn decided(statement: &Statement, language: &Language) -> Option<Decision> {
    let (text, lowered) = (&statement.text, &statement.lowered);
    let start = opening_end(lowered, language);
    let Some((place, anchor)) = find_anchor(lowered, start, language) else {
        return reasoned_first(statement, start, language).or_else(|| reasoned_behind_colon(statement, start, language));
    };
    let behind = place + anchor.len();
    let is_cause = language.causes.iter().any(|cause| cause == anchor);
    let (choice, reason) = if place <= start {
        // The reason comes first, and ends where the choice begins.
        let commas =
            lowered[behind..].match_indices([',', '，', '、']).map(|(comma, mark)| (behind + comma, behind + comma + mark.len()));
        let (end, begin) =
            commas.into_iter().find(|(_, begin)| is_choice(without_result(&lowered[*begin..], language), language))?;
        let begin = text.len() - without_result(&lowered[begin..], language).len();
        let from = if is_cause { behind } else { place };
        ((begin, text.len()), (from, end))
    } else {
        // What is to be avoided or reached is said by the anchor's words too.
        ((start, place), (if is_cause { behind } else { place }, text.len()))
    };
    let decision = made(statement, choice, reason, (place, reason.1), language)?;
    Some(Decision { is_aim: !is_cause, ..decision })
}

/// The reason in front: it gets lost, that is why we do this.
fn reasoned_first(statement: &Statement, start: usize, language: &Language) -> Option<Decision> {
    let lowered = &statement.lowered;
    if let Some((place, result)) = find_first(&lowered[start..], &language.results) {
        let (place, behind) = (start + place, start + place + result.len());
        let found = made(statement, (behind, lowered.len()), (start, place), (start, place), language);
        if found.is_some() {
            return found;
        }
    }
    // Some languages put the reason behind, and its word behind the reason.
    let trailing = language.trailing.iter().find(|word| lowered.ends_with(&***word))?;
    let comma = lowered.rfind(['、', '，', ','])?;
    made(statement, (start, comma), (comma, lowered.len() - trailing.len()), (comma, lowered.len()), language)
}

/// A choice that was made, and behind a colon why.
fn reasoned_behind_colon(statement: &Statement, start: usize, language: &Language) -> Option<Decision> {
    let lowered = &statement.lowered;
    opening(&lowered[start..], &language.decides)?;
    let colon = start + lowered[start..].find([':', ';', '：'])?;
    made(statement, (start, colon), (colon, lowered.len()), (colon, lowered.len()), language)
}

type Span = (usize, usize);

fn made(statement: &Statement, choice: Span, reason: Span, clause: Span, language: &Language) -> Option<Decision> {
    let marks = [' ', ',', '-', ':', '：', '(', ')', '、', '，', ';'];
    let chosen = statement.lowered.get(choice.0..choice.1)?.trim_matches(marks);
    if !is_choice(chosen, language) {
        return None;
    }
    let part = |(from, to): Span| statement.text[from..to].trim_matches(marks).to_owned();
    Some(Decision {
        choice: bare(&part(choice), language),
        reason: part(reason),
        clause: part(clause),
        is_aim: false,
        quote: statement.text.clone(),
    })
}

/// A text without the word that says that it follows.
fn without_result<'t>(text: &'t str, language: &Language) -> &'t str {
    let text = text.trim_start();
    opening(text, &language.results).map_or(text, |word| text[word.len()..].trim_start())
}

/// The reason for a choice: the reason why we do something is that.
fn explained(statement: &Statement, language: &Language) -> Option<Decision> {
    let (text, lowered) = (&statement.text, &statement.lowered);
    let start = opening_end(lowered, language);
    let explains = opening(&lowered[start..], &language.explains)?;
    let from = start + explains.len();
    let links = [" is that ", " is because ", " is "].iter().filter_map(|link| Some((lowered[from..].find(link)?, link.len())));
    // Of those that begin at one place the longest says most.
    let (place, length) = links.min_by_key(|(place, length)| (*place, usize::MAX - length))?;
    let (choice, reason) = (text[from..from + place].trim(), text[from + place + length..].trim());
    let reason = reason.to_owned();
    Some(Decision { choice: choice.to_owned(), clause: reason.clone(), reason, is_aim: false, quote: text.clone() })
}

/// A choice, and its reason in the next sentence.
fn justified(before: &Statement, statement: &Statement, language: &Language) -> Option<Decision> {
    let reason = statement.lowered.strip_prefix("that's ").or_else(|| statement.lowered.strip_prefix("that is "));
    let skipped = statement.lowered.len() - reason.unwrap_or(&statement.lowered).len();
    let lowered = &statement.lowered[skipped..];
    let cause = language
        .causes
        .iter()
        .chain(&language.aims)
        .filter(|cause| starts_with_word(lowered, cause))
        .max_by_key(|cause| cause.len())?;
    let start = opening_end(&before.lowered, language);
    let is_since = cause.as_str() == "since" || cause.as_str() == "otherwise";
    if before.is_question || is_since || !is_choice(&before.lowered[start..], language) {
        return None;
    }
    let quote = format!("{}. {}", before.text, statement.text);
    let reason = statement.text[skipped + cause.len()..].trim_matches([' ', ':', ',']).to_owned();
    let is_aim = language.aims.contains(cause);
    let whole = statement.text[skipped..].to_owned();
    Some(Decision { choice: bare(&before.text[start..], language), reason, clause: whole, is_aim, quote })
}

/// The first anchor of a sentence, outside of code. `since` speaks of time more often than not.
fn find_anchor<'l>(lowered: &str, start: usize, language: &'l Language) -> Option<(usize, &'l str)> {
    let found = language.causes.iter().chain(&language.aims);
    let found = found.filter_map(|anchor| Some((start + find_words(&lowered[start..], anchor)?, anchor.as_str())));
    let is_reason = |(place, anchor): &(usize, &str)| {
        let is_code = lowered[..*place].matches('`').count() % 2 == 1;
        !is_code && (*anchor != "since" || !is_time(&lowered[place + anchor.len()..], &lowered[..*place], language))
    };
    // Short words of one letter's difference are told by what stands before them: a comma.
    let is_apart = |(place, anchor): &(usize, &str)| {
        !matches!(*anchor, "da" | "um" | "so" | "pues") || *place <= start || lowered[..*place].trim_end().ends_with(',')
    };
    let found = found.filter(is_reason).filter(is_apart);
    // Of those that begin at one place the longest says most.
    found.min_by_key(|(place, anchor)| (*place, usize::MAX - anchor.len()))
}

fn is_time(behind: &str, before: &str, language: &Language) -> bool {
    let word = behind.trim_start().trim_start_matches("the ").split([' ', ',', '.']).next().unwrap_or_default();
    before.trim_end().ends_with("ever") || language.times.has(word) || word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a text chooses: an order, a will, or one thing before another.
pub(super) fn is_choice(lowered: &str, language: &Language) -> bool {
    let lowered = lowered.trim_start_matches([' ', ',', '、', '，']);
    if is_hope(lowered, language)
        || language.told.has(split(lowered).nth(2).unwrap_or_default()) && !has_any(lowered, &language.modals)
    {
        return false;
    }
    let is_will = opening(lowered, &language.wills).is_some();
    let is_contrast = has_any(lowered, &language.contrasts) && !starts_with_word(lowered, "it");
    let is_rule = has_any(lowered, &language.modals);
    is_will || is_rule || opens_with_verb(&lowered[order_start(lowered, language)..], language) || is_contrast
}

/// Whether a text says how things are to be only because somebody hopes so.
fn is_hope(lowered: &str, language: &Language) -> bool {
    let behind = language.modals.iter().filter_map(|modal| Some(lowered[find_words(lowered, modal)? + modal.len()..].trim_start()));
    behind.into_iter().any(|behind| opening(behind, &language.hopes).is_some())
}

/// Where a sentence begins behind interjections.
pub(super) fn opening_end(lowered: &str, language: &Language) -> usize {
    let mut start = 0;
    loop {
        let rest = &lowered[start..];
        let trimmed = rest.trim_start_matches([' ', ',', '.', '!', '?', ':', ';', '-', '—', '–', '、', '，', '¡']);
        start += rest.len() - trimmed.len();
        let is_interjection = |word: &&String| {
            let Some(behind) = trimmed.strip_prefix(&***word) else { return false };
            let is_apart = behind.is_empty() || behind.starts_with([',', '.', '!', ':', ';', '-', '、', '，', '?']);
            is_apart || behind.strip_prefix(' ').is_some_and(|behind| stands_alone(word, behind, language))
        };
        let Some(word) = language.interjections.iter().find(is_interjection) else { return start };
        start += word.len();
    }
}

/// Whether a word that a blank follows is an interjection all the same. `No force pushes` forbids something.
fn stands_alone(word: &str, behind: &str, language: &Language) -> bool {
    const SUBJECTS: [&str; 8] = ["the", "you", "we", "it", "that", "this", "i", "not"];
    let is_no = matches!(word, "no" | "nope" | "nah");
    let is_subject = SUBJECTS.iter().any(|subject| starts_with_word(behind, subject));
    let is_ban = language.name == "en" && (is_choice(behind, language) || is_subject);
    !DOUBTFUL.contains(&word) && (!is_no || is_ban)
}

/// A choice without who makes it.
fn bare(choice: &str, language: &Language) -> String {
    let lowered = choice.to_lowercase();
    let will = language.bare.iter().filter(|will| starts_with_word(&lowered, will)).max_by_key(|will| will.len());
    let rest = choice.get(will.map_or(0, String::len)..).unwrap_or(choice).trim_start_matches([' ', ',']);
    // What is left of `let's not use it` forbids.
    let rest = match rest.strip_prefix("not ") {
        Some(rest) => format!("do not {rest}"),
        None => rest.to_owned(),
    };
    rest.trim().strip_suffix(" please").unwrap_or(rest.trim()).to_owned()
}

/// What the agent had said: the sentence that has most in common with the answer, if they have anything in common.
fn context_of(prior: &str, answer: &str) -> String {
    let all: Vec<&str> = prior.lines().flat_map(sentences).filter(|sentence| !sentence.trim().is_empty()).collect();
    let shared = |sentence: &str| shared_words(sentence, answer).len();
    let nearest = all.iter().enumerate().max_by_key(|(index, sentence)| (shared(sentence), *index));
    let nearest = nearest.map(|(_, sentence)| *sentence).filter(|sentence| shared(sentence) > 0);
    nearest.map(|sentence| impersonal(&plain_text(sentence, 200))).unwrap_or_default()
}
