//! Where a project lies, and what it is called.

use std::fs::Permissions;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use crate::args::PlaceArgs;
use agent::artifact::find_root;
use agent::iteration::name_project;
use setting::Settings;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit;

/// No file of a project's memory is larger.
const MOST_BYTES: u64 = 16 << 20;
/// How long others may be at work in a project's folder.
pub const PATIENCE: Duration = Duration::from_secs(10);

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
    pub fn find(workspace: &Workspace, settings: &Settings, options: &PlaceArgs) -> Outcome<Self> {
        let folder = options.folder.clone().unwrap_or_else(|| find_root(workspace.root(), &settings.artifact));
        if !folder.is_dir() {
            return Err(Diagnostic::edit("the project's folder cannot be found", "name it with --project-folder").at(&folder));
        }
        let named = options.project.clone().unwrap_or_else(|| name_project(workspace, settings, &folder));
        let project = fit::name(&named).ok_or_else(|| Diagnostic::edit("the project has no name", "name it with --project"))?;
        Ok(Self { folder, project })
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
            return Err(Diagnostic::edit("the file of the project is larger than 16 MiB", "check its contents").at(&path));
        }
        Ok(Some((bytes, permissions)))
    }
}
