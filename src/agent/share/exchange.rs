//! Pushing to and pulling from a shared place: what its address means, whichever sort it is.

use std::path::{Path, PathBuf};

use super::content::label;
use super::document::Remark;
use super::folder;
use super::merge::{Local, Withheld};
use super::mirror::Mirror;
use super::receive::{Pulled, Recipient, receive};
use super::signature::{bytes, load_key};
use event::redact::redact;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::{is_unprintable, quoted};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pushed {
    pub added: usize,
    /// How many entries were changed.
    pub updated: usize,
    /// How many entries say what they should already.
    pub unchanged: usize,
    /// How many entries were changed by others later than this project's clock shows, and stay.
    pub older: usize,
    /// The patterns whose ids were taken, and their shared ids.
    pub renumbered: Vec<(String, String)>,
    pub withheld: Withheld,
    /// How many of the added and changed ones were never tried here: they carry their source.
    pub untried: usize,
    /// What is odd about the entries that were there; they are left as they are.
    pub odd: Vec<Remark>,
    /// How often it was tried until nobody else was faster.
    pub attempts: u32,
}

/// Brings the patterns of a project into a shared place. Doing it again changes nothing there.
pub fn push(workspace: &Workspace, place: &Place, branch: Option<&str>, local: &Local<'_>) -> Outcome<Pushed> {
    check_names(local.org_id, local.project)?;
    let signer = load_key(workspace)?;
    let (merged, odd, attempts) = match place {
        Place::Folder(folder) => {
            let (merged, odd) = folder::push(folder, local, &signer)?;
            (merged, odd, 1)
        }
        Place::Repository(address) => Mirror::open(workspace, address, branch)?.push(local, &signer)?,
    };
    Ok(Pushed {
        added: merged.added,
        updated: merged.updated,
        unchanged: merged.unchanged,
        older: merged.older,
        renumbered: merged.renumbered,
        withheld: merged.withheld,
        untried: merged.untried,
        odd,
        attempts,
    })
}

/// Takes the patterns of other projects from a shared place, as lines for the inbox.
pub fn pull(workspace: &Workspace, place: &Place, branch: Option<&str>, recipient: &Recipient<'_>) -> Outcome<Pulled> {
    check_names(recipient.org_id, recipient.project)?;
    if let Some(odd) = recipient.trusted_keys.iter().find(|key| bytes::<32>(key.trim()).is_none()) {
        let what = format!("{} is not a public key", quoted(odd));
        return Err(Diagnostic::edit(what, "write trusted keys as 64 hexadecimal digits"));
    }
    let state = match place {
        Place::Folder(folder) => folder::load(folder)?,
        Place::Repository(address) => Mirror::open(workspace, address, branch)?.load(branch.is_some())?,
    };
    state.check_org(recipient.org_id)?;
    Ok(receive(&state, recipient))
}

/// Takes the patterns of others from a folder of the project's own, whichever organisation it names.
pub fn take_folder(folder: &Path, recipient: &Recipient<'_>) -> Outcome<Pulled> {
    Ok(receive(&folder::load(folder)?, recipient))
}

fn check_names(org_id: &str, project: &str) -> Outcome<()> {
    if label(org_id).as_deref() != Some(org_id) {
        return Err(Diagnostic::edit("the organisation has no usable name", "set CLAUDE_ORG_ID to a short printable text"));
    }
    if label(project).as_deref() != Some(project) {
        return Err(Diagnostic::edit("the project has no usable name", "name the project with a short printable text"));
    }
    Ok(())
}

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
    pub fn describe(&self) -> String {
        match self {
            Self::Folder(path) => path.display().to_string(),
            Self::Repository(address) => without_password(address),
        }
    }
}

/// An address without the user and the password that a URL may hold.
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
