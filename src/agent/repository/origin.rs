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
