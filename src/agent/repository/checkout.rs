//! A repository with its work tree: where it lies, how it is called, what is checked out.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::origin::name_in_url;
use super::{git, since};
use learn::change::{Changes, Reach, Root};
use text::diagnostic::{Diagnostic, Outcome};

/// A repository with a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    top: PathBuf,
    folder: PathBuf,
    prefix: String,
}

impl Repository {
    /// The repository that a folder belongs to: its top, a folder inside, or a linked work tree. None if there is none.
    ///
    /// A repository without a work tree is refused, for no file of it could be looked at.
    pub fn find(folder: &Path) -> Outcome<Option<Self>> {
        const QUESTION: &[&str] = &["rev-parse", "--is-inside-work-tree", "--is-bare-repository"];
        if let Err(error) = fs::read_dir(folder) {
            return Err(Diagnostic::io("cannot look for a repository", folder, &error));
        }
        let finished = git::run(folder, QUESTION)?;
        if !finished.is_success() {
            // A link to a repository that is gone is reported in similar words, and is an error.
            let is_none = git::complaint(&finished).contains("not a git repository (or any");
            return if is_none { Ok(None) } else { Err(git::failed(folder, QUESTION, &finished)) };
        }
        match finished.stdout.as_slice() {
            b"true\nfalse\n" => {}
            [.., b't', b'r', b'u', b'e', b'\n'] => {
                return Err(Diagnostic::edit("the repository is bare: it has no work tree", "name a clone of it").at(folder));
            }
            _ => {
                let what = "the folder is inside a .git folder";
                return Err(Diagnostic::edit(what, "name the work tree, the folder that holds `.git`").at(folder));
            }
        }
        let top = PathBuf::from(line_of(folder, &["rev-parse", "--show-toplevel"])?);
        let prefix = line_of(folder, &["rev-parse", "--show-prefix"])?.to_string_lossy().into_owned();
        let folder = std::path::absolute(folder).map_err(|error| Diagnostic::io("cannot find the folder", folder, &error))?;
        Ok(Some(Self { top, folder, prefix }))
    }

    /// The top of its work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where in the repository the folder lies by which it was found: empty for the top, else a path that ends with `/`.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// How it is called: as the address of `origin` ends, else as the folder that holds what all its work trees share.
    pub fn name(&self) -> Outcome<String> {
        let origin = git::run(&self.top, &["config", "--get", "remote.origin.url"])?;
        let url = String::from_utf8_lossy(&origin.stdout);
        if let Some(name) = name_in_url(url.trim()).filter(|_| origin.is_success()) {
            return Ok(name.to_owned());
        }
        let shared = self.top.join(line_of(&self.top, &["rev-parse", "--git-common-dir"])?);
        let shared = shared.canonicalize().unwrap_or(shared);
        let named = shared.parent().and_then(Path::file_name).or_else(|| self.top.file_name());
        Ok(named.map_or_else(|| "repository".to_owned(), |name| name.to_string_lossy().into_owned()))
    }

    /// The commit that is checked out, in full. None in a branch without commits.
    pub fn head(&self) -> Outcome<Option<String>> {
        self.commit("HEAD")
    }

    /// What changed since a commit. The commit may be named in every way that `git` knows, but not by an option.
    pub fn changes_since(&self, base: &str, reach: Reach) -> Outcome<Changes> {
        since::changes_since(self, base, reach)
    }

    /// The path of a file below the top, with all links on the way followed. None if nothing is there, or if the path itself
    /// leads out of the work tree.
    ///
    /// A link that leads out of the work tree is named by its own path.
    #[must_use]
    pub fn locate(&self, path: &str) -> Option<String> {
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            return None;
        }
        let full = self.top.join(path);
        fs::symlink_metadata(&full).ok()?;
        let top = self.top.canonicalize().ok()?;
        let real = full.canonicalize().ok();
        let inside = real.as_deref().and_then(|real| real.strip_prefix(&top).ok());
        Some(inside.map_or_else(|| path.to_owned(), |inside| inside.to_string_lossy().into_owned()))
    }

    /// The names under which absolute paths may reach its files: as `git` knows its top, and as the caller spelled it.
    #[must_use]
    pub fn roots(&self) -> Vec<Root> {
        let root = |folder: &Path, prefix: &str| Root { folder: folder.to_string_lossy().into_owned(), prefix: prefix.to_owned() };
        let mut roots = vec![root(&self.top, ""), root(&self.folder, &self.prefix)];
        let above = self.folder.ancestors().nth(Path::new(&self.prefix).components().count());
        if let Some(above) =
            above.filter(|above| self.folder.strip_prefix(above).is_ok_and(|inner| inner == Path::new(&self.prefix)))
        {
            roots.push(root(above, ""));
        }
        roots.dedup();
        roots
    }

    /// The commit of that name, in full. None if there is none.
    pub(super) fn commit(&self, name: &str) -> Outcome<Option<String>> {
        let named = format!("{name}^{{commit}}");
        let finished = git::run(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &named])?;
        let hash = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
        let is_hash = hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Ok(Some(hash).filter(|_| finished.is_success() && is_hash))
    }
}

fn line_of(folder: &Path, arguments: &[&str]) -> Outcome<OsString> {
    Ok(OsString::from_vec(git::one_line(git::answer(folder, arguments)?)))
}
