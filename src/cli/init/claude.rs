//! Claude Code's settings of a project: found, read without following links, and replaced in one step.

use std::fs::{self, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::addition::{self, Addition, FRESH_INDENTS, Kept};
use super::document::{Fault, Part};
use super::place::{FOLDER, TEAM};
use super::removal::{self, Removal, Rest};
use crate::printer::Printer;
use crate::schedule;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

/// Settings are written by hand. What is larger is something else.
const LIMIT_BYTES: u64 = 1 << 20;
/// The file belongs to the project and is committed with it: whoever may read the project's other files may read this one.
const SHARED_FILE: u32 = 0o644;

/// A file of Claude Code that gets our hooks or our server.
#[derive(Debug)]
pub(super) struct Claude {
    pub(super) part: Part,
    pub(super) file: PathBuf,
    pub(super) folder: PathBuf,
    /// The workspace, if the program would not find it from the project by itself.
    pub(super) root: Option<String>,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(skip)]
    part: Part,
    file: String,
    change: Change,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<&'static str>,
    /// What an earlier version wrote and is written anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    upgraded: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<KeptHook>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Change {
    Created,
    Edited,
    Unchanged,
    Deleted,
}

#[derive(Debug, Serialize)]
struct KeptHook {
    hook: &'static str,
    /// In what it differs from what would be written.
    differs: Vec<&'static str>,
    /// The command, if it does more than call the hook and is not removed for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
}

/// The settings as they are, if there are any.
#[derive(Debug)]
struct Found {
    text: String,
    permissions: Permissions,
}

/// The settings as they are to be.
#[derive(Debug)]
pub(super) struct Plan {
    claude: Claude,
    text: String,
    /// The permissions of the file that is there.
    permissions: Option<Permissions>,
    makes_folder: bool,
    report: Report,
}

impl Claude {
    /// Works out the file with ours. Writes nothing.
    pub(super) fn plan(self) -> Outcome<Plan> {
        let (part, root) = (self.part, self.root.as_deref());
        let is_missing = self.is_folder_missing()?;
        let found = if is_missing { None } else { self.read()? };
        let Some(found) = found else {
            let indent = FRESH_INDENTS[usize::from(!is_missing && is_empty(&self.folder))];
            let text = addition::fresh(part, root, indent);
            let mut report = self.report(Change::Created);
            report.added = addition::names(part);
            let makes_folder = is_missing && self.is_own_folder();
            return Ok(Plan { text, permissions: None, makes_folder, report, claude: self });
        };
        let (addition, former) = self.renew(&found.text)?;
        // What could not be read again could not be removed again.
        if addition.text.len() as u64 > LIMIT_BYTES {
            return Err(self.too_large());
        }
        let mut report = self.report(if addition.added.is_empty() { Change::Unchanged } else { Change::Edited });
        (report.upgraded, report.added) = addition.added.into_iter().partition(|name| former.contains(name));
        report.kept = addition.kept.into_iter().map(KeptHook::from).collect();
        Ok(Plan { text: addition.text, permissions: Some(found.permissions), makes_folder: false, report, claude: self })
    }

    /// Writes anew what an earlier version wrote, and adds what is missing. Gives the names of the former.
    fn renew(&self, text: &str) -> Outcome<(Addition, Vec<&'static str>)> {
        let root = self.root.as_deref();
        let add = |text: &str| addition::add(text, self.part, root).map_err(|fault| self.refuse(fault));
        if self.part == Part::Server {
            return Ok((add(text)?, Vec::new()));
        }
        let Removal { rest, removed, .. } = removal::remove_former(text, root).map_err(|fault| self.refuse(fault))?;
        let addition = match rest {
            Rest::Text(text) => add(&text)?,
            // The file was made for our hooks and stays so: its blanks say what else was made for them.
            Rest::Nothing { folder_too } => Addition {
                text: addition::fresh(self.part, root, FRESH_INDENTS[usize::from(!folder_too)]),
                added: addition::names(self.part),
                kept: Vec::new(),
            },
        };
        Ok((addition, removed))
    }

    /// Takes ours out of the file.
    pub(super) fn remove(&self) -> Outcome<Report> {
        let found = if self.is_folder_missing()? { None } else { self.read()? };
        let Some(found) = found else { return Ok(self.report(Change::Unchanged)) };
        let Removal { rest, removed, kept } = removal::remove(&found.text, self.part).map_err(|fault| self.refuse(fault))?;
        let mut report = self.report(Change::Unchanged);
        report.removed = names(self.part, &removed);
        report.kept = kept.into_iter().map(KeptHook::from).collect();
        match rest {
            _ if removed.is_empty() => {}
            Rest::Text(text) => {
                report.change = Change::Edited;
                durable::replace_as(&self.file, text.as_bytes(), Some(found.permissions))?;
            }
            Rest::Nothing { folder_too } => {
                report.change = Change::Deleted;
                self.delete(folder_too)?;
            }
        }
        Ok(report)
    }

    fn delete(&self, folder_too: bool) -> Outcome<()> {
        fs::remove_file(&self.file).map_err(|error| Diagnostic::io("cannot remove the settings", &self.file, &error))?;
        if folder_too && self.is_own_folder() && is_empty(&self.folder) {
            fs::remove_dir(&self.folder).map_err(|error| Diagnostic::io("cannot remove the folder", &self.folder, &error))?;
            return self.folder.parent().map_or(Ok(()), durable::sync_folder);
        }
        durable::sync_folder(&self.folder)
    }

    /// Whether a project shares the file with everybody who gets it.
    pub(super) fn is_shared(&self) -> bool {
        self.file.file_name().is_some_and(|name| name == TEAM)
    }

    /// Looks at the folder of the settings. Only the one that Claude Code itself would make may be missing.
    fn is_folder_missing(&self) -> Outcome<bool> {
        match fs::symlink_metadata(&self.folder) {
            Ok(found) if found.is_dir() => Ok(false),
            Ok(found) if found.is_symlink() => Err(Diagnostic::edit(
                "the folder of the settings is a symbolic link",
                "name the file itself with --claude-settings, by its real path",
            )
            .at(&self.folder)),
            // The project's own folder is made with its workspace.
            Err(error) if error.kind() == io::ErrorKind::NotFound && (self.is_own_folder() || self.part == Part::Server) => {
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Diagnostic::edit("there is no such folder", "create the folder, or name another file with --claude-settings")
                    .at(&self.folder))
            }
            Ok(_) => Err(Diagnostic::edit(
                "a file is in the place of the settings folder",
                "move it away, or name another file with --claude-settings",
            )
            .at(&self.folder)),
            Err(error) => Err(Diagnostic::io("cannot look at the folder of the settings", &self.folder, &error)),
        }
    }

    fn is_own_folder(&self) -> bool {
        self.folder.file_name().is_some_and(|name| name == FOLDER)
    }

    fn read(&self) -> Outcome<Option<Found>> {
        let failed = |error: &io::Error| Diagnostic::io("cannot read the settings", &self.file, error);
        match fs::symlink_metadata(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
            // A link is not followed: what it points to was not meant.
            Ok(found) if found.is_symlink() => {
                let remedy = "name the file itself with --claude-settings, or remove the link";
                return Err(Diagnostic::edit("the settings are a symbolic link", remedy).at(&self.file));
            }
            Ok(found) if !found.is_file() => {
                let remedy = "name the file itself with --claude-settings, or move the other file away";
                return Err(Diagnostic::edit("the settings are not a regular file", remedy).at(&self.file));
            }
            Ok(_) => {}
        }
        let file = durable::open_regular(&self.file).map_err(|error| failed(&error))?;
        let permissions = file.metadata().map_err(|error| failed(&error))?.permissions();
        let mut bytes = Vec::new();
        file.take(LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        if bytes.len() as u64 > LIMIT_BYTES {
            return Err(self.too_large());
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let remedy = "save the file as UTF-8, then run the command again";
            Diagnostic::edit("the settings are not valid JSON", remedy).at(&self.file).because(error)
        })?;
        Ok(Some(Found { text, permissions }))
    }

    fn too_large(&self) -> Diagnostic {
        let remedy = "check that it is a settings file, or name another one with --claude-settings";
        Diagnostic::edit("the settings with Outerloop's hooks are larger than 1 MiB", remedy).at(&self.file)
    }

    fn refuse(&self, fault: Fault) -> Diagnostic {
        let (line, column) = fault.place;
        let mut place = self.file.clone().into_os_string();
        place.push(format!(":{line}:{column}"));
        let diagnostic = Diagnostic::edit(fault.what, fault.remedy).at(Path::new(&place));
        match fault.cause {
            Some(cause) => diagnostic.because(cause),
            None => diagnostic,
        }
    }

    fn report(&self, change: Change) -> Report {
        let file = self.file.to_string_lossy().into_owned();
        Report { part: self.part, file, change, added: Vec::new(), upgraded: Vec::new(), removed: Vec::new(), kept: Vec::new() }
    }
}

impl Plan {
    pub(super) fn file(&self) -> PathBuf {
        self.claude.file.clone()
    }

    /// Writes the settings, if that changes them.
    pub(super) fn write(self) -> Outcome<Report> {
        let Claude { file, folder, .. } = &self.claude;
        if self.makes_folder {
            // As git makes it for others who get the project: with this user's usual permissions.
            fs::create_dir(folder).map_err(|error| Diagnostic::io("cannot create the folder", folder, &error))?;
        }
        if self.report.change != Change::Unchanged {
            let permissions = self.permissions.unwrap_or_else(|| Permissions::from_mode(SHARED_FILE));
            durable::replace_as(file, self.text.as_bytes(), Some(permissions))?;
        }
        if self.makes_folder {
            folder.parent().map_or(Ok(()), durable::sync_folder)?;
        }
        Ok(self.report)
    }
}

impl Report {
    pub(super) fn is_of(&self, file: &Path) -> bool {
        self.file == file.to_string_lossy()
    }

    pub(super) fn has_removed(&self) -> bool {
        !self.removed.is_empty() || !self.kept.is_empty()
    }

    /// The same for people.
    pub(super) fn lines(&self) -> Vec<String> {
        let Self { file, added, upgraded, removed, .. } = self;
        let (noun, nouns) = match self.part {
            Part::Hooks => ("hook", "hooks"),
            Part::Server => ("MCP server", "the MCP server"),
        };
        let mut lines = Vec::new();
        if !added.is_empty() {
            lines.push(format!("added {nouns} to {file}: {}", added.join(", ")));
        }
        if !upgraded.is_empty() {
            lines.push(format!("upgraded {nouns} in {file}: {}", upgraded.join(", ")));
        }
        for kept in self.kept.iter().filter(|kept| !kept.differs.is_empty()) {
            let (hook, differs) = (kept.hook, kept.differs.join(", "));
            lines.push(match &kept.command {
                Some(command) => {
                    format!("left the {noun} {hook} in {file}: its command contains more than the {noun}: {}", quoted(command))
                }
                None => format!("left the {noun} {hook} in {file} as it is, with its own {differs}"),
            });
        }
        if !removed.is_empty() {
            let gone = if self.change == Change::Deleted { "; the file held nothing else and was removed" } else { "" };
            lines.push(format!("removed {nouns} from {file}: {}{gone}", removed.join(", ")));
        }
        if lines.is_empty() && self.kept.is_empty() {
            lines.push(format!("found no {noun} of Outerloop in {file}"));
        } else if lines.is_empty() {
            let is_one = self.part == Part::Server;
            lines.push(if is_one { format!("{nouns} is already in {file}") } else { format!("the {nouns} are already in {file}") });
        }
        lines
    }
}

impl From<Kept> for KeptHook {
    fn from(kept: Kept) -> Self {
        Self { hook: kept.name, differs: kept.differences, command: None }
    }
}

impl From<(&'static str, String)> for KeptHook {
    fn from((hook, command): (&'static str, String)) -> Self {
        Self { hook, differs: vec!["command"], command: Some(command) }
    }
}

/// The hooks of ours that a file of settings calls; none where there is no such file, or none that can be read.
#[must_use]
pub(crate) fn hooks_in(file: &Path) -> Vec<&'static str> {
    let mut text = String::new();
    let read = durable::open_regular(file).and_then(|file| file.take(LIMIT_BYTES).read_to_string(&mut text));
    let kept = read.ok().and_then(|_| addition::add(&text, Part::Hooks, None).ok()).map(|addition| addition.kept);
    kept.into_iter().flatten().map(|kept| kept.name).collect()
}

/// Says so if an agent would not find the program by the name that the hooks call it.
pub(super) fn note_missing_program(printer: &Printer) {
    if !schedule::is_on_path("outerloop") {
        printer.note("`outerloop` is not on the PATH: hooks do nothing until it is");
    }
}

/// Each name once: a file may call a hook as often as it likes.
fn names(part: Part, found: &[&'static str]) -> Vec<&'static str> {
    addition::names(part).into_iter().filter(|name| found.contains(name)).collect()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
