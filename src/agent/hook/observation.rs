//! A session that has ended is noted down, to be observed later: reading a whole transcript takes longer than a hook may.

use std::path::Path;

use jiff::Timestamp;

use super::payload::Payload;
use super::situation::Situation;
use crate::observe::{Pending, Queue};
use store::workspace::Workspace;
use text::diagnostic::Outcome;
use text::fit;

/// Puts a session into the queue of those that wait to be observed, if there is a transcript: a host need not keep one.
pub(super) fn enqueue(workspace: &Workspace, payload: &Payload, situation: &Situation, now: Timestamp) -> Outcome<()> {
    let Some(transcript) = payload.transcript().map(Path::new).filter(|path| path.is_absolute() && path.is_file()) else {
        return Ok(());
    };
    let stem = || transcript.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let session = payload.session().map(str::to_owned).or_else(stem).and_then(|session| fit::name(&session));
    Queue::of(workspace).add(&Pending {
        session: session.unwrap_or_else(|| situation.session.clone()),
        project: situation.turn.project.clone(),
        transcript: transcript.to_path_buf(),
        folder: Some(situation.folder.clone()),
        at: now,
        attempts: 0,
    })
}
