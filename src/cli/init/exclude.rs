//! Keeps settings of one person from git, in the repository's own list that no commit carries.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use agent::repository::Excludes;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// Stands before our line, so that a line of somebody else is never removed.
const MARK: &str = "# outerloop init --claude";

/// Keeps a file from git, unless git knows it or ignores it already. Gives the list that was changed.
pub(super) fn exclude(file: &Path) -> Outcome<Option<PathBuf>> {
    let Some(excludes) = Excludes::of(file)?.filter(|excludes| !excludes.is_settled) else { return Ok(None) };
    let mut text = read(&excludes.list)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    write(&excludes.list, &format!("{text}{}", ours(&excludes.line)))?;
    Ok(Some(excludes.list))
}

/// Removes what the other one wrote. Gives the list that was changed.
pub(super) fn include(file: &Path) -> Outcome<Option<PathBuf>> {
    let Some(excludes) = Excludes::of(file)? else { return Ok(None) };
    let text = read(&excludes.list)?;
    let rest = text.replacen(&ours(&excludes.line), "", 1);
    if rest == text {
        return Ok(None);
    }
    write(&excludes.list, &rest)?;
    Ok(Some(excludes.list))
}

fn ours(line: &str) -> String {
    format!("{MARK}\n{line}\n")
}

fn read(list: &Path) -> Outcome<String> {
    match fs::symlink_metadata(list) {
        Err(_) => Ok(String::new()),
        Ok(found) if found.is_file() => {
            fs::read_to_string(list).map_err(|error| Diagnostic::io("cannot read what git excludes", list, &error))
        }
        // What it leads to may hold for other repositories, too.
        Ok(_) => Err(Diagnostic::edit("the list of what git excludes is not a regular file", "put a file in its place").at(list)),
    }
}

fn write(list: &Path, text: &str) -> Outcome<()> {
    if let Some(folder) = list.parent() {
        fs::create_dir_all(folder).map_err(|error| Diagnostic::io("cannot create the folder", folder, &error))?;
    }
    let permissions = fs::metadata(list).map_or_else(|_| Permissions::from_mode(0o644), |found| found.permissions());
    durable::replace_as(list, text.as_bytes(), Some(permissions))
}
