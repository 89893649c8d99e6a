//! Removing what was rendered into a project: only the files that we make, never through a link, and never what a person changed.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};
use serde::Deserialize;

use render::artifact::canonical_hash;
use text::fit;

/// No artifact is larger.
const MOST_BYTES: u64 = 4 << 20;

/// What was rendered into a project, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
pub struct Rendered {
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
    content_hash: serde_json::Value,
    #[serde(default)]
    anchor_id: serde_json::Value,
}

/// A file that was rendered.
#[derive(Debug, Clone, Copy)]
pub struct RenderedFile<'r> {
    /// Where it stands, from the project's folder on.
    pub path: &'r str,
    /// The observation that it was rendered from.
    pub observation: Option<&'r str>,
    hash: Option<&'r str>,
}

/// What became of one artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is gone.
    Removed,
    /// It was gone already.
    Missing,
    /// It stays, for this reason.
    Kept(String),
}

impl Rendered {
    /// The files that were rendered; entries of knowledge files are none.
    pub fn files(&self) -> impl Iterator<Item = RenderedFile<'_>> {
        let files = self.entries.iter().filter(|entry| !entry.anchor_id.is_string());
        files.filter_map(|entry| {
            // Whoever tampered with the file must not have other things decided about.
            let observation =
                entry.observation_id.as_str().filter(|id| id.starts_with("obs_") && fit::name(id).as_deref() == Some(id));
            Some(RenderedFile { path: entry.path.as_str()?, observation, hash: entry.content_hash.as_str() })
        })
    }
}

/// Removes an artifact if it is one of ours and as it was rendered. Without `is_real` it is only looked at.
pub fn remove_artifact(project: &Path, rendered: RenderedFile<'_>, is_real: bool) -> Fate {
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
pub fn remove_file(project: &Path, path: &str) -> io::Result<bool> {
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
