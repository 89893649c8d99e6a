//! What a project is called by the folder that its runs work in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::capture::learnings_of;
use setting::Settings;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// The project of a folder: the one under which it was imported, else the workspace's; else as the folder of the other system's
/// runs is called, since its imported logs are called so too, and `default` for all others, as for events that name none.
pub fn name_project(workspace: &Workspace, settings: &Settings, work: &Path) -> String {
    let own = || if is_foreign(work) { project_of(work) } else { "default".to_owned() };
    known_project(workspace, work).or_else(|| settings.project.clone()).unwrap_or_else(own)
}

/// The name of the folder that holds `.closedloop-ai`, or the work directory's own.
pub fn project_of(work: &Path) -> String {
    let work = std::path::absolute(work).unwrap_or_else(|_| work.to_path_buf());
    let holder = work.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".closedloop-ai"));
    let folder = holder.and_then(Path::parent).unwrap_or(&work);
    folder.file_name().map_or_else(|| "default".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The project under which a folder's logs were imported. The ids of imported rows hold it: under another name they would
/// count again.
pub fn known_project(workspace: &Workspace, work: &Path) -> Option<String> {
    load(workspace).remove(&key(work)?)
}

/// Remembers the project under which a folder's logs were imported.
pub fn remember_project(workspace: &Workspace, work: &Path, project: &str) -> Outcome<()> {
    let Some(key) = key(work) else { return Ok(()) };
    let mut known = load(workspace);
    if known.get(&key).is_some_and(|known| known == project) {
        return Ok(());
    }
    known.insert(key, project.to_owned());
    let text =
        serde_json::to_vec_pretty(&known).map_err(|error| Diagnostic::bug(format!("the projects cannot be written: {error}")))?;
    durable::replace(&path(workspace), &text)
}

fn is_foreign(work: &Path) -> bool {
    let path = std::path::absolute(work).unwrap_or_else(|_| work.to_path_buf());
    let is_inside = path.components().any(|part| part.as_os_str() == ".closedloop-ai");
    is_inside || learnings_of(work).is_dir() || work.join("runs.log").is_file()
}

fn path(workspace: &Workspace) -> PathBuf {
    workspace.root().join("workdirs.json")
}

/// What is remembered; nothing where it cannot be read, since every name can be given anew.
fn load(workspace: &Workspace) -> BTreeMap<String, String> {
    fs::read(path(workspace)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// One name for a folder, however it is spelled; its `.learnings` is the same folder.
fn key(work: &Path) -> Option<String> {
    let folder = fs::canonicalize(work).ok()?;
    let folder = if folder.ends_with(".learnings") { folder.parent()?.to_path_buf() } else { folder };
    folder.to_str().map(str::to_owned)
}
