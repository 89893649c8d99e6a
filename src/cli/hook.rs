//! `outerloop hook`: inside of an agent's turn, so it opens no engine, and never stands in the way.

use std::env;
use std::io;
use std::path::PathBuf;

use serde_json::json;

use super::args::HookArgs;
use super::printer::Printer;
use crate::clock;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::durable;
use crate::hook::{Answer, Event, Host, Payload, Situation};
use crate::render::plain_text;
use crate::setting::load_settings;
use crate::workspace::Workspace;

/// The longest line about a failure.
const MOST_CHARACTERS: usize = 1000;
/// A log of failures that is longer is begun anew.
const MOST_LOG_BYTES: u64 = 1 << 20;

/// Runs a hook. Whatever happens, the agent goes on: the host takes an exit code of 2 for a veto.
pub fn run(root: Option<PathBuf>, options: &HookArgs, printer: &Printer) -> Exit {
    let Some(event) = Event::from_name(&options.event) else {
        let known: Vec<&str> = Event::ALL.iter().map(|event| event.name()).collect();
        printer.note(&format!("there is no hook {}; there are {}", plain_text(&options.event, 80), known.join(", ")));
        return Exit::Refused;
    };
    let payload = match Payload::read(io::stdin().lock()) {
        Ok(payload) => payload,
        Err(error) => {
            let workspace = find_workspace(root, &Payload::default());
            tell(workspace.as_ref(), event, &format!("what the host tells {error}"), printer);
            return Exit::Done;
        }
    };
    // A project without a workspace has nothing to do with this.
    let Some(workspace) = find_workspace(root, &payload) else { return Exit::Done };
    let mut remarks = Vec::new();
    match answer(&workspace, event, &payload, &mut remarks) {
        Ok(answer) => {
            if let Some(text) = answer.json() {
                // A host that has gone away needs no answer.
                let _ = printer.line(&text);
            }
        }
        Err(fault) => remarks.push(in_a_line(&fault)),
    }
    for remark in remarks {
        tell(Some(&workspace), event, &remark, printer);
    }
    Exit::Done
}

fn answer(workspace: &Workspace, event: Event, payload: &Payload, remarks: &mut Vec<String>) -> Outcome<Answer> {
    let settings = load_settings(workspace)?;
    let situation = Situation::find(workspace, &settings, payload, folder_of(payload), clock::now());
    let mut host = Host { workspace, settings: &settings, payload, situation, remarks: Vec::new() };
    let answer = host.run(event);
    remarks.append(&mut host.remarks);
    answer
}

/// The workspace: the one that is named, else the nearest one to where the session works, else to the project.
fn find_workspace(root: Option<PathBuf>, payload: &Payload) -> Option<Workspace> {
    let named = root.map(|root| Workspace::at(folder_of(payload).join(root)));
    let project = || env::var_os("CLAUDE_PROJECT_DIR").map(|folder| Workspace::nearest(&PathBuf::from(folder)));
    let is_there = |workspace: &Workspace| workspace.inbox().is_dir();
    match named {
        Some(named) => Some(named).filter(is_there),
        None => Some(Workspace::nearest(&folder_of(payload))).filter(is_there).or_else(|| project().filter(is_there)),
    }
}

/// Where the session works: as the host tells, or where the hook was started.
fn folder_of(payload: &Payload) -> PathBuf {
    let told = payload.folder().map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir());
    told.or_else(|| env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
}

fn in_a_line(fault: &Diagnostic) -> String {
    let place = fault.place.as_ref().map(|place| format!(" {}", place.display())).unwrap_or_default();
    let cause = fault.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{}{place}{cause}; {}", fault.what, fault.remedy)
}

/// Says what went wrong in one line, here and in the workspace, where `outerloop doctor` finds it.
fn tell(workspace: Option<&Workspace>, event: Event, remark: &str, printer: &Printer) {
    let remark = plain_text(remark, MOST_CHARACTERS);
    printer.note(&format!("outerloop hook {}: {remark}", event.name()));
    if let Some(workspace) = workspace {
        // There is nobody left to tell if that fails too.
        let _ = log(workspace, event, &remark);
    }
}

fn log(workspace: &Workspace, event: Event, remark: &str) -> io::Result<()> {
    let path = workspace.hook_history();
    let (mut file, _) = durable::open_for_append(&path)?;
    if file.metadata()?.len() > MOST_LOG_BYTES {
        file.set_len(0)?;
    }
    let line = json!({"ts": clock::now().to_string(), "hook": event.name(), "remark": remark}).to_string() + "\n";
    io::Write::write_all(&mut file, line.as_bytes())
}
