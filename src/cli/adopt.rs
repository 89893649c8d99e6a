//! `outerloop adopt closedloop`: takes over what ClosedLoop knows, follows its logs from then on, and can be undone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::args::OutputArgs;
use crate::import::{follow_folder, global_learnings};
use crate::init::make;
use crate::printer::Printer;
use agent::intake::cursor_folder;
use render::plain_text;
use setting::{PATTERN_FILE, SettingKey, SettingValue, parse_settings, set_setting};
use store::durable;
use store::publish::find_current;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;

/// How deep below a project run folders are looked for.
const DEPTH: usize = 4;
/// How deep below the client's folder plugins are looked for.
const PLUGIN_DEPTH: usize = 7;
/// What publishing leaves in ClosedLoop's folder: the pattern file and its copy.
const WRITTEN: [&str; 3] = [PATTERN_FILE, "org-patterns.bak", "org-patterns.toon.bak"];

#[derive(Debug, ClapArgs)]
pub struct AdoptArgs {
    /// The tool to take over from
    #[command(subcommand)]
    system: AdoptSystem,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdoptSystem {
    /// ClosedLoop: its pattern file, its run folders, and its logs from now on
    Closedloop(AdoptClosedloopArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Finds ClosedLoop's pattern file, the run folders below each project, the organisation's store and the
version of its plugin. Imports them, has the hourly job follow the logs, and publishes patterns where
ClosedLoop's hooks read them. Says first what it does and what to switch off. Nothing of ClosedLoop is
changed but that pattern file, and --undo restores its bytes.

  outerloop adopt closedloop --dry-run             say what would be done
  outerloop adopt closedloop                       the project in this folder
  outerloop adopt closedloop ~/shop ~/bank         two projects
  outerloop adopt closedloop --beside              learn beside it, publish nothing into its folder
  outerloop adopt closedloop --undo                restore settings and pattern file")]
pub(crate) struct AdoptClosedloopArgs {
    /// The projects [default: this folder]
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Restore the settings and the pattern file as they were before
    #[arg(long, conflicts_with_all = ["dry_run", "folders", "beside"])]
    undo: bool,
    /// Leave ClosedLoop's pattern file to ClosedLoop
    #[arg(long)]
    beside: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Takes over.
pub(crate) fn run(workspace: &Workspace, options: &AdoptArgs, printer: &Printer) -> Outcome<Exit> {
    let AdoptSystem::Closedloop(options) = &options.system;
    if options.undo {
        return undo(workspace, options.output.json, printer);
    }
    let found = find(options)?;
    if options.output.json {
        printer.line(&found.as_json(options.dry_run).to_string())?;
    } else {
        found.explain(options, printer);
    }
    if options.dry_run {
        return Ok(Exit::Done);
    }
    take_over(workspace, &found, options, printer)
}

/// What there is to take over.
struct Found {
    patterns: Option<PathBuf>,
    /// Where the pattern file is, or would be.
    global: Option<PathBuf>,
    workdirs: Vec<PathBuf>,
    stores: Vec<PathBuf>,
    versions: Vec<String>,
    /// Run folders whose loop is at work.
    running: Vec<PathBuf>,
}

impl Found {
    fn as_json(&self, is_dry: bool) -> serde_json::Value {
        json!({"is_dry_run": is_dry, "patterns": self.patterns, "workdirs": self.workdirs, "stores": self.stores,
            "versions": self.versions, "running": self.running})
    }

    /// Says what was found, what will be done, and what to switch off.
    fn explain(&self, options: &AdoptClosedloopArgs, printer: &Printer) {
        let would = if options.dry_run { "would" } else { "will" };
        match (&self.patterns, &self.global) {
            (Some(path), _) => printer.note(&format!("found the pattern file {}", shown(path))),
            (None, Some(path)) => printer.note(&format!("not found: the pattern file {}", shown(path))),
            (None, None) => printer.note("not found: a home folder, and so no pattern file"),
        }
        self.workdirs.iter().for_each(|path| printer.note(&format!("found the run folder {}", shown(path))));
        self.stores.iter().for_each(|path| {
            printer.note(&format!(
                "found the organisation's store {}; `outerloop pull --at {}` takes it",
                shown(path),
                shown(path)
            ));
        });
        match self.versions.as_slice() {
            [] => printer.note("not found: an installed ClosedLoop plugin; its files alone are taken over"),
            versions => printer.note(&format!("found the plugin {}", versions.join(", "))),
        }
        self.running.iter().for_each(|path| printer.note(&format!("a loop is running in {}", shown(path))));
        printer.note(&format!("it {would} import these files, and the hourly job follows the logs by a cursor"));
        printer.note(&format!("it {would} set `capture.workdirs` and `capture.follow` in outerloop.toml"));
        if options.beside {
            printer.note("ClosedLoop's pattern file stays its own: both learn side by side");
            return;
        }
        printer.note(&format!("it {would} publish patterns to ClosedLoop's pattern file, with `publish.targets`"));
        printer.note("to switch off: ClosedLoop's own learning writes the same file. Put CLOSEDLOOP_SELF_LEARNING=false into");
        printer.note("  .closedloop-ai/config.env of each run folder; Outerloop's own switch is OUTERLOOP_LEARNING");
    }
}

fn find(options: &AdoptClosedloopArgs) -> Outcome<Found> {
    let here = std::env::current_dir()
        .map_err(|error| Diagnostic::edit("the current folder is gone", "change to a folder").because(error))?;
    let folders = if options.folders.is_empty() { vec![here.clone()] } else { options.folders.clone() };
    let mut workdirs = Vec::new();
    let mut stores = Vec::new();
    for folder in &folders {
        let folder = fs::canonicalize(folder).map_err(|error| Diagnostic::io("cannot look into the project", folder, &error))?;
        find_workdirs(&folder, DEPTH, &mut workdirs);
        let store = folder.join(".closedloop-ai/learnings");
        if store.join("org-patterns.json").is_file() {
            stores.push(store);
        }
    }
    workdirs.sort_unstable();
    workdirs.dedup();
    for store in workdirs.iter().map(|work| work.join(".closedloop-ai/learnings")) {
        if store.join("org-patterns.json").is_file() {
            stores.push(store);
        }
    }
    let global = global_learnings();
    let patterns = global.as_ref().map(|folder| folder.join(PATTERN_FILE)).filter(|path| path.is_file());
    if workdirs.is_empty() && patterns.is_none() {
        return Err(Diagnostic::edit(
            "nothing of ClosedLoop is here",
            "run it in a project that ClosedLoop has worked in, or name one: outerloop adopt closedloop FOLDER",
        )
        .at(folders.first().unwrap_or(&here)));
    }
    let running = workdirs.iter().filter(|work| work.join(".learnings/.lock").is_file()).cloned().collect();
    Ok(Found { patterns, global, workdirs, stores, versions: find_versions(), running })
}

/// Folders that hold `.learnings/`. Links are not followed.
fn find_workdirs(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if folder.join(".learnings").is_dir() {
        found.push(folder.to_path_buf());
    }
    if depth == 0 {
        return;
    }
    let is_looked_into =
        |name: &str| name == ".closedloop-ai" || !(name.starts_with('.') || name == "node_modules" || name == "target");
    for path in folders_in(folder) {
        if path.file_name().is_some_and(|name| is_looked_into(&name.to_string_lossy())) {
            find_workdirs(&path, depth - 1, found);
        }
    }
}

/// The names and versions of ClosedLoop's plugins in the client's folder.
fn find_versions() -> Vec<String> {
    let mut versions = Vec::new();
    if let Some(home) = std::env::home_dir() {
        find_plugins(&home.join(".claude/plugins"), PLUGIN_DEPTH, &mut versions);
    }
    versions.sort_unstable();
    versions.dedup();
    versions
}

fn find_plugins(folder: &Path, depth: usize, versions: &mut Vec<String>) {
    let manifest = folder.join(".claude-plugin/plugin.json");
    if let Some(text) = fs::read(&manifest).ok().filter(|_| manifest.is_file())
        && let Ok(manifest) = serde_json::from_slice::<serde_json::Value>(&text)
        && manifest["name"] == "self-learning"
    {
        versions.push(format!("self-learning {}", plain_text(manifest["version"].as_str().unwrap_or("of unknown version"), 40)));
    }
    if depth > 0 {
        for path in folders_in(folder) {
            find_plugins(&path, depth - 1, versions);
        }
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_folder).collect();
    paths.sort_unstable();
    paths
}

/// What was there before, so that it can be restored.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// The settings before; none if there were none.
    settings: Option<String>,
    /// The hash of the settings that were written.
    written: String,
    /// ClosedLoop's folder, if patterns are published there.
    global: Option<PathBuf>,
    /// Its files of [`WRITTEN`] that were there, and where their bytes are kept.
    kept: Vec<String>,
}

fn take_over(workspace: &Workspace, found: &Found, options: &AdoptClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    make(workspace)?;
    let before = read_text(&workspace.settings())?;
    let target = found.global.as_ref().filter(|_| !options.beside);
    let after = new_settings(workspace, before.as_deref().unwrap_or_default(), found, target)?;
    if !journal_path(workspace).exists() {
        keep(workspace, before, &after, target)?;
    }
    // Published files of another's must be kept before the settings name them.
    durable::replace(&workspace.settings(), after.as_bytes())?;
    let settings = load_settings(workspace)?;
    let mut landed = 0;
    let mut exit = Exit::Done;
    for work in &found.workdirs {
        let followed = follow_folder(workspace, &settings, work)?;
        printer.note(&format!("{}: {} events imported, {} records skipped", shown(work), followed.landed, followed.left_out));
        landed += followed.landed;
        if followed.left_out > 0 {
            exit = Exit::Refused;
            printer.note(&format!("`outerloop import closedloop {}` lists what was skipped, with file and line", shown(work)));
        }
    }
    printer.note(&format!("adopted: {landed} events. Next: `outerloop run hourly`, then `outerloop report`"));
    printer.note("`outerloop schedule install` runs it every hour; `outerloop adopt closedloop --undo` undoes this");
    Ok(exit)
}

/// The settings with the run folders and the target, checked.
fn new_settings(workspace: &Workspace, before: &str, found: &Found, target: Option<&PathBuf>) -> Outcome<String> {
    let settings = parse_settings(before).map_err(|fault| fault.at(&workspace.settings()))?;
    let quoted = |path: &Path| toml_text(&path.to_string_lossy());
    let known: Vec<PathBuf> = settings.capture.workdirs.iter().map(|path| workspace.root().join(path)).collect();
    let mut workdirs: Vec<String> = settings.capture.workdirs.iter().map(|path| quoted(path)).collect();
    workdirs.extend(found.workdirs.iter().filter(|work| !known.contains(work)).map(|work| quoted(work)));
    let mut changes = vec![("capture.workdirs", format!("[{}]", workdirs.join(", "))), ("capture.follow", "true".to_owned())];
    if let Some(global) = target {
        let to = global.join(PATTERN_FILE);
        let mut targets: Vec<String> = settings
            .publish
            .targets
            .iter()
            .map(|target| format!("{{ file = {}, to = {} }}", toml_text(&target.file), quoted(&target.to)))
            .collect();
        if !settings.publish.targets.iter().any(|target| workspace.root().join(&target.to) == to) {
            targets.push(format!("{{ file = \"{PATTERN_FILE}\", to = {} }}", quoted(&to)));
        }
        changes.push(("publish.targets", format!("[{}]", targets.join(", "))));
        changes.push(("publish.dialect", "\"closedloop\"".to_owned()));
    }
    let mut text = before.to_owned();
    for (name, value) in changes {
        let edited =
            SettingKey::parse(name).zip(SettingValue::parse(&value)).and_then(|(key, value)| set_setting(&text, &key, &value));
        text = edited.ok_or_else(|| {
            let what = format!("`{name}` cannot be set here without touching other settings");
            Diagnostic::edit(what, format!("set `{name} = {value}` by hand, then adopt again")).at(&workspace.settings())
        })?;
    }
    parse_settings(&text).map_err(|fault| fault.at(&workspace.settings()))?;
    Ok(text)
}

fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Keeps the bytes of what will be overwritten.
fn keep(workspace: &Workspace, settings: Option<String>, after: &str, target: Option<&PathBuf>) -> Outcome<()> {
    let folder = journal_folder(workspace);
    durable::create_folder(&folder)?;
    let mut kept = Vec::new();
    for name in target.iter().flat_map(|_| WRITTEN) {
        let path = target.map(|global| global.join(name)).unwrap_or_default();
        match fs::read(&path) {
            Ok(bytes) => {
                durable::replace(&folder.join(name), &bytes)?;
                kept.push(name.to_owned());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Diagnostic::io("cannot keep the pattern file", &path, &error)),
        }
    }
    let journal = Journal { settings, written: sha256(after.as_bytes()), global: target.cloned(), kept };
    let text =
        serde_json::to_vec_pretty(&journal).map_err(|error| Diagnostic::bug(format!("the journal cannot be written: {error}")))?;
    durable::replace(&journal_path(workspace), &text)
}

/// Restores what was there before, unless a person has changed it since.
fn undo(workspace: &Workspace, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let path = journal_path(workspace);
    let nothing = || Diagnostic::edit("nothing was adopted in this workspace", "name the workspace with --root").at(&path);
    let text = fs::read(&path).map_err(|_| nothing())?;
    let journal: Journal = serde_json::from_slice(&text).map_err(|error| nothing().because(error))?;
    let now = read_text(&workspace.settings())?.unwrap_or_default();
    if sha256(now.as_bytes()) != journal.written {
        let remedy = "remove `capture.follow`, the run folders of `capture.workdirs`, `publish.dialect` and the target of `publish.targets` by hand";
        return Err(Diagnostic::edit("the settings were changed since they were adopted", remedy).at(&workspace.settings()));
    }
    match &journal.settings {
        Some(before) => durable::replace(&workspace.settings(), before.as_bytes())?,
        None => remove(&workspace.settings())?,
    }
    let mut told = vec!["settings restored".to_owned()];
    if let Some(global) = &journal.global {
        told.push(restore_patterns(workspace, global, &journal.kept)?);
    }
    let cursors = cursor_folder(workspace);
    let removed = fs::remove_dir_all(&cursors);
    if let Err(error) = removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }) {
        return Err(Diagnostic::io("cannot remove the cursors", &cursors, &error));
    }
    fs::remove_dir_all(journal_folder(workspace)).map_err(|error| Diagnostic::io("cannot remove the journal", &path, &error))?;
    told.push("imported events stay in the lake; `.outerloop` can be deleted as a whole".to_owned());
    if as_json {
        printer.line(&json!({"undone": told}).to_string())?;
    }
    for line in &told {
        printer.note(line);
    }
    Ok(Exit::Done)
}

/// Puts the bytes of ClosedLoop's pattern file back. A file that is no longer what was published is somebody else's by now.
fn restore_patterns(workspace: &Workspace, global: &Path, kept: &[String]) -> Outcome<String> {
    let path = global.join(PATTERN_FILE);
    let now = fs::read(&path).ok();
    let published = find_current(workspace)?.and_then(|generation| generation.read(PATTERN_FILE).ok());
    let folder = journal_folder(workspace);
    let before = fs::read(folder.join(PATTERN_FILE)).ok();
    if now == before {
        return Ok(format!("{} is as it was", shown(&path)));
    }
    if now.is_some() && now != published {
        return Ok(format!("{} was written by another program since, and stays", shown(&path)));
    }
    for name in WRITTEN {
        let path = global.join(name);
        if kept.iter().any(|kept| kept == name) {
            let bytes = fs::read(folder.join(name))
                .map_err(|error| Diagnostic::io("cannot read the kept file", &folder.join(name), &error))?;
            let permissions = fs::metadata(&path).ok().map(|found| found.permissions());
            durable::replace_as(&path, &bytes, permissions)?;
        } else {
            remove(&path)?;
        }
    }
    Ok(format!("{} restored", shown(&path)))
}

fn remove(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Diagnostic::io("cannot remove the file", path, &error)),
        _ => Ok(()),
    }
}

fn read_text(path: &Path) -> Outcome<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| Diagnostic::io("cannot read the settings", path, &error)),
    }
}

fn journal_folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("adopted")
}

fn journal_path(workspace: &Workspace) -> PathBuf {
    journal_folder(workspace).join("closedloop.json")
}

fn shown(path: &Path) -> String {
    plain_text(&path.display().to_string(), 200)
}
