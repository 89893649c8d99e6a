//! The salt of a workspace's coins. It is made once, by whoever needs it first, and never changed: with another salt nobody could
//! recompute a logged arm.

use std::io::{self, Read as _};
use std::path::Path;

use learn::truth::Salt;
use store::durable;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Random bytes of a salt.
const BYTES: usize = 16;
/// No salt is longer, in characters.
const MOST_BYTES: u64 = 200;

/// The salt of a workspace; made if there is none.
pub(super) fn load_salt(workspace: &Workspace) -> Outcome<Salt> {
    if let Some(salt) = find_salt(workspace)? {
        return Ok(salt);
    }
    make_salt(&workspace.salt())?;
    // Whoever came first at the same time has made it: its salt counts.
    find_salt(workspace)?.ok_or_else(|| broken(&workspace.salt(), "it is gone again"))
}

/// The salt of a workspace, if it has one.
pub fn find_salt(workspace: &Workspace) -> Outcome<Option<Salt>> {
    let path = workspace.salt();
    let mut text = String::new();
    let read = durable::open_regular(&path).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| broken(&path, &error.to_string()))?,
    };
    let salt = text.trim_end_matches(['\n', '\r']);
    let is_plain = salt.len() >= 2 * BYTES && salt.len() as u64 <= MOST_BYTES && salt.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { Ok(Some(Salt::new(salt.to_owned()))) } else { Err(broken(&path, "it holds no salt")) }
}

fn broken(path: &Path, cause: &str) -> Diagnostic {
    let remedy = "restore the file from a backup; without one, remove it: new tasks draw new coins, and the audit names the others";
    Diagnostic::edit("the salt of the coins cannot be read, so no coin is tossed", remedy).at(path).because(cause)
}

/// Puts a new salt in its place, unless one is there.
fn make_salt(path: &Path) -> Outcome<()> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Diagnostic::new(Exit::Machine, "the system provides no random numbers for a salt", "try again").because(error)
    })?;
    let salt = format!("{:032x}\n", u128::from_be_bytes(bytes));
    durable::create_whole(path, salt.as_bytes(), None).map(drop)
}
