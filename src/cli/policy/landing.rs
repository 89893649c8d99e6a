//! Landing what a gate answered and what a person decided.

use event::Draft;
use event::redact::redact;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Outcome};

/// The project of events that name none, where the settings name none either.
const DEFAULT_PROJECT: &str = "default";

/// An event of this instant and of the workspace's project.
pub fn draft(kind: &'static str, settings: &Settings) -> Draft {
    Draft::new(kind, clock::now(), settings.project.as_deref().unwrap_or(DEFAULT_PROJECT))
}

/// Lands an event, and gives its line as it landed. When this returns, it survives a power cut.
pub fn land(workspace: &Workspace, settings: &Settings, draft: Draft) -> Outcome<String> {
    let line = draft.finish().map_err(|why| Diagnostic::edit("the event does not fit", "shorten the reason").because(why))?;
    // The line may be printed, where a secret has no more business than in the inbox.
    let line = redact(&line).text.into_owned();
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    recorder
        .take_line(&line)
        .map_err(|rejection| Diagnostic::edit(format!("the event is invalid: {}", rejection.message), rejection.remedy.clone()))?;
    recorder.land()?;
    Ok(line)
}
