//! `outerloop import jkz`: the records of projects' deliberations and their patterns, from files or from the database.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::super::args::ImportJkzArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, choose_project, leads_out, load, plain_path};
use agent::import::jkz::{
    Counted, ImportedRows, Owner, RecordSource, import_record, import_rows, import_table, projects_in, projects_of,
};
use agent::import::sqlite::Database;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The folder of what that system keeps.
const STATE: &str = "state";
/// The folder of records, inside of it, and the table of them.
const RECORDS: &str = "deliberations";
/// What exported rows are called.
const ROWS: [&str; 2] = ["patterns.json", "patterns.jsonl"];
/// The table of patterns.
const PATTERNS: &str = "patterns";
/// The database.
const DATABASE: &str = "memory.db";
/// The largest file that is read, and the largest database, in bytes.
const MOST_BYTES: u64 = 64 << 20;
const MOST_DATABASE_BYTES: u64 = 512 << 20;
/// How often a database is read that somebody is writing.
const TRIES: usize = 3;

/// Imports a project, or a part of one.
pub(super) fn run(workspace: &Workspace, options: &ImportJkzArgs, printer: &Printer) -> Outcome<Exit> {
    let path = fs::canonicalize(&options.path).map_err(|error| Diagnostic::io("cannot import this", &options.path, &error))?;
    let root = root_of(&path);
    let project = choose_project(workspace, options.project.as_deref(), &root)?;
    let layout = Layout::find(&path, &root)?;
    if layout.is_empty() {
        return Err(Diagnostic::edit(
            "no jkz data found here",
            "name a project's folder that holds state/deliberations/ or state/memory.db, or patterns.json with the rows of its table `patterns`",
        )
        .at(&options.path));
    }
    let import = load_all(layout, &project)?;
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    import.finish(workspace, &root, &project, mode, printer)
}

/// The project's folder: the one that holds `state`.
fn root_of(path: &Path) -> PathBuf {
    let state = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == STATE));
    let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    state.and_then(Path::parent).unwrap_or(folder).to_path_buf()
}

/// A file that was read, with the time of its last change.
type Loaded = (PathBuf, Vec<u8>, Timestamp);

/// Rows come first, so that patterns take their numbers in the order of the rows; then records in the order of time. Where several
/// projects are named, each keeps what is its own.
fn load_all(layout: Layout, project: &str) -> Outcome<Import> {
    let read = |paths: Vec<PathBuf>| -> Outcome<Vec<Loaded>> {
        let loaded = paths.into_iter().map(|path| Ok(load(&path)?.map(|(bytes, modified)| (path, bytes, modified))));
        Ok(loaded.collect::<Outcome<Vec<_>>>()?.into_iter().flatten().collect())
    };
    let (rows, records) = (read(layout.rows)?, read(layout.records)?);
    let mut import = Import { unknown: layout.unknown, outside: layout.outside, ..Import::default() };
    let stored = layout.database.map(|path| Stored::load(path, &mut import)).transpose()?.unwrap_or_default();
    let mut projects: BTreeSet<String> = rows.iter().chain(&records).flat_map(|(_, bytes, _)| projects_in(bytes)).collect();
    projects.extend(projects_of(&stored.patterns).into_iter().chain(projects_of(&stored.records)));
    let owner = Owner { project, is_apart: projects.len() > 1 };
    let mut parts = Vec::new();
    let mut counted = Counted::new();
    let mut book = |path: PathBuf, rows: ImportedRows| {
        for (project, through) in rows.through {
            let known = counted.entry(project).or_insert(through);
            *known = through.max(*known);
        }
        parts.push(Part::new(path, rows.imported));
    };
    if rows.is_empty() && !stored.patterns.is_empty() {
        book(stored.path.clone(), import_table(stored.patterns, stored.modified, owner));
    }
    for (path, bytes, modified) in rows {
        book(path, import_rows(&bytes, modified, owner));
    }
    let source = RecordSource { owner, counted_through: &counted };
    let folder =
        records.first().and_then(|(path, ..)| path.parent()).filter(|_| records.len() > 1).map(|folder| folder.join("*.json"));
    let mut told: Vec<(Timestamp, PathBuf, agent::import::Imported)> = Vec::new();
    if records.is_empty() {
        for value in stored.records {
            let record = import_record("", value.to_string().as_bytes(), stored.modified, source);
            told.push((record.time, stored.path.clone(), record.imported));
        }
    }
    for (path, bytes, modified) in records {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = import_record(&name, &bytes, modified, source);
        told.push((record.time, path, record.imported));
    }
    told.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    parts.extend(told.into_iter().map(|(_, path, imported)| {
        let part = Part::new(path, imported);
        Part { shown: folder.as_deref().map_or_else(|| part.shown.clone(), plain_path), ..part }
    }));
    let in_order = Import::in_order_of_files(parts);
    Ok(Import { parts: in_order.parts, order: in_order.order, ..import })
}

/// What a database holds.
struct Stored {
    path: PathBuf,
    modified: Timestamp,
    patterns: Vec<Value>,
    records: Vec<Value>,
}

impl Default for Stored {
    fn default() -> Self {
        Self { path: PathBuf::new(), modified: Timestamp::UNIX_EPOCH, patterns: Vec::new(), records: Vec::new() }
    }
}

impl Stored {
    /// Reads a database. One that is none keeps nothing else from being imported.
    fn load(path: PathBuf, import: &mut Import) -> Outcome<Self> {
        let (file, log, modified) = load_still(&path)?;
        let read = Database::new(file, log).and_then(|database| Ok((database.rows(PATTERNS)?, database.rows(RECORDS)?)));
        match read {
            Ok((patterns, records)) => {
                Ok(Self { path, modified, patterns: patterns.unwrap_or_default(), records: records.unwrap_or_default() })
            }
            Err(why) => {
                import.broken.push((path, why));
                Ok(Self::default())
            }
        }
    }
}

/// The bytes of a database and of the log of changes beside it, as they are while nobody writes them.
fn load_still(path: &Path) -> Outcome<(Vec<u8>, Vec<u8>, Timestamp)> {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let log_path = PathBuf::from(name);
    let state = |path: &Path| fs::metadata(path).map(|metadata| (metadata.len(), metadata.modified().ok())).ok();
    for _ in 0..TRIES {
        let before = (state(path), state(&log_path));
        let bytes = before.0.map_or(0, |(bytes, _)| bytes).saturating_add(before.1.map_or(0, |(bytes, _)| bytes));
        if bytes > MOST_DATABASE_BYTES {
            let what = format!("the database has more than {} MiB", MOST_DATABASE_BYTES >> 20);
            return Err(Diagnostic::edit(what, "export its table `patterns` as patterns.json, and import that").at(path));
        }
        let file = load(path)?;
        let log = load(&log_path)?.map(|(bytes, _)| bytes).unwrap_or_default();
        if let Some((file, modified)) = file.filter(|_| before == (state(path), state(&log_path))) {
            return Ok((file, log, modified));
        }
    }
    Err(Diagnostic::new(Exit::Machine, "the database is being written", "run the import again when it is idle").at(path))
}

/// What every file is.
#[derive(Default)]
struct Layout {
    rows: Vec<PathBuf>,
    records: Vec<PathBuf>,
    unknown: Vec<PathBuf>,
    /// Links to files outside of the project.
    outside: Vec<PathBuf>,
    database: Option<PathBuf>,
}

impl Layout {
    fn find(path: &Path, root: &Path) -> Outcome<Self> {
        let mut layout = Self::default();
        if path.is_file() {
            if is_database(path) {
                layout.database = Some(path.to_path_buf());
                return Ok(layout);
            }
            let is_rows = path.file_name().is_some_and(|name| name.to_string_lossy().contains("pattern"));
            let is_log = path.extension().is_some_and(|ending| ending == "jsonl");
            let files = if is_rows || is_log { &mut layout.rows } else { &mut layout.records };
            files.push(path.to_path_buf());
            return Ok(layout);
        }
        let is_records = path.file_name().is_some_and(|name| name == RECORDS);
        let folders = [path.join(STATE).join(RECORDS), path.join(RECORDS)];
        let folders = folders.into_iter().chain(is_records.then(|| path.to_path_buf())).filter(|folder| folder.is_dir());
        for folder in folders {
            layout.list(&folder, root)?;
        }
        for folder in [path.to_path_buf(), path.join(STATE)] {
            for file in ROWS.map(|name| folder.join(name)) {
                layout.add(file, root, |layout| &mut layout.rows);
            }
            let database = Some(folder.join(DATABASE)).filter(|database| database.is_file() && !leads_out(database, root));
            layout.database = layout.database.or(database);
        }
        Ok(layout)
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.records.is_empty() && self.outside.is_empty() && self.database.is_none()
    }

    fn list(&mut self, folder: &Path, root: &Path) -> Outcome<()> {
        let failed = |error| Diagnostic::io("cannot list a folder to import", folder, &error);
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if !path.is_dir() && path.extension().is_some_and(|ending| ending == "json") {
                self.add(path, root, |layout| &mut layout.records);
            } else {
                self.unknown.push(path);
            }
        }
        self.unknown.sort_unstable();
        Ok(())
    }

    fn add(&mut self, path: PathBuf, root: &Path, to: fn(&mut Self) -> &mut Vec<PathBuf>) {
        let Ok(metadata) = fs::metadata(&path) else {
            // A link to nothing is told of as well; a file that is not there is none.
            return self.outside.extend(path.is_symlink().then_some(path));
        };
        if leads_out(&path, root) {
            self.outside.push(path);
        } else if metadata.is_file() && metadata.len() <= MOST_BYTES {
            to(self).push(path);
        } else {
            self.unknown.push(path);
        }
    }
}

/// Whether a file is a database, whatever it is called.
fn is_database(path: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; 16];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start.starts_with(b"SQLite format 3")
}
