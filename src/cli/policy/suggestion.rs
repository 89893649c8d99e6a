//! What runs suggest to change in what agents are allowed to do.

use serde_json::Value;

use super::to_json;
use crate::printer::Printer;
use crate::report::find_generation;
use crate::table::Columns;
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Lists the suggestions of the published report.
pub fn list(workspace: &Workspace, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let generation = find_generation(workspace, None)?;
    let remedy = "publish a new one: outerloop run hourly";
    let report: Value = serde_json::from_slice(&generation.read("report.json")?)
        .map_err(|error| Diagnostic::edit("the published report is damaged", remedy).at(&generation.folder).because(error))?;
    let suggestions = report["policy"]["suggestions"]
        .as_array()
        .ok_or_else(|| Diagnostic::edit("the published report contains no policies", remedy).at(&generation.folder))?;
    if as_json {
        printer.line(&to_json(suggestions)?)?;
        return Ok(Exit::Done);
    }
    if suggestions.is_empty() {
        printer.note("no run suggests a change");
        return Ok(Exit::Done);
    }
    let mut table =
        Columns::new(&["suggestion", "action", "#confidence", "#made", "#open", "#accepted", "#dismissed", "last run", "why"]);
    for suggestion in suggestions {
        let text = |name: &str, most: usize| plain_text(suggestion[name].as_str().unwrap_or_default(), most);
        let number = |name: &str| suggestion[name].to_string();
        table.row([
            text("key", 40),
            text("action", 20),
            number("confidence"),
            number("made"),
            number("open"),
            number("accepted"),
            number("dismissed"),
            text("last_run", 40),
            text("reason", 120),
        ]);
    }
    printer.line(&table.render())?;
    printer.note("`outerloop policy accept`, `dismiss` and `reopen` decide about the suggestions of one kind");
    Ok(Exit::Done)
}
