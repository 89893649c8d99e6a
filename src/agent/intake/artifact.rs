//! Artifacts of a workspace: which folder, which observations, and where what happened lands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::artifact;
use crate::artifact::{Report, Said, Task, find_root, has_artifacts};
use crate::iteration::name_project;
use crate::published::load_observations;
use crate::transcript::Mentions;
use learn::observation::ObservationScore;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::publish::load_current;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

const MOST_PROJECTS: usize = 10;

/// Which folder is meant, and how it is treated.
#[derive(Debug, Clone, Copy)]
pub struct ArtifactOptions<'o> {
    pub settings: &'o Settings,
    /// The project's folder, if not the one of the settings.
    pub folder: Option<&'o Path>,
    /// The project, if not the workspace's.
    pub project: Option<&'o str>,
    /// Whether nothing is written and nothing lands.
    pub is_dry: bool,
    /// The instant, if it is not the clock's.
    pub now: Option<Timestamp>,
}

impl ArtifactOptions<'_> {
    fn root(&self, workspace: &Workspace) -> PathBuf {
        let root = self.folder.map_or_else(|| find_root(workspace.root(), &self.settings.artifact), Path::to_path_buf);
        // Texts name files by their whole paths, and a run may be started anywhere.
        std::path::absolute(&root).unwrap_or(root)
    }

    /// The project: as the hooks of its sessions and its imports call it.
    fn project(&self, workspace: &Workspace, root: &Path) -> String {
        self.project.map_or_else(|| name_project(workspace, self.settings, root), str::to_owned)
    }
}

/// The observations of the published generation; none before the first.
pub fn load_rows(workspace: &Workspace) -> Outcome<Vec<ObservationScore>> {
    load_current(workspace)?.map_or(Ok(Vec::new()), |generation| load_observations(&generation))
}

/// Notices what people did to artifacts.
pub fn reconcile_folder(workspace: &Workspace, options: ArtifactOptions<'_>) -> Outcome<Report> {
    let rows = load_rows(workspace)?;
    with_task(workspace, options, |task, land| {
        let rows = artifact::word_rows(workspace, task, &rows, false, land)?.rows;
        let mut report = artifact::reconcile(task, &rows, land)?;
        report.remarks.extend(tell_projects(&rows, task.project));
        Ok(report)
    })
}

/// Notices what people did to artifacts, and renders what is ready.
pub fn render_folder(workspace: &Workspace, options: ArtifactOptions<'_>) -> Outcome<Report> {
    let rows = load_rows(workspace)?;
    with_task(workspace, options, |task, land| {
        if !task.is_dry {
            artifact::sweep(task, land)?;
        }
        let worded = artifact::word_rows(workspace, task, &rows, true, land)?;
        let mut report = artifact::render(task, &worded.rows, land)?;
        report.remarks.extend(worded.remarks);
        if task.is_dry {
            report.differences.splice(0..0, worded.differences);
        }
        report.remarks.extend(tell_projects(&rows, task.project));
        Ok(report)
    })
}

/// Where all observations are of other projects, somebody may have meant one of these.
fn tell_projects(rows: &[ObservationScore], project: &str) -> Option<String> {
    let projects: BTreeSet<&str> = rows.iter().map(|row| &*row.project).collect();
    if projects.is_empty() || projects.contains(project) {
        return None;
    }
    let known: Vec<&str> = projects.into_iter().take(MOST_PROJECTS).collect();
    Some(format!(
        "project {project} has no observations; projects with some: {}; choose one with --project or the setting `project`",
        known.join(", ")
    ))
}

/// Lands what an agent's text says about artifacts.
pub fn cite_text(workspace: &Workspace, options: ArtifactOptions<'_>, text: &str, session: Option<&str>) -> Outcome<Said> {
    with_task(workspace, options, |task, land| artifact::cite(task, text, session, land))
}

/// Lands what a session says about artifacts.
pub fn cite_session(workspace: &Workspace, options: ArtifactOptions<'_>, said: &Mentions, session: &str) -> Outcome<Said> {
    with_task(workspace, options, |task, land| artifact::cite_session(task, said, session, land))
}

/// The step of a job. Renders only where somebody wants it: the settings name a folder, or the folder has artifacts or an agent's
/// settings already.
pub fn render_ready(workspace: &Workspace, settings: &Settings) -> Outcome<Report> {
    let root = find_root(workspace.root(), &settings.artifact);
    let is_wanted = settings.artifact.root.is_some() || has_artifacts(&root);
    if !settings.artifact.render || !is_wanted {
        return Ok(Report::default());
    }
    render_folder(workspace, ArtifactOptions { settings, folder: None, project: None, is_dry: false, now: None })
}

fn with_task<T>(
    workspace: &Workspace,
    options: ArtifactOptions<'_>,
    act: impl FnOnce(Task<'_>, artifact::Land<'_>) -> Outcome<T>,
) -> Outcome<T> {
    let (root, memory) = (options.root(workspace), workspace.artifacts());
    let project = options.project(workspace, &root);
    let task = Task {
        root: &root,
        memory: &memory,
        project: &project,
        now: options.now.unwrap_or_else(clock::now),
        settings: &options.settings.artifact,
        is_dry: options.is_dry,
    };
    let mut recorder = Recorder::with_rules(workspace, options.settings.run);
    act(task, &mut |lines| {
        recorder.take_own(lines)?;
        recorder.land()
    })
}
