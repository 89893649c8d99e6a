//! `outerloop iteration`: everything about an iteration, step by step.

use serde_json::json;

use super::{Desk, build, capture, change, changes_since, citation, goal, relevance};
use crate::args::IterationArgs;
use crate::printer::Printer;
use agent::intake::capture_all;
use agent::repository::Repository;
use learn::change::Changes;
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// Finds out everything about an iteration. A step that fails is told, and the others are done all the same.
pub fn run(workspace: &Workspace, options: &IterationArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let seen = desk.repository().and_then(|repository| {
        let changes = changes_since(&repository, &options.since)?;
        Ok((repository, changes))
    });
    let known = seen.as_ref().ok();
    let steps: [(&str, Step<'_>); 6] = [
        ("changes", Box::new(|| record_changes(&desk, &seen).map(Some))),
        ("relevance", Box::new(|| known.map(|(_, changes)| rate(&desk, changes)).transpose())),
        ("goal", Box::new(|| goal::judge(&desk, options.goal.as_deref(), None).map(|outcome| Some(goal::summary(&outcome))))),
        ("citations", Box::new(|| known.map(|(repository, changes)| check(&desk, repository, changes)).transpose())),
        ("build", Box::new(|| build::take_file(&desk).map(Some))),
        ("capture", Box::new(|| take_lessons(&desk).map(Some))),
    ];
    let mut exit = Exit::Done;
    let mut told = Vec::new();
    for (name, step) in steps {
        let (outcome, text) = match step() {
            Ok(Some(text)) => ("done", text),
            Ok(None) => ("skipped", "skipped: the changes are unknown".to_owned()),
            Err(fault) => {
                printer.error(&fault);
                exit = if exit == Exit::Done { fault.exit } else { exit };
                ("failed", fault.to_string())
            }
        };
        if outcome != "failed" {
            printer.note(&format!("{name}: {text}"));
        }
        told.push(json!({"step": name, "outcome": outcome, "text": text}));
    }
    if options.turn.json && !options.turn.dry_run {
        printer.line(&json!({"run": desk.turn.run_id, "iteration": desk.turn.iteration, "steps": told}).to_string())?;
    }
    Ok(exit)
}

/// A step, which says what it did, or nothing if it needs changes that are not known.
type Step<'s> = Box<dyn FnOnce() -> Outcome<Option<String>> + 's>;

fn record_changes(desk: &Desk<'_>, seen: &Outcome<(Repository, Changes)>) -> Outcome<String> {
    let (repository, changes) = seen.as_ref().map_err(Clone::clone)?;
    change::record(desk, repository, changes)?;
    Ok(change::summary(changes))
}

fn rate(desk: &Desk<'_>, changes: &Changes) -> Outcome<String> {
    let patterns = relevance::load_patterns(desk, None)?;
    Ok(relevance::summary(changes, relevance::rate(desk, changes, &patterns)?.len()))
}

fn check(desk: &Desk<'_>, repository: &Repository, changes: &Changes) -> Outcome<String> {
    citation::check(desk, repository, changes).map(|summary| citation::describe(&summary))
}

fn take_lessons(desk: &Desk<'_>) -> Outcome<String> {
    if desk.is_dry {
        return Ok("lessons are not captured".to_owned());
    }
    let captures = capture_all(desk.workspace, &desk.settings, std::slice::from_ref(&desk.work), Some(&desk.turn.project))?;
    for (path, reason) in &captures.capture.refused {
        desk.printer.note(&format!("refused {}: {}", plain_text(&path.display().to_string(), 200), plain_text(reason, 300)));
    }
    match captures.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(capture::describe(&captures.capture)),
    }
}
