//! Writing a generation beside the others, making it the one that readers read, in one rename, copying its files to targets, and
//! removing old ones.

use std::borrow::Cow;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::generation::{Generation, MANIFEST, Manifest, ManifestFile, find_current, list_generations};
use crate::durable;
use crate::workspace::Workspace;
use setting::{OUTCOME_FILE, RUN_ADAPTER_FILE, Target};
use text::diagnostic::{Diagnostic, Outcome};

/// A file to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: Cow<'static, str>,
    pub content: Vec<u8>,
}

impl File {
    pub fn new(name: impl Into<Cow<'static, str>>, content: Vec<u8>) -> Self {
        Self { name: name.into(), content }
    }

    pub fn listed(&self, sha256: String) -> ManifestFile {
        ManifestFile { name: self.name.to_string(), bytes: self.content.len() as u64, sha256 }
    }
}

/// A generation that is written and synced, and that no reader sees yet.
#[derive(Debug)]
pub struct Staged {
    pub folder: PathBuf,
    manifest: Manifest,
}

/// A generation that readers can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub generation: Generation,
    /// Whether it is the one that readers read. A generation that holds for an earlier instant does not become it.
    pub is_current: bool,
}

/// The start of the names of folders that are being written.
pub(super) const STAGING: &str = ".staging-";

/// Writes a generation's files where no reader looks.
pub fn stage(workspace: &Workspace, manifest: Manifest, files: &[File]) -> Outcome<Staged> {
    let folder = workspace.published().join(format!("{STAGING}{}", manifest.generation));
    durable::create_folder(&folder)?;
    let mut paths = Vec::with_capacity(files.len() + 2);
    for file in files {
        paths.push(write(&folder, &file.name, &file.content)?);
    }
    let mut text = serde_json::to_vec_pretty(&manifest)
        .map_err(|error| Diagnostic::bug(format!("the manifest cannot be written: {error}")))?;
    text.push(b'\n');
    paths.push(write(&folder, MANIFEST, &text)?);
    paths.push(folder.clone());
    // Without this the rename can reach the disk before the bytes do.
    durable::sync_many(&paths, &folder)?;
    Ok(Staged { folder, manifest })
}

fn write(folder: &std::path::Path, name: &str, content: &[u8]) -> Outcome<PathBuf> {
    let path = folder.join(name);
    let mut file = durable::create_file(&path)?;
    file.write_all(content).map_err(|error| Diagnostic::io("cannot write the file", &path, &error))?;
    Ok(path)
}

/// Gives a staged generation its name, and points readers to it unless they read a later one.
pub fn swap(workspace: &Workspace, staged: Staged) -> Outcome<Published> {
    let Staged { folder: staged, manifest } = staged;
    let folder = workspace.published().join(&manifest.generation);
    if folder.is_dir() {
        // The name says what is inside, so the same state was published before.
        std::fs::remove_dir_all(&staged).map_err(|error| Diagnostic::io("cannot remove the staged files", &staged, &error))?;
    } else {
        durable::rename(&staged, &folder)?;
        durable::sync_folder(&workspace.published())?;
    }
    let current = find_current(workspace)?;
    let is_current = current.is_none_or(|current| current.manifest.as_of_micros <= manifest.as_of_micros);
    if is_current {
        point_to(workspace, &manifest.generation)?;
    }
    Ok(Published { generation: Generation { folder, manifest }, is_current })
}

/// A link is made under another name and renamed over the one that readers follow: there is no instant without one.
fn point_to(workspace: &Workspace, name: &str) -> Outcome<()> {
    let link = workspace.published().join(format!(".current-{}", std::process::id()));
    let made = std::fs::remove_file(&link).or(Ok(())).and_then(|()| symlink(name, &link));
    made.map_err(|error| Diagnostic::io("cannot make the link to the generation", &link, &error))?;
    durable::rename(&link, &workspace.current())?;
    durable::sync_folder(&workspace.published())
}

/// Copies files of a generation to their targets, each in one step. What was there is kept beside it. One target that fails
/// does not keep the others from being written.
pub fn copy_to_targets(workspace: &Workspace, generation: &Generation, targets: &[Target]) -> (usize, Vec<Diagnostic>) {
    let mut written = 0;
    let mut problems = Vec::new();
    for target in targets {
        let path = workspace.root().join(&target.to);
        match copy(generation, &target.file, &path) {
            Ok(is_written) => written += usize::from(is_written),
            Err(problem) => problems.push(problem),
        }
    }
    (written, problems)
}

fn copy(generation: &Generation, name: &str, path: &Path) -> Outcome<bool> {
    if !generation.manifest.files.iter().any(|file| file.name == name) {
        let names: Vec<&str> = generation.manifest.files.iter().map(|file| &*file.name).collect();
        return Err(Diagnostic::edit(
            format!("no file `{}` is published", name.escape_default()),
            format!("name one of these in `publish.targets`: {}", names.join(", ")),
        ));
    }
    let content = generation.read(name)?;
    let before = match durable::open_regular(path).and_then(|mut file| {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut file, &mut bytes).map(|_| bytes)
    }) {
        Ok(bytes) if bytes == content => return Ok(false),
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        // A link is not followed: what it points to was not meant.
        Err(_) if path.is_symlink() => {
            return Err(Diagnostic::edit(
                "a copy would replace a symbolic link",
                "name the file itself in `publish.targets`, or remove the link",
            )
            .at(path));
        }
        Err(error) => return Err(Diagnostic::io("cannot read the file that the copy would replace", path, &error)),
    };
    if let Some(before) = before {
        durable::replace(&backup(path), &before)?;
    } else if let Some(parent) = path.parent() {
        durable::create_folder(parent)?;
    }
    let permissions = fs::metadata(path).map(|metadata| metadata.permissions()).ok();
    durable::replace_as(path, &content, permissions)?;
    Ok(true)
}

/// Where the content before is kept: `org-patterns.bak`, as the original has it. Other files keep their ending too, because
/// two of them may differ in nothing else.
fn backup(path: &Path) -> PathBuf {
    if path.extension().is_some_and(|ending| ending == "toon") {
        return path.with_extension("bak");
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".bak");
    path.with_file_name(name)
}

/// The start of the names of folders that are being removed.
const GONE: &str = ".gone-";

/// Removes what earlier runs left behind when they were killed. Only the run that holds the lock may call this.
pub fn clear_leftovers(workspace: &Workspace) -> Outcome<()> {
    let folder = workspace.published();
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(STAGING) || name.starts_with(GONE) {
            remove(&entry.path())?;
        } else if name.starts_with(".current-") {
            fs::remove_file(entry.path()).map_err(|error| Diagnostic::io("cannot remove the leftover", &entry.path(), &error))?;
        }
    }
    Ok(())
}

/// Removes all but the last generations. Neither the one that readers read is removed nor the one that was just published,
/// which holds for a past instant if somebody asked for that. Says how many were.
pub fn retire_generations(workspace: &Workspace, published: &str, keep: usize) -> Outcome<usize> {
    let current = find_current(workspace)?.map(|generation| generation.manifest.generation);
    let mut others = list_generations(workspace)?;
    others.retain(|name| Some(name) != current.as_ref() && name != published);
    // The one that readers read takes a place of its own: within one second, names do not tell which is the later.
    let old = (others.len() + 1).saturating_sub(keep);
    let mut removed = 0;
    for name in others.into_iter().take(old) {
        let gone = workspace.published().join(format!("{GONE}{name}"));
        // Renamed first: whoever opens it finds all of it or nothing.
        durable::rename(&workspace.published().join(&name), &gone)?;
        remove(&gone)?;
        removed += 1;
    }
    thin_generations(workspace, current.as_deref(), published)?;
    Ok(removed)
}

/// Takes the tables of single applications and runs out of all generations but the last two: they grow with the log, and
/// whoever still reads them has them open.
fn thin_generations(workspace: &Workspace, current: Option<&str>, published: &str) -> Outcome<()> {
    let mut others = list_generations(workspace)?;
    others.retain(|name| Some(&**name) != current && name != published);
    others.pop();
    for name in others {
        for file in [OUTCOME_FILE, RUN_ADAPTER_FILE] {
            let path = workspace.published().join(&name).join(file);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Diagnostic::io("cannot remove the table of an old generation", &path, &error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Outcome<()> {
    fs::remove_dir_all(folder).map_err(|error| Diagnostic::io("cannot remove the old generation", folder, &error))
}
