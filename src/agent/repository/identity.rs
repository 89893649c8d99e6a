//! What tells a repository from all others, read from its files: on the way into an agent's turn there is no time to run another
//! program.

use std::path::Path;

use super::checkout::{find_shared, name_in_url, origin_in, read};
use text::digest::sha256;
use text::fit;

/// How many digits tell repositories of one name apart.
const DIGITS: usize = 8;

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

/// Where a repository came from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Address {
    /// The host in small letters and the path, however it is reached: neither who asks nor by which protocol makes it another one.
    Remote(String),
    /// A path on this machine.
    Local(String),
}

/// Reads an address as `git` does. None if it says nothing.
fn address(url: &str) -> Option<Address> {
    let url = url.trim();
    if url.is_empty() {
        return None;
    }
    let (host, path) = match url.split_once("://") {
        Some(("file", path)) => return Some(Address::Local(path.to_owned())),
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => (host, path),
            _ => return Some(Address::Local(url.to_owned())),
        },
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
    let host = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    Some(Address::Remote(format!("{}/{path}", host.to_lowercase())))
}
