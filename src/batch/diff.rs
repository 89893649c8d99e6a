//! `outerloop diff`: what differs between two generations, or between what was known at two instants.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::json;

use crate::job::horizon;
use crate::program;
use cli::args::{DiffArgs, parse_instant};
use cli::printer::Printer;
use cli::report::find_generation;
use cli::require;
use cli::table::tabulate;
use engine::cycle::{Aim, CycleOptions, Inquiry, compute};
use learn::Score;
use render::policy::{PolicyDocument, compare_policies, list_changes, make_document};
use render::{compare, parse_table, plain_text};
use setting::{POLICY_FILE, Settings, TABLE_FILE};
use store::deadline::Deadline;
use store::lock::join_readers;
use store::publish::{Generation, list_generations, load_generation};
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How much of a lesson a row shows.
const SHOWN: usize = 60;

/// What was known: published, or computed for an instant.
struct Known {
    name: String,
    scores: Vec<Score>,
    policy: PolicyDocument,
}

pub(crate) fn run(workspace: &Workspace, options: &DiffArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let _readers = join_readers(workspace)?;
    let before = find(workspace, &settings, &options.before)?;
    let after = find(workspace, &settings, options.after.as_deref().unwrap_or("current"))?;
    let patterns = compare(Some(before.name.clone()), &before.scores, &after.scores).changes;
    let policies = compare_policies(Some(before.name.clone()), Some(&before.policy), &after.policy);
    let policies = list_changes(&policies, "", "");
    if options.output.json {
        let policies: Vec<_> = policies
            .iter()
            .map(|change| {
                let mut line = json!({"scope": change.scope, "key": change.key, "field": change.field, "before": change.before, "after": change.after});
                if let Some(project) = &change.project {
                    line["project"] = project.as_str().into();
                }
                line
            })
            .collect();
        printer.json(&json!({"before": before.name, "after": after.name, "patterns": patterns, "policies": policies}))?;
        return Ok(Exit::Done);
    }
    printer.heading(&format!("{} to {}", before.name, after.name))?;
    if patterns.is_empty() && policies.is_empty() {
        printer.line("Nothing differs.")?;
    }
    if !patterns.is_empty() {
        let lessons: BTreeMap<&str, &str> =
            before.scores.iter().chain(&after.scores).map(|score| (&*score.id, &*score.summary)).collect();
        let rows = patterns.iter().map(|change| {
            let lesson = lessons.get(&*change.id).copied().unwrap_or_default();
            let word = |word: &str| if word.is_empty() { "-".to_owned() } else { plain_text(word, SHOWN) };
            // A pattern that came or went is named by its lesson already.
            let (was, is) = match &*change.what {
                "pattern" if change.before.is_empty() => ("-".to_owned(), "new".to_owned()),
                "pattern" => ("there".to_owned(), "gone".to_owned()),
                _ => (word(&change.before), word(&change.after)),
            };
            [change.id.clone(), change.what.clone(), was, is, plain_text(lesson, SHOWN)]
        });
        printer.line(&tabulate(["pattern", "what", "before", "after", "lesson"], rows))?;
    }
    if !policies.is_empty() {
        let shown =
            |value: &serde_json::Value| if value.is_null() { "-".to_owned() } else { plain_text(&value.to_string(), SHOWN) };
        let rows = policies.iter().map(|change| {
            [plain_text(&change.subject(), SHOWN), change.field.clone(), shown(&change.before), shown(&change.after)]
        });
        printer.line(&tabulate(["policy", "what", "before", "after"], rows))?;
    }
    Ok(Exit::Done)
}

/// What a name stands for: a generation or the beginning of one, `current`, or an instant.
fn find(workspace: &Workspace, settings: &Settings, name: &str) -> Outcome<Known> {
    if name == "current" {
        return published(&find_generation(workspace, None)?);
    }
    let names = list_generations(workspace)?;
    let matching: Vec<&String> = names.iter().filter(|known| known.starts_with(name)).collect();
    match (matching.as_slice(), parse_instant(name)) {
        ([only], _) => published(&load_generation(workspace, only)?),
        (_, Ok(instant)) => computed(workspace, settings, instant),
        ([], Err(_)) => Err(Diagnostic::edit(
            format!("`{}` is neither a generation nor an instant", name.escape_default()),
            format!(
                "name a generation such as {}, `current`, an instant such as 2026-10-06T09:00:00Z, or a day",
                names.last().map_or("20261006T201627Z-1a2b3c4d5e6f", |name| name)
            ),
        )),
        (several, Err(_)) => Err(Diagnostic::edit(
            format!("{} generations begin with `{}`", several.len(), name.escape_default()),
            format!("write more of the name: {}", several.iter().map(|name| &***name).collect::<Vec<_>>().join(", ")),
        )),
    }
}

fn published(generation: &Generation) -> Outcome<Known> {
    Ok(Known {
        name: generation.manifest.generation.clone(),
        scores: generation.parse(TABLE_FILE, parse_table)?,
        policy: generation.parse_json(POLICY_FILE)?,
    })
}

/// Computes what was known at an instant, as `run --as-of` does, and publishes nothing.
fn computed(workspace: &Workspace, settings: &Settings, instant: Timestamp) -> Outcome<Known> {
    let options =
        CycleOptions { settings, horizon: horizon(workspace, Some(instant))?, deadline: Deadline::NEVER, program: program() };
    let inquiry = Inquiry::of_cycle(workspace, options, Aim::Every)?;
    let findings = compute(&inquiry, |_| {})?;
    let policy = make_document(&findings.policies, instant.as_microsecond());
    Ok(Known { name: instant.to_string(), scores: findings.scores, policy })
}
