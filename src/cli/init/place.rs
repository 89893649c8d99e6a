//! Where Claude Code keeps the settings and servers of a project.

use std::path::{Path, PathBuf};

use super::Way;
use super::claude::{Claude, hooks_in};
use super::document::Part;
use store::workspace::{self, Workspace};
use text::diagnostic::{Diagnostic, Outcome};

/// The folder of Claude Code in a project.
pub(super) const FOLDER: &str = ".claude";
/// The settings that a project shares, and those of one person.
pub(super) const TEAM: &str = "settings.json";
const OWN: &str = "settings.local.json";
/// The servers that a project shares.
const SERVERS: &str = ".mcp.json";

/// The project that a workspace belongs to.
pub(super) struct Project {
    pub(super) folder: PathBuf,
    /// The workspace.
    root: PathBuf,
    /// Whether the folder is the workspace's own, and not merely where the command was started.
    is_own: bool,
}

impl Project {
    pub(super) fn of(workspace: &Workspace) -> Outcome<Self> {
        let root = absolute(workspace.root())?;
        let own = root.file_name().is_some_and(|name| name == workspace::FOLDER).then(|| root.parent()).flatten();
        let (folder, is_own) = match own {
            Some(folder) => (folder.to_path_buf(), true),
            None => (absolute(Path::new(""))?, false),
        };
        Ok(Self { folder, root, is_own })
    }

    /// The settings that get our hooks: those that are named, or those of the way.
    pub(super) fn settings(self, way: Way, named: Option<&Path>) -> Outcome<Claude> {
        let file = match named {
            Some(named) => absolute(named)?,
            None => self.settings_file(way),
        };
        self.file(Part::Hooks, file)
    }

    /// The servers that the project shares.
    pub(super) fn servers(self) -> Outcome<Claude> {
        let file = self.folder.join(SERVERS);
        self.file(Part::Server, file)
    }

    /// The settings for a way. Where nobody says which, hooks that are there stay where they are: two copies would run twice.
    pub(super) fn settings_file(&self, way: Way) -> PathBuf {
        let [team, own] = [TEAM, OWN].map(|name| self.folder.join(FOLDER).join(name));
        match way {
            Way::Team => team,
            Way::AsBefore if hooks_in(&own).is_empty() && !hooks_in(&team).is_empty() => team,
            Way::Own | Way::Plugin | Way::AsBefore => own,
        }
    }

    fn file(self, part: Part, file: PathBuf) -> Outcome<Claude> {
        let Some(folder) = file.parent().map(Path::to_path_buf).filter(|_| file.file_name().is_some()) else {
            return Err(Diagnostic::edit("this is not a settings file", "name a file with --claude-settings").at(&file));
        };
        let unreadable =
            || Diagnostic::edit("the workspace's path is not Unicode", "choose another path with --root").at(&self.root);
        let root = if self.is_own && finds_workspace(&folder, &self.folder) {
            None
        } else {
            Some(self.root.to_str().ok_or_else(unreadable)?.to_owned())
        };
        Ok(Claude { part, file, folder, root })
    }
}

fn absolute(path: &Path) -> Outcome<PathBuf> {
    // An empty path is where the command was started, which only its components say.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_err(|error| {
        Diagnostic::edit("cannot resolve the path", "name another file with --claude-settings").at(path).because(error)
    })
}

/// Whether the program finds the workspace of a project by itself where the settings of a folder count.
fn finds_workspace(folder: &Path, project: &Path) -> bool {
    // Links and steps upwards may lead out of the project. Only the last folder of a path may be missing.
    let real = folder.canonicalize().ok().or_else(|| folder.parent()?.canonicalize().ok());
    let (Some(folder), Ok(project)) = (real, project.canonicalize()) else { return folder.starts_with(project) };
    let mut between = folder.ancestors().take_while(|ancestor| *ancestor != project);
    folder.starts_with(&project) && !between.any(|ancestor| ancestor.join(workspace::FOLDER).is_dir())
}
