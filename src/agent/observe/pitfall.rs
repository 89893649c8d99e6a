//! Pitfalls: a person rejects what the agent just did, or sends it elsewhere, and names what it is about.

use super::concept::{Rank, concepts};
use super::decision::{is_choice, opening_end};
use super::entity::{entities, shared_words};
use super::language::{Language, find_first, has_any, split};
use super::meaning::terms_of;
use super::sighting::{Sighting, as_pattern, cut_at_word, laid_out};
use super::speech::{Speech, Statement, find_words, lower, sentences, starts_with_word};
use super::title::{as_order, as_warning, impersonal};
use event::field::{Lack, ObservationType};
use render::plain_text;

/// The most characters of a quotation, and of what is wrong.
const QUOTE_CHARACTERS: usize = 400;
/// The fewest words that say what is wrong, and the fewest letters where nothing stands between words.
const LEAST_WORDS: usize = 3;
const LEAST_LETTERS: usize = 5;

/// The pitfall of a turn, right after something that the agent did, and the statements that tell it.
pub(super) fn find_pitfall(speech: &Speech, user: &str, prior: &str, is_rejected: bool) -> Option<(Sighting, usize)> {
    let language = speech.language;
    let is_correction = is_rejection(user, language);
    if !is_correction && (!is_rejected || has_none(user, language)) {
        return None;
    }
    let (place, correction) = correction_in(speech, language)?;
    let lowered = lower(&correction);
    let named = entities(&correction);
    let is_vague = named.is_empty() && has_any(&lowered, &language.vague);
    if is_vague || language.taste.occur_in(&lowered) || has_any(&lowered, &language.here) {
        return None;
    }
    let rest = &speech.statements[place..];
    let whole = rest.iter().take(2).map(|statement| statement.text.as_str()).collect::<Vec<_>>().join(". ");
    // Whoever rejects a tool call may only have another wish; what is forbidden or wrong stays so.
    let forbids = has_any(&lowered, &language.bans) || language.damage.occur_in(&lower(&whole));
    let is_clear = is_correction
        && (forbids || orders_something(&lowered, language) || has_any(&lowered, &language.contradictions) || !named.is_empty());
    let lacks = (!is_clear).then_some(Lack::Recurrence);
    let action = action_in(prior, &correction, is_rejected)?;
    let mut words = shared_words(&whole, prior);
    // What is wrong may be named before the rule: "why did you change the web folder? you should always ask first".
    if words.is_empty() && is_correction {
        words = shared_words(user, prior);
    }
    let done = concepts(&lower(prior));
    let is_done = |name: &str| done.iter().any(|done| done.name == name);
    let routine = concepts(&lower(&whole)).into_iter().find(|found| found.rank != Rank::Common && is_done(found.name));
    // Without anything that both name, it may be about something else, and nobody could tell later what.
    let deeds = entities(prior);
    let is_named = entities(&whole).iter().any(|name| deeds.iter().any(|deed| lower(deed).contains(&lower(name))));
    let is_related = is_rejected || !words.is_empty() || routine.is_some() || is_named;
    let own = concepts(&lowered).into_iter().find(|found| is_rejected && found.rank != Rank::Common);
    let routine = routine.or(own);
    let shared = (!words.is_empty()).then(|| words.join(" ")).or_else(|| routine.map(|found| found.name.to_owned()));
    let area = named.first().cloned().or(shared).filter(|_| is_related)?;
    let impact = impact_in(rest, language);
    let title = as_pattern(&as_warning(title_of(&correction, language), language));
    // Whoever reads it later has to know what to do, not what somebody said to whom.
    let resolution = resolution_in(rest, language).unwrap_or_else(|| correction_as_order(&correction, &title, language));
    let quote = |text: &str| cut_at_word(&plain_text(text, usize::MAX), QUOTE_CHARACTERS).to_owned();
    let issue = impersonal(&action);
    let fields = [("area", &*area), ("issue", &*issue), ("impact", &*impact), ("resolution", &*resolution)];
    let told: Vec<(&str, &str)> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let sighting = Sighting {
        id: None,
        kind: ObservationType::Pitfall,
        pattern: title,
        evidence: [("prior", quote(&action)), ("user", quote(user))]
            .into_iter()
            .filter(|(_, quote)| !quote.is_empty())
            .map(|(who, quote)| format!("{who}: {quote}"))
            .collect(),
        details: laid_out(&told),
        meaning: terms_of(&whole, language),
        lacks,
    };
    Some((sighting, place))
}

/// Whether a turn opens with a rejection, or says that what the agent claims is not so.
fn is_rejection(user: &str, language: &Language) -> bool {
    const BEFORE: [&str; 14] =
        ["hey", "hmm", "oh", "ugh", "ok", "okay", "well", "actually", "please", "sorry", "but", "and", "bitte", "por favor"];
    let straight = user.replace(['’', 'ʼ'], "'");
    let lowered = lower(&plain_text(&straight, QUOTE_CHARACTERS));
    let mut text = lowered.trim_start_matches('¡');
    let is_none = |text: &str| has_none(text, language);
    while let Some(word) = BEFORE.iter().find(|word| starts_with_word(text, word) && !is_none(text)) {
        text = text[word.len()..].trim_start_matches([' ', ',', '.', '!', '-']);
        if text.is_empty() {
            return false;
        }
    }
    let opens = language.rejections.iter().any(|rejection| starts_with_word(text, rejection));
    !is_none(text) && (opens || has_any(text, &language.contradictions) || bans_first(text, language))
}

/// Whether a text opens like a rejection and is none.
fn has_none(text: &str, language: &Language) -> bool {
    let lowered = lower(&text.replace(['’', 'ʼ'], "'"));
    let plain: String = lowered.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '\'')).collect();
    language.no_rejections.iter().any(|none| starts_with_word(&plain, none))
}

/// Whether the first clause forbids something: `secrets never go there`.
fn bans_first(lowered: &str, language: &Language) -> bool {
    let clause = lowered.split([',', '.', '、', '，']).next().unwrap_or_default();
    let ban = find_first(clause, &language.bans).map(|(place, _)| place);
    language.name == "en" && ban.is_some_and(|place| place < 40) && find_words(clause, "never").is_some()
}

/// The first sentence that says what is wrong or what to do, without interjections, and its place.
fn correction_in(speech: &Speech, language: &Language) -> Option<(usize, String)> {
    speech.statements.iter().enumerate().take(3).find_map(|(place, statement)| {
        let text = statement.text[opening_end(&statement.lowered, language)..].trim();
        let is_enough = if language.is_unspaced() {
            text.chars().filter(|letter| letter.is_alphanumeric()).count() >= LEAST_LETTERS
        } else {
            text.split(' ').count() >= LEAST_WORDS
        };
        (!statement.is_question && is_enough).then(|| (place, text.to_owned()))
    })
}

/// Whether a correction says what to do, in whichever of its clauses: `those are read by the export, put them back`.
fn orders_something(lowered: &str, language: &Language) -> bool {
    let mut clauses = lowered.split([',', ';', '、', '，']).map(str::trim);
    is_choice(lowered, language) || clauses.any(|clause| clause.split(' ').count() >= LEAST_WORDS && is_choice(clause, language))
}

/// What to do, where nothing but the correction says so.
fn correction_as_order(correction: &str, title: &str, language: &Language) -> String {
    let order = as_order(correction, language);
    if order == correction { correction.to_owned() } else { title.to_owned() }
}

/// What a pitfall is called: what is forbidden or asked for, without what came of it.
fn title_of<'t>(correction: &'t str, language: &Language) -> &'t str {
    let lowered = lower(correction);
    let clause = lowered.find([',', ';', '、', '，']);
    let bans = |text: &str| has_any(text, &language.bans) || is_choice(text, language);
    match clause {
        Some(end) if bans(&lowered[..end]) && lowered[..end].split(' ').count() >= LEAST_WORDS => correction[..end].trim(),
        _ => correction,
    }
}

/// What the agent did: the sentence of its deeds that has most in common with the correction, else its last. None if its last
/// words are a question, to which a no is an answer.
fn action_in(prior: &str, correction: &str, is_rejected: bool) -> Option<String> {
    let all: Vec<&str> = prior.lines().flat_map(sentences).map(str::trim).filter(|sentence| !sentence.is_empty()).collect();
    if !is_rejected && all.last().is_none_or(|last| last.ends_with(['?', '？'])) {
        return None;
    }
    let language = Language::of(prior);
    let deeds = all.iter().enumerate().filter(|(_, sentence)| is_rejected || is_deed(sentence, language));
    let nearest = deeds.max_by_key(|(index, sentence)| (shared_words(sentence, correction).len(), *index));
    let found = nearest.map(|(_, sentence)| plain_text(sentence, QUOTE_CHARACTERS));
    found.or_else(|| is_rejected.then(String::new))
}

fn is_deed(sentence: &str, language: &Language) -> bool {
    let lowered = lower(&sentence.replace('’', "'"));
    let lowered = lowered.trim_start_matches(['-', '*', '#', ' ', '✅', '✓']);
    let first = split(lowered).next().unwrap_or_default();
    let tells = |deed: &String| find_words(lowered, deed.trim_end()).is_some();
    !lowered.ends_with(['?', '？']) && (language.deed_words.has(first) || language.deeds.iter().any(tells))
}

/// What came of it, as the person says: a reason, or damage. Nothing where nobody says.
fn impact_in(statements: &[Statement], language: &Language) -> String {
    let reason = statements.iter().find_map(|statement| {
        let (place, cause) = find_first(&statement.lowered, &language.causes)?;
        Some(statement.text[place + cause.len()..].trim_matches([' ', ',', ':', '、', '，']).to_owned())
    });
    let clauses = statements.iter().take(3).flat_map(|statement| statement.text.split([',', ';', '、', '，']));
    let damage = || clauses.map(str::trim).find(|clause| language.damage.occur_in(&lower(clause))).map(str::to_owned);
    reason.filter(|reason| !reason.is_empty()).or_else(damage).unwrap_or_default()
}

/// What to do instead: the clause that says so, else the next statement that orders something.
fn resolution_in(statements: &[Statement], language: &Language) -> Option<String> {
    let bare = |text: &str| {
        let lowered = lower(text);
        text[opening_end(&lowered, language)..].trim().to_owned()
    };
    let clauses = statements.iter().take(3).flat_map(|statement| statement.text.split([',', ';', '、', '，']).map(str::trim));
    let orders = |clause: &&str| {
        let lowered = lower(clause);
        let start = opening_end(&lowered, language);
        is_choice(&lowered[start..], language) && !language.damage.occur_in(&lowered) && !has_any(&lowered, &language.causes)
    };
    let is_ban = |clause: &&str| has_any(&lower(clause), &language.bans);
    let chosen: Vec<&str> = clauses.filter(orders).collect();
    // What is asked for says more than what is forbidden.
    let found = chosen.iter().find(|clause| !is_ban(clause)).or_else(|| chosen.first());
    found.map(|clause| as_pattern(&as_order(&bare(clause), language)))
}
