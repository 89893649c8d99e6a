//! `outerloop init`: the folders of a workspace, a commented settings file, and the hooks of an agent.

mod addition;
mod claude;
mod document;
mod hook;
mod removal;
mod shell;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use super::printer::Printer;
use agent::repository::name_around;
use setting::{Settings, render_settings};
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;

use crate::args::OutputArgs;
pub(crate) use claude::hooks_in;
use claude::{Claude, Report};
use store::workspace::{FOLDER, Workspace};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --claude, Claude Code calls `outerloop hook` when a session or a subagent starts and ends and
before a tool is used. The rest of the settings file stays byte for byte; --remove removes the hooks
and restores the file.

  outerloop init --claude                          into .claude/settings.json, beside .outerloop
  outerloop init --claude --claude-settings .claude/settings.local.json      for this user only
  outerloop init --claude --remove                 remove the hooks, keep the workspace")]
pub struct InitArgs {
    /// Print the settings file with every default instead of creating a workspace
    #[arg(long, conflicts_with = "claude")]
    print_settings: bool,
    /// Also add Outerloop's hooks to the project's Claude Code settings
    #[arg(long)]
    claude: bool,
    /// Remove Outerloop's hooks from these settings, and change nothing else
    #[arg(long, requires = "claude")]
    remove: bool,
    /// The settings to edit [default: .claude/settings.json of the project]
    #[arg(long, value_name = "FILE", requires = "claude")]
    claude_settings: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Makes a workspace, or completes one; adds hooks to an agent's settings, or takes them out.
pub(crate) fn run(workspace: &Workspace, options: &InitArgs, printer: &Printer) -> Outcome<Exit> {
    if options.print_settings {
        printer.bytes(render_settings(&Settings::default())?.as_bytes())?;
        return Ok(Exit::Done);
    }
    if options.remove {
        let report = Claude::find(workspace, options.claude_settings.as_deref())?.remove()?;
        tell_hooks(&report, printer);
        return print(options, printer, &json!({ "claude": report }));
    }
    // Settings that cannot be edited are found before anything is made.
    let hooks = if options.claude { Some(Claude::find(workspace, options.claude_settings.as_deref())?.plan()?) } else { None };
    let project = if options.claude { project_around(workspace) } else { None };
    let is_new = make_for(workspace, project.as_deref())?;
    printer.note(&format!(
        "{} {}",
        if is_new { "created the workspace" } else { "the workspace already exists:" },
        workspace.root().display()
    ));
    let report = hooks.map(claude::Plan::write).transpose()?;
    if let Some(report) = &report {
        tell_hooks(report, printer);
        claude::note_missing_program(printer);
    }
    printer.note("next: record events with `outerloop record`, then run `outerloop run hourly`");
    print(options, printer, &json!({ "root": workspace.root().to_string_lossy(), "made": is_new, "claude": report }))
}

fn tell_hooks(report: &Report, printer: &Printer) {
    report.lines().iter().for_each(|line| printer.note(line));
}

fn print(options: &InitArgs, printer: &Printer, done: &serde_json::Value) -> Outcome<Exit> {
    if options.output.json {
        printer.line(&done.to_string())?;
    }
    Ok(Exit::Done)
}

/// Makes a workspace. Says whether its settings were not there yet.
pub fn make(workspace: &Workspace) -> Outcome<bool> {
    make_for(workspace, None)
}

/// How the project is called that a workspace stands in.
fn project_around(workspace: &Workspace) -> Option<String> {
    let root = workspace.root();
    let folder = root.parent().filter(|_| root.ends_with(FOLDER))?;
    fit::name(&name_around(folder)?)
}

/// The same, with the name of a project in settings that are made: what hooks, jobs and people record of it is joined by that name,
/// and must not be called after what folders happen to hold.
fn make_for(workspace: &Workspace, project: Option<&str>) -> Outcome<bool> {
    refuse_patterns(workspace)?;
    for folder in [workspace.root().to_path_buf(), workspace.inbox(), workspace.lake(), workspace.quarantine(), workspace.history()]
    {
        durable::create_folder(&folder)?;
    }
    let is_new = !workspace.settings().exists();
    if is_new {
        let settings = Settings { project: project.map(str::to_owned), ..Settings::default() };
        durable::replace(&workspace.settings(), render_settings(&settings)?.as_bytes())?;
    }
    durable::sync_folder(workspace.root())?;
    Ok(is_new)
}

/// The engine finds files by pattern: a root that looks like one would name other files.
fn refuse_patterns(workspace: &Workspace) -> Outcome<()> {
    let is_pattern = workspace.root().to_str().is_none_or(|root| root.contains(['*', '?', '[', ']', '{', '}']));
    if is_pattern {
        let remedy = "choose a path of Unicode text without * ? [ ] { }";
        return Err(Diagnostic::edit("a workspace cannot be created there: its path would be read as a glob pattern", remedy)
            .at(workspace.root()));
    }
    Ok(())
}
