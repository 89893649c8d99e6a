//! Where a project lies and what it is called, and `outerloop learn dismiss`: notices about full knowledge files are hidden.

use std::fs::Permissions;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;

use super::StatusArgs;
use crate::args::PlaceArgs;
use crate::printer::Printer;
use agent::artifact::{find_root, take_lock};
use agent::iteration::name_project;
use render::Notices;
use setting::Settings;
use store::durable;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;

/// No file of a project's memory is larger.
const MOST_BYTES: u64 = 16 << 20;
/// How long others may be at work in a project's folder.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A project with its folder.
#[derive(Debug)]
pub(super) struct Place {
    pub folder: PathBuf,
    /// The name under which its events land.
    pub project: String,
}

impl Place {
    /// Finds the project that is meant.
    pub(super) fn find(workspace: &Workspace, settings: &Settings, options: &PlaceArgs) -> Outcome<Self> {
        let folder = options.folder.clone().unwrap_or_else(|| find_root(workspace.root(), &settings.artifact));
        if !folder.is_dir() {
            return Err(Diagnostic::edit("the project's folder cannot be found", "name it with --project-folder").at(&folder));
        }
        let named = options.project.name.clone().unwrap_or_else(|| name_project(workspace, settings, &folder));
        let project = fit::name(&named).ok_or_else(|| Diagnostic::edit("the project has no name", "name it with --project"))?;
        Ok(Self { folder, project })
    }

    /// A file of the project's memory; none if it is not there.
    pub(super) fn read(&self, name: &str) -> Outcome<Option<(Vec<u8>, Permissions)>> {
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

/// The file of notices in a project.
pub(super) const NOTICES: &str = ".memory/.notifications.json";

/// Dismisses the notices that stand.
pub(super) fn dismiss(workspace: &Workspace, options: &StatusArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let path = place.folder.join(NOTICES);
    let _lock = take_lock(&place.folder, PATIENCE)?;
    let mut dismissed = Vec::new();
    if let Some((bytes, permissions)) = place.read(NOTICES)? {
        let mut notices = Notices::parse(&bytes).map_err(|cause| {
            Diagnostic::edit("cannot read the notices", "repair or remove the file; the next entry rewrites it")
                .at(&path)
                .because(cause)
        })?;
        dismissed = notices.dismiss();
        if !dismissed.is_empty() {
            durable::replace_as(&path, notices.render().as_bytes(), Some(permissions))?;
        }
    }
    if options.output.json {
        let told: Vec<_> = dismissed.iter().map(|notice| json!({"file": notice.file, "threshold": notice.threshold})).collect();
        printer.line(&json!({ "dismissed": told }).to_string())?;
    }
    for notice in &dismissed {
        printer.note(&format!("{}: dismissed until it holds more than {} entries", notice.file, notice.threshold));
    }
    if dismissed.is_empty() {
        printer.note("no notices");
    }
    Ok(Exit::Done)
}
