//! Recording what a command has to say: all of its events or none.

use event::Draft;
use event::redact::redact;
use store::inbox::Recorder;
use text::diagnostic::{Diagnostic, Outcome};

/// Records events, all or none of them. When this returns, they survive a power cut.
pub fn land(mut recorder: Recorder<'_>, lines: &[String]) -> Outcome<()> {
    for line in lines {
        recorder.take_line(line).map_err(|rejection| {
            Diagnostic::edit(format!("the event is invalid: {}", rejection.message), rejection.remedy.clone())
        })?;
    }
    recorder.land()
}

/// The line of an event. It may be printed, where a secret has no more business than in the inbox.
pub(crate) fn line_of(draft: Draft) -> Outcome<String> {
    let line = draft.finish().map_err(unfit)?;
    Ok(redact(&line).text.into_owned())
}

/// The error for an event that cannot be written on one line.
pub(crate) fn unfit(reason: String) -> Diagnostic {
    Diagnostic::edit("the event is too large", "shorten its texts").because(reason)
}

/// Requires a reason that is not blank.
pub(crate) fn spoken(reason: &str) -> Outcome<&str> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Diagnostic::edit("the reason is empty", "say in a few words why, with --reason"));
    }
    Ok(reason)
}
