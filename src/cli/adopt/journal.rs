//! What was there before ClosedLoop was adopted, and putting it back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{adopted_keys, shown};
use crate::learn::counted;
use crate::printer::Printer;
use agent::intake::{count_imported, cursor_folder, workdirs};
use setting::{PATTERN_FILE, SettingKey, SettingValue, parse_settings, set_setting};
use store::durable;
use store::publish::find_current;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::digest::sha256;

/// What publishing leaves in ClosedLoop's folder: the pattern file and its copy.
const WRITTEN: [&str; 3] = [PATTERN_FILE, "org-patterns.bak", "org-patterns.toon.bak"];

/// What was there before, so that it can be restored.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// The settings before; none if there were none.
    settings: Option<String>,
    /// Whether adopting made the workspace.
    #[serde(default)]
    is_new: bool,
    /// The hash of the settings that were written.
    written: String,
    /// These settings.
    #[serde(default)]
    after: String,
    /// ClosedLoop's folder, if patterns are published there.
    global: Option<PathBuf>,
    /// Its files of [`WRITTEN`] that were there, and where their bytes are kept.
    kept: Vec<String>,
}

/// The workspace before.
pub(super) struct Before {
    pub(super) settings: Option<String>,
    pub(super) is_new: bool,
}

/// Keeps the bytes of what will be overwritten, and remembers what is set.
pub(super) fn keep(workspace: &Workspace, before: Before, after: &str, target: Option<&PathBuf>) -> Outcome<()> {
    let folder = journal_folder(workspace);
    durable::create_folder(&folder)?;
    let earlier = load(workspace);
    // Whoever adopts again finds what was published there.
    let is_kept = earlier.as_ref().is_some_and(|earlier| earlier.global.is_some());
    let mut kept = Vec::new();
    for name in target.iter().filter(|_| !is_kept).flat_map(|_| WRITTEN) {
        let path = target.map(|global| global.join(name)).unwrap_or_default();
        match fs::read(&path) {
            Ok(bytes) => {
                durable::replace(&folder.join(name), &bytes)?;
                kept.push(name.to_owned());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Diagnostic::io("cannot keep the pattern file", &path, &error)),
        }
    }
    let written = sha256(after.as_bytes());
    let journal = if let Some(earlier) = earlier {
        // What a person changed since the first time is no part of what was there before.
        let is_untouched = sha256(before.settings.unwrap_or_default().as_bytes()) == earlier.written;
        let written = if is_untouched { written } else { String::new() };
        let (global, kept) = if is_kept { (earlier.global, earlier.kept) } else { (target.cloned(), kept) };
        Journal { written, after: after.to_owned(), global, kept, ..earlier }
    } else {
        let Before { settings, is_new } = before;
        Journal { settings, is_new, written, after: after.to_owned(), global: target.cloned(), kept }
    };
    let text =
        serde_json::to_vec_pretty(&journal).map_err(|error| Diagnostic::bug(format!("the journal cannot be written: {error}")))?;
    durable::replace(&journal_path(workspace), &text)
}

/// Restores what was there before, unless a person has changed it since.
pub(super) fn undo(workspace: &Workspace, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    let path = journal_path(workspace);
    let nothing = || Diagnostic::edit("nothing was adopted in this workspace", "name the workspace with --root").at(&path);
    let journal = load(workspace).ok_or_else(nothing)?;
    let now = read_text(&workspace.settings())?.unwrap_or_default();
    let mut told = vec!["settings restored".to_owned()];
    match &journal.settings {
        _ if sha256(now.as_bytes()) != journal.written => told = restore_keys(workspace, &journal, &now)?,
        Some(before) => durable::replace(&workspace.settings(), before.as_bytes())?,
        None => remove(&workspace.settings())?,
    }
    if let Some(global) = &journal.global {
        told.push(restore_patterns(workspace, global, &journal.kept)?);
    }
    told.extend(what_stays(workspace, &now, journal.is_new));
    let cursors = cursor_folder(workspace);
    let removed = fs::remove_dir_all(&cursors);
    if let Err(error) = removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }) {
        return Err(Diagnostic::io("cannot remove the cursors", &cursors, &error));
    }
    fs::remove_dir_all(journal_folder(workspace)).map_err(|error| Diagnostic::io("cannot remove the journal", &path, &error))?;
    if as_json {
        printer.line(&json!({"undone": told}).to_string())?;
    }
    for line in &told {
        printer.note(line);
    }
    Ok(Exit::Done)
}

/// Takes the keys that adopting set out of settings that a person has changed since. A key that holds something else by now is that
/// person's.
fn restore_keys(workspace: &Workspace, journal: &Journal, now: &str) -> Outcome<Vec<String>> {
    let parse = |text: &str| parse_settings(text).map_err(|fault| fault.at(&workspace.settings()));
    let before = adopted_keys(&parse(journal.settings.as_deref().unwrap_or_default())?);
    let (after, held) = (adopted_keys(&parse(&journal.after)?), adopted_keys(&parse(now)?));
    let mut told = vec!["settings restored that adopting set; what was changed since stays".to_owned()];
    let mut text = now.to_owned();
    for (((name, before), (_, after)), (_, held)) in before.into_iter().zip(after).zip(held) {
        if held == before || before == after {
            continue;
        }
        let set = || set_setting(&text, &SettingKey::parse(name)?, &SettingValue::parse(&before)?);
        match set().filter(|_| held == after) {
            Some(edited) => text = edited,
            None => told.push(format!("`{name}` was changed since, and stays; before it was {before}")),
        }
    }
    durable::replace(&workspace.settings(), text.as_bytes())?;
    Ok(told)
}

/// What undoing does not take back, why that does no harm, and how to drop it.
fn what_stays(workspace: &Workspace, settings: &str, was_new: bool) -> Vec<String> {
    let root = shown(workspace.root());
    let events = counted(count_imported(workspace), "event");
    let mut told = vec![format!(
        "stays: {events} imported from ClosedLoop, in {root}/lake. They count in this workspace's reports alone: ClosedLoop never \
         reads them, and nothing is written outside of {root} any more"
    )];
    told.push(if was_new {
        format!("to drop them, delete {root}: adopting made it, and nothing outside needs it")
    } else {
        "to drop them, retire the patterns: `outerloop patterns list`, `outerloop patterns retire ID`".to_owned()
    });
    for work in parse_settings(settings).map(|settings| workdirs(workspace, &settings)).unwrap_or_default() {
        let archive = work.join(".learnings/pending/archived");
        let lessons = fs::read_dir(&archive).map_or(0, |entries| entries.flatten().count());
        if lessons > 0 {
            told.push(format!(
                "stays: {} taken in, in {}; move them to the folder above if ClosedLoop shall read them",
                counted(lessons, "lesson"),
                shown(&archive)
            ));
        }
    }
    told
}

/// Puts the bytes of ClosedLoop's pattern file back. A file that is no longer what was published is somebody else's by now.
fn restore_patterns(workspace: &Workspace, global: &Path, kept: &[String]) -> Outcome<String> {
    let path = global.join(PATTERN_FILE);
    let now = fs::read(&path).ok();
    let published = find_current(workspace)?.and_then(|generation| generation.read(PATTERN_FILE).ok());
    let folder = journal_folder(workspace);
    let before = fs::read(folder.join(PATTERN_FILE)).ok();
    if now == before {
        return Ok(format!("{} is as it was", shown(&path)));
    }
    if now.is_some() && now != published {
        return Ok(format!("{} was written by another program since, and stays", shown(&path)));
    }
    for name in WRITTEN {
        let path = global.join(name);
        if kept.iter().any(|kept| kept == name) {
            let bytes = fs::read(folder.join(name))
                .map_err(|error| Diagnostic::io("cannot read the kept file", &folder.join(name), &error))?;
            let permissions = fs::metadata(&path).ok().map(|found| found.permissions());
            durable::replace_as(&path, &bytes, permissions)?;
        } else {
            remove(&path)?;
        }
    }
    Ok(format!("{} restored", shown(&path)))
}

fn remove(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Diagnostic::io("cannot remove the file", path, &error)),
        _ => Ok(()),
    }
}

pub(super) fn read_text(path: &Path) -> Outcome<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| Diagnostic::io("cannot read the settings", path, &error)),
    }
}

fn load(workspace: &Workspace) -> Option<Journal> {
    serde_json::from_slice(&fs::read(journal_path(workspace)).ok()?).ok()
}

fn journal_folder(workspace: &Workspace) -> PathBuf {
    workspace.root().join("adopted")
}

fn journal_path(workspace: &Workspace) -> PathBuf {
    journal_folder(workspace).join("closedloop.json")
}
