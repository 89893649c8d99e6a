//! How the repository around a folder is called, read from its files: on the way into an agent's turn there is no time to run
//! another program.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::config::origin_in;
use super::origin::{Address, address, name_in_url};
use store::durable;
use text::digest::sha256;
use text::fit;

/// No configuration of a repository is longer.
const MOST_BYTES: u64 = 1 << 20;
/// How many digits tell repositories of one name apart.
const DIGITS: usize = 8;

/// How the repository around a folder is called: as the address of `origin` ends, else as the folder that holds what all its work
/// trees share, else as the folder itself.
#[must_use]
pub fn name_around(folder: &Path) -> Option<String> {
    let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(shared) = find_shared(folder) else { return own() };
    let origin = read(&shared.join("config")).and_then(|text| name_in_url(&origin_in(&text)?).map(str::to_owned));
    let holder = || shared.canonicalize().ok()?.parent()?.file_name().map(|name| name.to_string_lossy().into_owned());
    origin.or_else(holder).or_else(own)
}

/// What tells the repository around a folder from all others: where it came from, else where it lies. All work trees of a repository
/// have the same, and so have its clones. None outside of a repository.
#[must_use]
pub fn identity_around(folder: &Path) -> Option<String> {
    let shared = find_shared(&std::path::absolute(folder).ok()?)?;
    let shared = shared.canonicalize().unwrap_or(shared);
    let own = || without_git(&shared).to_string_lossy().into_owned();
    let Some(origin) = read(&shared.join("config")).and_then(|text| origin_in(&text)) else { return Some(own()) };
    Some(match address(&origin) {
        Some(Address::Remote(address)) => address,
        // A relative path starts at the top of the work tree.
        Some(Address::Local(path)) => {
            let path = without_git(&shared).join(path);
            without_git(&path.canonicalize().unwrap_or(path)).to_string_lossy().into_owned()
        }
        None => own(),
    })
}

/// The name of the project that the repository around a folder is: how it is called, and what tells it from others of that name.
#[must_use]
pub fn project_around(folder: &Path) -> Option<String> {
    let identity = identity_around(folder)?;
    let called = name_in_url(&identity).unwrap_or("repository");
    fit::name(&format!("{called}-{}", &sha256(identity.as_bytes())[..DIGITS]))
}

/// The folder that holds a repository's own.
fn without_git(path: &Path) -> &Path {
    if path.file_name().is_some_and(|name| name == ".git") { path.parent().unwrap_or(path) } else { path }
}

/// The top of the work tree around a folder.
#[must_use]
pub fn top_around(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| fs::symlink_metadata(ancestor.join(".git")).is_ok())
}

/// The folder that all work trees of a repository share.
fn find_shared(folder: &Path) -> Option<PathBuf> {
    let top = top_around(folder)?;
    let place = top.join(".git");
    if place.is_dir() {
        return Some(place);
    }
    // A linked work tree or a submodule says where its repository lies.
    let own = top.join(read(&place)?.lines().next()?.strip_prefix("gitdir:")?.trim());
    let shared = read(&own.join("commondir")).map(|text| own.join(text.trim()));
    Some(shared.unwrap_or(own))
}

fn read(path: &Path) -> Option<String> {
    let mut text = String::new();
    durable::open_regular(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
