//! `outerloop import`: data of another tool becomes events, and every record is accounted for.

mod closedloop;
mod codekit;
mod devflow;
mod jkz;

use std::path::{Path, PathBuf};
use std::{fs, io};

use jiff::Timestamp;
use serde_json::json;

use super::args::{ImportArgs, ImportSystem};
use super::printer::Printer;
use super::require;
use super::table::Columns;
use agent::import::{Counts, Imported};
use agent::intake::Cursor;
use agent::iteration::{name_folder, name_project, remember_project};
use event::redact::redact;
use render::plain_text;
use setting::Settings;
use store::inbox::{Recorder, RefusedRecord};
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How many odd records, and how many files that are not read, are shown to people; `--json` lists all.
const SHOWN: usize = 20;

/// Imports data from another tool.
pub(crate) fn run(workspace: &Workspace, options: &ImportArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    match &options.system {
        ImportSystem::Closedloop(options) => closedloop::run(workspace, options, printer),
        ImportSystem::Codekit(options) => codekit::run(workspace, options, printer),
        ImportSystem::Devflow(options) => devflow::run(workspace, options, printer),
        ImportSystem::Jkz(options) => jkz::run(workspace, options, printer),
    }
}

pub(crate) use closedloop::global_learnings;

/// What following a run folder brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// What its files hold, and how much of it.
    pub records: Vec<(&'static str, usize)>,
    /// Events that landed.
    pub landed: usize,
    /// Pending lessons that a capture takes.
    pub waiting: usize,
    /// Records that could not be read. They are in quarantine.
    pub left_out: usize,
}

/// Imports what is new in a run folder of ClosedLoop. A folder that holds nothing of it brings nothing.
pub fn follow_folder(workspace: &Workspace, settings: &Settings, work: &Path) -> Outcome<Followed> {
    let project = name_project(workspace, settings, work);
    let Some(mut import) = closedloop::plan(workspace, work, None, &project)? else { return Ok(Followed::default()) };
    // Pending lessons are the capture's, which archives them; beside another tool they stay.
    let waiting = if settings.capture.beside { 0 } else { import.leave_pending() };
    import.land(workspace, false)?;
    remember_project(workspace, work, &project)?;
    let left_out = import.parts.iter().map(|part| part.imported.counts.left_out).sum();
    let landed = import.parts.iter().map(|part| part.landed).sum();
    Ok(Followed { records: count_records(&import.parts), landed, waiting, left_out })
}

/// How many records the files of a run folder hold, by what they are.
fn count_records(parts: &[Part]) -> Vec<(&'static str, usize)> {
    const NOUNS: [(&str, &str); 6] = [
        ("org-patterns.toon", "pattern"),
        ("merge-result.json", "merged pattern"),
        ("outcomes.log", "outcome"),
        ("runs.log", "run"),
        ("acknowledgments.log", "acknowledgment"),
        ("perf.jsonl", "timing"),
    ];
    let is_in = |part: &&Part, name: &str| part.path.file_name().is_some_and(|file| file == name);
    let count = |name: &str| parts.iter().filter(|part| is_in(part, name)).map(|part| part.imported.counts.taken).sum();
    NOUNS.iter().map(|(name, noun)| (*noun, count(name))).collect()
}

/// All files of the other system, and what became of them.
#[derive(Default)]
struct Import {
    parts: Vec<Part>,
    /// The order in which events land: each entry stands for the next event of that part.
    order: Vec<usize>,
    /// Files that hold what is worked out anew.
    derived: Vec<PathBuf>,
    /// Files that are none of the other system's.
    unknown: Vec<PathBuf>,
    /// Links to files outside of the imported folder.
    outside: Vec<PathBuf>,
    /// Files that are not read for reasons of their own.
    left: Vec<(PathBuf, &'static str)>,
    /// Files of the other system that are not there.
    missing: Vec<PathBuf>,
    /// Files that cannot be read.
    broken: Vec<(PathBuf, String)>,
    /// The project whose runs the records report, where they report runs.
    runs_of: Option<String>,
}

/// What is done with what was read, and how it is told.
#[derive(Clone, Copy)]
struct Mode {
    is_dry: bool,
    as_json: bool,
}

/// A file of the other system, and what became of it.
struct Part {
    path: PathBuf,
    /// What the file is shown as; those that are shown alike are summed up.
    shown: String,
    imported: Imported,
    /// What was imported from the file before.
    cursor: Option<Cursor>,
    landed: usize,
    /// Events that landed with an earlier import.
    known: usize,
}

impl Part {
    fn new(path: PathBuf, imported: Imported) -> Self {
        Self { shown: plain_path(&path), path, imported, cursor: None, landed: 0, known: 0 }
    }

    fn following(self, cursor: Cursor) -> Self {
        Self { cursor: Some(cursor), ..self }
    }
}

impl Import {
    fn in_order_of_files(parts: Vec<Part>) -> Self {
        let order = parts.iter().enumerate().flat_map(|(number, part)| part.imported.lines.iter().map(move |_| number)).collect();
        Self { parts, order, ..Self::default() }
    }

    /// Leaves out the files of `pending/`, and counts them.
    fn leave_pending(&mut self) -> usize {
        let parts = std::mem::take(&mut self.parts);
        let is_pending = |part: &Part| part.path.parent().is_some_and(|folder| folder.ends_with(".learnings/pending"));
        let missing = std::mem::take(&mut self.missing);
        let all = parts.len();
        let kept: Vec<Part> = parts.into_iter().filter(|part| !is_pending(part)).collect();
        let left = all - kept.len();
        *self = Self { missing, ..Self::in_order_of_files(kept) };
        left
    }

    /// Lands the events. Those that the door refuses make their records count as left out.
    fn land(&mut self, workspace: &Workspace, is_dry: bool) -> Outcome<()> {
        let mut recorder = Recorder::new(workspace)?;
        let mut next = vec![0; self.parts.len()];
        for &number in &self.order {
            let (part, event) = (&mut self.parts[number], next[number]);
            next[number] += 1;
            if part.cursor.as_ref().is_some_and(|cursor| !cursor.is_new(&part.imported.lines[event])) {
                part.known += 1;
                continue;
            }
            match recorder.take_line(&part.imported.lines[event]) {
                Ok(()) => part.landed += 1,
                Err(rejection) => part.imported.book_refused(event, format!("an event made from it was refused: {rejection}")),
            }
            if recorder.is_full() && !is_dry {
                recorder.land()?;
            }
        }
        if is_dry {
            return Ok(());
        }
        for part in &self.parts {
            let source = part.path.to_string_lossy();
            for refused in &part.imported.refused {
                recorder.refuse(RefusedRecord {
                    source: &source,
                    line: refused.line as u64,
                    text: &refused.text,
                    reason: &refused.reason,
                    run_of: self.runs_of.as_deref(),
                });
            }
        }
        recorder.land()?;
        for part in &self.parts {
            if let Some(cursor) = &part.cursor {
                cursor.save(part.imported.lines.iter())?;
            }
        }
        Ok(())
    }

    /// Lands the events, remembers the project of the folder, and tells what became of every file.
    fn finish(mut self, workspace: &Workspace, folder: &Path, project: &str, mode: Mode, printer: &Printer) -> Outcome<Exit> {
        self.land(workspace, mode.is_dry)?;
        if !mode.is_dry {
            remember_project(workspace, folder, project)?;
        }
        self.tell(mode.is_dry, mode.as_json, printer)?;
        let is_complete = self.broken.is_empty() && self.parts.iter().all(|part| part.imported.counts.left_out == 0);
        Ok(if is_complete { Exit::Done } else { Exit::Refused })
    }

    fn tell(&self, is_dry: bool, as_json: bool, printer: &Printer) -> Outcome<()> {
        if as_json {
            let list: Vec<_> = self.parts.iter().map(part_as_json).collect();
            let names = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>();
            let (derived, unknown, outside) = (names(&self.derived), names(&self.unknown), names(&self.outside));
            let left = |(path, why): &(PathBuf, &str)| json!({"file": path.to_string_lossy(), "reason": why});
            let broken = |(path, why): &(PathBuf, String)| json!({"file": path.to_string_lossy(), "reason": why});
            let left: Vec<_> = self.left.iter().map(left).chain(self.broken.iter().map(broken)).collect();
            let told = json!({"is_dry_run": is_dry, "files": list, "derived": derived, "unknown": unknown, "outside": outside, "left": left, "missing": names(&self.missing)});
            return printer.line(&told.to_string());
        }
        printer.line(&self.render_table())?;
        self.tell_odd(printer);
        tell_files(&self.missing, "is not there", printer);
        tell_files(&self.derived, "is not imported: it is recomputed", printer);
        tell_files(&self.unknown, "is skipped: not a file of this tool", printer);
        tell_files(&self.outside, "is skipped: the link points outside the imported folder", printer);
        self.left.iter().for_each(|(path, why)| printer.note(&format!("{}: {why}", plain_path(path))));
        self.broken.iter().for_each(|(path, why)| printer.note(&format!("{} is not read: {why}", plain_path(path))));
        if !is_dry && self.parts.iter().any(|part| part.landed > 0) {
            printer.note("recorded; `outerloop run hourly` ingests it and learns from it");
        }
        Ok(())
    }

    fn render_table(&self) -> String {
        let mut table =
            Columns::new(&["file", "#records", "#taken", "#parts", "#duplicates", "#blank", "#skipped", "#known", "#events"]);
        for parts in self.parts.chunk_by(|one, other| one.shown == other.shown) {
            let sum = |number: fn(&Counts) -> usize| parts.iter().map(|part| number(&part.imported.counts)).sum::<usize>();
            let numbers = [
                sum(|counts| counts.records),
                sum(|counts| counts.taken),
                sum(|counts| counts.parts),
                sum(|counts| counts.duplicates),
                sum(|counts| counts.blank),
                sum(|counts| counts.left_out),
                parts.iter().map(|part| part.known).sum(),
                parts.iter().map(|part| part.landed).sum(),
            ];
            let shown = parts.iter().take(1).map(|part| part.shown.clone());
            table.row(shown.chain(numbers.map(|number| number.to_string())));
        }
        table.render()
    }

    fn tell_odd(&self, printer: &Printer) {
        let odd = || self.parts.iter().flat_map(|part| part.imported.odd.iter().map(move |odd| (&part.path, odd)));
        for (path, odd) in odd().take(SHOWN) {
            let fate = if odd.taken { "repaired" } else { "skipped" };
            let (reason, text) = (plain_text(&redact(&odd.reason).text, 200), plain_text(&redact(&odd.text).text, 100));
            let separator = if text.is_empty() { "" } else { ": " };
            printer.note(&format!("{}:{}: {fate}: {reason}{separator}{text}", plain_path(path), odd.line));
        }
        let more = odd().count().saturating_sub(SHOWN);
        if more > 0 {
            printer.note(&format!("and {more} more; --json lists all"));
        }
    }
}

/// The project that events of a folder belong to: the one that was named, else the one that hooks would name there; where nothing
/// names one, the folder's own name.
fn choose_project(workspace: &Workspace, named: Option<&str>, folder: &Path) -> Outcome<String> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    Ok(name_folder(workspace, &load_settings(workspace)?, folder))
}

fn tell_files(paths: &[PathBuf], what: &str, printer: &Printer) {
    for path in paths.iter().take(SHOWN) {
        printer.note(&format!("{}: {what}", plain_path(path)));
    }
    let more = paths.len().saturating_sub(SHOWN);
    if more > 0 {
        printer.note(&format!("and {more} more such files; --json lists all"));
    }
}

fn part_as_json(part: &Part) -> serde_json::Value {
    let Counts { records, taken, parts, duplicates, blank, left_out } = part.imported.counts;
    let odd: Vec<_> = part
        .imported
        .odd
        .iter()
        .map(|odd| {
            let (text, reason) = (redact(&odd.text).text, redact(&odd.reason).text);
            json!({"line": odd.line, "text": text, "reason": reason, "taken": odd.taken})
        })
        .collect();
    json!({"file": part.path.to_string_lossy(), "records": records, "taken": taken, "parts": parts, "duplicates": duplicates,
        "blank": blank, "left_out": left_out, "known": part.known, "events": part.landed, "odd": odd})
}

fn plain_path(path: &Path) -> String {
    plain_text(&path.display().to_string(), 200)
}

/// Whether a file is a link to one outside of a folder: whoever wrote into the folder could have any file read and shown.
fn leads_out(path: &Path, folder: &Path) -> bool {
    let is_inside = || fs::canonicalize(folder).and_then(|folder| Ok(fs::canonicalize(path)?.starts_with(folder)));
    path.is_symlink() && !is_inside().unwrap_or(false)
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
