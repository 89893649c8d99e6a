//! How policies changed, from one generation to the next.

use std::fs;
use std::io;

use serde_json::Value;

use super::{parse_adapter, to_json};
use crate::args::PolicyHistoryArgs;
use crate::printer::Printer;
use crate::table::Columns;
use render::plain_text;
use render::policy::PolicyChange;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Lists the changes of policies, the earliest first.
pub fn list(workspace: &Workspace, options: &PolicyHistoryArgs, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let adapter = options.adapter.as_deref().map(parse_adapter).transpose()?;
    let (mut changes, unreadable) = load(workspace)?;
    if let Some(adapter) = &adapter {
        changes.retain(|change| change.scope == "overlay" && change.key == *adapter);
    }
    if unreadable > 0 {
        printer.note(&format!("{unreadable} lines of history/policies.jsonl cannot be read and are skipped"));
    }
    if as_json {
        printer.line(&to_json(&changes)?)?;
        return Ok(Exit::Done);
    }
    if changes.is_empty() {
        printer.note("no policy changed from one generation to the next");
        return Ok(Exit::Done);
    }
    let mut table = Columns::new(&["when", "policy", "what", "#before", "#after", "generation"]);
    for change in &changes {
        let key = plain_text(&change.key, 40);
        table.row([
            plain_text(&change.ts, 40),
            if change.scope == "threshold" { format!("{key} risk") } else { key },
            plain_text(&change.field, 40),
            shown(&change.before),
            shown(&change.after),
            plain_text(&change.generation, 60),
        ]);
    }
    printer.line(&table.render())?;
    Ok(Exit::Done)
}

/// The changes, and how many lines are none.
fn load(workspace: &Workspace) -> Outcome<(Vec<PolicyChange>, usize)> {
    let path = workspace.policy_history();
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        read => read.map_err(|error| Diagnostic::io("cannot read the history of policies", &path, &error))?,
    };
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    let changes: Vec<PolicyChange> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let unreadable = lines.len() - changes.len();
    Ok((changes, unreadable))
}

fn shown(value: &Value) -> String {
    if value.is_null() { "-".to_owned() } else { plain_text(&value.to_string(), 40) }
}
