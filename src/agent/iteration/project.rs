//! What a project is called by the folder that its runs work in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::capture::learnings_of;
use crate::artifact::find_root;
use crate::repository::{identity_around, project_around};
use setting::{Compat, Settings};
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;
use text::fit;

/// The project of what belongs to none.
pub const DEFAULT_PROJECT: &str = "default";

/// How many digits tell work folders of one name apart.
const DIGITS: usize = 8;

/// The project of a folder, wherever somebody asks: the one under which it was imported; else the setting `project`, which names the
/// repository that holds the workspace, and folders that are in none; else its repository's; else a work folder of the other system is
/// called by its name and what tells it from others of that name; and `default` is everything else, as for events that name none.
/// Where the other system is reproduced, its work folders are called as its logs call them, by their name alone.
#[must_use]
pub fn name_project(workspace: &Workspace, settings: &Settings, work: &Path) -> String {
    if let Some(known) = known_project(workspace, work) {
        return known;
    }
    let identity = identity_around(work);
    let named = settings.project.clone().filter(|_| identity.is_none() || identity == identity_around(workspace.root()));
    let is_original = settings.compat == Compat::ClosedLoop;
    let original = || (is_original && is_foreign(work)).then(|| project_of(work));
    let foreign = || is_foreign(work).then(|| project_apart(work));
    named.or_else(original).or_else(|| project_around(work)).or_else(foreign).unwrap_or_else(|| DEFAULT_PROJECT.to_owned())
}

/// The same, and where nothing names one, the folder's own name and what tells it from others of that name: what is imported or shared
/// belongs to somebody.
#[must_use]
pub fn name_folder(workspace: &Workspace, settings: &Settings, folder: &Path) -> String {
    let name = name_project(workspace, settings, folder);
    if name == DEFAULT_PROJECT { project_apart(folder) } else { name }
}

/// The name of a folder, and what tells it from others of that name.
fn project_apart(work: &Path) -> String {
    let holder = holder_of(work);
    let place = fs::canonicalize(&holder).unwrap_or(holder);
    let name = format!("{}-{}", project_of(work), &sha256(place.to_string_lossy().as_bytes())[..DIGITS]);
    fit::name(&name).unwrap_or_else(|| DEFAULT_PROJECT.to_owned())
}

/// The project of a session that worked in a folder, wherever the workspace is. The workspace's project has one name; every other
/// folder names its own, and the worktrees of a repository are one project.
#[must_use]
pub fn name_session_project(workspace: &Workspace, settings: &Settings, folder: &Path) -> String {
    let home = find_root(workspace.root(), &settings.artifact);
    let home = fs::canonicalize(&home).unwrap_or(home);
    let place = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    // What is gone can only be named by its path.
    if place.starts_with(&home) || known_project(workspace, folder).is_some() || identity_around(&place).is_some() {
        return name_project(workspace, settings, folder);
    }
    let repository = place.ancestors().find(|above| above.join(".git").is_dir()).unwrap_or(&place);
    let is_worktrees = |part: &Path| part.file_name().is_some_and(|name| name == ".worktrees" || name == "worktrees");
    let main = repository.ancestors().find(|above| is_worktrees(above)).and_then(Path::parent);
    let main = main.map(|main| if main.ends_with(".claude") { main.parent().unwrap_or(main) } else { main });
    project_apart(main.unwrap_or(repository))
}

/// The name of the folder that holds `.closedloop-ai`, or the work directory's own.
fn project_of(work: &Path) -> String {
    holder_of(work).file_name().map_or_else(|| DEFAULT_PROJECT.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The folder that a work directory belongs to. Its `.learnings` is the same folder.
fn holder_of(work: &Path) -> PathBuf {
    let work = std::path::absolute(work).unwrap_or_else(|_| work.to_path_buf());
    let work = if work.ends_with(".learnings") { work.parent().unwrap_or(&work) } else { &work };
    let holder = work.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".closedloop-ai"));
    holder.and_then(Path::parent).unwrap_or(work).to_path_buf()
}

/// The project under which a folder's logs were imported. The ids of imported rows hold it: under another name they would
/// count again.
#[must_use]
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
