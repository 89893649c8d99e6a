//! `outerloop import closedloop`: the files of a work directory.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::args::ImportClosedloopArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, leads_out, load};
use agent::import::closedloop::{
    import_acknowledgments, import_merged, import_outcomes, import_patterns_beside, import_pending, import_perf, import_runs,
    import_tool_lessons,
};
use agent::import::{Imported, Odd};
use agent::intake::{Cursor, Timing};
use agent::iteration::{learnings_of, name_project, name_repository};
use agent::repository::Repository;
use render::toon::{Located, parse_toon};
use setting::{PATTERN_FILE, TOOL_FILE};
use store::publish::find_current;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Imports a work directory.
pub(super) fn run(workspace: &Workspace, options: &ImportClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    let project = match &options.project {
        Some(project) => project.clone(),
        None => name_project(workspace, &load_settings(workspace)?, &options.workdir),
    };
    let import = plan(workspace, &options.workdir, options.patterns.as_deref(), &project)?.ok_or_else(|| {
        Diagnostic::edit(
            "no ClosedLoop data found here",
            "name a work directory that holds .learnings/, or a pattern file with --patterns",
        )
        .at(&options.workdir)
    })?;
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    import.finish(workspace, &options.workdir, &project, mode, printer)
}

/// What importing a work directory would do; nothing where it holds nothing of ClosedLoop.
pub(super) fn plan(workspace: &Workspace, work: &Path, patterns: Option<&Path>, project: &str) -> Outcome<Option<Import>> {
    let folder = Folder::new(workspace, work, project);
    let Found { parts, outside, missing } = folder.load_all(patterns)?;
    let is_of_folder = |part: &Part| patterns.is_some() || part.path.starts_with(&folder.root);
    if !parts.iter().any(is_of_folder) && outside.is_empty() {
        return Ok(None);
    }
    Ok(Some(Import { outside, missing, ..Import::in_order_of_files(parts) }))
}

/// Reads a log of a project.
type Importer = fn(&[u8], &str) -> Imported;

/// What a work directory holds.
#[derive(Default)]
struct Found {
    parts: Vec<Part>,
    /// Links that lead out of the work directory.
    outside: Vec<PathBuf>,
    missing: Vec<PathBuf>,
}

/// Where the files of a run are.
struct Folder<'f> {
    workspace: &'f Workspace,
    project: &'f str,
    /// The name of the repository around it.
    repo: Option<String>,
    root: PathBuf,
    learnings: PathBuf,
}

impl<'f> Folder<'f> {
    fn new(workspace: &'f Workspace, work: &Path, project: &'f str) -> Self {
        let is_learnings = work.ends_with(".learnings");
        let root = if is_learnings { work.parent().unwrap_or(work).to_path_buf() } else { work.to_path_buf() };
        // Without git there is no repository whose name lessons could carry.
        let repo = Repository::find(work).ok().flatten().and_then(|repository| repository.name().ok());
        Self { workspace, project, repo, root, learnings: learnings_of(work) }
    }

    /// A file inside of the folder. A link that leads out is passed over.
    fn load(&self, path: &Path, found: &mut Found) -> Outcome<Option<(Vec<u8>, Timestamp)>> {
        if leads_out(path, &self.root) {
            found.outside.push(path.to_path_buf());
            return Ok(None);
        }
        load(path)
    }

    fn part(&self, path: PathBuf, imported: Imported, timing: Timing) -> Part {
        let cursor = Cursor::load(self.workspace, &path, self.project, timing);
        Part::new(path, imported).following(cursor)
    }

    /// Patterns come first: the registry then gives them the numbers that they had.
    fn load_all(&self, patterns: Option<&Path>) -> Outcome<Found> {
        let mut found = Found::default();
        let beside = self.load_patterns(patterns, &mut found)?;
        let merged = self.learnings.join("merge-result.json");
        if let Some((bytes, modified)) = self.load(&merged, &mut found)? {
            found.parts.push(self.part(merged, import_merged(&bytes, modified, self.project), Timing::OfFile));
        }
        // The original keeps the lessons about itself beside the pattern file.
        let lessons = [(beside.join(TOOL_FILE), load(&beside.join(TOOL_FILE))?)];
        let pending = self.learnings.join("pending-closedloop.json");
        let pending = [(pending.clone(), self.load(&pending, &mut found)?)];
        for (path, loaded) in lessons.into_iter().chain(pending) {
            if let Some((bytes, modified)) = loaded {
                found.parts.push(self.part(path, import_tool_lessons(&bytes, modified, self.project), Timing::OfFile));
            }
        }
        self.load_pending(&mut found)?;
        self.load_logs(&mut found)?;
        Ok(found)
    }

    /// The pattern file that was named; else the one of the home folder, which hooks and rates use, and then what only the run's own
    /// file holds. Gives the folder of the file that counts.
    fn load_patterns(&self, named: Option<&Path>, found: &mut Found) -> Outcome<PathBuf> {
        if let Some(named) = named {
            let (bytes, modified) = load(named)?
                .ok_or_else(|| Diagnostic::io("cannot read the pattern file", named, &io::Error::from(io::ErrorKind::NotFound)))?;
            let (_, imported) = read_patterns(&bytes, modified, self.project, &[]);
            found.parts.push(self.part(named.to_path_buf(), imported, Timing::OfFile));
            return Ok(named.parent().unwrap_or(&self.learnings).to_path_buf());
        }
        let own = self.learnings.join(PATTERN_FILE);
        let global = global_learnings().map(|folder| folder.join(PATTERN_FILE));
        let mut first = Vec::new();
        let mut beside = self.learnings.clone();
        if let Some(path) = global {
            match load(&path)? {
                Some((bytes, modified)) => {
                    let (rows, imported) = read_patterns(&bytes, modified, self.project, &[]);
                    first = rows;
                    beside = path.parent().unwrap_or(&beside).to_path_buf();
                    if !self.is_published(&bytes)? {
                        found.parts.push(self.part(path, imported, Timing::OfFile));
                    }
                }
                None => found.missing.push(path),
            }
        }
        match self.load(&own, found)? {
            Some((bytes, modified)) => {
                let (_, imported) = read_patterns(&bytes, modified, self.project, &first);
                found.parts.push(self.part(own, imported, Timing::OfFile));
            }
            None if first.is_empty() => found.missing.push(own),
            None => {}
        }
        Ok(beside)
    }

    /// Whether the file is what this workspace published there: its own figures are no history of another store.
    fn is_published(&self, bytes: &[u8]) -> Outcome<bool> {
        let current = find_current(self.workspace)?;
        Ok(current.and_then(|generation| generation.read(PATTERN_FILE).ok()).is_some_and(|published| published == bytes))
    }

    fn load_pending(&self, found: &mut Found) -> Outcome<()> {
        for path in pending_files(&self.learnings)? {
            let Some((bytes, modified)) = self.load(&path, found)? else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut imported = import_pending(&name, &bytes, modified, self.project);
            if let Some(repo) = &self.repo {
                name_repository(&mut imported.lines, repo);
            }
            found.parts.push(self.part(path, imported, Timing::OfFile));
        }
        Ok(())
    }

    fn load_logs(&self, found: &mut Found) -> Outcome<()> {
        let logs: [(PathBuf, Importer); 4] = [
            (self.learnings.join("outcomes.log"), import_outcomes),
            (self.root.join("runs.log"), import_runs),
            (self.learnings.join("acknowledgments.log"), import_acknowledgments),
            (self.root.join("perf.jsonl"), import_perf),
        ];
        for (path, import) in logs {
            let links = found.outside.len();
            match self.load(&path, found)? {
                Some((bytes, _)) => found.parts.push(self.part(path, import(&bytes, self.project), Timing::OfRecord)),
                None if found.outside.len() == links => found.missing.push(path),
                None => {}
            }
        }
        Ok(())
    }
}

/// Where the other system keeps what all of a person's projects share.
pub(crate) fn global_learnings() -> Option<PathBuf> {
    Some(env::home_dir()?.join(".closedloop-ai/learnings"))
}

fn pending_files(learnings: &Path) -> Outcome<Vec<PathBuf>> {
    let folder = learnings.join("pending");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| Diagnostic::io("cannot list the pending learnings", &folder, &error))?,
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort_unstable();
    Ok(paths)
}

/// The rows of a pattern file and what becomes of them. Rows that stand in another file already are duplicates.
fn read_patterns(bytes: &[u8], modified: Timestamp, project: &str, first: &[Located]) -> (Vec<Located>, Imported) {
    let document = parse_toon(&String::from_utf8_lossy(bytes));
    let mut imported = import_patterns_beside(&document.rows, modified, project, first);
    for odd in document.odd {
        let taken = document.rows.iter().any(|located| located.line == odd.line);
        if !taken {
            imported.counts.records += 1;
            imported.counts.left_out += 1;
        }
        imported.odd.push(Odd { line: odd.line, text: odd.text, reason: odd.reason, taken });
    }
    (document.rows, imported)
}
