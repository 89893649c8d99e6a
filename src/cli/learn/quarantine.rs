//! Observations that were refused at the door: they lie in quarantine, each with its reason.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use serde::Serialize;
use serde_json::Value;

use crate::printer::Printer;
use crate::table::{Columns, grouped};
use render::plain_text;
use store::lake;
use store::lake::Quarantined;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Lines that were refused for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The stable name of the reason.
    pub code: String,
    /// How many lines.
    pub lines: u64,
    /// The reason of the last of them, in words.
    pub reason: String,
    /// What its writer can do.
    pub remedy: String,
    /// Where the last of them stands: inbox file and line.
    pub place: String,
}

/// The observations in quarantine, by reason.
pub fn load(workspace: &Workspace) -> Outcome<Vec<Refused>> {
    let mut found: BTreeMap<String, Refused> = BTreeMap::new();
    for path in lake::list_quarantine(workspace)? {
        let failed = |error: std::io::Error| Diagnostic::io("cannot read the quarantine", &path, &error);
        for line in BufReader::new(File::open(&path).map_err(failed)?).lines() {
            // What a person edited by hand may be anything; it is not a line that was set aside.
            let Ok(entry) = serde_json::from_str::<Quarantined>(&line.map_err(failed)?) else { continue };
            if !is_observation(&entry.text) {
                continue;
            }
            let lines = found.get(&entry.code).map_or(0, |earlier| earlier.lines) + 1;
            let place = format!("{}:{}", entry.file, entry.line);
            found
                .insert(entry.code.clone(), Refused { code: entry.code, lines, reason: entry.reason, remedy: entry.remedy, place });
        }
    }
    Ok(found.into_values().collect())
}

/// Whether a line was meant as an observation. Of one that is no JSON its words tell.
fn is_observation(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => value.get("kind").and_then(Value::as_str) == Some("observation"),
        Err(_) => text
            .split_once("\"kind\"")
            .is_some_and(|(_, rest)| rest.trim_start_matches([' ', '\t', ':']).starts_with("\"observation\"")),
    }
}

/// How many lines were refused.
pub fn count(refused: &[Refused]) -> u64 {
    refused.iter().map(|refused| refused.lines).sum()
}

/// Tells people of what was refused.
pub fn tell(refused: &[Refused], printer: &Printer) -> Outcome<()> {
    if refused.is_empty() {
        return printer.line("no observations in quarantine");
    }
    let mut table = Columns::new(&["refused", "#lines", "the last one", "at", "what to do"]);
    for one in refused {
        table.row([
            plain_text(&one.code, 40),
            grouped(one.lines),
            plain_text(&one.reason, 120),
            plain_text(&one.place, 80),
            plain_text(&one.remedy, 120),
        ]);
    }
    printer.line(&table.render())
}
