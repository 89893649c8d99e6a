//! Which generations are kept.

use std::fs;
use std::path::Path;

use super::generation::{find_current, list_generations};
use super::stage::STAGING;
use crate::durable;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

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
    Ok(removed)
}

fn remove(folder: &Path) -> Outcome<()> {
    fs::remove_dir_all(folder).map_err(|error| Diagnostic::io("cannot remove the old generation", folder, &error))
}
