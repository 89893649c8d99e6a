//! What stands in a project's folder beyond what is published: until the next cycle the manifest alone knows what was just rendered
//! or found to be gone.

use std::path::Path;

use jiff::Timestamp;

use super::tree::Tree;
use super::work::MANIFEST;
use learn::observation::{ObservationScore, Status};
use render::artifact::{Entry, Manifest};

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
            (Status::Created, Some(deleted)) => {
                let is_over = ready_at.and_then(instant).zip(instant(deleted)).is_none_or(|(ready, deleted)| ready <= deleted);
                is_over.then_some((Status::Deprecated, entry))
            }
            _ => None,
        }
    }

    /// Gives the observations of a project the status that they have by now.
    pub fn update(&self, rows: &mut [ObservationScore], project: &str) {
        for row in rows.iter_mut().filter(|row| row.project == project) {
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
