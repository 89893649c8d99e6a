//! The steps around the lake: capturing lessons, having them classified, and pruning what is no longer needed.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::lock::without_readers;
use crate::classify::{self, Classified, PendingLesson};
use crate::clock;
use crate::cycle::Inquiry;
use crate::deadline::Deadline;
use crate::diagnostic::{Diagnostic, Outcome};
use crate::engine::{Horizon, Query, Rows, list_at, text_at};
use crate::import::closedloop::{Imported, import_acknowledgments, import_outcomes, import_perf, import_runs};
use crate::inbox::Recorder;
use crate::iteration::{self, Capture, Origin, known_project, project_of};
use crate::lake::{self, Limits};
use crate::repository::Repository;
use crate::retention::{self, InboxPruned, LakePruned, Log, Moment, PruneOptions, Pruned};
use crate::setting::{CompactSettings, Settings};
use crate::workspace::Workspace;

/// What a step captured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Captures {
    /// All folders together.
    pub capture: Capture,
    /// Folders that could not be looked at.
    pub problems: Vec<Diagnostic>,
}

/// What a step pruned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prunings {
    /// The folders of runs.
    pub workdirs: Vec<(PathBuf, Pruned)>,
    /// The inbox.
    pub inbox: InboxPruned,
    /// The lake.
    pub lake: LakePruned,
    /// Folders that could not be looked at.
    pub problems: Vec<Diagnostic>,
}

/// What is to be pruned.
#[derive(Debug, Clone, Copy)]
pub struct PruneTask<'t> {
    /// The folders of runs.
    pub workdirs: &'t [PathBuf],
    /// A run whose session stays.
    pub keep_run: Option<&'t str>,
    /// Whether nothing is changed.
    pub is_dry: bool,
    /// By when it must be done.
    pub deadline: Deadline,
}

/// The folders of runs that the settings name. A relative path starts at the workspace.
#[must_use]
pub fn workdirs(workspace: &Workspace, settings: &Settings) -> Vec<PathBuf> {
    settings.capture.workdirs.iter().map(|path| workspace.root().join(path)).collect()
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

/// The project of a folder: the one under which it was imported, else the workspace's; else as the folder of the other system's
/// runs is called, since its imported logs are called so too, and `default` for all others, as for events that name none.
#[must_use]
pub fn name_project(workspace: &Workspace, settings: &Settings, work: &Path) -> String {
    let own = || if is_foreign(work) { project_of(work) } else { "default".to_owned() };
    known_project(workspace, work).or_else(|| settings.project.clone()).unwrap_or_else(own)
}

fn is_foreign(work: &Path) -> bool {
    let path = std::path::absolute(work).unwrap_or_else(|_| work.to_path_buf());
    let is_inside = path.components().any(|part| part.as_os_str() == ".closedloop-ai");
    is_inside || iteration::learnings_of(work).is_dir() || work.join("runs.log").is_file()
}

/// Has all lessons classified that wait for it. Answers land in the inbox.
pub fn classify_waiting(
    workspace: &Workspace,
    settings: &Settings,
    deadline: Deadline,
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Classified> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, deadline)?;
    let lessons = inquiry.load(Query::Pending, parse_pending)?;
    if lessons.is_empty() {
        return Ok(Classified::default());
    }
    drop(inquiry);
    let task = classify::Task { workspace, settings, deadline, now: clock::now(), known: &known_patterns(workspace) };
    classify_by_parts(&task, &lessons, report)
}

/// Lands the answers of each call before the next is made: whoever is killed in between has nothing to ask twice.
fn classify_by_parts(
    task: &classify::Task<'_>,
    lessons: &[PendingLesson],
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Classified> {
    /// After so many failures in a row, the next call would fail too.
    const MOST_FAILURES: usize = 3;
    let is_asked = !task.settings.classify.command.is_empty();
    let size = if is_asked { task.settings.classify.lessons_per_call.max(1) } else { lessons.len() };
    let (mut sum, mut failures, mut done) = (Classified::default(), 0, 0);
    for part in lessons.chunks(size) {
        let base = done;
        done += part.len();
        if failures == MOST_FAILURES || task.deadline.is_over() {
            sum.left += part.len();
            continue;
        }
        let classified = classify::classify_all(task, part, &mut |own, _| report(base + own, lessons.len()))?;
        failures = if classified.calls > 0 && classified.left == part.len() { failures + 1 } else { 0 };
        land_answers(task.workspace, classified, &mut sum)?;
    }
    if failures == MOST_FAILURES {
        sum.warnings.push(format!("the classifier failed {MOST_FAILURES} times in a row and is left alone until the next run"));
    }
    Ok(sum)
}

fn land_answers(workspace: &Workspace, classified: Classified, sum: &mut Classified) -> Outcome<()> {
    let mut recorder = Recorder::new(workspace)?;
    for line in &classified.lines {
        if let Err(rejection) = recorder.take_line(line) {
            sum.left += 1;
            sum.warnings.push(format!("an answer was refused at the door: {rejection}"));
        }
    }
    recorder.land()?;
    sum.approved += classified.approved;
    sum.reworded += classified.reworded;
    sum.rejected += classified.rejected;
    sum.left += classified.left;
    sum.calls += classified.calls;
    for warning in classified.warnings {
        if !sum.warnings.contains(&warning) {
            sum.warnings.push(warning);
        }
    }
    Ok(())
}

/// What the published patterns say, best first. Where none can be read, a classifier does without.
fn known_patterns(workspace: &Workspace) -> Vec<String> {
    let current = crate::publish::find_current(workspace).ok().flatten();
    let bytes = current.and_then(|generation| generation.read(crate::setting::PATTERN_FILE).ok());
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    crate::render::toon::parse_toon(&text).rows.into_iter().map(|located| located.row.summary).collect()
}

/// Reads the rows of `sql/pending.sql`.
pub fn parse_pending(rows: &Rows) -> Outcome<Vec<PendingLesson>> {
    let mut lessons = Vec::with_capacity(rows.count());
    for part in rows.parts() {
        let (ids, projects, agents) = (part.texts("id")?, part.texts("project")?, part.texts("agent")?);
        let (summaries, whats, whys, fixes) = (part.texts("summary")?, part.texts("what")?, part.texts("why")?, part.texts("fix")?);
        let (triggers, categories) = (part.texts("trigger")?, part.texts("category")?);
        let (scopes, repos, contexts) = (part.texts("scope")?, part.texts("repo")?, part.texts("context")?);
        let homes = part.texts("repo_name")?;
        let (agents_for, tags, citations) = (part.lists("applies_to")?, part.lists("tags")?, part.lists("citations")?);
        for row in 0..part.len() {
            lessons.push(PendingLesson {
                id: text_at(ids, row).unwrap_or_default(),
                project: text_at(projects, row).unwrap_or_default(),
                agent: text_at(agents, row),
                summary: text_at(summaries, row).unwrap_or_default(),
                what: text_at(whats, row),
                why: text_at(whys, row),
                fix: text_at(fixes, row),
                trigger: text_at(triggers, row),
                category: text_at(categories, row),
                scope: text_at(scopes, row),
                repo: text_at(repos, row),
                applies_to: list_at(agents_for, row),
                tags: list_at(tags, row),
                citations: list_at(citations, row),
                context_file: text_at(contexts, row).and_then(|context| file_of(&context)),
                repo_name: text_at(homes, row),
                repo_top: None,
            });
        }
    }
    Ok(lessons)
}

fn file_of(context: &str) -> Option<String> {
    let context: serde_json::Value = serde_json::from_str(context).ok()?;
    context.get("file")?.as_str().map(str::to_owned)
}

/// Prunes the folders of runs, the inbox and the lake. Only the holder of the lock may.
pub fn prune_all(workspace: &Workspace, settings: &Settings, task: PruneTask<'_>) -> Outcome<Prunings> {
    let now = clock::now();
    let mut prunings = Prunings::default();
    for work in task.workdirs {
        task.deadline.check()?;
        match prune_one(workspace, settings, work, task, now) {
            Ok(pruned) => prunings.workdirs.push((work.clone(), pruned)),
            Err(problem) => prunings.problems.push(problem),
        }
    }
    let has_landed = prunings.workdirs.iter().any(|(_, pruned)| !pruned.rotated.is_empty());
    if has_landed && !task.is_dry && settings.retention.lake_days > 0 {
        // What was landed just now may belong to days that are about to be closed.
        let CompactSettings { batch_kib, held_ids } = settings.compact;
        let limits = Limits { batch_bytes: u64::from(batch_kib) << 10, held_ids, rules: settings.run };
        lake::compact(workspace, limits, |_| task.deadline.check())?;
    }
    prunings.inbox = retention::prune_inbox(workspace, settings.retention.inbox_days, now, task.is_dry)?;
    let mut alone = |work: &mut dyn FnMut() -> Outcome<()>| without_readers(workspace, work).map(|_| ());
    prunings.lake =
        retention::prune_lake(workspace, settings, Moment { now, deadline: task.deadline, is_dry: task.is_dry }, &mut alone)?;
    Ok(prunings)
}

fn prune_one(workspace: &Workspace, settings: &Settings, work: &Path, task: PruneTask<'_>, now: Timestamp) -> Outcome<Pruned> {
    let policy = retention::load_policy(&settings.retention, workspace.root(), work)?;
    let options = PruneOptions { protect_run: task.keep_run, is_dry: task.is_dry, now };
    let project = name_project(workspace, settings, work);
    retention::prune_workdir(work, &policy, &options, &mut |log, text| land_log(workspace, &project, log, text))
}

/// Lands what a log says before a part of it is dropped. What was landed before is recognised by its ids.
fn land_log(workspace: &Workspace, project: &str, log: Log, text: &[u8]) -> Outcome<()> {
    let imported: Imported = match log {
        Log::Outcomes => import_outcomes(text, project),
        Log::Acknowledgments => import_acknowledgments(text, project),
        Log::Runs => import_runs(text, project),
        Log::Perf => import_perf(text, project),
    };
    let mut recorder = Recorder::new(workspace)?;
    for line in &imported.lines {
        // A row that the door refuses was left out by every import before this one too.
        let _ = recorder.take_line(line);
        if recorder.is_full() {
            recorder.land()?;
        }
    }
    recorder.land()
}
