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
    // Signs may stand in front of the first word: they stay, and nothing is cut inside of one.
    let rest = if is_plain && lowered.starts_with(first) { first.to_owned() + &order[first.len()..] } else { order };
    format!("{}{rest}", language.remember)
}

/// What an agent said or did, told by somebody else.
pub(super) fn impersonal(action: &str) -> String {
    let action = action.trim_start_matches(['-', '*', '#', ' ', '✅', '✓']).replace('’', "'");
    let lowered = lower(&action);
    let persons = &Language::of(&action).agent;
    let told = persons.iter().filter(|(first, _)| lowered.starts_with(&**first)).max_by_key(|(first, _)| first.len());
    let told = told.map(|(first, third)| format!("{third}{}", &action[first.len()..]));
    told.unwrap_or(action).trim_end_matches(['.', ':', '。', ' ']).to_owned()
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
    // Elsewhere a verb stands behind what it is done to, and only what is named alone lacks one.
    let is_whole = language.name != "en" && words.len() > 2 || words.last().is_some_and(|word| language.has_verb(&lower(word)));
    if opens_with_verb(&lowered, language) || is_whole {
        return step.to_owned();
    }
    if verb.contains(REST) { verb.replacen(REST, step, 1) } else { format!("{verb} {step}") }
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
    for word in ["please", "pls", "plz", "thanks", "bitte", "por favor", "porfa", "merci", "stp", "svp", "s'il te plaît"] {
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
            ("… The web folder is generated", "Remember: … The web folder is generated"),
            ("…the web folder is generated", "Remember: …the web folder is generated"),
            ("… it is generated", "Remember: … it is generated"),
            ("…a folder is generated", "Remember: …a folder is generated"),
            ("İ the web folder is generated", "Remember: İ the web folder is generated"),
            ("éthe web folder", "Remember: éthe web folder"),
        ] {
            assert_eq!(as_warning(said, english), title, "{said}");
        }
        assert_eq!(
            as_warning("das Verzeichnis gehört dem Betrieb", Language::named("de")),
            "Beachte: das Verzeichnis gehört dem Betrieb"
        );
    }

    #[test]
    fn what_an_agent_did_is_told_by_somebody_else() {
        for (said, told) in [
            ("I've edited src/gen/api.ts.", "An agent has edited src/gen/api.ts"),
            ("Now let me run the tests", "An agent was about to run the tests"),
            ("I'd rather ask", "I'd rather ask"),
            ("Ich habe die Datei src/gen/api.ts angepasst.", "Ein Agent hat die Datei src/gen/api.ts angepasst"),
            ("Ich werde die Datei src/gen/api.ts ändern.", "Ein Agent wollte die Datei src/gen/api.ts ändern"),
            ("J'ai modifié le fichier package-lock.json pour toi", "Un agent a modifié le fichier package-lock.json pour toi"),
            ("Je vais modifier le fichier et lancer les tests", "Un agent allait modifier le fichier et lancer les tests"),
            ("He cambiado el archivo de las migraciones", "Un agente ha cambiado el archivo de las migraciones"),
            ("Voy a cambiar el archivo de las migraciones", "Un agente iba a cambiar el archivo de las migraciones"),
            ("我已经修改了 package-lock.json。", "智能体已经修改了 package-lock.json"),
        ] {
            assert_eq!(impersonal(said), told, "{said}");
        }
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
