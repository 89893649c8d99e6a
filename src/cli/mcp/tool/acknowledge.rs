//! Acknowledging patterns: what the agent says is checked and answered. A hook records it for the agent that calls.

use rmcp::model::JsonObject;

use crate::mcp::argument::{Acknowledge, MOST_TEXT, Used, bounded, bounded_count, bounded_list, read};
use crate::mcp::holdout::Holdout;
use crate::mcp::place::Place;
use agent::hook::{Claim, Known, acknowledge, claim_of, find_known, is_pattern_id};
use learn::citation::parse_citations;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{prompt_text, quoted};

/// How much of a pattern's text the answer repeats, in characters.
const SHOWN: usize = 120;

pub(super) fn answer(place: &Place, arguments: JsonObject) -> Outcome<String> {
    let Acknowledge { patterns } = read(arguments)?;
    bounded_count("patterns", patterns.len())?;
    patterns.iter().try_for_each(check)?;
    let desk = place.open_to_record()?;
    let names: Vec<&str> = patterns.iter().map(|used| used.pattern.trim()).collect();
    // A broken generation must not cost what an agent says: then it is matched with what the agent was shown.
    let found = find_known(&desk.workspace, &names);
    let is_checked = found.is_ok();
    let known = found.unwrap_or_else(|_| vec![None; names.len()]);
    let unknown: Vec<String> = names
        .iter()
        .zip(&known)
        .filter(|(name, known)| known.is_none() && is_pattern_id(name))
        .map(|(name, _)| quoted(name))
        .collect();
    if !unknown.is_empty() && is_checked {
        let remedy = "give the id as you were shown it, or the pattern's text; find_patterns lists patterns with their ids";
        return Err(Diagnostic::edit(format!("no published pattern is called {}", unknown.join(", ")), remedy));
    }
    if place.records {
        let claims: Vec<Claim> =
            patterns.iter().zip(&known).map(|(used, known)| claim_of(&used.pattern, &used.places, known.as_ref())).collect();
        acknowledge(&desk.workspace, &desk.situation, None, &claims)?;
    }
    let holdout = Holdout::open(place, &desk);
    // Who names a pattern by its id would learn its text.
    let told: Vec<Option<Known>> = known.into_iter().map(|known| known.filter(|known| !holdout.withholds(&known.id))).collect();
    Ok(tell(&patterns, &told))
}

/// Refuses a claim that says nothing, and places that are none.
fn check(used: &Used) -> Outcome<()> {
    bounded("pattern", Some(&used.pattern), MOST_TEXT)?;
    bounded_list("places", &used.places)?;
    if used.pattern.trim().is_empty() {
        return Err(Diagnostic::edit("`pattern` is empty", "give the pattern's id, such as P-017, or its text"));
    }
    match used.places.iter().find(|place| parse_citations(place).is_empty()) {
        Some(odd) => Err(Diagnostic::edit(
            format!("{} is not a place in the code", quoted(odd)),
            "give the file and the line, such as src/lib.rs:42",
        )),
        None => Ok(()),
    }
}

fn tell(patterns: &[Used], known: &[Option<Known>]) -> String {
    if patterns.is_empty() {
        return "Acknowledged: no pattern was used.".to_owned();
    }
    let line = |(used, known): (&Used, &Option<Known>)| {
        // Making a text fit for a prompt trims it, so the space is put before it afterwards.
        let places =
            if used.places.is_empty() { String::new() } else { format!(" at {}", prompt_text(&used.places.join(", "), 1000)) };
        match known {
            Some(known) => format!("- {}: {}{}", known.id, prompt_text(&known.text, SHOWN), places),
            None => format!("- {}: matched later with the patterns that you were shown{}", quoted(&used.pattern), places),
        }
    };
    let lines: Vec<String> = patterns.iter().zip(known).map(line).collect();
    format!("Acknowledged:\n{}", lines.join("\n"))
}
