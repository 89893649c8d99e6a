//! What runs inside of a pipeline fails open: one line about what went wrong, and the pipeline goes on.

use std::env;

use clap::Args as ClapArgs;
use serde_json::{Map, Value, json};

use super::printer::Printer;
use super::remark::{fit_remark, log_remark};
use crate::args::{OutputArgs, ProjectArgs, TaskArgs};
use agent::feedback::Place;
use agent::hook::executions;
use agent::iteration::name_project;
use setting::Settings;
use store::clock;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// Output of a pipeline command.
#[derive(Debug, Clone, Copy, Default, ClapArgs)]
pub(crate) struct PipelineArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Exit with an error code on failure
    #[arg(long)]
    strict: bool,
}

/// A run and its iteration.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RunTurnArgs {
    /// The run
    #[arg(long, value_name = "RUN", env = "OUTERLOOP_RUN_ID")]
    pub(crate) run: Option<String>,
    /// The iteration of the run
    #[arg(long, value_name = "NUMBER")]
    pub(crate) iteration: Option<i64>,
}

/// The context of a deliberation.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct RoleTurnArgs {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    run: RunTurnArgs,
    /// The issue
    #[arg(long, value_name = "ISSUE")]
    issue: Option<String>,
    /// The pull request
    #[arg(long, value_name = "NUMBER", visible_alias = "pr")]
    pull_request: Option<String>,
    #[command(flatten)]
    task: TaskArgs,
    /// The agents' session: a report that cites a command which its hooks saw (the output, or the command and its exit code) has evidence level 1
    #[arg(long, value_name = "SESSION", env = "CLAUDE_CODE_SESSION_ID")]
    session: Option<String>,
}

/// What a command came to.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// For programs: the members beside `ok`.
    pub members: Map<String, Value>,
    /// For people.
    pub text: String,
    /// What is odd and does not matter.
    pub remarks: Vec<String>,
}

impl Answer {
    /// An answer with what programs read of it.
    pub(crate) fn new(value: Value, text: impl Into<String>) -> Self {
        let members = match value {
            Value::Object(members) => members,
            other => Map::from_iter([("answer".to_owned(), other)]),
        };
        Self { members, text: text.into(), remarks: Vec::new() }
    }
}

/// Runs a command of a pipeline. Unless it is strict, whatever goes wrong is told in one line, and the exit code is 0.
pub(crate) fn answer(
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
            if options.output.json {
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
            if options.output.json {
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

/// The project that a command means: the one it names, else the workspace's.
pub(crate) fn project_of(workspace: &Workspace, settings: &Settings, named: Option<&str>) -> String {
    let here = || name_project(workspace, settings, &env::current_dir().unwrap_or_default());
    named.map_or_else(here, str::to_owned)
}

/// The place that the arguments name. What is blank is not named.
pub(crate) fn place_of(workspace: &Workspace, settings: &Settings, turn: &RoleTurnArgs) -> Place {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let items = |list: &[String]| list.iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect();
    Place {
        project: project_of(workspace, settings, turn.project.name.as_deref()),
        run: given(&turn.run.run),
        iteration: turn.run.iteration,
        issue: given(&turn.issue),
        pull_request: given(&turn.pull_request),
        phase: given(&turn.task.phase),
        labels: items(&turn.task.labels),
        files: items(&turn.task.files),
        time: clock::now(),
        evidence: None,
        ran: given(&turn.session).map(|session| executions(workspace, &session)).unwrap_or_default(),
    }
}
