//! Ways of doing something that hold beyond one conversation: always this, never that; when this, do that. Naming what the project has.

use super::concept::{Rank, concepts};
use super::entity::{containment, entities, is_command, is_program};
use super::language::{Language, find_first, has_any, opening, split};
use super::meaning::terms_of;
use super::plain::points;
use super::sighting::{Sighting, as_pattern};
use super::speech::{Speech, Statement};
use super::title::as_order;
use super::workflow::{ECHO, is_step, opens_with_verb, order_start, strip_word};
use event::field::{Lack, ObservationType};
use render::plain_text;

/// The fewest words of a rule, and the fewest letters where nothing stands between words.
const LEAST_WORDS: usize = 4;
const LEAST_LETTERS: usize = 8;
/// `Use this, not that` has no more words.
const BRIEF_WORDS: usize = 7;
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
    let order = &lowered[start..];
    let names = entities(&statement.text);
    if is_passing(order, language) || is_complaint(lowered, start, language) {
        return None;
    }
    let is_concrete = !names.is_empty() || concepts(lowered).iter().any(|found| found.rank == Rank::Step);
    let is_rule = is_rule(statement, order, language) && !is_told_of_somebody(order);
    // A rule says what is to be done or left, and to what: `always do that` says neither.
    if is_rule && tells_enough(statement, language) && (is_concrete || is_norm(lowered, order, language)) {
        // What points behind a comma points at what stands before it.
        let first = statement.text.split(',').next().unwrap_or_default();
        return Some(if points(first) { Lack::Recurrence } else { Lack::Session });
    }
    if !is_concrete {
        return None;
    }
    let is_choice =
        language.operations.has(split(&lowered[start..]).next().unwrap_or_default()) && has_any(lowered, &language.contrasts);
    let is_tool = |name: &String| is_command(name) || is_program(name);
    let is_brief = split(lowered).count() <= BRIEF_WORDS && !names.iter().any(|name| name.contains('/'));
    if is_choice && !names.is_empty() && (names.iter().any(is_tool) || is_brief) {
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

/// Whether a statement holds beyond its conversation.
fn is_rule(statement: &Statement, order: &str, language: &Language) -> bool {
    let lowered = &statement.lowered;
    // A word in quotation marks is spoken of.
    let plain = lowered.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let is_marked = has_any(&plain, &language.rules) && !has_any(lowered, &language.no_rules);
    is_marked
        || opening(lowered, &language.rule_opens).is_some()
        || opens_with_absolute_ban(order, language)
        || is_about_all(statement, language)
}

/// Whether a statement says how things are to be: it orders, forbids, tells what all of us do, or what has to be.
fn is_norm(lowered: &str, order: &str, language: &Language) -> bool {
    const ALL_OF_US: [&str; 10] = ["we", "you", "wir", "du", "nous", "on", "tu", "vous", "nosotros", "tú"];
    let opens = |phrases: &[String]| opening(order, phrases).is_some() || opening(lowered, phrases).is_some();
    language.is_unspaced()
        || opens_with_verb(order, language)
        || opens(&language.bans)
        || opens(&language.rules)
        || opens(&language.rule_opens)
        || has_any(lowered, &language.musts)
        || split(lowered).take(SUBJECT_WORDS + 1).any(|word| ALL_OF_US.contains(&word))
        || split(lowered).take(2).any(|word| language.alls.has(word))
}

/// Whether an order forbids for good.
fn opens_with_absolute_ban(order: &str, language: &Language) -> bool {
    const ABSOLUTE: [&str; 7] = ["never", "niemals", "nie", "nunca", "jamás", "绝对不", "永远不"];
    opening(order, &language.bans).is_some_and(|ban| ABSOLUTE.contains(&ban))
}

/// Whether a rule says enough for somebody who was not there: something that is named, a routine, or two words that tell.
fn tells_enough(statement: &Statement, language: &Language) -> bool {
    let terms = terms_of(&statement.text, language);
    let is_named = |term: &String| term.starts_with('`');
    let is_routine = concepts(&statement.lowered).iter().any(|found| found.rank == Rank::Step);
    is_routine || terms.iter().any(is_named) || terms.iter().filter(|term| term.chars().nth(1).is_some()).count() >= 2
}

/// Whether a sentence says how things go rather than how they are to be: `the build always fails`, `whenever I scroll it flickers`.
fn is_complaint(lowered: &str, start: usize, language: &Language) -> bool {
    const FIRST: [&str; 8] = ["i", "i'm", "ich", "yo", "je", "j'ai", "j'ouvre", "我"];
    let order = &lowered[start..];
    let occasion = opening(order, &language.conditions).map(|condition| order[condition.len()..].trim_start());
    let is_own = occasion.and_then(|occasion| split(occasion).next()).is_some_and(|word| FIRST.contains(&word));
    // What Spanish forbids has a form of its own: `nunca funciona` only says how things are.
    let tells =
        |word: &str| language.name == "es" && language.complains.has(split(&order[word.len()..]).next().unwrap_or_default());
    let is_order = opens_with_verb(order, language)
        || opening(order, &language.bans).is_some_and(|ban| !tells(ban))
        || opening(order, &language.rules).is_some_and(|rule| !tells(rule)) && occasion.is_none();
    // Whoever says what to do then does not complain.
    let is_owed = has_any(lowered, &language.musts) || occasion.is_some() && method_of(order, language).is_some();
    let is_task = occasion.is_some() && method_of(order, language).is_some_and(points);
    is_own && (!is_owed || is_task) || !is_order && !is_owed && language.complains.occur_in(lowered)
}

/// Whether it is said what has to be of every one of something.
fn is_about_all(statement: &Statement, language: &Language) -> bool {
    let lowered = &statement.lowered;
    if language.is_unspaced() {
        let is_owed = has_any(lowered, &language.musts) || has_any(lowered, &language.bans);
        return is_owed && language.alls.occur_in(lowered);
    }
    let head: Vec<&str> = split(lowered).take(SUBJECT_WORDS).collect();
    let end = head.last().map_or(0, |word| lowered.find(word).unwrap_or(0) + word.len());
    let is_routine = concepts(&lowered[..end]).iter().any(|found| found.rank == Rank::Step);
    let is_all = head.iter().take(2).any(|word| language.alls.has(word));
    let is_each = head.first().is_some_and(|word| language.each.has(word));
    let is_short = split(lowered).count() <= 12;
    let is_named = is_each && !entities(&statement.text).is_empty();
    has_any(lowered, &language.musts) && (is_routine || is_all) || is_each && is_routine && is_short || is_named && is_short
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
        || language.passing.iter().any(is_passing) && !occasion.is_some_and(names_something)
}

/// Whether the clause of an occasion names what it is about: `if you change anything in deploy/`.
fn names_something(occasion: &str) -> bool {
    !entities(occasion.split([',', '、', '，']).next().unwrap_or_default()).is_empty()
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
