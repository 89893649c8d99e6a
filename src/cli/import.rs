//! `outerloop import`: what another system has gathered becomes events, every line of it accounted for.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::json;

use super::args::{ImportArgs, ImportClosedloopArgs, ImportSystem};
use super::printer::Printer;
use super::require;
use super::table::Columns;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::import::closedloop::{
    Counts, Imported, Odd, import_acknowledgments, import_merged, import_outcomes, import_patterns, import_pending, import_perf,
    import_runs, import_tool_lessons,
};
use crate::inbox::Recorder;
use crate::iteration::{name_project, remember_project};
use crate::render::plain_text;
use crate::render::toon::parse_toon;
use crate::setting::{TOOL_FILE, load_settings};
use crate::workspace::Workspace;

/// How many odd lines are shown to people; `--json` lists all.
const SHOWN: usize = 20;

/// Imports what another system has gathered.
pub fn run(workspace: &Workspace, options: &ImportArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let ImportSystem::Closedloop(options) = &options.system;
    let project = match &options.project {
        Some(project) => project.clone(),
        None => name_project(workspace, &load_settings(workspace)?, &options.workdir),
    };
    let mut parts = load_parts(options, &project)?;
    if parts.is_empty() {
        return Err(Diagnostic::edit(
            "there is nothing of ClosedLoop here",
            "name a work directory that holds .learnings/, or a pattern file with --patterns",
        )
        .at(&options.workdir));
    }
    land(workspace, &mut parts, options.dry_run)?;
    if !options.dry_run {
        remember_project(workspace, &options.workdir, &project)?;
    }
    tell(&parts, options, printer)?;
    let is_complete = parts.iter().all(|part| part.imported.counts.left_out == 0);
    Ok(if is_complete { Exit::Done } else { Exit::Refused })
}

/// A file of the other system, and what became of it.
struct Part {
    path: PathBuf,
    imported: Imported,
    /// How many events were landed.
    landed: usize,
}

impl Part {
    const fn new(path: PathBuf, imported: Imported) -> Self {
        Self { path, imported, landed: 0 }
    }
}

/// Reads a log of a project.
type Importer = fn(&[u8], &str) -> Imported;

/// Patterns come first: the book then gives them the numbers that they had.
fn load_parts(options: &ImportClosedloopArgs, project: &str) -> Outcome<Vec<Part>> {
    let work = &options.workdir;
    let learnings = if work.ends_with(".learnings") { work.clone() } else { work.join(".learnings") };
    let mut parts = Vec::new();
    let pattern_file = options.patterns.clone().unwrap_or_else(|| learnings.join("org-patterns.toon"));
    let pattern_file_folder = pattern_file.parent().unwrap_or(&learnings).to_path_buf();
    match load(&pattern_file)? {
        Some((bytes, modified)) => parts.push(Part::new(pattern_file, read_patterns(&bytes, modified, project))),
        None if options.patterns.is_some() => {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(Diagnostic::io("cannot read the pattern file", &pattern_file, &missing));
        }
        None => {}
    }
    let merged = learnings.join("merge-result.json");
    if let Some((bytes, modified)) = load(&merged)? {
        parts.push(Part::new(merged, import_merged(&bytes, modified, project)));
    }
    // The original keeps the lessons about itself beside the pattern file.
    let beside = pattern_file_folder.join(TOOL_FILE);
    for path in [beside, learnings.join("pending-closedloop.json")] {
        if let Some((bytes, modified)) = load(&path)? {
            parts.push(Part::new(path, import_tool_lessons(&bytes, modified, project)));
        }
    }
    for path in pending_files(&learnings)? {
        let Some((bytes, modified)) = load(&path)? else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        parts.push(Part::new(path, import_pending(&name, &bytes, modified, project)));
    }
    let root = if work.ends_with(".learnings") { work.parent().unwrap_or(work).to_path_buf() } else { work.clone() };
    let logs: [(PathBuf, Importer); 4] = [
        (learnings.join("outcomes.log"), import_outcomes),
        (root.join("runs.log"), import_runs),
        (learnings.join("acknowledgments.log"), import_acknowledgments),
        (root.join("perf.jsonl"), import_perf),
    ];
    for (path, import) in logs {
        if let Some((bytes, _)) = load(&path)? {
            parts.push(Part::new(path, import(&bytes, project)));
        }
    }
    Ok(parts)
}

fn load(path: &Path) -> Outcome<Option<(Vec<u8>, Timestamp)>> {
    let failed = |error: io::Error| Diagnostic::io("cannot read the file to import", path, &error);
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(failed)?,
    };
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).map_err(failed)?;
    Ok(Some((bytes, Timestamp::try_from(modified).unwrap_or(Timestamp::UNIX_EPOCH))))
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

fn read_patterns(bytes: &[u8], modified: Timestamp, project: &str) -> Imported {
    let document = parse_toon(&String::from_utf8_lossy(bytes));
    let mut imported = import_patterns(&document.rows, modified, project);
    for odd in document.odd {
        let taken = document.rows.iter().any(|located| located.line == odd.line);
        if !taken {
            imported.counts.records += 1;
            imported.counts.left_out += 1;
        }
        imported.odd.push(Odd { line: odd.line, text: odd.text, reason: odd.reason, taken });
    }
    imported
}

fn land(workspace: &Workspace, parts: &mut [Part], is_dry: bool) -> Outcome<()> {
    let mut recorder = Recorder::new(workspace)?;
    for part in parts {
        for line in &part.imported.lines {
            match recorder.take_line(line) {
                Ok(()) => part.landed += 1,
                Err(rejection) => part.imported.odd.push(Odd {
                    line: 0,
                    text: plain_text(line, 200),
                    reason: format!("an event made from it was refused: {rejection}"),
                    taken: false,
                }),
            }
            if recorder.is_full() && !is_dry {
                recorder.land()?;
            }
        }
    }
    if is_dry { Ok(()) } else { recorder.land() }
}

fn tell(parts: &[Part], options: &ImportClosedloopArgs, printer: &Printer) -> Outcome<()> {
    if options.json {
        let list: Vec<_> = parts.iter().map(as_json).collect();
        return printer.line(&json!({"is_dry_run": options.dry_run, "files": list}).to_string());
    }
    let mut table = Columns::new(&["file", "#records", "#taken", "#parts", "#blank", "#left out", "#events"]);
    for part in parts {
        let Counts { records, taken, parts, blank, left_out } = part.imported.counts;
        let numbers = [records, taken, parts, blank, left_out, part.landed].map(|number| number.to_string());
        table.row(std::iter::once(plain_text(&part.path.display().to_string(), 200)).chain(numbers));
    }
    printer.line(&table.render())?;
    let odd = || parts.iter().flat_map(|part| part.imported.odd.iter().map(move |odd| (&part.path, odd)));
    for (path, odd) in odd().take(SHOWN) {
        let fate = if odd.taken { "repaired" } else { "left out" };
        printer.note(&format!(
            "{}:{}: {fate}: {}: {}",
            plain_text(&path.display().to_string(), 200),
            odd.line,
            plain_text(&odd.reason, 200),
            plain_text(&odd.text, 100)
        ));
    }
    let more = odd().count().saturating_sub(SHOWN);
    if more > 0 {
        printer.note(&format!("and {more} more; --json lists all"));
    }
    if !options.dry_run {
        printer.note("landed; `outerloop run hourly` takes it into the lake and learns from it");
    }
    Ok(())
}

fn as_json(part: &Part) -> serde_json::Value {
    let Counts { records, taken, parts, blank, left_out } = part.imported.counts;
    let odd: Vec<_> = part
        .imported
        .odd
        .iter()
        .map(|odd| json!({"line": odd.line, "text": odd.text, "reason": odd.reason, "taken": odd.taken}))
        .collect();
    json!({"file": part.path, "records": records, "taken": taken, "parts": parts, "blank": blank, "left_out": left_out,
        "events": part.landed, "odd": odd})
}
