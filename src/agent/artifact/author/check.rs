//! Whether an answer does no harm: it keeps what was said, and adds no command, path, option, or program of its own.

use std::collections::BTreeSet;

use super::super::step::Steps;
use super::Authored;
use crate::observe::{calls_program, forbids, named_things};
use event::field::ObservationType;
use learn::observation::ObservationScore;

/// How long details may be, in characters and in lines.
const MOST_CHARACTERS: usize = 3000;
const MOST_LINES: usize = 20;
/// Programs that do damage where nobody asked for them.
const DANGEROUS: [&str; 15] =
    ["rm", "curl", "wget", "sudo", "chmod", "chown", "dd", "mkfs", "kill", "pkill", "ssh", "scp", "eval", "truncate", "shutdown"];

/// Why an answer is refused, if it is.
pub(super) fn check(row: &ObservationScore, words: &Authored, steps: &mut Steps<'_>) -> Result<(), String> {
    check_form(row.observation_type, &words.details)?;
    let said = [&row.pattern, &row.details].into_iter().chain(&row.evidence).cloned().collect::<Vec<_>>().join("\n");
    let written = format!("{}\n{}", words.title, words.details);
    if let Some(lost) = spans(&format!("{}\n{}", row.pattern, row.details)).into_iter().find(|code| !written.contains(code)) {
        return Err(format!("it loses the code `{lost}`"));
    }
    if let Some(added) = spans(&written).into_iter().find(|code| !said.contains(code) && !steps.defines(code)) {
        return Err(format!("nobody said `{added}`, and the repository has no such thing"));
    }
    let known = said.to_lowercase();
    let is_new = |thing: &String| !known.contains(&thing.to_lowercase());
    if let Some(thing) = named_things(&written).into_iter().filter(is_new).find(|thing| !steps.defines(thing)) {
        return Err(format!("it names `{thing}`, which nobody said and the repository does not have"));
    }
    let told: BTreeSet<&str> = words_of(&known).collect();
    let lowered = written.to_lowercase();
    if let Some(word) = words_of(&lowered).find(|word| DANGEROUS.contains(word) && !told.contains(word)) {
        return Err(format!("it calls `{word}`, which nobody said"));
    }
    if let Some(command) = calls_program(&lowered).into_iter().find(|command| !known.contains(command) && !steps.defines(command)) {
        return Err(format!("it calls `{command}`, which nobody said"));
    }
    if lowered.contains("://") && !known.contains("://") {
        return Err("it names an address that nobody said".to_owned());
    }
    let is_rule = matches!(row.observation_type, ObservationType::Procedural | ObservationType::Decision);
    if is_rule && forbids(&written) != forbids(&format!("{}\n{}", row.pattern, row.details)) {
        return Err("it forbids what was asked for, or the other way round".to_owned());
    }
    Ok(())
}

fn check_form(kind: ObservationType, details: &str) -> Result<(), String> {
    if details.chars().nth(MOST_CHARACTERS).is_some() || details.lines().nth(MOST_LINES).is_some() {
        return Err(format!("it has more than {MOST_CHARACTERS} characters or {MOST_LINES} lines"));
    }
    let is_numbered =
        |(number, line): (usize, &str)| line.strip_prefix(&format!("{}. ", number + 1)).is_some_and(|step| !step.trim().is_empty());
    match kind {
        ObservationType::Workflow if !details.lines().enumerate().all(is_numbered) => {
            Err("its steps are not numbered from 1 on, one per line".to_owned())
        }
        ObservationType::Procedural
            if details.lines().any(|line| line.starts_with('#') || line.starts_with("---") || line.contains("```")) =>
        {
            Err("it has headings, rules or fences".to_owned())
        }
        ObservationType::Decision if !details.contains("decision: ") => Err("it does not say what is decided".to_owned()),
        ObservationType::Pitfall if !(details.contains("area: ") && details.contains("issue: ")) => {
            Err("it does not say where and what goes wrong".to_owned())
        }
        _ => Ok(()),
    }
}

/// The pieces of code in a text.
fn spans(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len().saturating_sub(1);
    parts
        .into_iter()
        .enumerate()
        .filter(|(place, part)| place % 2 == 1 && *place < last && !part.is_empty())
        .map(|(_, part)| part)
        .collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '-' && letter != '_').filter(|word| !word.is_empty())
}
