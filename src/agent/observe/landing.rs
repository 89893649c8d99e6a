//! Landing what was seen, and remembering it: a session that goes on and ends again has not seen the same twice.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use super::queue::{append_line, read};
use super::run::Seen;
use setting::Settings;
use store::durable;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// The ids of events that landed. Should it be lost, the lake knows them too, and sets aside what says something else under one.
pub(super) struct Ledger {
    folder: PathBuf,
    ids: HashSet<String>,
}

/// What became of sightings.
#[derive(Debug, Default)]
pub(super) struct Landing {
    pub(super) landed: usize,
    /// Those that had landed before.
    pub(super) known: usize,
    /// Why others could not.
    pub(super) refused: Vec<String>,
}

impl Ledger {
    pub(super) fn load(workspace: &Workspace) -> Outcome<Self> {
        let folder = workspace.observing();
        let path = path_in(&folder);
        let text = read(&path).map_err(|error| Diagnostic::io("cannot read the earlier observations", &path, &error))?;
        Ok(Self { folder, ids: text.lines().map(str::to_owned).collect() })
    }

    /// Lands what was seen, but for what landed before. When this returns, it survives a power cut.
    pub(super) fn land(&mut self, workspace: &Workspace, settings: &Settings, seen: &[Seen]) -> Outcome<Landing> {
        let mut landing = Landing::default();
        let mut recorder = Recorder::with_rules(workspace, settings.run);
        let mut ids = Vec::new();
        for Seen { project, session, time, sighting } in seen {
            let id = sighting.event_id(project, session);
            if self.ids.contains(&id) {
                landing.known += 1;
                continue;
            }
            let taken = sighting
                .line(project, session, *time)
                .and_then(|line| recorder.take_line(&line).map_err(|fault| fault.to_string()));
            match taken {
                Ok(()) => ids.push(id),
                Err(cause) => {
                    landing.refused.push(format!("an observation of session {session} was refused: {cause}"));
                }
            }
        }
        recorder.land()?;
        landing.landed = ids.len();
        self.remember(ids)?;
        Ok(landing)
    }

    fn remember(&mut self, ids: Vec<String>) -> Outcome<()> {
        if ids.is_empty() {
            return Ok(());
        }
        durable::create_folder(&self.folder)?;
        let path = path_in(&self.folder);
        let failed = |error: io::Error| Diagnostic::io("cannot write the observations", &path, &error);
        let (mut file, _) = durable::open_for_append(&path).map_err(failed)?;
        append_line(&mut file, &ids.join("\n")).map_err(failed)?;
        self.ids.extend(ids);
        Ok(())
    }
}

fn path_in(folder: &std::path::Path) -> PathBuf {
    folder.join("landed")
}
