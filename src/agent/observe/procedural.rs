//! Ways of doing something that hold beyond one conversation: always this, never that; when this, do that. Naming what the project has.

use super::concept::{Rank, concepts};
use super::entity::{containment, entities, is_command, is_program};
use super::language::{Language, find_first, has_any, opening, split};
use super::meaning::terms_of;
use super::sighting::{Sighting, as_pattern};
use super::speech::{Speech, Statement};
use super::title::as_order;
use super::workflow::{ECHO, is_step, opens_with_verb, order_start, strip_word};
use event::field::{Lack, ObservationType};
use render::plain_text;

/// The fewest words of a rule, and the fewest letters where nothing stands between words.
const LEAST_WORDS: usize = 4;
const LEAST_LETTERS: usize = 8;
/// So many words of a statement say what it is about.
const SUBJECT_WORDS: usize = 4;

/// The ways of doing something that a turn tells, but for statements that tell something else.
pub(super) fn find_procedures(speech: &Speech, prior: Option<&str>, is_told: impl Fn(&Statement) -> bool) -> Vec<Sighting> {
    let language = speech.language;
    let is_echo = |statement: &Statement| prior.is_some_and(|prior| containment(&statement.text, prior) >= ECHO);
    let all = speech.statements.iter().chain(speech.lists.iter().flatten());
    let told = all.filter(|statement| !statement.is_question && !is_echo(statement) && !is_told(statement));
    told.filter_map(|statement| Some(sighting(statement, lack_of(statement, language)?, language))).collect()
}

/// What a statement lacks as a way of doing something; nothing if it is none.
fn lack_of(statement: &Statement, language: &Language) -> Option<Lack> {
    let lowered = &statement.lowered;
    if !is_long_enough(statement, language) || has_any(lowered, &language.reports) || has_any(lowered, &language.here) {
        return None;
    }
    let start = order_start(lowered, language);
    let names = entities(&statement.text);
    let found = concepts(lowered);
    let is_concrete = !names.is_empty() || found.iter().any(|found| found.rank == Rank::Step);
    if !is_concrete || is_passing(&lowered[start..], language) {
        return None;
    }
    let opens_with_ban = opening(&lowered[start..], &language.bans)
        .is_some_and(|ban| matches!(ban, "never" | "niemals" | "nie" | "nunca" | "jamás"));
    let is_rule = has_any(lowered, &language.rules) || opens_with_ban || is_about_all(lowered, language);
    if is_rule && !is_told_of_somebody(lowered) {
        return Some(Lack::Session);
    }
    let is_choice =
        language.operations.has(split(&lowered[start..]).next().unwrap_or_default()) && has_any(lowered, &language.contrasts);
    if is_choice && names.iter().any(|name| is_command(name) || is_program(name)) {
        return Some(Lack::Session);
    }
    let method = method_of(&lowered[start..], language)?;
    let word = split(method).next().unwrap_or_default();
    let runs = language.operations.has(word) && !names.is_empty() && !is_task(&lowered[start..]);
    Some(if runs && has_operand(method, &names) { Lack::Session } else { Lack::Recurrence })
}

/// Whether an order names what it runs or changes: a command, a file, a program.
fn has_operand(method: &str, names: &[String]) -> bool {
    // A function is changed, not run.
    let is_operand = |name: &&String| is_command(name) || !name.ends_with(')') && !name.contains('_') && !has_hump(name);
    names.iter().filter(is_operand).any(|name| method.contains(&name.to_lowercase()))
}

fn has_hump(name: &str) -> bool {
    let is_path = name.contains(['/', '.', ' ']);
    !is_path && name.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Words that open what is said of every one of something.
const EACH: [&str; 7] = ["every", "each", "jede", "jeder", "jedes", "cada", "chaque"];

/// Whether it is said what has to be of every one of something.
fn is_about_all(lowered: &str, language: &Language) -> bool {
    const ALL: [&str; 26] = [
        "every",
        "each",
        "all",
        "any",
        "new",
        "jede",
        "jeder",
        "jedes",
        "alle",
        "neue",
        "neuer",
        "neues",
        "cada",
        "todos",
        "todas",
        "los",
        "las",
        "nuevos",
        "nuevas",
        "chaque",
        "tous",
        "toutes",
        "les",
        "nouveaux",
        "nouvelles",
        "die",
    ];
    let head: Vec<&str> = split(lowered).take(SUBJECT_WORDS).collect();
    let end = head.last().map_or(0, |word| lowered.find(word).unwrap_or(0) + word.len());
    let is_routine = concepts(&lowered[..end]).iter().any(|found| found.rank == Rank::Step);
    let is_all = head.iter().take(2).any(|word| ALL.contains(word));
    let is_each = head.first().is_some_and(|word| EACH.contains(word));
    let is_short = split(lowered).count() <= 12;
    has_any(lowered, &language.musts) && (is_routine || is_all) || is_each && is_routine && is_short
}

/// Whether a sentence tells of what somebody does rather than what to do.
fn is_told_of_somebody(lowered: &str) -> bool {
    let first = split(lowered).next().unwrap_or_default();
    matches!(first, "i" | "it" | "they" | "he" | "she" | "ich" | "es" | "je" | "il")
}

/// Whether what is ordered is a change of the code at hand.
fn is_task(lowered: &str) -> bool {
    let first = split(lowered).next().unwrap_or_default();
    matches!(
        first,
        "add" | "pass" | "return" | "set" | "create" | "implement" | "make" | "change" | "adjust" | "fix" | "write" | "for"
    )
}

fn is_long_enough(statement: &Statement, language: &Language) -> bool {
    if language.is_unspaced() {
        return statement.text.chars().filter(|letter| letter.is_alphanumeric()).count() >= LEAST_LETTERS;
    }
    statement.text.split(' ').count() >= LEAST_WORDS
}

/// Whether it holds in this conversation only.
fn is_passing(lowered: &str, language: &Language) -> bool {
    let occasion = opening(lowered, &language.conditions).and_then(|condition| strip_word(lowered, condition));
    let is_passing = |passing: &String| strip_word(occasion.unwrap_or_default(), passing).is_some();
    occasion.is_some_and(|occasion| occasion.chars().filter(|letter| letter.is_alphanumeric()).count() < 5)
        || language.passing.iter().any(is_passing)
}

/// What is to be done, where it is said when or what for.
fn method_of<'t>(lowered: &'t str, language: &Language) -> Option<&'t str> {
    if let Some(head) = opening(lowered, &language.conditions).or_else(|| opening(lowered, &language.purposes)) {
        let behind = &lowered[head.len()..];
        return order_behind(behind, language).or_else(|| order_within(behind, language));
    }
    let is_order =
        opens_with_verb(lowered, language) && find_first(lowered, &language.conditions).is_some_and(|(place, _)| place > 0);
    // Behind a comma another sentence begins.
    let clause = lowered.split(',').next().unwrap_or_default();
    let purpose = clause.find(" to ").is_some_and(|place| opens_with_verb(&lowered[place + 4..], language));
    let is_means = ["use ", "run ", "call ", "execute "].iter().any(|verb| lowered.starts_with(verb)) && purpose;
    (is_order || is_means).then_some(lowered)
}

/// What stands behind the first comma that an order follows.
fn order_behind<'t>(lowered: &'t str, language: &Language) -> Option<&'t str> {
    let places = lowered.match_indices([',', ':', '、', '，']).map(|(place, mark)| &lowered[place + mark.len()..]);
    let orders = places.map(|rest| &rest[order_start(rest, language)..]);
    orders.into_iter().find(|rest| is_step(rest, language))
}

/// Without a comma: what follows where it is said whose duty something is, else the first verb of running something.
fn order_within<'t>(lowered: &'t str, language: &Language) -> Option<&'t str> {
    let duty = find_first(lowered, &language.duties).filter(|(place, _)| *place > 1);
    if let Some((place, duty)) = duty {
        let rest = &lowered[place + duty.len()..];
        return Some(&rest[order_start(rest, language)..]);
    }
    let words = lowered.match_indices(' ').map(|(place, _)| &lowered[place + 1..]).skip(2);
    words.into_iter().find(|rest| language.operations.has(rest.split(' ').next().unwrap_or_default()))
}

fn sighting(statement: &Statement, lack: Lack, language: &Language) -> Sighting {
    let start = order_start(&statement.lowered, language);
    let said = statement.text[start..].trim_matches([' ', ',', ';', ':', '、', '，']);
    Sighting {
        id: None,
        kind: ObservationType::Procedural,
        pattern: as_pattern(&as_order(said, language)),
        evidence: vec![statement.text.clone()],
        details: plain_text(&as_pattern(said), 1000),
        lacks: Some(lack),
        meaning: terms_of(&statement.text, language),
    }
}
