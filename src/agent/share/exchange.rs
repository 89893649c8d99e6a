//! Pushing to and pulling from a shared place, whichever it is.

use super::content::label;
use super::folder;
use super::key::load_key;
use super::merge::{Local, Withheld};
use super::mirror::Mirror;
use super::place::Place;
use super::receive::{Pulled, Recipient, receive};
use super::signature::bytes;
use super::state::Remark;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};
use text::fit::quoted;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pushed {
    /// How many entries were added.
    pub added: usize,
    /// How many entries were changed.
    pub updated: usize,
    /// How many entries say what they should already.
    pub unchanged: usize,
    /// How many entries were changed by others later than this project's clock shows, and stay.
    pub older: usize,
    /// The patterns whose ids were taken, and their shared ids.
    pub renumbered: Vec<(String, String)>,
    /// What was not shared.
    pub withheld: Withheld,
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

fn check_names(org_id: &str, project: &str) -> Outcome<()> {
    if label(org_id).as_deref() != Some(org_id) {
        return Err(Diagnostic::edit("the organisation has no usable name", "set CLAUDE_ORG_ID to a short printable text"));
    }
    if label(project).as_deref() != Some(project) {
        return Err(Diagnostic::edit("the project has no usable name", "name the project with a short printable text"));
    }
    Ok(())
}
