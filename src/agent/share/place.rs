//! Where patterns are shared: what an address means.

use std::path::{Path, PathBuf};

use event::redact::redact;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::is_unprintable;

/// Where patterns are shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A plain folder, which holds the files itself.
    Folder(PathBuf),
    /// A git repository, by its absolute path or by its address. The files stand below its top.
    Repository(String),
}

impl Place {
    /// What an address means: a URL or `host:path` is a repository; so is a path that is one, bare or the top of a working tree.
    /// Every other path is a folder.
    ///
    /// An address with a password is refused: git hands addresses to its helpers as arguments, which every user of the machine
    /// can list.
    pub fn parse(text: &str) -> Outcome<Self> {
        Self::parse_from(text, Path::new(""))
    }

    /// The same, where a relative path starts at a folder.
    pub fn parse_from(text: &str, folder: &Path) -> Outcome<Self> {
        let remedy = "name a folder, the path of a git repository, or its address";
        if text.trim().is_empty() || text.chars().any(is_unprintable) {
            return Err(Diagnostic::edit("the shared place has no usable name", remedy));
        }
        // Programs would take it for an option.
        if text.starts_with('-') {
            return Err(Diagnostic::edit("the shared place starts with a dash", "write `./` in front of it if it is a path"));
        }
        let path = &folder.join(text);
        if path.exists() {
            let whole = path.canonicalize().map_err(|error| Diagnostic::io("cannot find the shared place", path, &error))?;
            return Ok(match whole.to_str().filter(|_| is_repository(&whole)) {
                Some(address) => Self::Repository(address.to_owned()),
                None => Self::Folder(whole),
            });
        }
        if has_secret(text) {
            return Err(Diagnostic::edit(
                "the address of the shared place holds a password, which other users of this machine could see",
                "omit it, and use a git credential helper or ssh",
            ));
        }
        if is_address(text) {
            return Ok(Self::Repository(text.to_owned()));
        }
        std::path::absolute(path).map(Self::Folder).map_err(|error| Diagnostic::io("cannot find the shared place", path, &error))
    }

    /// The place in words. What may be a password in an address is left out.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Repository(address) => without_password(address),
        }
    }
}

/// An address without the user and the password that a URL may hold.
#[must_use]
pub(super) fn without_password(address: &str) -> String {
    match split_user(address) {
        Some((scheme, _, rest)) => format!("{scheme}://{rest}"),
        None => address.to_owned(),
    }
}

/// The scheme of a URL, its user, perhaps with a password, and the rest. None if it names no user.
fn split_user(address: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let at = rest[..rest.find('/').unwrap_or(rest.len())].rfind('@')?;
    Some((scheme, &rest[..at], &rest[at + 1..]))
}

/// Whether a URL holds a password, or a token of a known shape in the place of the user.
fn has_secret(address: &str) -> bool {
    split_user(address).is_some_and(|(_, user, _)| user.contains(':') || redact(user).count > 0)
}

/// A URL, or `host:path` with its colon before any slash, as ssh writes it.
fn is_address(text: &str) -> bool {
    let before_slash = text.split('/').next().unwrap_or_default();
    text.contains("://") || before_slash.contains(':')
}

fn is_repository(path: &Path) -> bool {
    let is_bare = path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir();
    is_bare || path.join(".git").exists()
}
