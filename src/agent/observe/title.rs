//! What an observation is called: an order that somebody else can follow, without who said it and to whom.

use super::concept::concepts;
use super::decision::is_choice;
use super::entity::is_program_called;
use super::language::{Language, has_any, split};
use super::speech::{lower, starts_with_word};
use super::workflow::{is_step, opens_with_verb, order_start};

/// The stop of a table of forms behind which the rest of a statement is put.
const REST: &str = "{}";
/// A plea inside of a statement is followed by at least so many words where it says all that matters.
const PLEA_WORDS: usize = 4;

/// A statement as an order: without what says nothing in front, and without the person who gives it.
pub(super) fn as_order(text: &str, language: &Language) -> String {
    let text = without_politeness(pleaded(text, language));
    let lowered = lower(&text);
    let start = order_start(&lowered, language).min(text.len());
    let (rest, lowered) = (&text[start..], &lowered[start..]);
    let form = language.titles.iter().filter(|(said, _)| starts_with_word(lowered, said)).max_by_key(|(said, _)| said.len());
    let Some((said, order)) = form else { return rest.to_owned() };
    let behind = rest[said.len()..].trim_start_matches([' ', ',', ':']);
    if behind.is_empty() || order.is_empty() { rest.to_owned() } else { order.replacen(REST, behind, 1) }
}

/// What a correction is called: an order, else what is to be kept in mind.
pub(super) fn as_warning(text: &str, language: &Language) -> String {
    let order = as_order(text, language);
    let lowered = lower(&order);
    let first = split(&lowered).next().unwrap_or_default();
    let is_rule =
        [&language.bans, &language.duties, &language.modals, &language.rules].iter().any(|words| has_any(&lowered, words));
    let is_order = opens_with_verb(&lowered, language) || language.is_unspaced() && is_choice(&lowered, language);
    if is_rule || is_order || language.remember.is_empty() {
        return order;
    }
    // A word that opens every sentence needs no capital inside of one.
    let is_plain = language.stop.has(first) && first != "i" && !first.starts_with("i'");
    let rest = if is_plain { lower(&order[..first.len()]) + &order[first.len()..] } else { order };
    format!("{}{rest}", language.remember)
}

/// A step with a verb in front: `tests` are run, a pull request is opened, what fails is fixed.
pub(super) fn with_verb(step: &str, language: &Language) -> String {
    let lowered = lower(step);
    let found = concepts(&lowered).iter().find_map(|found| language.verb_of.get(found.name));
    let Some(verb) = found.filter(|_| !step.contains('`') && !is_program_called(&lowered)) else { return step.to_owned() };
    let words: Vec<&str> = step.split(' ').collect();
    let is_told = |word: &&str| language.told.has(&lower(word));
    if let (Some(fix), true) = (language.verb_of.get("failing"), words.last().is_some_and(is_told)) {
        let kept: Vec<&str> = words.into_iter().filter(|word| !is_told(word)).collect();
        return format!("{fix} {}", kept.join(" "));
    }
    if opens_with_verb(&lowered, language) { step.to_owned() } else { format!("{verb} {step}") }
}

/// What is asked for behind a plea, where a statement begins with something else.
fn pleaded<'t>(text: &'t str, language: &Language) -> &'t str {
    let lowered = lower(text);
    if is_step(&lowered, language) || text.contains('`') {
        return text;
    }
    let places = language.pleas.iter().filter_map(|plea| Some(lowered.find(&format!(" {plea} "))? + 1));
    let places = places.filter(|place| is_step(&lowered[*place..], language));
    let place = places.filter(|place| split(&lowered[*place..]).count() > PLEA_WORDS).min();
    place.map_or(text, |place| &text[place..])
}

/// A text without words of politeness, outside of code.
pub(super) fn without_politeness(text: &str) -> String {
    if text.contains('`') {
        return text.to_owned();
    }
    let mut text = text.trim().to_owned();
    for word in ["please", "pls", "plz", "thanks", "bitte", "por favor", "merci"] {
        for end in [format!(" {word}"), format!(", {word}")] {
            text = text.strip_suffix(&*end).unwrap_or(&text).to_owned();
        }
        text = text.replace(&format!(" {word} "), " ");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_an_order_that_anybody_can_follow() {
        let english = Language::named("en");
        for (said, title) in [
            ("you should always ask first", "always ask first"),
            ("I did not say commit anything", "do not commit anything unless asked"),
            ("we want to commit the lockfile", "commit the lockfile"),
            ("You forgot the lockfile: it has to change too", "do not forget the lockfile: it has to change too"),
            ("secrets never go there", "secrets never go there"),
            ("the web folder is published from another branch", "Remember: the web folder is published from another branch"),
            ("The web folder is generated", "Remember: the web folder is generated"),
            ("use `we should` please", "use `we should` please"),
            ("don't use npm here", "don't use npm here"),
        ] {
            assert_eq!(as_warning(said, english), title, "{said}");
        }
        assert_eq!(
            as_warning("das Verzeichnis gehört dem Betrieb", Language::named("de")),
            "Beachte: das Verzeichnis gehört dem Betrieb"
        );
    }

    #[test]
    fn a_step_without_a_verb_gets_the_one_that_goes_with_it() {
        let english = Language::named("en");
        for (said, step) in [
            ("tests", "run tests"),
            ("lint failing", "fix lint"),
            ("new comments", "address new comments"),
            ("a draft PR", "open a draft PR"),
            ("push", "push"),
            ("update from main", "update from main"),
        ] {
            assert_eq!(with_verb(said, english), step);
        }
    }
}
