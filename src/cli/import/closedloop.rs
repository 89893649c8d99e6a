//! `outerloop import closedloop`: the files of a work directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::args::ImportClosedloopArgs;
use super::super::printer::Printer;
use super::{Import, Mode, Part, leads_out, load};
use agent::import::closedloop::{
    import_acknowledgments, import_merged, import_outcomes, import_patterns, import_pending, import_perf, import_runs,
    import_tool_lessons,
};
use agent::import::{Imported, Odd};
use agent::iteration::name_project;
use render::toon::parse_toon;
use setting::TOOL_FILE;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Imports a work directory.
pub(super) fn run(workspace: &Workspace, options: &ImportClosedloopArgs, printer: &Printer) -> Outcome<Exit> {
    let project = match &options.project {
        Some(project) => project.clone(),
        None => name_project(workspace, &load_settings(workspace)?, &options.workdir),
    };
    let (parts, outside) = load_parts(options, &project)?;
    if parts.is_empty() && outside.is_empty() {
        return Err(Diagnostic::edit(
            "no ClosedLoop data found here",
            "name a work directory that holds .learnings/, or a pattern file with --patterns",
        )
        .at(&options.workdir));
    }
    let import = Import { outside, ..Import::in_order_of_files(parts) };
    let mode = Mode { is_dry: options.dry_run, as_json: options.json };
    import.finish(workspace, &options.workdir, &project, mode, printer)
}

/// Reads a log of a project.
type Importer = fn(&[u8], &str) -> Imported;

/// Patterns come first: the book then gives them the numbers that they had. Links that lead out of the work directory are given back
/// beside the parts; a pattern file that was named may stand anywhere.
fn load_parts(options: &ImportClosedloopArgs, project: &str) -> Outcome<(Vec<Part>, Vec<PathBuf>)> {
    let work = &options.workdir;
    let root = if work.ends_with(".learnings") { work.parent().unwrap_or(work).to_path_buf() } else { work.clone() };
    let mut outside = Vec::new();
    let mut load_inside = |path: &Path| {
        if leads_out(path, &root) {
            outside.push(path.to_path_buf());
            return Ok(None);
        }
        load(path)
    };
    let learnings = if work.ends_with(".learnings") { work.clone() } else { work.join(".learnings") };
    let mut parts = Vec::new();
    let pattern_file = options.patterns.clone().unwrap_or_else(|| learnings.join("org-patterns.toon"));
    let pattern_file_folder = pattern_file.parent().unwrap_or(&learnings).to_path_buf();
    let found = if options.patterns.is_some() { load(&pattern_file)? } else { load_inside(&pattern_file)? };
    match found {
        Some((bytes, modified)) => parts.push(Part::new(pattern_file, read_patterns(&bytes, modified, project))),
        None if options.patterns.is_some() => {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            return Err(Diagnostic::io("cannot read the pattern file", &pattern_file, &missing));
        }
        None => {}
    }
    let merged = learnings.join("merge-result.json");
    if let Some((bytes, modified)) = load_inside(&merged)? {
        parts.push(Part::new(merged, import_merged(&bytes, modified, project)));
    }
    // The original keeps the lessons about itself beside the pattern file.
    let beside = pattern_file_folder.join(TOOL_FILE);
    for path in [beside, learnings.join("pending-closedloop.json")] {
        if let Some((bytes, modified)) = load_inside(&path)? {
            parts.push(Part::new(path, import_tool_lessons(&bytes, modified, project)));
        }
    }
    for path in pending_files(&learnings)? {
        let Some((bytes, modified)) = load_inside(&path)? else { continue };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        parts.push(Part::new(path, import_pending(&name, &bytes, modified, project)));
    }
    let logs: [(PathBuf, Importer); 4] = [
        (learnings.join("outcomes.log"), import_outcomes),
        (root.join("runs.log"), import_runs),
        (learnings.join("acknowledgments.log"), import_acknowledgments),
        (root.join("perf.jsonl"), import_perf),
    ];
    for (path, import) in logs {
        if let Some((bytes, _)) = load_inside(&path)? {
            parts.push(Part::new(path, import(&bytes, project)));
        }
    }
    Ok((parts, outside))
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
