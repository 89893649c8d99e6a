//! The lessons that agents left in `.learnings/pending/`: taken in as events, then archived. Nothing is lost on the way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::diagnostic::{Diagnostic, Outcome};
use crate::durable;
use crate::import::closedloop::import_pending;
use crate::inbox::Recorder;

/// The largest file that is read. A lesson is a sentence and its story.
const MOST_BYTES: u64 = 1 << 20;

/// A file that cannot be read may still be under its writer's hands.
const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// What was captured from one work directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// Files that were taken in and archived.
    pub files: usize,
    /// Lessons in them.
    pub lessons: usize,
    /// Answers that there was nothing to learn.
    pub nothing_learned: usize,
    /// Files that lay outside of the work directory and were brought back.
    pub rescued: usize,
    /// Files that could not be taken, with the reason. They stay, or lie in `pending/refused/` once nobody writes them any more.
    pub refused: Vec<(PathBuf, String)>,
}

impl Capture {
    /// Adds what was captured elsewhere.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.lessons += other.lessons;
        self.nothing_learned += other.nothing_learned;
        self.rescued += other.rescued;
        self.refused.extend(other.refused);
    }
}

/// The folder that holds what a run has learned: the work directory's `.learnings`, or the folder itself if it is one.
#[must_use]
pub fn learnings_of(work: &Path) -> PathBuf {
    if work.ends_with(".learnings") { work.to_path_buf() } else { work.join(".learnings") }
}

/// Takes in what agents left in a work directory, and in the `.learnings` of the repository around it, where agents write that
/// know nothing of the work directory.
///
/// A file is archived only when its events have landed. Whoever is killed in between leaves a file that is read again; its
/// events have the same ids, and count once.
pub fn capture(
    work: &Path,
    repository: Option<&Path>,
    project: &str,
    now: Timestamp,
    recorder: &mut Recorder<'_>,
) -> Outcome<Capture> {
    let pending = learnings_of(work).join("pending");
    let mut capture = Capture::default();
    if let Some(top) = repository {
        capture.rescued = rescue(&top.join(".learnings").join("pending"), &pending)?;
    }
    let mut taken = Vec::new();
    for path in json_files(&pending)? {
        match read(&path, project, recorder) {
            Ok(read) => {
                capture.files += 1;
                capture.lessons += read.lessons;
                capture.nothing_learned += read.nothing_learned;
                taken.push(path);
            }
            Err(reason) => {
                if is_settled(&path, now) {
                    put_into(&pending.join("refused"), &path)?;
                }
                capture.refused.push((path, reason));
            }
        }
    }
    recorder.land()?;
    for path in taken {
        put_into(&pending.join("archived"), &path)?;
    }
    Ok(capture)
}

struct Read {
    lessons: usize,
    nothing_learned: usize,
}

fn read(path: &Path, project: &str, recorder: &mut Recorder<'_>) -> Result<Read, String> {
    let file = durable::open_regular(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if metadata.len() > MOST_BYTES {
        return Err(format!("has {} bytes, more than the {MOST_BYTES} of a lesson", metadata.len()));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()).unwrap_or(Timestamp::UNIX_EPOCH);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let imported = import_pending(&name, &bytes, modified, project);
    if let Some(odd) = imported.odd.iter().find(|odd| !odd.taken) {
        return Err(odd.reason.clone());
    }
    if imported.lines.is_empty() {
        return Err("is empty".to_owned());
    }
    let mut read = Read { lessons: 0, nothing_learned: 0 };
    for line in &imported.lines {
        recorder.take_line(line).map_err(|rejection| rejection.to_string())?;
        if line.contains("\"no_learnings\":true") {
            read.nothing_learned += 1;
        } else {
            read.lessons += 1;
        }
    }
    Ok(read)
}

/// Brings files back that were written beside the work directory. None takes the place of another.
fn rescue(strays: &Path, pending: &Path) -> Outcome<usize> {
    if strays == pending {
        return Ok(0);
    }
    let mut rescued = 0;
    for path in json_files(strays)? {
        put_into(pending, &path)?;
        rescued += 1;
    }
    Ok(rescued)
}

/// The JSON files directly in a folder, by name. A folder that does not exist holds none.
fn json_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Diagnostic::io("cannot list the pending lessons", folder, &error))?,
    };
    let is_json = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "json");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_json).collect();
    paths.sort_unstable();
    Ok(paths)
}

fn is_settled(path: &Path, now: Timestamp) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|time| Timestamp::try_from(time).ok()).is_none_or(|time| now.duration_since(time) > GRACE)
}

/// Moves a file into a folder, under a name that is free there.
fn put_into(folder: &Path, path: &Path) -> Outcome<()> {
    durable::create_folder(folder)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names = std::iter::once(format!("{stem}.json")).chain((2..).map(|number| format!("{stem}-{number}.json")));
    for name in names.take(10_000) {
        let target = folder.join(name);
        if fs::symlink_metadata(&target).is_err() {
            return durable::rename(path, &target);
        }
    }
    Err(Diagnostic::edit("too many files of one name were captured", "move the captured files away").at(folder))
}
