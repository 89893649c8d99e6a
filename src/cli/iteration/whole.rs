//! `outerloop iteration`: everything about an iteration, step by step.

use serde_json::json;

use super::{Desk, build, capture, change, changes_since, citation, goal, relevance};
use crate::cli::args::IterationArgs;
use crate::cli::printer::Printer;
use crate::diagnostic::{Exit, Outcome};
use crate::job::capture_all;
use crate::workspace::Workspace;

/// Finds out everything about an iteration. A step that fails is told, and the others are done all the same.
pub fn run(workspace: &Workspace, options: &IterationArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let repository = desk.repository()?;
    let changes = changes_since(&repository, &options.since)?;
    let steps: [(&str, Step<'_>); 6] = [
        ("changes", Box::new(|| change::record(&desk, &repository, &changes).map(|()| change::summary(&changes)))),
        (
            "relevance",
            Box::new(|| {
                let patterns = relevance::load_patterns(&desk, None)?;
                Ok(relevance::summary(&changes, relevance::rate(&desk, &changes, &patterns)?.len()))
            }),
        ),
        ("goal", Box::new(|| goal::judge(&desk, options.goal.as_deref(), None).map(|outcome| goal::summary(&outcome)))),
        ("citations", Box::new(|| citation::check(&desk, &repository, &changes).map(|summary| citation::describe(&summary)))),
        ("build", Box::new(|| build::take_file(&desk))),
        ("capture", Box::new(|| take_lessons(&desk))),
    ];
    let mut exit = Exit::Done;
    let mut told = Vec::new();
    for (name, step) in steps {
        match step() {
            Ok(text) => {
                printer.note(&format!("{name}: {text}"));
                told.push(json!({"step": name, "outcome": "done", "text": text}));
            }
            Err(fault) => {
                printer.error(&fault);
                told.push(json!({"step": name, "outcome": "failed", "text": fault.to_string()}));
                exit = if exit == Exit::Done { fault.exit } else { exit };
            }
        }
    }
    if options.turn.json && !options.turn.dry_run {
        printer.line(&json!({"run": desk.turn.run_id, "iteration": desk.turn.iteration, "steps": told}).to_string())?;
    }
    Ok(exit)
}

type Step<'s> = Box<dyn FnOnce() -> Outcome<String> + 's>;

fn take_lessons(desk: &Desk<'_>) -> Outcome<String> {
    if desk.is_dry {
        return Ok("lessons are left where they are".to_owned());
    }
    let mut settings = desk.settings.clone();
    settings.project = Some(desk.turn.project.clone());
    let captures = capture_all(desk.workspace, &settings, std::slice::from_ref(&desk.work))?;
    match captures.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(capture::describe(&captures.capture)),
    }
}
