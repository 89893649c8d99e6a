//! `outerloop plugin`: a plugin of Claude Code, made of files that this program writes whole.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::{Map, Value, json};

use super::printer::Printer;
use crate::args::OutputArgs;
use crate::init::{HOOKS, Hook};
use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Writes a plugin of Claude Code: its manifest, the hooks, the MCP server, and the slash commands
/outerloop:status, /outerloop:patterns, /outerloop:explain and /outerloop:review. It works in every
project that has a workspace, and is silent in all others. Running it again renews the files.

  outerloop plugin ./outerloop-plugin
  claude plugin validate ./outerloop-plugin
  claude --plugin-dir ./outerloop-plugin
  claude plugin marketplace add ./outerloop-plugin && claude plugin install outerloop@outerloop")]
pub struct PluginArgs {
    /// The plugin's folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Copy this program into the plugin; otherwise it is found on the PATH
    #[arg(long)]
    copy_program: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Where the plugin finds the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    OnPath,
    /// In the plugin's own folder.
    Inside,
}

/// The manifest, by which a folder is known as a plugin of ours.
const MANIFEST: &str = ".claude-plugin/plugin.json";
/// The copy of the program, as the plugin's files name it.
const INSIDE: &str = "bin/outerloop";
const NAME: &str = "outerloop";
const DESCRIPTION: &str = "Shows agents what helped in earlier runs, records what they used, and learns which patterns work";
/// Whoever installs a plugin reads its files.
const SHARED_FILE: u32 = 0o644;
const SHARED_PROGRAM: u32 = 0o755;

/// The texts of the plugin that are the same everywhere.
const TEXTS: [(&str, &str); 5] = [
    ("README.md", include_str!("plugin/README.md")),
    ("commands/status.md", include_str!("plugin/status.md")),
    ("commands/patterns.md", include_str!("plugin/patterns.md")),
    ("commands/explain.md", include_str!("plugin/explain.md")),
    ("commands/review.md", include_str!("plugin/review.md")),
];

pub(crate) fn run(options: &PluginArgs, printer: &Printer) -> Outcome<Exit> {
    let program = if options.copy_program { Program::Inside } else { Program::OnPath };
    let files = write(&options.folder, program)?;
    printer.note(&format!("made the plugin {}: {} files", options.folder.display(), files.len()));
    if options.output.json {
        printer.line(&json!({ "folder": options.folder.to_string_lossy(), "files": files }).to_string())?;
    }
    Ok(Exit::Done)
}

/// Writes the plugin. A folder that holds anything else is refused. Gives the files.
pub(crate) fn write(folder: &Path, program: Program) -> Outcome<Vec<String>> {
    if !is_free(folder)? && !is_ours(folder) {
        let remedy = "name a folder that is empty, does not exist yet, or holds this plugin";
        return Err(Diagnostic::edit("the folder holds something else than this plugin", remedy).at(folder));
    }
    let mut files = vec![
        (MANIFEST, pretty(&manifest())),
        (".claude-plugin/marketplace.json", pretty(&marketplace())),
        ("hooks/hooks.json", pretty(&hooks(program))),
        (".mcp.json", pretty(&servers(program))),
    ];
    files.extend(TEXTS.iter().map(|(name, text)| (*name, (*text).to_owned())));
    for (name, text) in &files {
        put(&folder.join(name), text.as_bytes(), SHARED_FILE)?;
    }
    let mut names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    let copy = folder.join(INSIDE);
    match program {
        Program::Inside => {
            put(&copy, &own_program()?, SHARED_PROGRAM)?;
            names.push(INSIDE.to_owned());
        }
        Program::OnPath => remove_file(&copy)?,
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes the plugin: the files that this program writes, and the folders that are empty then. Says whether there was one.
pub(crate) fn remove(folder: &Path) -> Outcome<bool> {
    if !is_ours(folder) {
        return Ok(false);
    }
    let own = [MANIFEST, ".claude-plugin/marketplace.json", "hooks/hooks.json", ".mcp.json", INSIDE];
    for name in own.into_iter().chain(TEXTS.iter().map(|(name, _)| *name)) {
        remove_file(&folder.join(name))?;
    }
    for name in [".claude-plugin", "hooks", "commands", "bin", ""] {
        // What somebody put there stays, and so does its folder.
        let _ = fs::remove_dir(folder.join(name));
    }
    Ok(true)
}

fn manifest() -> Value {
    json!({
        "name": NAME, "version": env!("CARGO_PKG_VERSION"), "description": DESCRIPTION, "author": { "name": "Outerloop" },
        "license": "MIT", "keywords": ["learning", "patterns", "memory", "hooks"],
    })
}

/// A list of one plugin, so that the folder itself can be installed from.
fn marketplace() -> Value {
    json!({
        "name": NAME, "description": DESCRIPTION, "owner": { "name": "Outerloop" },
        "plugins": [{ "name": NAME, "source": "./", "description": DESCRIPTION }],
    })
}

fn hooks(program: Program) -> Value {
    let group = |hook: &Hook| {
        let command = match program {
            Program::OnPath => hook.command(None),
            Program::Inside => hook.call(&format!("\"${{CLAUDE_PLUGIN_ROOT}}/{INSIDE}\""), None),
        };
        let entry = json!({ "type": "command", "command": command, "timeout": hook.timeout_seconds });
        match hook.matcher {
            Some(matcher) => json!([{ "matcher": matcher, "hooks": [entry] }]),
            None => json!([{ "hooks": [entry] }]),
        }
    };
    let events: Map<String, Value> = HOOKS.iter().map(|hook| (hook.event.to_owned(), group(hook))).collect();
    json!({ "description": DESCRIPTION, "hooks": events })
}

fn servers(program: Program) -> Value {
    let command = match program {
        Program::OnPath => NAME.to_owned(),
        Program::Inside => format!("${{CLAUDE_PLUGIN_ROOT}}/{INSIDE}"),
    };
    json!({ "mcpServers": { NAME: { "command": command, "args": ["mcp"] } } })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn own_program() -> Outcome<Vec<u8>> {
    let remedy = "start the program by its absolute path, or make the plugin without --copy-program";
    let path =
        env::current_exe().map_err(|error| Diagnostic::edit("cannot find the path of this program", remedy).because(error))?;
    fs::read(&path).map_err(|error| Diagnostic::io("cannot read this program", &path, &error))
}

/// Writes a file of the plugin. A link in the place of its folder could lead anywhere.
fn put(path: &Path, content: &[u8], mode: u32) -> Outcome<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| Diagnostic::io("cannot create the folder", folder, &error))?;
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Err(Diagnostic::edit("a link is in the place of a folder of the plugin", "put a folder in its place").at(folder));
    }
    durable::replace_as(path, content, Some(Permissions::from_mode(mode)))
}

fn remove_file(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Diagnostic::io("cannot remove a file of the plugin", path, &error))
        }
        _ => Ok(()),
    }
}

/// Whether a folder does not exist yet, or holds nothing.
fn is_free(folder: &Path) -> Outcome<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Diagnostic::io("cannot look at the plugin's folder", folder, &error)),
    }
}

pub(crate) fn is_ours(folder: &Path) -> bool {
    let read = fs::read(folder.join(MANIFEST)).ok();
    let manifest: Option<Value> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    manifest.is_some_and(|manifest| manifest["name"] == NAME)
}
