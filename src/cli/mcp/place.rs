//! Where a call of a tool stands: its workspace, its session, its run.

use std::env;
use std::path::PathBuf;

use serde_json::json;

use crate::hook::project;
use crate::require;
use agent::hook::{Payload, Situation};
use setting::Settings;
use store::clock;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Outcome};

/// The session, as the agent's host tells the servers that it starts.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// How the server was started.
#[derive(Debug)]
pub(super) struct Place {
    /// The workspace that is named.
    pub(super) root: Option<PathBuf>,
    /// Whether no hook records what agents acknowledge.
    pub(super) records: bool,
}

/// What a call works with. Found anew each time: a workspace may be made, moved or mended while the server runs.
pub(super) struct Desk {
    pub(super) workspace: Workspace,
    pub(super) settings: Settings,
    pub(super) situation: Situation,
}

impl Place {
    pub(super) fn open(&self) -> Outcome<Desk> {
        let folder = project().or_else(|| env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"));
        let workspace = match &self.root {
            Some(root) => Workspace::at(folder.join(root)),
            None => Workspace::nearest(&folder),
        };
        require(&workspace)?;
        let settings = load_settings(&workspace)?;
        let situation = Situation::find(&workspace, &settings, &payload()?, folder, clock::now());
        Ok(Desk { workspace, settings, situation })
    }

    /// The same for what is to be recorded.
    pub(super) fn open_to_record(&self) -> Outcome<Desk> {
        let desk = self.open()?;
        if desk.situation.is_off {
            let remedy = "nothing is to be done; unset OUTERLOOP_LEARNING to switch it on";
            return Err(Diagnostic::edit("learning is switched off for this run, so nothing is recorded", remedy));
        }
        Ok(desk)
    }
}

/// What a hook would be told, as far as a server knows it.
fn payload() -> Outcome<Payload> {
    let session = env::var(SESSION).ok();
    let told = json!({ "session_id": session }).to_string();
    Payload::read(told.as_bytes()).map_err(|error| Diagnostic::bug(format!("the session cannot be told: {error}")))
}
