//! One at a time: whoever changes a project's folder holds the folder itself.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use store::durable;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Held while a project's folder is looked at and changed. Ends with its owner, however that ends, and leaves no file behind.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "dropping the file releases the lock")] File);

/// Takes a project's folder for oneself.
pub fn take_lock(root: &Path, patience: Duration) -> Outcome<Lock> {
    let folder = File::open(root).map_err(|error| Diagnostic::io("cannot open the project's folder", root, &error))?;
    match durable::lock_within(&folder, patience) {
        Ok(()) => Ok(Lock(folder)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(Diagnostic::new(
            Exit::Machine,
            "another process is changing the project's artifacts",
            "wait until it ends, then run the command again",
        )
        .at(root)),
        Err(error) => Err(Diagnostic::io("cannot lock the project's folder", root, &error)),
    }
}
