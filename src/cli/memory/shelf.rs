//! The notes of a folder and what they are held against, as they lie on the disk. Links are not followed, and nothing huge is read.

use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use jiff::Timestamp;

use super::NotesArgs;
use agent::published::{load_role_scores, load_scores};
use agent::repository::top_around;
use learn::memory::{Note, Surroundings, parse_note, statements};
use setting::Settings;
use store::publish::load_current;
use store::workspace::Workspace;
use store::{clock, durable};
use text::diagnostic::{Diagnostic, Outcome};
use text::review::Tokens;

/// The largest note that is read, in bytes.
const MOST_NOTE_BYTES: u64 = 256 << 10;
/// The largest document that is read, in bytes.
const MOST_DOCUMENT_BYTES: u64 = 1 << 20;
/// The most notes of one folder: every one is compared with every other.
const MOST_NOTES: usize = 2000;
/// How many folders deep notes may lie.
const MOST_DEPTH: usize = 4;
/// The list of all notes, which is none itself.
const INDEX: &str = "MEMORY.md";
/// The documents that are looked for where none is named.
const USUAL_DOCUMENTS: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "README.md"];

/// The notes of a folder, and what they are held against.
pub(super) struct Shelf {
    pub folder: PathBuf,
    pub notes: Vec<Note>,
    /// Files that are not read, and why.
    pub passed_over: Vec<(PathBuf, String)>,
    pub documents: Vec<PathBuf>,
    pub now: Timestamp,
    statements: Vec<Tokens>,
    patterns: Vec<Tokens>,
    top: PathBuf,
}

impl Shelf {
    /// Reads the notes of a folder, the documents and the published patterns.
    pub(super) fn load(workspace: &Workspace, settings: &Settings, options: &NotesArgs, beside: Option<&Path>) -> Outcome<Self> {
        let here = env::current_dir().unwrap_or_default();
        let named = options.folder.clone().or_else(|| settings.memory.folder.as_ref().map(|folder| workspace.root().join(folder)));
        let folder = named.or_else(|| beside.map(Path::to_path_buf)).ok_or_else(|| {
            Diagnostic::edit("no folder of notes is named", "name it with --folder, or set `memory.folder` in the settings")
        })?;
        if !folder.is_dir() {
            return Err(
                Diagnostic::edit("there is no folder of notes here", "name one with --folder, or set `memory.folder`").at(&folder)
            );
        }
        let top = options.repo.clone().unwrap_or_else(|| top_around(&here).unwrap_or(&here).to_path_buf());
        let documents = find_documents(workspace, settings, options, &top);
        let mut said = Vec::new();
        for document in &documents {
            said.extend(statements(&read_document(document)?).iter().map(|statement| Tokens::of(statement)));
        }
        let mut shelf = Self {
            folder: folder.clone(),
            notes: Vec::new(),
            passed_over: Vec::new(),
            documents,
            now: clock::now(),
            statements: said,
            patterns: load_patterns(workspace)?,
            top,
        };
        shelf.walk(&folder, MOST_DEPTH)?;
        shelf.notes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(shelf)
    }

    /// Gives what notes are held against to somebody.
    pub(super) fn with_surroundings<T>(&self, look: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let exists = |path: &str| {
            let path = Path::new(path);
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
                && fs::symlink_metadata(self.top.join(path)).is_ok()
        };
        look(&Surroundings {
            documents: &self.statements,
            patterns: &self.patterns,
            exists: &exists,
            now_micros: self.now.as_microsecond(),
        })
    }

    /// Reads one note, whose name is its path inside of the folder where it lies there.
    pub(super) fn read(&self, path: &Path) -> Outcome<Note> {
        let failed = |error: std::io::Error| Diagnostic::io("cannot read the note", path, &error);
        let file = durable::open_regular(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.len() > MOST_NOTE_BYTES {
            return Err(Diagnostic::edit(
                format!("the note has {} bytes; the limit is {MOST_NOTE_BYTES}", metadata.len()),
                "split it into notes on one topic each",
            )
            .at(path));
        }
        let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok()).unwrap_or(self.now);
        let mut bytes = Vec::new();
        file.take(MOST_NOTE_BYTES).read_to_end(&mut bytes).map_err(failed)?;
        Ok(parse_note(&self.name_of(path), &String::from_utf8_lossy(&bytes), modified.as_microsecond()))
    }

    fn name_of(&self, path: &Path) -> String {
        let whole = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let (path, folder) = (whole(path), whole(&self.folder));
        path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned()
    }

    fn walk(&mut self, folder: &Path, depth: usize) -> Outcome<()> {
        let failed = |error: std::io::Error| Diagnostic::io("cannot list the notes", folder, &error);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            paths.push(entry.map_err(failed)?.path());
        }
        paths.sort_unstable();
        for path in paths {
            let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            let is_note = path.extension().is_some_and(|ending| ending == "md" || ending == "markdown");
            if metadata.is_dir() {
                if !is_hidden && depth > 1 {
                    self.walk(&path, depth - 1)?;
                }
            } else if is_note && !is_hidden && !path.ends_with(INDEX) {
                self.add(path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf) -> Outcome<()> {
        if self.notes.len() == MOST_NOTES {
            return Err(Diagnostic::edit(
                format!("there are more than {MOST_NOTES} notes here"),
                "archive some, or name a folder of fewer with --folder",
            )
            .at(&self.folder));
        }
        match self.read(&path) {
            Ok(note) => self.notes.push(note),
            Err(fault) => self.passed_over.push((path, fault.cause.unwrap_or(fault.what))),
        }
        Ok(())
    }
}

/// The documents that are named, else those of the settings, else the usual ones that are there.
fn find_documents(workspace: &Workspace, settings: &Settings, options: &NotesArgs, top: &Path) -> Vec<PathBuf> {
    if !options.docs.is_empty() {
        return options.docs.clone();
    }
    if !settings.memory.documents.is_empty() {
        return settings.memory.documents.iter().map(|path| workspace.root().join(path)).collect();
    }
    let usual = USUAL_DOCUMENTS.map(|name| top.join(name));
    usual.into_iter().filter(|path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())).collect()
}

fn read_document(path: &Path) -> Outcome<String> {
    let failed = |error: std::io::Error| Diagnostic::io("cannot read the document", path, &error);
    let mut bytes = Vec::new();
    let file = durable::open_regular(path).map_err(failed)?;
    file.take(MOST_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_DOCUMENT_BYTES {
        let what = format!("the document has more than {MOST_DOCUMENT_BYTES} bytes");
        return Err(Diagnostic::edit(what, "name smaller documents with --docs").at(path));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The words of each published pattern in use; none before anything is published.
fn load_patterns(workspace: &Workspace) -> Outcome<Vec<Tokens>> {
    let Some(generation) = load_current(workspace)? else { return Ok(Vec::new()) };
    let lessons = load_scores(&generation)?;
    let roles = load_role_scores(&generation)?;
    let lessons = lessons.iter().filter(|score| score.is_in_use()).map(|score| Tokens::of(&score.summary));
    Ok(lessons.chain(roles.iter().filter(|score| score.is_in_use()).map(|score| Tokens::of(&score.text))).collect())
}
