//! `outerloop import jkz`: the records of a project's deliberations, and its patterns where these were exported.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::args::ImportJkzArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, choose_project, leads_out, load, plain_path};
use agent::import::jkz::{RecordSource, import_record, import_rows};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The folder of what that system keeps.
const STATE: &str = "state";
/// The folder of records, inside of it.
const RECORDS: &str = "deliberations";
/// What exported rows are called.
const ROWS: [&str; 2] = ["patterns.json", "patterns.jsonl"];
const DATABASE: &str = "memory.db";
/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Imports a project, or a part of one.
pub(super) fn run(workspace: &Workspace, options: &ImportJkzArgs, printer: &Printer) -> Outcome<Exit> {
    let path = fs::canonicalize(&options.path).map_err(|error| Diagnostic::io("cannot import this", &options.path, &error))?;
    let root = root_of(&path);
    let project = choose_project(workspace, options.project.as_deref(), &root)?;
    let layout = Layout::find(&path, &root)?;
    if layout.is_empty() {
        return Err(Diagnostic::edit(
            "no jkz data found here",
            "name a project's folder that holds state/deliberations/, or patterns.json with the rows of its table `patterns`",
        )
        .at(&options.path));
    }
    let has_rows = !layout.rows.is_empty();
    let database = layout.database.clone();
    let import = load_all(layout, &project)?;
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    let exit = import.finish(workspace, &root, &project, mode, printer)?;
    if let Some(database) = database.filter(|_| !has_rows) {
        printer.note(&format!(
            "{} is not read; export its table `patterns` as {} and import again to include its counts",
            plain_path(&database),
            ROWS[0]
        ));
    }
    Ok(exit)
}

/// The project's folder: the one that holds `state`.
fn root_of(path: &Path) -> PathBuf {
    let state = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == STATE));
    let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    state.and_then(Path::parent).unwrap_or(folder).to_path_buf()
}

/// Rows come first, so that patterns take their numbers in the order of the rows; then records in the order of time.
fn load_all(layout: Layout, project: &str) -> Outcome<Import> {
    let mut parts = Vec::new();
    let mut counted_through: Option<Timestamp> = None;
    for path in layout.rows {
        let Some((bytes, modified)) = load(&path)? else { continue };
        let rows = import_rows(&bytes, modified, project);
        counted_through = counted_through.max(rows.through);
        parts.push(Part::new(path, rows.imported));
    }
    let mut records = Vec::new();
    for path in layout.records {
        let Some((bytes, modified)) = load(&path)? else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = import_record(&name, &bytes, modified, RecordSource { project, counted_through });
        records.push((record.time, path, record.imported));
    }
    records.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    let is_one = records.len() == 1;
    parts.extend(records.into_iter().map(|(_, path, imported)| {
        let folder = path.parent().filter(|_| !is_one).map(|folder| plain_path(&folder.join("*.json")));
        let part = Part::new(path, imported);
        Part { shown: folder.unwrap_or_else(|| part.shown.clone()), ..part }
    }));
    Ok(Import { unknown: layout.unknown, outside: layout.outside, ..Import::in_order_of_files(parts) })
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
            layout.database = layout.database.or_else(|| Some(folder.join(DATABASE)).filter(|database| database.is_file()));
        }
        Ok(layout)
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.records.is_empty() && self.outside.is_empty()
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
