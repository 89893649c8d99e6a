//! What ClosedLoop left: its pattern file, run folders, the organisation's stores and the version of its plugin.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{AdoptClosedloopArgs, shown};
use crate::import::global_learnings;
use crate::learn::counted;
use crate::printer::Printer;
use render::plain_text;
use render::toon::parse_toon;
use setting::PATTERN_FILE;
use text::diagnostic::{Diagnostic, Outcome};

/// How deep below a project run folders are looked for.
const DEPTH: usize = 4;
/// How deep below the client's folder plugins are looked for.
const PLUGIN_DEPTH: usize = 7;

/// What there is to take over.
pub(super) struct Found {
    patterns: Option<PathBuf>,
    /// Where the pattern file is, or would be.
    pub(super) global: Option<PathBuf>,
    pub(super) workdirs: Vec<PathBuf>,
    /// The organisation's stores, each with the project that it was found in.
    pub(super) stores: Vec<(PathBuf, PathBuf)>,
    versions: Vec<String>,
    /// Run folders whose loop is at work.
    running: Vec<PathBuf>,
}

impl Found {
    pub(super) fn as_json(&self, is_dry: bool) -> serde_json::Value {
        let stores: Vec<&PathBuf> = self.stores.iter().map(|(store, _)| store).collect();
        json!({"is_dry_run": is_dry, "patterns": self.patterns, "workdirs": self.workdirs, "stores": stores,
            "versions": self.versions, "running": self.running})
    }

    /// Says what was found and what will be done.
    pub(super) fn explain(&self, root: &Path, options: &AdoptClosedloopArgs, printer: &Printer) {
        let would = if options.dry_run { "would" } else { "will" };
        match (&self.patterns, &self.global) {
            (Some(path), _) => {
                printer.note(&format!("found the pattern file {}: {}", shown(path), counted(count_rows(path), "pattern")));
            }
            (None, Some(path)) => printer.note(&format!("not found: the pattern file {}", shown(path))),
            (None, None) => printer.note("not found: a home folder, and so no pattern file"),
        }
        self.workdirs.iter().for_each(|path| printer.note(&format!("found the run folder {}", shown(path))));
        self.stores.iter().for_each(|(path, _)| printer.note(&format!("found the organisation's store {}", shown(path))));
        match self.versions.as_slice() {
            [] => printer.note("not found: an installed ClosedLoop plugin; its files alone are taken over"),
            versions => printer.note(&format!("found the plugin {}", versions.join(", "))),
        }
        self.running.iter().for_each(|path| printer.note(&format!("a loop is running in {}", shown(path))));
        printer.note("");
        printer.note(&format!("it {would} import these files into {}; the hourly job then follows the logs", shown(root)));
        printer.note(&format!("it {would} set `capture.workdirs` and `capture.follow` in {}/outerloop.toml", shown(root)));
        if options.beside {
            printer.note(&format!(
                "it {would} set `capture.beside`: ClosedLoop's files stay as they are, pending lessons too; and `capture.shadow`"
            ));
            return;
        }
        printer.note(&format!(
            "it {would} publish patterns to ClosedLoop's pattern file (`publish.targets`), and keep the bytes it has now"
        ));
        printer.note(&format!("it {would} take in pending lessons and move them to `.learnings/pending/archived/`"));
    }
}

fn count_rows(path: &Path) -> usize {
    fs::read(path).map_or(0, |bytes| parse_toon(&String::from_utf8_lossy(&bytes)).rows.len())
}

pub(super) fn find(options: &AdoptClosedloopArgs) -> Outcome<Found> {
    let here = std::env::current_dir()
        .map_err(|error| Diagnostic::edit("the current folder is gone", "change to a folder").because(error))?;
    let folders = if options.folders.is_empty() { vec![here.clone()] } else { options.folders.clone() };
    let mut workdirs = Vec::new();
    let mut stores = Vec::new();
    for folder in &folders {
        let folder = fs::canonicalize(folder).map_err(|error| Diagnostic::io("cannot look into the project", folder, &error))?;
        let first = workdirs.len();
        find_workdirs(&folder, DEPTH, &mut workdirs);
        // Its commands keep the store in the run folder; some teams keep it at the top of the project.
        for holder in workdirs[first..].iter().chain([&folder]) {
            let store = holder.join(".closedloop-ai/learnings");
            if store.join("org-patterns.json").is_file() {
                stores.push((store, folder.clone()));
            }
        }
    }
    workdirs.sort_unstable();
    workdirs.dedup();
    stores.sort_unstable();
    stores.dedup();
    let global = global_learnings();
    let patterns = global.as_ref().map(|folder| folder.join(PATTERN_FILE)).filter(|path| path.is_file());
    if workdirs.is_empty() && patterns.is_none() && stores.is_empty() {
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
