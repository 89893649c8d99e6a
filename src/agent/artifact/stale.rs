//! Whether the files exist that an observation speaks of.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::repository::top_around;
use learn::observation::ObservationScore;
use render::artifact::{Reference, find_references};

/// How many files of a project are listed. Beyond this nobody knows whether a name that is told without its folder is one of them.
const MOST_FILES: usize = 100_000;
/// Folders that hold what others wrote, or what can be made anew.
const PASSED_OVER: [&str; 7] = [".git", ".hg", "node_modules", "target", ".outerloop", ".venv", "__pycache__"];

/// The files of a project.
pub(super) struct Files<'f> {
    root: &'f Path,
    top: Option<&'f Path>,
    /// All paths by the name of the file, once somebody asked.
    listed: Option<Listing>,
}

struct Listing {
    by_name: HashMap<String, Vec<String>>,
    is_whole: bool,
}

impl<'f> Files<'f> {
    pub(super) fn of(root: &'f Path) -> Self {
        Self { root, top: top_around(root).filter(|top| *top != root), listed: None }
    }

    /// The first file that an observation speaks of and that does not exist.
    pub(super) fn find_missing(&mut self, row: &ObservationScore) -> Option<String> {
        let text = format!("{}\n{}", row.details, row.evidence.join("\n"));
        let references = find_references(&text, &self.root.to_string_lossy());
        references.into_iter().find(|reference| !self.has(reference)).map(|reference| reference.path)
    }

    /// Whether a file exists: at its path, or further inside if only the end of its path is told.
    fn has(&mut self, reference: &Reference) -> bool {
        let is_at = |folder: &Path| fs::symlink_metadata(folder.join(&reference.path)).is_ok();
        if is_at(self.root) || self.top.is_some_and(is_at) {
            return true;
        }
        let root = self.top.unwrap_or(self.root);
        let listing = self.listed.get_or_insert_with(|| list(root));
        let name = reference.path.rsplit('/').next().unwrap_or(&reference.path);
        let ends_so =
            |path: &String| path.strip_suffix(&*reference.path).is_some_and(|before| before.is_empty() || before.ends_with('/'));
        let is_listed = listing.by_name.get(name).is_some_and(|paths| paths.iter().any(ends_so));
        // Where not everything could be listed, only the folder that a path begins with tells whether it is one from here on.
        let first = reference.path.split('/').next().unwrap_or_default();
        is_listed || (!listing.is_whole && (reference.is_bare || !self.root.join(first).is_dir()))
    }
}

fn list(root: &Path) -> Listing {
    let mut listing = Listing { by_name: HashMap::new(), is_whole: true };
    let mut folders = vec![(root.to_path_buf(), String::new())];
    let mut count = 0;
    while let Some((folder, prefix)) = folders.pop() {
        // A folder that cannot be read may hold anything.
        let Ok(entries) = fs::read_dir(&folder) else {
            listing.is_whole = false;
            continue;
        };
        for entry in entries.flatten() {
            count += 1;
            if count > MOST_FILES {
                return Listing { is_whole: false, ..listing };
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                listing.by_name.entry(name).or_default().push(path);
            } else if !PASSED_OVER.contains(&&*name) {
                folders.push((entry.path(), path));
            }
        }
    }
    listing
}
