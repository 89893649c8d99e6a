//! `outerloop hook`: inside of an agent's turn, so it opens no engine, and never stands in the way.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use super::remark::{fit_remark, log_remark};
use agent::hook::{Answer, Event, Host, Payload, Situation};
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Reads the hook payload of the agent's host from stdin, as JSON, and answers on stdout.
`outerloop init --claude` writes the hooks into the settings of Claude Code.

  session-start          records what abandoned sessions left; shows the best patterns and the knowledge index
  user-prompt-submit     shows the session what fits the prompt
  subagent-start         shows an agent the patterns that fit it and its task
  pre-tool-use           shows patterns for a tool call, each pattern once; notes the task of an agent
  post-tool-use          notes what an agent touched
  post-tool-use-failure  notes what an agent tried in vain
  subagent-stop          records what was shown, touched and used; sends a silent agent back, at most twice
  stop                   records what the session's own agent says it used
  session-end            records the rest and captures the lessons that agents wrote

The run and its iteration are those of OUTERLOOP_RUN_ID and OUTERLOOP_ITERATION (or ClosedLoop's),
else the session is the run. OUTERLOOP_LEARNING=off disables all hooks; OUTERLOOP_PROJECT and
OUTERLOOP_GOAL name the project and the goal.

A hook never blocks an agent: an error is one line on stderr and in history/hooks.jsonl, and the
exit code is 0.")]
pub struct HookArgs {
    /// The hook, such as session-start
    #[arg(value_name = "HOOK")]
    event: String,
}

/// Runs a hook. Whatever happens, the agent goes on: the host takes an exit code of 2 for a veto.
pub(crate) fn run(root: Option<PathBuf>, options: &HookArgs, printer: &Printer) -> Exit {
    let Some(event) = Event::from_name(&options.event) else {
        let known: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
        printer.note(&format!("unknown hook {}; known hooks: {}", plain_text(&options.event, 80), known.join(", ")));
        return Exit::Refused;
    };
    let payload = match Payload::read(io::stdin().lock()) {
        Ok(payload) => payload,
        Err(error) => {
            let workspace = find_workspace(root, &Payload::default());
            tell(workspace.as_ref(), event, &format!("the hook payload {error}"), printer);
            return Exit::Done;
        }
    };
    let way = way_of(root.as_deref());
    // A project without a workspace has nothing to do with this.
    let Some(workspace) = find_workspace(root, &payload) else { return Exit::Done };
    let mut remarks = Vec::new();
    match answer(&workspace, event, &payload, way, &mut remarks) {
        Ok(answer) => {
            if let Some(text) = answer.json() {
                // A host that has gone away needs no answer.
                let _ = printer.line(&text);
            }
        }
        Err(fault) => remarks.push(fault.in_a_line()),
    }
    for remark in remarks {
        tell(Some(&workspace), event, &remark, printer);
    }
    Exit::Done
}

fn answer(workspace: &Workspace, event: Event, payload: &Payload, way: String, remarks: &mut Vec<String>) -> Outcome<Answer> {
    let settings = load_settings(workspace)?;
    let situation = Situation::find(workspace, &settings, payload, folder_of(payload), clock::now());
    let mut host = Host { workspace, settings: &settings, payload, way, situation, remarks: Vec::new() };
    let answer = host.run(event);
    remarks.append(&mut host.remarks);
    answer
}

/// What tells the settings that call this hook from others that call it, too: the plugin that they belong to, and the workspace that they
/// name. Equal commands of several files of settings are called once.
fn way_of(root: Option<&Path>) -> String {
    let plugin = env::var_os("CLAUDE_PLUGIN_ROOT").unwrap_or_default();
    json!([plugin.to_string_lossy(), root.map(Path::to_string_lossy)]).to_string()
}

/// The workspace: the one that is named, else the nearest one to the project, else to where the session works.
fn find_workspace(root: Option<PathBuf>, payload: &Payload) -> Option<Workspace> {
    let is_there = |workspace: &Workspace| workspace.inbox().is_dir();
    match root {
        Some(root) => Some(Workspace::at(folder_of(payload).join(root))).filter(is_there),
        None => [project(), told_folder(payload), env::current_dir().ok()]
            .into_iter()
            .flatten()
            .map(|folder| Workspace::nearest(&folder))
            .find(is_there),
    }
}

/// Where the session works: the project, which stays the same wherever its agents go; else as the host tells; else where the hook was
/// started.
fn folder_of(payload: &Payload) -> PathBuf {
    project().or_else(|| told_folder(payload)).or_else(|| env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
}

/// The project, as the agent's host tells what it starts.
pub(crate) fn project() -> Option<PathBuf> {
    env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir())
}

fn told_folder(payload: &Payload) -> Option<PathBuf> {
    payload.folder().map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir())
}

/// Says what went wrong in one line, here and in the workspace, where `outerloop doctor` finds it.
fn tell(workspace: Option<&Workspace>, event: Event, remark: &str, printer: &Printer) {
    let remark = fit_remark(remark);
    printer.note(&format!("outerloop hook {}: {remark}", event.name()));
    if let Some(workspace) = workspace {
        log_remark(workspace, event.name(), &remark);
    }
}
