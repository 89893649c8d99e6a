//! What git is told to leave out, in a list of the repository that no commit carries.

use std::path::{Path, PathBuf};

use super::checkout::{Repository, line_of};
use super::git;
use text::diagnostic::Outcome;

/// How a file can be kept from git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excludes {
    /// The list. All work trees of a repository share it.
    pub list: PathBuf,
    /// The line that excludes the file.
    pub line: String,
    /// Whether git tracks the file, or ignores it already.
    pub is_settled: bool,
}

impl Excludes {
    /// None where there is no work tree, no git, or no line could name the file.
    pub fn of(file: &Path) -> Outcome<Option<Self>> {
        let Some((folder, name)) = file.parent().zip(file.file_name().and_then(|name| name.to_str())) else { return Ok(None) };
        // The folder may be gone, or not made yet.
        let Some(folder) = folder.ancestors().find(|folder| folder.is_dir()) else { return Ok(None) };
        let below = file.strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or(name);
        let Ok(Some(repository)) = Repository::find(folder) else { return Ok(None) };
        let path = format!("{}{below}", repository.prefix());
        if path.contains(['\n', '\r']) || path.ends_with(' ') {
            return Ok(None);
        }
        let list = repository.top().join(line_of(repository.top(), &["rev-parse", "--git-path", "info/exclude"])?);
        let is_true = |arguments: &[&str]| git::run(repository.top(), arguments).map(|finished| finished.is_success());
        let tracked = ["ls-files", "--error-unmatch", "--", &path];
        let ignored = ["ls-files", "--others", "--ignored", "--exclude-standard", "--error-unmatch", "--", &path];
        let is_settled = is_true(&tracked)? || is_true(&ignored)?;
        Ok(Some(Self { list, line: format!("/{}", escape(&path)), is_settled }))
    }
}

/// A path as a line that means itself.
fn escape(path: &str) -> String {
    let special = |character: char| matches!(character, '*' | '?' | '[' | ']' | '\\');
    path.chars().flat_map(|character| special(character).then_some('\\').into_iter().chain([character])).collect()
}
