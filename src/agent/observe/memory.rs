//! What a person wants to be remembered: `add this to CLAUDE.md`. What it is stands before it, or in what the agent just said.

use super::language::{Language, split};
use super::meaning::terms_of;
use super::plain::points_at;
use super::sighting::{Sighting, as_pattern};
use super::speech::{Speech, Statement, lower, sentences};
use super::title::as_warning;
use event::field::{Lack, ObservationType};
use render::plain_text;

/// Files that agents read at the start of every session.
const FILES: [&str; 6] = ["claude.md", "agents.md", "gemini.md", ".cursorrules", "copilot-instructions.md", "your memory"];
/// More words than these speak of the file's contents.
const MOST_WORDS: usize = 12;
const MOST_LETTERS: usize = 30;
/// The fewest words, and letters of scripts without blanks, that somebody else understands.
const LEAST_WORDS: usize = 5;
const LEAST_LETTERS: usize = 12;

/// What a turn wants to be remembered.
pub(super) fn find_kept(speech: &Speech, prior: Option<&str>) -> Option<Sighting> {
    let language = speech.language;
    let place = speech.statements.iter().position(|statement| asks_to_keep(statement, language))?;
    let asked = &speech.statements[place];
    let told =
        speech.statements[..place].iter().rev().find(|statement| !statement.is_question).map(|statement| statement.text.clone());
    let (content, evidence) = if let Some(told) = told.filter(|told| is_enough(told, language)) {
        (told.clone(), vec![told, asked.text.clone()])
    } else {
        let said = last_finding(prior?)?;
        (said.clone(), vec![format!("prior: {said}"), format!("user: {}", asked.text)])
    };
    let of = Language::of(&content);
    Some(Sighting {
        id: None,
        kind: ObservationType::Procedural,
        pattern: as_pattern(&as_warning(&content, of)),
        details: plain_text(&as_pattern(&content), 1000),
        meaning: terms_of(&content, of),
        evidence,
        lacks: Some(Lack::Session),
    })
}

/// Whether somebody wants what was just said to stand where agents read it.
fn asks_to_keep(statement: &Statement, language: &Language) -> bool {
    let lowered = &statement.lowered;
    let is_short =
        if language.is_unspaced() { lowered.chars().count() <= MOST_LETTERS } else { split(lowered).count() <= MOST_WORDS };
    let looks = split(lowered).any(|word| language.moment.has(word));
    is_short && !looks && FILES.iter().any(|file| lowered.contains(file)) && points_at(lowered)
}

/// The last thing that an agent found out: the first sentence of its last paragraph that tells no deed and asks nothing.
fn last_finding(prior: &str) -> Option<String> {
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['|', '#', '-', '*', '`', '>']);
    let paragraph = prior.lines().rfind(is_text)?;
    let is_deed = |sentence: &str| {
        let lowered = lower(sentence);
        lowered.starts_with("i ") || lowered.starts_with("i'") || lowered.starts_with("let me") || lowered.starts_with("would you")
    };
    let language = Language::of(prior);
    let found = sentences(paragraph)
        .map(str::trim)
        .find(|sentence| !sentence.ends_with(['?', '？', ':', '：']) && !is_deed(sentence) && is_enough(sentence, language))?;
    // What stands before a colon only announces it.
    let finding = found.split_once(": ").map(|(_, finding)| finding).filter(|finding| is_enough(finding, language));
    Some(plain_text(finding.unwrap_or(found), 400).trim_end_matches(['.', '。']).to_owned())
}

fn is_enough(text: &str, language: &Language) -> bool {
    if language.is_unspaced() { text.chars().count() >= LEAST_LETTERS } else { text.split(' ').count() >= LEAST_WORDS }
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::observe::speech::parse_speech;

    fn kept(user: &str, prior: &str) -> Option<String> {
        find_kept(&parse_speech(user), Some(prior)).map(|sighting| sighting.pattern)
    }

    #[test]
    fn what_somebody_wants_to_be_remembered_is_what_was_said_before() {
        let prior =
            "Fixed both.\n\n| a | b |\n\nThe bugs have one cause: paths of the index are relative to the root. I checked it.";
        let finding = "Remember: paths of the index are relative to the root";
        for user in [
            "Can you add this to CLAUDE.md?",
            "put that into AGENTS.md please",
            "schreib das in die CLAUDE.md",
            "これを CLAUDE.md に追加して",
        ] {
            assert_eq!(kept(user, prior).as_deref(), Some(finding), "{user}");
        }
        let said = kept("snapshots are sorted by name before they are written. add that to CLAUDE.md", prior).expect("a rule");
        assert_eq!(said, "Remember: snapshots are sorted by name before they are written");
        for user in ["look at this in CLAUDE.md", "update CLAUDE.md", "what does this CLAUDE.md say?"] {
            assert_eq!(kept(user, "I read it."), None, "{user}");
        }
    }
}
