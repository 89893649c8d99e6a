//! Copies of published files, where other programs look for them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::generation::Generation;
use crate::durable;
use crate::workspace::Workspace;
use setting::Target;
use text::diagnostic::{Diagnostic, Outcome};

/// Copies files of a generation to their targets, each in one step. What was there is kept beside it. One target that fails
/// does not keep the others from being written.
#[must_use]
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
