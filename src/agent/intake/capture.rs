//! Capturing the lessons that agents left in the folders of runs.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::iteration::{self, Capture, Origin, name_project};
use crate::repository::Repository;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// What a step captured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Captures {
    /// All folders together.
    pub capture: Capture,
    /// Folders that could not be looked at.
    pub problems: Vec<Diagnostic>,
}

/// The folders of runs that the settings name. A relative path starts at the workspace.
pub fn workdirs(workspace: &Workspace, settings: &Settings) -> Vec<PathBuf> {
    settings.capture.workdirs.iter().map(|path| workspace.root().join(path)).collect()
}

/// Those of them that no other tool works with: what is captured there is moved, and what is old is pruned.
pub fn own_workdirs(workspace: &Workspace, settings: &Settings) -> Vec<PathBuf> {
    if settings.capture.beside { Vec::new() } else { workdirs(workspace, settings) }
}

/// Captures the lessons of all folders of runs. One that cannot be looked at does not keep the others from it.
pub fn capture_all(workspace: &Workspace, settings: &Settings, folders: &[PathBuf], project: Option<&str>) -> Outcome<Captures> {
    let mut captures = Captures::default();
    let now = clock::now();
    for work in folders {
        match capture_one(workspace, settings, work, project, now) {
            Ok(capture) => captures.capture.add(capture),
            Err(problem) => captures.problems.push(problem),
        }
    }
    Ok(captures)
}

fn capture_one(workspace: &Workspace, settings: &Settings, work: &Path, project: Option<&str>, now: Timestamp) -> Outcome<Capture> {
    if !work.is_dir() {
        return Err(Diagnostic::edit(
            "a folder to capture lessons from does not exist",
            "correct the setting `capture.workdirs`, or create the folder",
        )
        .at(work));
    }
    let project = project.map_or_else(|| name_project(workspace, settings, work), str::to_owned);
    // Without git there is no repository in which strays could lie.
    let repository = Repository::find(work).ok().flatten();
    let mut recorder = Recorder::new(workspace)?;
    let repo = repository.as_ref().and_then(|repository| repository.name().ok());
    let origin = Origin { project: &project, repo: repo.as_deref(), top: repository.as_ref().map(Repository::top) };
    iteration::capture(work, &origin, now, &mut recorder)
}
