//! What a project is called by the folder that its runs work in.

use std::path::Path;

/// The name of the folder that holds `.closedloop-ai`, or the work directory's own.
#[must_use]
pub fn project_of(work: &Path) -> String {
    let work = std::path::absolute(work).unwrap_or_else(|_| work.to_path_buf());
    let holder = work.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".closedloop-ai"));
    let folder = holder.and_then(Path::parent).unwrap_or(&work);
    folder.file_name().map_or_else(|| "default".to_owned(), |name| name.to_string_lossy().into_owned())
}
