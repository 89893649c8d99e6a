//! The journal of a run whose writes may be incomplete. The manifest is in the project, where anybody may write; the journal is in the
//! workspace, because its events are trusted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use render::artifact::Manifest;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};
use text::digest::sha256;

/// The name of the folder around a workspace.
pub(super) const AROUND: &str = "around";

/// A manifest and the events that land with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) manifest: Manifest,
    pub(super) lines: Vec<String>,
}

impl Journal {
    /// What a killed run left behind. What cannot be read says nothing; it is written in one step, so only a damaged disk makes one.
    pub(super) fn load(path: &Path) -> Outcome<Option<Self>> {
        match fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Diagnostic::io("cannot read the journal of artifacts", path, &error)),
        }
    }

    /// From here on the run counts.
    pub(super) fn write(&self, path: &Path) -> Outcome<()> {
        if let Some(folder) = path.parent() {
            durable::create_folder(folder)?;
        }
        let bytes = serde_json::to_vec(self).map_err(|error| Diagnostic::bug(format!("the journal cannot be written: {error}")))?;
        durable::replace(path, &bytes)
    }
}

/// Everything is done.
pub(super) fn remove(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Diagnostic::io("cannot remove the journal of artifacts", path, &error))
        }
        _ => path.parent().map_or(Ok(()), durable::sync_folder),
    }
}

/// The journal of a project's folder.
pub(super) fn journal_of(folder: &Path, root: &Path) -> PathBuf {
    folder.join(format!("journal-{}.json", name_of(folder, root)))
}

/// What the workspace calls a project's folder. One that holds the workspace has the same name wherever both are moved to.
pub(super) fn name_of(folder: &Path, root: &Path) -> String {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let workspace = fs::canonicalize(folder).ok().or_else(|| fs::canonicalize(folder.parent()?).ok());
    let holds = workspace.as_deref().and_then(|workspace| workspace.strip_prefix(&root).ok()).is_some();
    if holds { AROUND.to_owned() } else { sha256(root.to_string_lossy().as_bytes())[..16].to_owned() }
}

/// Forgets what a killed run had decided about a project's folder. Only whoever holds the folder may.
pub fn forget_journal(memory: &Path, root: &Path) -> Outcome<()> {
    let path = journal_of(memory, root);
    if path.exists() { remove(&path) } else { Ok(()) }
}
