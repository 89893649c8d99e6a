//! Where a project lies, and what it is called.

use std::env;
use std::fs::{File, Permissions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::args::PlaceArgs;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::durable;
use crate::event::fit;
use crate::iteration::name_project;
use crate::setting::load_settings;
use crate::workspace::{self, Workspace};

/// No file of a project's memory is larger.
const MOST_BYTES: u64 = 16 << 20;
/// How long others may be at work in the folder.
const PATIENCE: Duration = Duration::from_secs(10);

/// A project with its folder.
#[derive(Debug)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// The name under which its events land.
    pub project: String,
}

impl Place {
    /// Finds the project that is meant.
    pub fn find(workspace: &Workspace, options: &PlaceArgs) -> Outcome<Self> {
        let folder = options.folder.clone().or_else(|| project_folder(workspace));
        let folder = folder.filter(|folder| folder.is_dir()).ok_or_else(|| {
            let missing = Diagnostic::edit("the project's folder cannot be found", "name it with --project-folder");
            options.folder.as_deref().map_or_else(|| missing.clone(), |folder| missing.clone().at(folder))
        })?;
        let named = options.project.clone().map_or_else(|| Ok(name_project(workspace, &load_settings(workspace)?, &folder)), Ok)?;
        let project = fit::name(&named).ok_or_else(|| Diagnostic::edit("the project has no name", "name it with --project"))?;
        Ok(Self { folder, project })
    }

    /// Takes the project's folder for oneself, as whoever renders into it does.
    pub fn lock(&self) -> Outcome<File> {
        let failed = |error: io::Error| Diagnostic::io("cannot lock the project's folder", &self.folder, &error);
        let folder = File::open(&self.folder).map_err(failed)?;
        match durable::lock_within(&folder, PATIENCE) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let what = "another process is at work in the project's folder";
                Err(Diagnostic::new(Exit::Machine, what, "let it finish, then run the command again").at(&self.folder))
            }
            locked => locked.map_err(failed).map(|()| folder),
        }
    }

    /// A file of the project's memory; none if it is not there.
    pub fn read(&self, name: &str) -> Outcome<Option<(Vec<u8>, Permissions)>> {
        let path = self.folder.join(name);
        let failed = |error: io::Error| Diagnostic::io("cannot read the file of the project", &path, &error);
        let file = match durable::open_regular(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        let permissions = file.metadata().map_err(failed)?.permissions();
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(Diagnostic::edit("the file of the project is larger than 16 MiB", "look at what it holds").at(&path));
        }
        Ok(Some((bytes, permissions)))
    }
}

/// The project's folder: the one that holds the workspace, where that is called as usual; else the current one.
#[must_use]
pub fn project_folder(workspace: &Workspace) -> Option<PathBuf> {
    let root = std::path::absolute(workspace.root()).ok()?;
    let holder = root.parent().filter(|_| root.file_name().is_some_and(|name| name == workspace::FOLDER));
    holder.map(Path::to_path_buf).or_else(|| env::current_dir().ok())
}
