//! How the repository around a folder is called, read from its files: on the way into an agent's turn there is no time to run
//! another program.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::config::origin_in;
use super::origin::name_in_url;
use store::durable;

/// No configuration of a repository is longer.
const MOST_BYTES: u64 = 1 << 20;

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
