//! How a repository is called, by the address it came from.

/// The last part of an address without `.git`: of a URL, of `user@host:path`, or of a local path. None if nothing is left.
#[must_use]
pub fn name_in_url(url: &str) -> Option<&str> {
    let path = match url.split_once("://") {
        // Behind the host there must be a path.
        Some((_, rest)) => rest.split_once('/')?.1,
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') => path,
            _ => url,
        },
    };
    // A local path may name the inner folder of a work tree, which says nothing.
    path.rsplit('/').map(|part| part.trim().trim_end_matches(".git")).find(|part| !matches!(*part, "" | "." | ".."))
}

/// Where a repository came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// The host in small letters and the path, however it is reached: neither who asks nor by which protocol makes it another one.
    Remote(String),
    /// A path on this machine.
    Local(String),
}

/// Reads an address as `git` does. None if it says nothing.
pub(super) fn address(url: &str) -> Option<Address> {
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
