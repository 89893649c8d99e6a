//! Pruning a run's folder: sessions, rows of finished runs, long logs and archived files.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::lock::{self, Taking};
use super::policy::Policy;
use super::rotation::{Land, Log, Place, Rotated, rotate};
use super::session;
use text::diagnostic::{Diagnostic, Outcome};

/// How a run's folder is pruned.
#[derive(Debug, Clone, Copy)]
pub struct PruneOptions<'o> {
    /// The run whose session stays, whatever its age.
    pub protect_run: Option<&'o str>,
    pub is_dry: bool,
    /// The time that ages are counted to.
    pub now: Timestamp,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Why nothing was looked at.
    pub skipped: Option<String>,
    pub sessions_removed: u64,
    /// Rows of `runs.log` that went because their runs are beyond the limit of runs.
    pub runs_rows_dropped: u64,
    /// Logs that were shortened. The dropped lines of `runs.log` include those that went with their runs.
    pub rotated: Vec<Rotated>,
    /// Files that went from `pending/archived/`.
    pub archived_removed: u64,
    /// What was left alone, and why.
    pub notes: Vec<String>,
}

/// Prunes a run's folder, or the `.learnings` folder in it. A folder without one has nothing to prune.
///
/// Lines of a log are dropped only after `land` took them; where it fails, the log is as it was. While another process holds
/// the lock of the folder, nothing is touched and the result says so. What lies outside of the folder is never touched:
/// links are removed, or left alone, and never followed.
pub fn prune_workdir(
    work: &Path,
    policy: &Policy,
    options: &PruneOptions<'_>,
    land: &mut dyn FnMut(Log, &[u8]) -> Outcome<()>,
) -> Outcome<Pruned> {
    let Some(workdir) = Workdir::find(work)? else { return Ok(Pruned::default()) };
    let skipped = |reason| Pruned { skipped: Some(reason), ..Pruned::default() };
    if options.is_dry {
        return match lock::reason_to_wait(&workdir.learnings, policy.lock_stale_hours, options.now)? {
            Some(reason) => Ok(skipped(reason)),
            None => workdir.prune(policy, options, land),
        };
    }
    match lock::take(&workdir.learnings, policy.lock_stale_hours, options.now)? {
        Taking::Theirs(reason) => Ok(skipped(reason)),
        Taking::Ours(_held) => workdir.prune(policy, options, land),
    }
}

/// A run's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Workdir {
    /// Where `runs.log` and `perf.jsonl` are.
    pub work: PathBuf,
    /// Its `.learnings` folder.
    pub learnings: PathBuf,
}

impl Workdir {
    /// Finds the folders. None where there is no `.learnings` folder; a link is none.
    pub(super) fn find(work: &Path) -> Outcome<Option<Self>> {
        let work = match fs::canonicalize(work) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found.map_err(|error| Diagnostic::io("cannot find the run's folder", work, &error))?,
        };
        let found = match work.parent() {
            Some(parent) if work.file_name().is_some_and(|name| name == ".learnings") => {
                Self { work: parent.to_path_buf(), learnings: work.clone() }
            }
            _ => Self { learnings: work.join(".learnings"), work },
        };
        Ok(found.learnings.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()).then_some(found))
    }

    fn prune(&self, policy: &Policy, options: &PruneOptions<'_>, land: &mut Land<'_>) -> Outcome<Pruned> {
        let mut pruned = Pruned::default();
        let sessions = session::prune(&self.learnings, policy, options, &mut pruned.notes)?;
        pruned.sessions_removed = sessions.removed;
        let mut protected: HashSet<&[u8]> = session::run_ids(&sessions.kept).collect();
        protected.extend(options.protect_run.map(str::as_bytes));

        let mut by_run = 0;
        let mut keep_runs = |lines: &[&[u8]]| {
            let mut stays = keep_last_runs(lines, policy.max_runs, &protected);
            by_run = stays.iter().filter(|stays| !**stays).count() as u64;
            keep_last(&mut stays, policy.max_log_lines);
            stays
        };
        let runs = Place { folder: &self.work, log: Log::Runs };
        if let Some(rotated) = rotate(runs, options.is_dry, &mut keep_runs, land, &mut pruned.notes)? {
            pruned.runs_rows_dropped = by_run;
            pruned.rotated.push(rotated);
        }
        let mut keep_lines = |lines: &[&[u8]]| {
            let mut stays = vec![true; lines.len()];
            keep_last(&mut stays, policy.max_log_lines);
            stays
        };
        for (folder, log) in [(&self.learnings, Log::Outcomes), (&self.learnings, Log::Acknowledgments), (&self.work, Log::Perf)] {
            let place = Place { folder, log };
            pruned.rotated.extend(rotate(place, options.is_dry, &mut keep_lines, land, &mut pruned.notes)?);
        }
        pruned.archived_removed = self.prune_archive(policy.max_archive_age_days, options, &mut pruned.notes)?;
        Ok(pruned)
    }

    /// Removes archived files of at least this age: with 30 days, one goes at exactly 30 times 24 hours.
    fn prune_archive(&self, days: u32, options: &PruneOptions<'_>, notes: &mut Vec<String>) -> Outcome<u64> {
        let pending = self.learnings.join("pending");
        let folder = pending.join("archived");
        if days == 0 || !is_folder(&pending, notes) || !is_folder(&folder, notes) {
            return Ok(0);
        }
        let failed = |error: io::Error| Diagnostic::io("cannot prune the archived files", &folder, &error);
        let mut removed = 0;
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let Ok(metadata) = path.symlink_metadata() else { continue };
            let is_ours = metadata.is_file() && path.extension().is_some_and(|ending| ending == "json");
            if is_ours && age_seconds(changed(&metadata), options.now) >= i64::from(days) * 86_400 {
                if !options.is_dry {
                    fs::remove_file(&path).map_err(failed)?;
                }
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// When a file last changed.
pub(super) fn changed(metadata: &Metadata) -> Timestamp {
    // A time beyond the calendar is as good as the beginning of time: what has it is old.
    metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// How many seconds ago something was. What is said to lie ahead was just now.
pub(super) fn age_seconds(then: Timestamp, now: Timestamp) -> i64 {
    (now.as_second() - then.as_second()).max(0)
}

/// Whether there is a folder of that name. Says in a note if something else stands there.
pub(super) fn is_folder(path: &Path, notes: &mut Vec<String>) -> bool {
    let Ok(metadata) = path.symlink_metadata() else { return false };
    if !metadata.is_dir() {
        let name = path.file_name().unwrap_or_default();
        notes.push(format!("skipped {}: it is not a folder", name.display()));
    }
    metadata.is_dir()
}

/// Keeps the rows of the runs that were last written about, and of those that are protected. A row that names no run stays:
/// it belongs to nobody who could be gone.
fn keep_last_runs(lines: &[&[u8]], most_runs: usize, protected: &HashSet<&[u8]>) -> Vec<bool> {
    let mut last: HashSet<&[u8]> = HashSet::new();
    for line in lines.iter().rev() {
        if last.len() >= most_runs {
            break;
        }
        last.extend(Some(run_id(line)).filter(|id| !id.is_empty()));
    }
    let stays = |id: &[u8]| id.is_empty() || last.contains(id) || protected.contains(id);
    lines.iter().map(|line| stays(run_id(line))).collect()
}

fn run_id(line: &[u8]) -> &[u8] {
    line.split(|byte| *byte == b'|').next().unwrap_or_default().trim_ascii()
}

/// Of those that stay, only the last ones do.
fn keep_last(stays: &mut [bool], most: usize) {
    let mut kept = 0;
    for stays in stays.iter_mut().rev().filter(|stays| **stays) {
        kept += 1;
        *stays = kept <= most;
    }
}
