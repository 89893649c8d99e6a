//! `outerloop init`: the folders of a workspace and a commented settings file.

use super::args::InitArgs;
use super::printer::Printer;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::durable;
use crate::setting;
use crate::workspace::Workspace;

/// Makes a workspace, or completes one.
pub fn run(workspace: &Workspace, options: &InitArgs, printer: &Printer) -> Outcome<Exit> {
    if options.print_settings {
        printer.bytes(setting::TEMPLATE.as_bytes())?;
        return Ok(Exit::Done);
    }
    let is_new = make(workspace)?;
    printer.note(&format!(
        "{} {}",
        if is_new { "made the workspace" } else { "the workspace stands in" },
        workspace.root().display()
    ));
    printer.note("next: land events with `outerloop record`, then `outerloop run hourly`");
    Ok(Exit::Done)
}

/// Makes a workspace. Says whether its settings were not there yet.
pub fn make(workspace: &Workspace) -> Outcome<bool> {
    refuse_patterns(workspace)?;
    for folder in [workspace.root().to_path_buf(), workspace.inbox(), workspace.lake(), workspace.quarantine(), workspace.history()]
    {
        durable::create_folder(&folder)?;
    }
    let is_new = !workspace.settings().exists();
    if is_new {
        durable::replace(&workspace.settings(), setting::TEMPLATE.as_bytes())?;
    }
    durable::sync_folder(workspace.root())?;
    Ok(is_new)
}

/// The engine finds files by pattern: a root that looks like one would name other files.
fn refuse_patterns(workspace: &Workspace) -> Outcome<()> {
    let is_pattern = workspace.root().to_str().is_none_or(|root| root.contains(['*', '?', '[', ']', '{', '}']));
    if is_pattern {
        let remedy = "choose a path of Unicode text without * ? [ ] { }";
        return Err(
            Diagnostic::edit("a workspace cannot stand there: its path would be taken for a pattern", remedy).at(workspace.root())
        );
    }
    Ok(())
}
