//! The steps around the lake: capturing lessons, observing sessions, having lessons classified, having texts turned into vectors,
//! and pruning what is no longer needed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::retention;
use crate::retention::{InboxPruned, LakePruned, Log, Moment, PruneOptions, Pruned};
use agent::classify::{Classified, parse_pending};
use agent::embed::{Embedded, Text};
use agent::import::closedloop::{Imported, import_acknowledgments, import_outcomes, import_perf, import_runs};
use agent::iteration::name_project;
use agent::published::load_role_scores;
use agent::{classify, embed};
use engine::Horizon;
use engine::cycle::Inquiry;
use event::Kind;
use learn::role::RoleScore;
use render::compare_roles;
use setting::{CompactSettings, Settings};
use store::deadline::Deadline;
use store::inbox::Recorder;
use store::lake::Limits;
use store::lock::without_readers;
use store::publish::find_current;
use store::workspace::Workspace;
use store::{clock, lake};
use text::diagnostic::{Diagnostic, Outcome};

/// What a step pruned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prunings {
    pub workdirs: Vec<(PathBuf, Pruned)>,
    pub inbox: InboxPruned,
    pub lake: LakePruned,
    /// Folders that could not be looked at.
    pub problems: Vec<Diagnostic>,
}

#[derive(Debug, Clone, Copy)]
pub struct PruneTask<'t> {
    pub workdirs: &'t [PathBuf],
    /// A run whose session stays.
    pub keep_run: Option<&'t str>,
    pub is_dry: bool,
    /// By when it must be done.
    pub deadline: Deadline,
}

/// How the inbox is taken.
pub(super) fn limits(settings: &Settings) -> Limits {
    let CompactSettings { batch_kib, held_ids } = settings.compact;
    Limits { batch_bytes: u64::from(batch_kib) << 10, held_ids, rules: settings.run }
}

/// Has all lessons classified that wait for it. Answers land in the inbox.
pub fn classify_waiting(
    workspace: &Workspace,
    settings: &Settings,
    deadline: Deadline,
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Classified> {
    let inquiry = Inquiry::open(workspace, Horizon::EVERYTHING, deadline)?;
    let lessons = inquiry.load("pending", parse_pending)?;
    if lessons.is_empty() {
        return Ok(Classified::default());
    }
    drop(inquiry);
    let task = classify::Task { workspace, settings, deadline, now: clock::now(), known: &known_patterns(workspace) };
    let mut refusals = Vec::new();
    let mut land = |lines: Vec<String>| land_answers(workspace, &lines, &mut refusals);
    let mut classified = classify::classify_all(&task, &lessons, &mut land, report)?;
    classified.left += refusals.len();
    classified.warnings.extend(refusals);
    tell_once(&mut classified.warnings);
    Ok(classified)
}

/// A command that fails now and then mostly fails for one reason, which need not be told each time.
fn tell_once(warnings: &mut Vec<String>) {
    let mut told = HashSet::new();
    warnings.retain(|warning| told.insert(warning.clone()));
}

/// Creates vectors of role patterns that are in use and have none, and ingests the answers into the lake, where
/// they are looked for. Without a command nothing is looked at.
pub fn embed_waiting(
    workspace: &Workspace,
    settings: &Settings,
    deadline: Deadline,
    report: &mut dyn FnMut(usize, usize),
) -> Outcome<Embedded> {
    if settings.embed.command.is_empty() {
        return Ok(Embedded::default());
    }
    let Some(current) = find_current(workspace)? else { return Ok(Embedded::default()) };
    let texts = texts_without_vector(workspace, load_role_scores(&current)?, &settings.embed.model)?;
    if texts.is_empty() {
        return Ok(Embedded::default());
    }
    let task = embed::Task { workspace, settings: &settings.embed, deadline, now: clock::now() };
    let mut refusals = Vec::new();
    let mut land = |lines: Vec<String>| land_answers(workspace, &lines, &mut refusals);
    let mut embedded = embed::embed_all(&task, &texts, &mut land, report)?;
    if embedded.vectors > 0 {
        lake::compact(workspace, limits(settings), |_| deadline.check())?;
    }
    embedded.vectors = embedded.vectors.saturating_sub(refusals.len());
    embedded.left += refusals.len();
    embedded.warnings.extend(refusals);
    tell_once(&mut embedded.warnings);
    Ok(embedded)
}

/// The texts of patterns in use that have no vector of a model, each once for a project; of those that are worth most first, for the
/// calls of a day may not do for all. A vector that names no model is taken for one of this.
fn texts_without_vector(workspace: &Workspace, mut scores: Vec<RoleScore>, model: &str) -> Outcome<Vec<Text>> {
    let mut known: HashSet<(String, String)> = HashSet::new();
    lake::read_texts(workspace, Kind::Embedding, ["project", "text_hash", "model"], |[project, text_hash, of]| {
        if of.is_empty() || of == model {
            known.insert((project.to_owned(), text_hash.to_owned()));
        }
    })?;
    scores.retain(RoleScore::is_in_use);
    scores.sort_by(compare_roles);
    let is_new = |score: &RoleScore| known.insert((score.project.clone(), score.text_hash.clone()));
    let new = scores.into_iter().filter(is_new);
    Ok(new.map(|RoleScore { project, text_hash, text, .. }| Text { project, text_hash, text }).collect())
}

/// Lands answers, but for those that the door refuses.
fn land_answers(workspace: &Workspace, lines: &[String], refusals: &mut Vec<String>) -> Outcome<()> {
    let mut recorder = Recorder::new(workspace)?;
    for line in lines {
        if let Err(rejection) = recorder.take_line(line) {
            refusals.push(format!("an answer was refused: {rejection}"));
        }
    }
    recorder.land()
}

/// What the published patterns say, best first. Where none can be read, a classifier does without.
fn known_patterns(workspace: &Workspace) -> Vec<String> {
    let current = store::publish::find_current(workspace).ok().flatten();
    let bytes = current.and_then(|generation| generation.read(setting::PATTERN_FILE).ok());
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    render::toon::parse_toon(&text).rows.into_iter().map(|located| located.row.summary).collect()
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
    if !task.is_dry && settings.retention.lake_days > 0 {
        // What lies in the inbox may belong to days that are about to be closed, and would be too late from then on.
        lake::compact(workspace, limits(settings), |_| task.deadline.check())?;
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
