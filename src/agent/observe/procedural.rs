//! Ways of doing something: when this, do that; to get this, do that. Naming what the project has.

use super::entity::{containment, entities};
use super::marker::{CONDITIONS, DUTIES, PASSING, PURPOSES};
use super::sighting::{Sighting, as_pattern};
use super::speech::{Speech, Statement, find_words, starts_with_word};
use super::workflow::{ECHO, is_step, opens_with_verb, order_start, without_idle};
use event::field::ObservationType;
use render::plain_text;

/// Words after which a word is no order, whatever it looks like.
const BEFORE_NOUNS: [&str; 18] = [
    "the", "a", "an", "to", "of", "your", "our", "and", "or", "for", "each", "every", "must", "should", "can", "will", "not", "you",
];

/// The ways of doing something that a turn tells.
pub(super) fn find_procedures(speech: &Speech, prior: Option<&str>) -> Vec<Sighting> {
    let is_echo = |statement: &&Statement| prior.is_some_and(|prior| containment(&statement.text, prior) >= ECHO);
    let told = speech.statements.iter().filter(|statement| !statement.is_question && !is_echo(statement));
    told.filter_map(|statement| Some((statement, procedure_of(statement)?)))
        .map(|(statement, way)| way.sighting(statement))
        .collect()
}

/// When something is done, and what.
struct Procedure<'a> {
    /// `when`, `if`, `before`, `after` or `to`.
    opening: &'static str,
    occasion: &'a str,
    method: &'a str,
}

impl Procedure<'_> {
    fn sighting(&self, statement: &Statement) -> Sighting {
        let Self { opening, occasion, method } = self;
        let method = decapitalized(method);
        let named = entities(&statement.text).join(", ");
        let pattern = format!("{opening} {}, {}", without_idle(occasion), without_idle(&method));
        Sighting {
            id: None,
            kind: ObservationType::Procedural,
            pattern: as_pattern(&pattern),
            evidence: vec![statement.text.clone()],
            details: plain_text(&format!("{} {occasion}: {method}. It names {named}.", capital(opening)), 1000),
            is_supported: false,
        }
    }

    /// Whether it holds beyond this conversation.
    fn is_lasting(&self) -> bool {
        let occasion = self.occasion.to_ascii_lowercase();
        let is_passing = PASSING
            .iter()
            .any(|passing| if passing.contains(' ') { starts_with_word(&occasion, passing) } else { occasion == *passing });
        let points_here = ["this", "that", "it", "these", "those"].iter().any(|word| starts_with_word(&occasion, word));
        let method = self.method.to_ascii_lowercase();
        let is_talk = ["tell me", "show me", "give me", "let me know"].iter().any(|talk| find_words(&method, talk).is_some());
        let is_told = occasion.chars().filter(|letter| letter.is_alphanumeric()).count() > 4;
        !is_passing && !points_here && !is_talk && is_told && self.method.split(' ').count() > 1
    }
}

fn procedure_of(statement: &Statement) -> Option<Procedure<'_>> {
    let start = order_start(&statement.lowered);
    let found = conditioned(statement, start).or_else(|| purposeful(statement, start)).or_else(|| followed(statement, start))?;
    (found.is_lasting() && !entities(&statement.text).is_empty()).then_some(found)
}

/// When X, do Y.
fn conditioned(statement: &Statement, start: usize) -> Option<Procedure<'_>> {
    let condition = CONDITIONS.iter().find(|condition| starts_with_word(&statement.lowered[start..], condition))?;
    let from = start + condition.len();
    let found = order_behind(&statement.lowered, from).or_else(|| duty_within(&statement.lowered, from));
    let (end, begin) = found.or_else(|| order_within(&statement.lowered, from))?;
    Some(procedure(statement, opening_of(condition), (from, end), (begin, statement.text.len())))
}

/// To X, do Y.
fn purposeful(statement: &Statement, start: usize) -> Option<Procedure<'_>> {
    let rest = &statement.lowered[start..];
    let way = ["the way to ", "the right way to ", "the only way to "].iter().find(|way| rest.starts_with(**way));
    if let Some(way) = way {
        let place = rest.find(" is to ")?;
        let range = (start + way.len(), start + place);
        return Some(procedure(statement, "to", range, (start + place + " is to ".len(), statement.text.len())));
    }
    let purpose = PURPOSES.iter().find(|purpose| rest.starts_with(**purpose))?;
    let from = start + purpose.len();
    let (end, begin) = order_behind(&statement.lowered, from).or_else(|| duty_within(&statement.lowered, from))?;
    let opening = if *purpose == "for " { "for" } else { "to" };
    Some(procedure(statement, opening, (from, end), (begin, statement.text.len())))
}

/// Do Y when X; use Y to X.
fn followed(statement: &Statement, start: usize) -> Option<Procedure<'_>> {
    let rest = &statement.lowered[start..];
    if !is_order(rest) {
        return None;
    }
    let condition = CONDITIONS.iter().filter_map(|condition| Some((find_words(rest, condition)?, *condition))).min();
    if let Some((place, condition)) = condition.filter(|(place, _)| *place > 0) {
        let (end, from) = (start + place, start + place + condition.len());
        return Some(procedure(statement, opening_of(condition), (from, statement.text.len()), (start, end)));
    }
    let is_means = ["use ", "run ", "call ", "execute "].iter().any(|verb| rest.starts_with(verb));
    // Behind a comma another sentence begins.
    let clause = rest.split(',').next().unwrap_or_default();
    let place = clause.match_indices(" to ").map(|(place, _)| place).find(|place| opens_with_verb(&rest[place + 4..]));
    let place = place.filter(|_| is_means)?;
    Some(procedure(statement, "to", (start + place + 4, statement.text.len()), (start, start + place)))
}

fn procedure<'a>(
    statement: &'a Statement,
    opening: &'static str,
    occasion: (usize, usize),
    method: (usize, usize),
) -> Procedure<'a> {
    let part = |(from, to): (usize, usize)| statement.text[from.min(to)..to].trim_matches([' ', ',', ';', ':', '.']);
    let begin = method.0 + keep_duty(&statement.lowered[method.0..method.1]);
    Procedure { opening, occasion: part(occasion), method: part((begin, method.1)) }
}

/// Fillers go, but what forbids stays.
fn keep_duty(method: &str) -> usize {
    let is_ban = |text: &str| ["never ", "don't ", "do not "].iter().any(|ban| text.starts_with(ban));
    let start = order_start(method);
    if is_ban(method) { 0 } else { start }
}

/// The first comma behind which an order stands: where it is, and where the order begins.
fn order_behind(lowered: &str, from: usize) -> Option<(usize, usize)> {
    let commas = lowered[from..].match_indices([',', ':']).map(|(place, _)| from + place);
    commas.map(|place| (place, place + 1)).find(|(_, begin)| is_order(lowered[*begin..].trim_start()))
}

/// Without a comma: where it is said whose duty something is.
fn duty_within(lowered: &str, from: usize) -> Option<(usize, usize)> {
    let places = DUTIES.iter().filter_map(|duty| find_words(&lowered[from..], duty.trim_end()));
    places.filter(|place| *place > 1).min().map(|place| (from + place, from + place))
}

/// Without a comma: the first verb that can be an order.
fn order_within(lowered: &str, from: usize) -> Option<(usize, usize)> {
    let words: Vec<(usize, &str)> =
        lowered[from..].match_indices(' ').map(|(place, _)| (from + place + 1, &lowered[from + place + 1..])).collect();
    let word = |index: usize| words.get(index).and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
    let found = (2..words.len()).find(|index| opens_with_verb(words[*index].1) && !BEFORE_NOUNS.contains(&word(index - 1)));
    found.map(|index| (words[index].0, words[index].0))
}

fn is_order(lowered: &str) -> bool {
    is_step(lowered) || DUTIES.iter().any(|duty| lowered.starts_with(duty))
}

fn opening_of(condition: &str) -> &'static str {
    match condition {
        "if" => "if",
        "before" => "before",
        "after" => "after",
        _ => "when",
    }
}

/// A method without the capital of a verb that opened its sentence.
fn decapitalized(method: &str) -> String {
    let mut letters = method.chars();
    match letters.next() {
        Some(first) if opens_with_verb(&method.to_ascii_lowercase()) => first.to_lowercase().chain(letters).collect(),
        _ => method.to_owned(),
    }
}

fn capital(word: &str) -> String {
    word[..1].to_ascii_uppercase() + &word[1..]
}
