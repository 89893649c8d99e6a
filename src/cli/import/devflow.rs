//! `outerloop import devflow`: the memory of a project.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::args::ImportDevflowArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, choose_project, leads_out, load};
use agent::import::devflow::{Account, Memory, import_memory};
use render::artifact::{Document, Topic};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The folder of the other system in a project.
const FOLDER: &str = ".memory";
/// The files that are read, in the order in which their events land.
const READ: [&str; 3] = ["learning-log.jsonl", ".learning-manifest.json", ".knowledge-usage.json"];
/// The files that are not, and why.
const LEFT: [(&str, &str); 8] = [
    ("learning-log.v1.jsonl.bak", "is not imported: this earlier format has no quality judgement"),
    ("knowledge/decisions.md", "stays in place: the log already lists its entries"),
    ("knowledge/pitfalls.md", "stays in place: the log already lists its entries"),
    ("learning.json", "is not imported: set these values with `outerloop learn configure`"),
    (".notifications.json", "is not imported: it is recomputed"),
    (".learning-session-count", "is not imported: Devflow will process its sessions"),
    (".learning-batch-ids", "is not imported: Devflow will process its sessions"),
    (".learning-response.tmp", "is not imported: it was never validated"),
];

/// Imports the memory of a project.
pub(super) fn run(workspace: &Workspace, options: &ImportDevflowArgs, printer: &Printer) -> Outcome<Exit> {
    let path = fs::canonicalize(&options.path).map_err(|error| Diagnostic::io("cannot import this", &options.path, &error))?;
    let root = if path.ends_with(FOLDER) { path.parent().unwrap_or(&path).to_path_buf() } else { path };
    let project = choose_project(workspace, options.project.as_deref(), &root)?;
    let found = Found::load(&root)?;
    if found.files.iter().all(Option::is_none) && found.outside.is_empty() {
        return Err(Diagnostic::edit(
            "no Devflow data found here",
            "name a project's folder that holds .memory/learning-log.jsonl",
        )
        .at(&options.path));
    }
    let import = found.import(&root, &options.path, &project);
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    import.finish(workspace, &root, &project, mode, printer)
}

/// Whether an artifact is still there. In a checkout without the folder of artifacts nobody can say.
fn is_there(root: &Path, path: &str, anchor: Option<&str>) -> Option<bool> {
    let folder = path.split('/').next()?;
    if !root.join(folder).is_dir() || leads_out(&root.join(path), root) {
        return None;
    }
    let Some(topic) = Topic::ALL.into_iter().find(|topic| topic.path() == path) else { return Some(root.join(path).exists()) };
    let Some(anchor) = anchor else { return Some(root.join(path).exists()) };
    let text = load(&root.join(path)).ok()?.map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Some(Document::parse(topic, text).sections().iter().any(|section| section.anchor == anchor))
}

/// The files of a project's memory.
#[derive(Default)]
struct Found {
    files: [Option<Vec<u8>>; READ.len()],
    left: Vec<(PathBuf, &'static str)>,
    outside: Vec<PathBuf>,
}

impl Found {
    fn load(root: &Path) -> Outcome<Self> {
        let mut found = Self::default();
        let folder = root.join(FOLDER);
        if leads_out(&folder, root) {
            found.outside.push(folder);
            return Ok(found);
        }
        for (file, name) in found.files.iter_mut().zip(READ) {
            let path = folder.join(name);
            if leads_out(&path, root) {
                found.outside.push(path);
            } else if fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
                *file = load(&path)?.map(|(bytes, _)| bytes);
            }
        }
        let left = LEFT.into_iter().map(|(name, why)| (folder.join(name), why));
        found.left.extend(left.filter(|(path, _)| path.symlink_metadata().is_ok()));
        Ok(found)
    }

    fn import(self, root: &Path, named: &Path, project: &str) -> Import {
        let [log, manifest, usage] = &self.files;
        let memory = Memory { log: log.as_deref(), manifest: manifest.as_deref(), usage: usage.as_deref() };
        // What was written down may follow a link that this path does not.
        let named = std::path::absolute(named).unwrap_or_else(|_| named.to_path_buf());
        let named = if named.ends_with(FOLDER) { named.parent().unwrap_or(&named).to_path_buf() } else { named };
        let roots: Vec<&str> = [root, &named].into_iter().filter_map(Path::to_str).map(|root| root.trim_end_matches('/')).collect();
        let Account { log, manifest, usage } = import_memory(memory, &roots, project, &|path, anchor| is_there(root, path, anchor));
        let parts = READ.into_iter().zip([log, manifest, usage]);
        let parts = parts.filter_map(|(name, imported)| Some(Part::new(root.join(FOLDER).join(name), imported?)));
        Import { left: self.left, outside: self.outside, ..Import::in_order_of_files(parts.collect()) }
    }
}
