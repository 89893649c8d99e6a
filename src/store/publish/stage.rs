//! Writing a generation beside the others, and making it the one that readers read, in one rename.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::generation::{Generation, MANIFEST, Manifest, ManifestFile, find_current};
use crate::durable;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// A file to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: &'static str,
    pub content: Vec<u8>,
}

impl File {
    /// What the manifest says of it.
    #[must_use]
    pub fn listed(&self, sha256: String) -> ManifestFile {
        ManifestFile { name: self.name.to_owned(), bytes: self.content.len() as u64, sha256 }
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
    /// The generation.
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
        paths.push(write(&folder, file.name, &file.content)?);
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
