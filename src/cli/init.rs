//! `outerloop init`: the folders of a workspace, a commented settings file, and the hooks of an agent.

mod addition;
mod claude;
mod document;
mod exclude;
mod hook;
mod place;
mod registration;
mod removal;
mod shell;

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;

use super::printer::Printer;
use agent::repository::name_around;
use setting::{Settings, render_settings};
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;

use crate::args::OutputArgs;
use agent::iteration::{learnings_of, make_learnings};
pub(crate) use claude::hooks_in;
pub(crate) use hook::{HOOKS, Hook};
use registration::Registration;
use store::workspace::{FOLDER, Workspace, keep_from_git, load_settings};

/// What begins by itself, what it costs, and how to switch it off.
const HOLDOUT: &str = "holdout begins by itself once hooks have shown patterns and goals were judged: one task in ten is shown none, and each \
    pattern is withheld from one in five, to measure what helps; off with `on = \"never\"` under [truth] in outerloop.toml";

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Run it in the folder of the project. With --claude, Claude Code calls `outerloop hook` when sessions,
turns, subagents and tools start and end, and offers its agents the tools of `outerloop mcp`. Where
the program is missing, the hooks are silent. Other settings stay byte for byte; running it again
upgrades the hooks; --remove removes them and restores the file.

  outerloop init --claude                          for you alone: .claude/settings.local.json
  outerloop init --claude=team                     for everybody: .claude/settings.json, .mcp.json
  outerloop init --claude=plugin                   as a plugin in .outerloop/plugin
  outerloop init --claude --remove                 remove them, keep the workspace")]
pub struct InitArgs {
    /// Print the settings file with every default instead of creating a workspace
    #[arg(long, conflicts_with = "claude")]
    print_settings: bool,
    /// Also add Outerloop's hooks and MCP server to Claude Code [default: where they are, else own]
    #[arg(long, value_name = "WAY", value_enum, num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "without the option, with it alone, and with a way are three things to clap")]
    claude: Option<Option<ClaudeWay>>,
    /// Remove Outerloop's hooks and MCP server, and change nothing else
    #[arg(long, requires = "claude")]
    remove: bool,
    /// The settings to edit, instead of those of the project
    #[arg(long, value_name = "FILE", requires = "claude")]
    claude_settings: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// How Claude Code gets to know Outerloop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClaudeWay {
    /// By this user's own settings of the project
    Own,
    /// By the settings that the project shares
    Team,
    /// By a plugin
    Plugin,
}

/// The same, where nobody says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    AsBefore,
    Own,
    Team,
    Plugin,
}

impl From<Option<ClaudeWay>> for Way {
    fn from(way: Option<ClaudeWay>) -> Self {
        match way {
            None => Self::AsBefore,
            Some(ClaudeWay::Own) => Self::Own,
            Some(ClaudeWay::Team) => Self::Team,
            Some(ClaudeWay::Plugin) => Self::Plugin,
        }
    }
}

/// Makes a workspace, or completes one; adds hooks to an agent's settings, or takes them out.
pub(crate) fn run(workspace: &Workspace, options: &InitArgs, printer: &Printer) -> Outcome<Exit> {
    if options.print_settings {
        printer.bytes(render_settings(&Settings::default())?.as_bytes())?;
        return Ok(Exit::Done);
    }
    let way = options.claude.map(Way::from);
    let named = options.claude_settings.as_deref();
    if options.remove {
        let removed = Registration::remove(workspace, way.unwrap_or(Way::AsBefore), named)?;
        removed.tell(printer);
        return print(options, printer, &removed.json());
    }
    // Settings that cannot be edited are found before anything is made.
    let plan = way.map(|way| Registration::plan(workspace, way, named)).transpose()?;
    let project = if way.is_some() { project_around(workspace) } else { None };
    let is_new = make_for(workspace, project.as_deref())?;
    printer.note(&format!(
        "{} {}",
        if is_new { "created the workspace" } else { "the workspace already exists:" },
        workspace.root().display()
    ));
    let mut done = json!({ "root": workspace.root().to_string_lossy(), "made": is_new });
    if let Some(plan) = plan {
        ignore_learnings(workspace)?;
        let added = plan.write(workspace)?;
        added.tell(printer);
        claude::note_missing_program(printer);
        merge(&mut done, added.json());
    }
    printer.note(HOLDOUT);
    printer.note("next: record events with `outerloop record`, then run `outerloop run hourly`");
    print(options, printer, &done)
}

/// Makes the folder ignore itself that agents leave lessons in. Where it would give the project another name it is not made: then
/// whoever makes it sees to that.
fn ignore_learnings(workspace: &Workspace) -> Outcome<()> {
    let root = workspace.root();
    let Some(project) = root.parent().filter(|_| root.ends_with(FOLDER)) else { return Ok(()) };
    let folder = learnings_of(project);
    if std::fs::symlink_metadata(&folder).is_ok_and(|found| !found.is_dir()) {
        return Ok(());
    }
    if folder.is_dir() || load_settings(workspace)?.project.is_some() {
        make_learnings(project)?;
    }
    Ok(())
}

fn merge(done: &mut serde_json::Value, added: serde_json::Value) {
    if let (Some(done), serde_json::Value::Object(added)) = (done.as_object_mut(), added) {
        done.extend(added);
    }
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
    keep_from_git(workspace.root())?;
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
