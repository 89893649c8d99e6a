//! The organisation's store as ClosedLoop's commands write it: entries that nobody signed, in a folder of the project.

use std::path::Path;

use agent::iteration::name_folder;
use agent::repository::Repository;
use agent::share::{Pulled, Recipient, take_folder};
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::Outcome;

/// Imports the patterns that others shared. A store in the project's own folder is as trusted as its other files; where the settings
/// trust certain keys, nothing without their signature is taken.
pub(super) fn import_store(workspace: &Workspace, settings: &Settings, store: &Path, project: &Path) -> Outcome<Pulled> {
    // ClosedLoop names a project by its repository alone.
    let repository = Repository::find(project).ok().flatten().and_then(|repository| repository.name().ok());
    let name = name_folder(workspace, settings, project);
    let recipient = Recipient {
        org_id: "",
        project: &name,
        known_as: repository.as_deref(),
        trusted_keys: &settings.share.trusted_keys,
        take_unsigned: true,
        most_characters: settings.capture.most_characters,
        now: clock::now(),
    };
    let pulled = take_folder(store, &recipient)?;
    let mut recorder = Recorder::new(workspace)?;
    for line in &pulled.lines {
        // What the door refuses is in quarantine.
        let _ = recorder.take_line(line);
    }
    recorder.land()?;
    Ok(pulled)
}
