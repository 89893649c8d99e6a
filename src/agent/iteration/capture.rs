//! The lessons that agents left in `.learnings/pending/`: taken in as events, then archived. Nothing is lost on the way.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};

use crate::import::closedloop::import_pending;
use store::durable;
use store::inbox::Recorder;
use store::workspace::keep_from_git;
use text::diagnostic::{Diagnostic, Outcome};

/// The largest file that is read. A lesson is a sentence and its story.
const MOST_BYTES: u64 = 1 << 20;

/// A file that cannot be read may still be under its writer's hands.
const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// Where lessons come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'o> {
    pub project: &'o str,
    /// How the repository is called that the folder lies in.
    pub repo: Option<&'o str>,
    pub top: Option<&'o Path>,
}

/// What was captured from one work directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// Files that were taken in and archived.
    pub files: usize,
    pub lessons: usize,
    pub nothing_learned: usize,
    /// Files that lay outside of the work directory and were brought back.
    pub rescued: usize,
    /// Files that could not be taken as a whole, with the reason. They stay; once nobody writes them any more, what can be read
    /// of them is taken in and they lie in `pending/refused/`.
    pub refused: Vec<(PathBuf, String)>,
}

impl Capture {
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.lessons += other.lessons;
        self.nothing_learned += other.nothing_learned;
        self.rescued += other.rescued;
        self.refused.extend(other.refused);
    }
}

/// The folder that holds what a run has learned: the work directory's `.learnings`, or the folder itself if it is one.
pub fn learnings_of(work: &Path) -> PathBuf {
    if work.ends_with(".learnings") { work.to_path_buf() } else { work.join(".learnings") }
}

/// Makes that folder, which ignores itself from the first file on: what lies in it is nobody's commit.
pub fn make_learnings(work: &Path) -> Outcome<PathBuf> {
    let learnings = learnings_of(work);
    // A link could lead anywhere, and whole folders would be ignored there.
    if is_link(&learnings) {
        return Err(Diagnostic::edit("a link is in the place of the lessons' folder", "put a folder in its place").at(&learnings));
    }
    durable::create_folder(&learnings)?;
    keep_from_git(&learnings)?;
    Ok(learnings)
}

/// Takes in what agents left in a work directory, and in the `.learnings` of the repository around it, where agents write that
/// know nothing of the work directory.
///
/// A file is archived only when its events have landed. Whoever is killed in between leaves a file that is read again; its
/// events have the same ids, and count once.
pub fn capture(work: &Path, origin: &Origin<'_>, now: Timestamp, recorder: &mut Recorder<'_>) -> Outcome<Capture> {
    let learnings = learnings_of(work);
    let pending = learnings.join("pending");
    let mut capture = Capture::default();
    // A link could lead anywhere, and files are moved here.
    if is_link(&learnings) || is_link(&pending) {
        return Err(Diagnostic::edit("a link is in the place of the pending lessons", "put a folder in its place").at(&pending));
    }
    if let Some(top) = origin.top {
        capture.rescued = rescue(&top.join(".learnings"), &pending)?;
    }
    if learnings.is_dir() {
        keep_from_git(&learnings)?;
    }
    let mut done = Vec::new();
    for path in json_files(&pending)? {
        let left = read(&path, origin);
        let is_read_in_part = left.fault.is_some();
        let fault = left.fault.or_else(|| take(&left.lines, recorder, &mut capture).err());
        match fault {
            None => {
                capture.files += 1;
                done.push((path, "archived"));
            }
            // Another capture was faster, and has taken it in.
            Some(_) if !is_there(&path) => {}
            Some(reason) => {
                if is_settled(&path, now) {
                    // Nobody will mend it any more: what can be read of it is all that there is.
                    let rest = if is_read_in_part { &*left.lines } else { &[] };
                    let _ = take(rest, recorder, &mut capture);
                    done.push((path.clone(), "refused"));
                }
                capture.refused.push((path, reason));
            }
        }
    }
    recorder.land()?;
    for (path, folder) in done {
        put_into(&pending.join(folder), &path)?;
    }
    Ok(capture)
}

/// What an agent left in a file: the events that can be read, and why the file is not all right.
struct Left {
    lines: Vec<String>,
    fault: Option<String>,
}

fn read(path: &Path, origin: &Origin<'_>) -> Left {
    let (bytes, modified) = match load(path) {
        Ok(loaded) => loaded,
        Err(error) => return Left { lines: Vec::new(), fault: Some(error.to_string()) },
    };
    if bytes.len() as u64 > MOST_BYTES {
        return Left { lines: Vec::new(), fault: Some(format!("has more than the {MOST_BYTES} bytes of a lesson")) };
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut imported = import_pending(&name, &bytes, modified, origin.project);
    if let Some(repo) = origin.repo {
        name_repository(&mut imported.lines, repo);
    }
    let fault = imported.odd.iter().find(|odd| !odd.taken).map(|odd| odd.reason.clone());
    let fault = fault.or_else(|| imported.lines.is_empty().then(|| "is empty".to_owned()));
    Left { lines: imported.lines, fault }
}

/// Adds the name of the repository that lessons were learned in. Whoever takes a lesson in adds the same, so that it is one lesson.
pub fn name_repository(lines: &mut [String], repo: &str) {
    for line in lines {
        *line = with_repo(line, repo);
    }
}

/// The event with the name of the repository that its lesson was learned in.
fn with_repo(line: &str, repo: &str) -> String {
    let Ok(mut event) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line) else { return line.to_owned() };
    event.insert("repo_name".to_owned(), repo.into());
    serde_json::Value::Object(event).to_string()
}

/// The bytes of a file, at most one more than are allowed, and when it was written.
fn load(path: &Path) -> io::Result<(Vec<u8>, Timestamp)> {
    let file = durable::open_regular(path)?;
    let modified = file.metadata()?.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((bytes, modified.unwrap_or(Timestamp::UNIX_EPOCH)))
}

/// Takes events in up to the first that the door refuses.
fn take(lines: &[String], recorder: &mut Recorder<'_>, capture: &mut Capture) -> Result<(), String> {
    for line in lines {
        recorder.take_line(line).map_err(|rejection| rejection.to_string())?;
        if line.contains("\"no_learnings\":true") {
            capture.nothing_learned += 1;
        } else {
            capture.lessons += 1;
        }
    }
    Ok(())
}

/// Brings files back that were written beside the work directory. None takes the place of another.
fn rescue(learnings: &Path, pending: &Path) -> Outcome<usize> {
    let strays = learnings.join("pending");
    if is_link(learnings) || is_link(&strays) {
        return Ok(0);
    }
    // The same folder may have several paths.
    if strays == pending || strays.canonicalize().ok().is_some_and(|strays| pending.canonicalize().is_ok_and(|own| own == strays)) {
        return Ok(0);
    }
    let mut rescued = 0;
    for path in json_files(&strays)? {
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
    let is_json = |path: &PathBuf| {
        let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
        is_file && path.extension().is_some_and(|ending| ending == "json")
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_json).collect();
    paths.sort_unstable();
    Ok(paths)
}

fn is_settled(path: &Path, now: Timestamp) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|time| Timestamp::try_from(time).ok()).is_none_or(|time| now.duration_since(time) > GRACE)
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Moves a file into a folder, under a name that is free there and still begins with the agent's. One that is gone was moved by
/// another capture.
fn put_into(folder: &Path, path: &Path) -> Outcome<()> {
    durable::create_folder(folder)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names = std::iter::once(format!("{stem}.json")).chain((2..).map(|number| format!("{stem}.{number}.json")));
    for name in names.take(10_000) {
        match durable::rename_if_free(path, &folder.join(name)) {
            Ok(false) => {}
            Err(_) if !is_there(path) => return Ok(()),
            moved => return moved.map(|_| ()),
        }
    }
    Err(Diagnostic::edit("too many files of one name were captured", "move the captured files away").at(folder))
}
