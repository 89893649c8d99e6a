//! `outerloop learn clear` and `reset`: a project's sightings are forgotten; `reset` also removes what was rendered from them,
//! but never through a link, and never what a person changed.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use clap::Args as ClapArgs;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};
use serde::Deserialize;
use serde_json::json;

use super::counted;
use super::place::{NOTICES, PATIENCE, Place};
use crate::args::{ActorArgs, OutputArgs, PlaceArgs};
use crate::printer::Printer;
use crate::subject::land;
use agent::artifact::{forget_journal, take_lock};
use event::Draft;
use render::artifact::canonical_hash;
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit;

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The decision is an event and takes effect with the next run. Earlier sightings stay in the lake but
no longer count. Artifacts stay known while their files exist; decisions and pitfalls in
.memory/knowledge/ always stay.")]
pub(super) struct ClearArgs {
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    actor: ActorArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What a decision about all observations of a project names.
const ALL: &str = "obs:all";
/// What was rendered into a project.
const MANIFEST: &str = ".memory/.learning-manifest.json";
/// How often its entries were cited.
const USAGE: &str = ".memory/.knowledge-usage.json";

/// Forgets all sightings of a project.
pub(super) fn clear(workspace: &Workspace, options: &ClearArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let question = format!("Forget all sightings of {}? Rendered files are kept.", plain_text(&place.project, 80));
    if !is_wanted(&question, options.yes, printer)? {
        return Ok(Exit::Done);
    }
    let lines = land(workspace, [draft(&place, options, "all sightings are forgotten")].into_iter())?;
    if options.output.json {
        printer.line(&json!({"project": place.project, "landed": lines}).to_string())?;
    }
    tell_cleared(&place, printer);
    Ok(Exit::Done)
}

/// Forgets all sightings of a project, and removes what was rendered and is as it was rendered.
pub(super) fn reset(workspace: &Workspace, options: &ClearArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let rendered = load_rendered(&place)?;
    let would = remove_all(&place, &rendered, false);
    let (gone, kept) = (counted(would.gone.len(), "artifact"), would.kept.len());
    let verb = if options.yes { "removing" } else { "would remove" };
    printer.note(&format!("{}: {verb} {gone}, keeping {kept} and .memory/knowledge/", place.folder.display()));
    if !options.yes {
        would.gone.iter().for_each(|path| printer.note(&format!("would remove {}", plain_text(path, 200))));
    }
    let question = format!("Forget all sightings of {} and remove these?", plain_text(&place.project, 80));
    if !is_wanted(&question, options.yes, printer)? {
        return Ok(Exit::Done);
    }
    let _lock = take_lock(&place.folder, PATIENCE)?;
    // The decision lands first: files that go without it would count as deleted by a person, which weighs against what they say.
    let mut lines = land(workspace, [draft(&place, options, "everything that was learned is removed")].into_iter())?;
    // What a killed run had decided would bring back what goes.
    forget_journal(&workspace.artifacts(), &place.folder)?;
    let mut done = remove_all(&place, &rendered, true);
    // Sightings are forgotten, and what became of them is not: these artifacts are gone. Until this has landed the manifest tells.
    lines.extend(land(workspace, done.deleted.iter().map(|(id, path)| deletion(&place, options, id, path)))?);
    for file in [MANIFEST, USAGE, NOTICES] {
        match remove_file(&place.folder, file) {
            Ok(true) => done.gone.push(file.to_owned()),
            Ok(false) => {}
            Err(error) => done.kept.push((file.to_owned(), error.to_string())),
        }
    }
    if options.output.json {
        let kept: Vec<_> = done.kept.iter().map(|(path, reason)| json!({"path": path, "reason": reason})).collect();
        printer.line(&json!({"project": place.project, "landed": lines, "removed": done.gone, "kept": kept}).to_string())?;
    }
    done.gone.iter().for_each(|path| printer.note(&format!("removed {}", plain_text(path, 200))));
    done.kept
        .iter()
        .for_each(|(path, reason)| printer.note(&format!("left {}: {}", plain_text(path, 200), plain_text(reason, 200))));
    tell_cleared(&place, printer);
    Ok(Exit::Done)
}

/// What became of the files of a project.
#[derive(Default)]
struct Cleaning {
    /// Files that are gone.
    gone: Vec<String>,
    /// The observations whose artifacts are gone, with their paths.
    deleted: Vec<(String, String)>,
    kept: Vec<(String, String)>,
}

fn remove_all(place: &Place, rendered: &Rendered, is_real: bool) -> Cleaning {
    let mut all = Cleaning::default();
    for file in rendered.files() {
        match remove_artifact(&place.folder, file, is_real) {
            Fate::Removed => {
                all.gone.push(file.path.to_owned());
                all.deleted.extend(file.observation.map(|id| (id.to_owned(), file.path.to_owned())));
            }
            Fate::Missing => {}
            Fate::Kept(reason) => all.kept.push((file.path.to_owned(), reason)),
        }
    }
    all
}

/// What was rendered; nothing where nobody wrote it down. What cannot be read is an error: its files would stay without a word.
fn load_rendered(place: &Place) -> Outcome<Rendered> {
    let Some((bytes, _)) = place.read(MANIFEST)? else { return Ok(Rendered::default()) };
    serde_json::from_slice(&bytes).map_err(|error| {
        Diagnostic::edit("cannot read the list of rendered files", "repair the file, or remove it and the artifacts manually")
            .at(&place.folder.join(MANIFEST))
            .because(error)
    })
}

fn draft(place: &Place, options: &ClearArgs, reason: &str) -> Draft {
    Draft::new("curation", clock::now(), &place.project)
        .with("action", "clear")
        .with("pattern_id", ALL)
        .with("actor", options.actor.name.trim())
        .with("reason", reason)
}

fn deletion(place: &Place, options: &ClearArgs, id: &str, path: &str) -> Draft {
    let draft = Draft::new("artifact", clock::now(), &place.project).with("action", "deleted").with("observation_id", id);
    draft.with("path", path).with("reason", format!("reset by {}", options.actor.name.trim()))
}

/// Asks, unless the person has said so already. Where nobody can be asked, nothing is done.
pub(super) fn is_wanted(question: &str, is_sure: bool, printer: &Printer) -> Outcome<bool> {
    if is_sure {
        return Ok(true);
    }
    if !printer.can_ask() {
        return Err(Diagnostic::edit("cannot ask for confirmation: there is no terminal", "add --yes"));
    }
    let is_wanted = printer.ask(&format!("{question} [y/N]")).is_some_and(|answer| matches!(&*answer.to_lowercase(), "y" | "yes"));
    if !is_wanted {
        printer.note("nothing was done");
    }
    Ok(is_wanted)
}

fn tell_cleared(place: &Place, printer: &Printer) {
    let project = plain_text(&place.project, 80);
    printer.note(&format!("{project}: recorded; the next run forgets its sightings (`outerloop run hourly`)"));
}

/// No artifact is larger.
const MOST_BYTES: u64 = 4 << 20;

/// What was rendered into a project, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
struct Rendered {
    #[serde(default)]
    entries: Vec<Entry>,
}

/// One artifact. Values of other types count as missing: another program may have written the file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    observation_id: serde_json::Value,
    #[serde(default)]
    path: serde_json::Value,
    #[serde(default)]
    rendered_hash: serde_json::Value,
    #[serde(default)]
    anchor_id: serde_json::Value,
}

/// A file that was rendered.
#[derive(Debug, Clone, Copy)]
struct RenderedFile<'r> {
    /// Where it stands, from the project's folder on.
    path: &'r str,
    /// The observation that it was rendered from.
    observation: Option<&'r str>,
    /// What it looked like when this program wrote it. What was noticed later is a person's.
    hash: Option<&'r str>,
}

/// What became of one artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// It is gone.
    Removed,
    /// It was gone already.
    Missing,
    /// It stays, for this reason.
    Kept(String),
}

impl Rendered {
    /// The files that were rendered; entries of knowledge files are none.
    fn files(&self) -> impl Iterator<Item = RenderedFile<'_>> {
        let files = self.entries.iter().filter(|entry| !entry.anchor_id.is_string());
        files.filter_map(|entry| {
            // Whoever tampered with the file must not have other things decided about.
            let observation =
                entry.observation_id.as_str().filter(|id| id.starts_with("obs_") && fit::name(id).as_deref() == Some(id));
            Some(RenderedFile { path: entry.path.as_str()?, observation, hash: entry.rendered_hash.as_str() })
        })
    }
}

/// Removes an artifact if it is one of ours and as it was rendered. Without `is_real` it is only looked at.
fn remove_artifact(project: &Path, rendered: RenderedFile<'_>, is_real: bool) -> Fate {
    let RenderedFile { path, hash, .. } = rendered;
    let kept = |reason: &str| Fate::Kept(reason.to_owned());
    if !is_artifact(path) {
        return kept("its path is not that of a rendered file");
    }
    let looked = || -> io::Result<Fate> {
        let (folder, name) = open_folder_of(project, path)?;
        let file = openat(&folder, &*name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
        let file = File::from(file);
        if !file.metadata()?.is_file() {
            return Ok(kept("it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        let found = canonical_hash(&String::from_utf8_lossy(&bytes));
        match hash.map(|hash| hash.strip_prefix("sha256:").unwrap_or(hash)) {
            Some(hash) if hash.eq_ignore_ascii_case(&found) => {}
            Some(hash) if hash.len() == found.len() => return Ok(kept("a person changed it")),
            _ => return Ok(kept("its original content is unknown")),
        }
        if is_real {
            unlinkat(&folder, &*name, AtFlags::empty())?;
            remove_empty_folder(project, path);
        }
        Ok(Fate::Removed)
    };
    match looked() {
        Ok(fate) => fate,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Fate::Missing,
        // What a link hides is answered with one of these.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENOTDIR)) => {
            kept("its path contains a symbolic link")
        }
        Err(error) => Fate::Kept(error.to_string()),
    }
}

/// Removes a file of the project's memory. Says whether there was one.
fn remove_file(project: &Path, path: &str) -> io::Result<bool> {
    let removed = || -> io::Result<()> {
        let (folder, name) = open_folder_of(project, path)?;
        Ok(unlinkat(&folder, &*name, AtFlags::empty())?)
    };
    match removed() {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a path is one that artifacts are rendered to: a manifest that somebody tampered with must not name other files.
fn is_artifact(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\\');
    match *parts {
        [".claude", "commands", "self-learning", name] => {
            is_name(name) && Path::new(name).extension().is_some_and(|ending| ending == "md")
        }
        [".claude", "skills", folder, "SKILL.md"] => is_name(folder) && folder.starts_with("self-learning"),
        _ => false,
    }
}

/// Opens the folder of a file step by step, each without following links.
fn open_folder_of(project: &Path, path: &str) -> io::Result<(OwnedFd, String)> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, project, flags, Mode::empty())?;
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).ok_or_else(invalid)?;
    for part in Path::new(path).parent().into_iter().flat_map(Path::components) {
        let Component::Normal(part) = part else { return Err(invalid()) };
        folder = openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Ok((folder, name.to_owned()))
}

/// A folder that was made for artifacts goes with the last of them. One that holds anything stays.
fn remove_empty_folder(project: &Path, path: &str) {
    let Some(folder) = Path::new(path).parent().and_then(Path::to_str) else { return };
    if let Ok((holder, name)) = open_folder_of(project, folder) {
        let _ = unlinkat(&holder, &*name, AtFlags::REMOVEDIR);
    }
}
