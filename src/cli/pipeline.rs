//! What runs inside of a pipeline fails open: one line about what went wrong, and the pipeline goes on.

use std::env;

use serde_json::{Map, Value, json};

use super::args::{PipelineArgs, RoleTurnArgs};
use super::printer::Printer;
use super::remark::{fit_remark, log_remark};
use agent::feedback::Place;
use agent::iteration::name_project;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// What a command came to.
#[derive(Debug, Default)]
pub struct Answer {
    /// For programs: the members beside `ok`.
    pub members: Map<String, Value>,
    /// For people.
    pub text: String,
    /// What is odd and does not matter.
    pub remarks: Vec<String>,
}

impl Answer {
    /// An answer with what programs read of it.
    pub fn new(value: Value, text: impl Into<String>) -> Self {
        let members = match value {
            Value::Object(members) => members,
            other => Map::from_iter([("answer".to_owned(), other)]),
        };
        Self { members, text: text.into(), remarks: Vec::new() }
    }
}

/// Runs a command of a pipeline. Unless it is strict, whatever goes wrong is told in one line, and the exit code is 0.
pub fn answer(
    workspace: &Workspace,
    name: &str,
    options: PipelineArgs,
    printer: &Printer,
    work: impl FnOnce() -> Outcome<Answer>,
) -> Outcome<Exit> {
    match work() {
        Ok(answer) => {
            for remark in &answer.remarks {
                printer.note(&format!("outerloop {name}: {}", fit_remark(remark)));
            }
            if options.json {
                let mut told = Map::from_iter([("ok".to_owned(), Value::Bool(true))]);
                told.extend(answer.members);
                printer.line(&Value::Object(told).to_string())?;
            } else if !answer.text.is_empty() {
                printer.line(&answer.text)?;
            }
            Ok(Exit::Done)
        }
        Err(fault) => {
            let reason = fit_remark(&fault.in_a_line());
            if options.json {
                printer.line(&json!({"ok": false, "reason": reason}).to_string())?;
            }
            if options.strict {
                return Err(fault);
            }
            printer.note(&format!("outerloop {name}: {reason}"));
            log_remark(workspace, name, &reason);
            Ok(Exit::Done)
        }
    }
}

/// Lands events that count together: all of them or none.
pub fn land_together(workspace: &Workspace, settings: &Settings, lines: &[String]) -> Outcome<()> {
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    for line in lines {
        recorder.take_line(line).map_err(|rejection| {
            Diagnostic::edit(format!("an event is invalid: {}", rejection.message), rejection.remedy.clone())
        })?;
    }
    recorder.land()
}

/// A line that could not be made into an event.
pub fn unfit(reason: String) -> Diagnostic {
    Diagnostic::edit("the event is too large", "shorten its texts").because(reason)
}

/// The project that a command means: the one it names, else the workspace's.
pub fn project_of(workspace: &Workspace, settings: &Settings, named: Option<&str>) -> String {
    let here = || name_project(workspace, settings, &env::current_dir().unwrap_or_default());
    named.map_or_else(here, str::to_owned)
}

/// The place that the arguments name. What is blank is not named.
pub fn place_of(workspace: &Workspace, settings: &Settings, turn: &RoleTurnArgs) -> Place {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let items = |list: &[String]| list.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    Place {
        project: project_of(workspace, settings, turn.project.as_deref()),
        run: given(&turn.run),
        iteration: turn.iteration,
        issue: given(&turn.issue),
        pull_request: given(&turn.pull_request),
        phase: given(&turn.phase),
        labels: items(&turn.labels),
        files: items(&turn.files),
        time: clock::now(),
    }
}
