//! The secret of a workspace, by which it signs what it shares.

use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::lock;
use super::signature::{Signer, bytes, hexadecimal};
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// More than a key file ever has.
const MOST_BYTES: u64 = 1024;

/// The signer of a workspace. Its secret is made on first use and readable by this user only.
pub fn load_key(workspace: &Workspace) -> Outcome<Signer> {
    let folder = workspace.root().join("share");
    let path = folder.join("key");
    durable::create_folder(&folder)?;
    // Two first uses at the same time must agree on one secret.
    let _lock = lock::take_exclusive(&folder.join("key.lock"), 0o600)?;
    if let Some(signer) = read(&path)? {
        return Ok(signer);
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| {
        Diagnostic::new(Exit::Machine, "the system provides no random numbers for a key", "run the command again").because(error)
    })?;
    durable::replace(&path, format!("{}\n", hexadecimal(&secret)).as_bytes())?;
    Ok(Signer::from_secret(&secret))
}

/// The public key of a workspace, which others may trust.
pub fn public_key(workspace: &Workspace) -> Outcome<String> {
    load_key(workspace).map(|signer| signer.public_key())
}

fn read(path: &Path) -> Outcome<Option<Signer>> {
    let failed = |error: &io::Error| Diagnostic::io("cannot read the key of this workspace", path, error);
    let file = match durable::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| failed(&error))?,
    };
    let mode = file.metadata().map_err(|error| failed(&error))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(
            Diagnostic::edit("other users can read the key of this workspace", "remove it; a new key will be created").at(path)
        );
    }
    let mut text = String::new();
    file.take(MOST_BYTES).read_to_string(&mut text).map_err(|error| failed(&error))?;
    match bytes(text.trim()) {
        Some(secret) => Ok(Some(Signer::from_secret(&secret))),
        None => Err(Diagnostic::edit("the key of this workspace is damaged", "remove it; a new key will be created").at(path)),
    }
}
