//! The comparisons that were made so far, a line each.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::Value;

use crate::printer::Printer;
use crate::table::tabulate;
use render::plain_text;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// How many comparisons are kept: three weeks of hours.
const KEPT: usize = 500;

/// Where everything of comparisons lies.
pub(super) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("shadow")
}

/// Keeps a comparison.
pub(super) fn keep(workspace: &Workspace, comparison: &Value) -> Outcome<()> {
    let mut lines = load(workspace)?;
    lines.push(comparison.to_string());
    let first = lines.len().saturating_sub(KEPT);
    let text = lines[first..].join("\n") + "\n";
    durable::create_folder(&folder(workspace))?;
    durable::replace(&path(workspace), text.as_bytes())
}

/// Shows what was kept, the latest last.
pub(super) fn show(workspace: &Workspace, as_json: bool, printer: &Printer) -> Outcome<()> {
    let lines = load(workspace)?;
    if as_json {
        return lines.iter().try_for_each(|line| printer.line(line));
    }
    if lines.is_empty() {
        printer.note("no comparison was kept yet; `outerloop closedloop shadow --workdir FOLDER` makes one, and with");
        printer.note("`capture.shadow` the hourly job does");
        return Ok(());
    }
    let rows = lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()).map(|one| {
        let text = |value: &Value| plain_text(value.as_str().unwrap_or_default(), 80);
        let differences = one["differences"].as_array().cloned().unwrap_or_default();
        let mut rules: Vec<String> = differences
            .iter()
            .flat_map(|difference| difference["reasons"].as_array().cloned().unwrap_or_default())
            .map(|rule| text(&rule))
            .collect();
        rules.sort_unstable();
        rules.dedup();
        [text(&one["at"]), text(&one["workdir"]), one["patterns"].to_string(), differences.len().to_string(), rules.join(" ")]
    });
    printer.line(&tabulate(["when", "run folder", "#patterns", "#differences", "reasons"], rows))
}

fn load(workspace: &Workspace) -> Outcome<Vec<String>> {
    let path = path(workspace);
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read
            .map(|text| text.lines().map(str::to_owned).collect())
            .map_err(|error| Diagnostic::io("cannot read the kept comparisons", &path, &error)),
    }
}

fn path(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("history.jsonl")
}
