//! The commit: one rename of the checkpoint makes a staged batch count; moving its files into place can be repeated.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, Publishing, Stream};
use super::partition::entries;
use crate::durable;
use crate::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// Commits a staged batch and moves its files into place.
pub(super) fn commit(workspace: &Workspace, checkpoint: &Checkpoint) -> Outcome<()> {
    checkpoint.save(workspace)?;
    match &checkpoint.publishing {
        Some(publishing) => put_in_place(workspace, publishing),
        None => Ok(()),
    }
}

/// Finishes what a killed run left: moves the files of a committed batch, and removes what never counted.
///
/// Gives the streams that must be read again because a staged file was lost. The rows of theirs that are in place are
/// recognised by their ids.
pub fn recover(workspace: &Workspace, checkpoint: &mut Checkpoint) -> Outcome<Vec<Stream>> {
    let mut rewound = Vec::new();
    if let Some(publishing) = checkpoint.publishing.take() {
        if publishing.moves.iter().any(|one| is_lost(workspace, one)) {
            rewind(checkpoint, &publishing.before);
            rewound = publishing.before;
        } else {
            put_in_place(workspace, &publishing)?;
        }
        // From here on the files may be merged away: nobody must look for them under their names again.
        checkpoint.save(workspace)?;
    }
    for path in leftovers(workspace)? {
        remove(&path)?;
    }
    Ok(rewound)
}

/// Files of batches that never counted.
pub fn leftovers(workspace: &Workspace) -> Outcome<Vec<PathBuf>> {
    entries(&workspace.staging())
}

fn put_in_place(workspace: &Workspace, publishing: &Publishing) -> Outcome<()> {
    let root = workspace.root();
    let mut touched: BTreeSet<PathBuf> = BTreeSet::new();
    for one in &publishing.moves {
        let (from, to) = (root.join(&one.from), root.join(&one.to));
        if let Some(folder) = to.parent() {
            create_partition(folder, &mut touched)?;
        }
        // Missing means moved: by the run that was killed.
        if from.exists() {
            durable::rename(&from, &to)?;
        }
    }
    let touched: Vec<PathBuf> = touched.into_iter().collect();
    durable::sync_many(&touched, &workspace.lake())
}

/// Creates a folder, and remembers it and its parents to be synced: a new name must survive in each of them.
fn create_partition(folder: &Path, touched: &mut BTreeSet<PathBuf>) -> Outcome<()> {
    if !touched.insert(folder.to_path_buf()) {
        return Ok(());
    }
    if !folder.is_dir() {
        durable::create_folder(folder)?;
        touched.extend(folder.ancestors().skip(1).take(2).map(Path::to_path_buf));
    }
    Ok(())
}

fn is_lost(workspace: &Workspace, one: &super::checkpoint::Move) -> bool {
    !workspace.root().join(&one.from).exists() && !workspace.root().join(&one.to).exists()
}

fn rewind(checkpoint: &mut Checkpoint, before: &[Stream]) {
    for earlier in before {
        match checkpoint.streams.iter_mut().find(|stream| stream.file == earlier.file && stream.inode == earlier.inode) {
            Some(stream) => *stream = earlier.clone(),
            None => checkpoint.streams.push(earlier.clone()),
        }
    }
    checkpoint.streams.retain(|stream| stream.offset > 0);
}

fn remove(path: &Path) -> Outcome<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Diagnostic::io("cannot remove a leftover", path, &error)),
        _ => Ok(()),
    }
}
