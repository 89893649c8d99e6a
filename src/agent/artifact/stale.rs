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

    /// The folder that listed paths start from.
    pub(super) fn top(&self) -> &'f Path {
        self.top.unwrap_or(self.root)
    }

    fn listing(&mut self) -> &Listing {
        let top = self.top();
        self.listed.get_or_insert_with(|| list(top))
    }

    /// Whether all files are known, and there are any beside those that are rendered.
    pub(super) fn is_telling(&mut self) -> bool {
        let is_others = |path: &String| !path.starts_with(".claude/") && !path.starts_with(".memory/");
        let listing = self.listing();
        listing.is_whole && listing.by_name.values().flatten().any(is_others)
    }

    /// The paths of all files of a name.
    pub(super) fn named(&mut self, name: &str) -> Vec<String> {
        self.listing().by_name.get(name).cloned().unwrap_or_default()
    }

    /// Whether some file's path ends so.
    pub(super) fn ends_with(&mut self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.named(name).iter().any(|known| known.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    }

    /// Whether a file of a name lies below a folder of a name. Names of tasks part folders with colons.
    pub(super) fn has_below(&mut self, folder: &str, name: &str) -> bool {
        let last = name.rsplit(':').next().unwrap_or(name);
        let is_below = |path: &String| path.split('/').any(|part| part.ends_with(folder));
        self.listing().by_name.iter().any(|(known, paths)| known.split('.').next() == Some(last) && paths.iter().any(is_below))
    }

    /// The first file that an observation speaks of and that does not exist.
    pub(super) fn find_missing(&mut self, row: &ObservationScore) -> Option<String> {
        let text = format!("{}\n{}", row.details, row.evidence.join("\n"));
        let references = find_references(&text, &self.root.to_string_lossy());
        references.into_iter().find(|reference| !self.has(reference)).map(|reference| reference.path)
    }

    /// Whether a file exists: at its path, or further inside if only the end of its path is told.
    pub(super) fn has(&mut self, reference: &Reference) -> bool {
        let is_at = |folder: &Path| fs::symlink_metadata(folder.join(&reference.path)).is_ok();
        if is_at(self.root) || self.top.is_some_and(is_at) {
            return true;
        }
        let is_listed = self.ends_with(&reference.path);
        // Where not everything could be listed, only the folder that a path begins with tells whether it is one from here on.
        let first = reference.path.split('/').next().unwrap_or_default();
        is_listed || (!self.listing().is_whole && (reference.is_bare || !self.root.join(first).is_dir()))
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
