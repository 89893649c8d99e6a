//! What stands in a project's folder beyond what is published: until the next cycle the manifest alone knows what was just rendered
//! or found to be gone.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::journal::{AROUND, name_of};
use super::tree::Tree;
use super::work::MANIFEST;
use learn::observation::{ObservationScore, Status};
use render::artifact::{Entry, Manifest};
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// What stands in a project's folder.
#[derive(Debug, Clone, Default)]
pub struct Present {
    manifest: Manifest,
}

impl Present {
    /// Reads what a manifest tells; nothing where there is none that can be read.
    #[must_use]
    pub fn load(root: &Path) -> Self {
        let text = Tree::at(root).read_text(MANIFEST).ok().flatten();
        Self { manifest: text.and_then(|text| Manifest::parse(&text).ok()).unwrap_or_default() }
    }

    /// The status that an observation has by now, if it is not the published one.
    #[must_use]
    pub fn status_of(&self, id: &str, published: Status, ready_at: Option<&str>) -> Option<(Status, &Entry)> {
        let entry = self.manifest.find(id)?;
        let instant = |text: &str| text.parse::<Timestamp>().ok();
        match (published, &entry.deleted_at) {
            (Status::Ready, None) => Some((Status::Created, entry)),
            // What became ready again after it was taken away is about to come back.
            (Status::Ready | Status::Created, Some(deleted)) => {
                let is_over = ready_at.and_then(instant).zip(instant(deleted)).is_none_or(|(ready, deleted)| ready <= deleted);
                is_over.then_some((Status::Deprecated, entry))
            }
            _ => None,
        }
    }

    /// Gives observations the status that they have by now. An id belongs to one project, so it tells whose the folder's entry is,
    /// whatever project the folder was rendered for.
    pub fn update(&self, rows: &mut [ObservationScore]) {
        for row in rows {
            let Some((status, entry)) = self.status_of(&row.id, row.status, row.ready_at.as_deref()) else { continue };
            row.status = status;
            match status {
                Status::Created => {
                    row.artifact_path = Some(entry.path.clone());
                    row.anchor.clone_from(&entry.anchor_id);
                    row.content_hash = Some(entry.content_hash.clone());
                }
                _ => row.deprecated_at.clone_from(&entry.deleted_at),
            }
        }
    }
}

/// A folder other than the workspace's own that artifacts were written to.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    folder: PathBuf,
}

/// Remembers a folder, so that lists know what stands in it.
pub(super) fn remember(memory: &Path, root: &Path) -> Outcome<()> {
    let name = name_of(memory, root);
    let path = memory.join(format!("folder-{name}.json"));
    // The one around the workspace is found without, and may move with it.
    if name == AROUND || path.exists() {
        return Ok(());
    }
    durable::create_folder(memory)?;
    let folder = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let bytes = serde_json::to_vec(&Remembered { folder });
    durable::replace(&path, &bytes.map_err(|error| Diagnostic::bug(format!("a folder cannot be remembered: {error}")))?)
}

/// The folders that artifacts were written to, beside the workspace's own. One that is gone says nothing.
#[must_use]
pub fn remembered_folders(memory: &Path) -> Vec<PathBuf> {
    let Ok(listed) = fs::read_dir(memory) else { return Vec::new() };
    let is_folder = |name: &str| name.strip_prefix("folder-").and_then(|rest| rest.strip_suffix(".json")).is_some();
    let files = listed.filter_map(Result::ok).filter(|file| file.file_name().to_str().is_some_and(is_folder));
    let read = |path: PathBuf| serde_json::from_slice::<Remembered>(&fs::read(path).ok()?).ok();
    files.filter_map(|file| read(file.path())).map(|remembered| remembered.folder).collect()
}
