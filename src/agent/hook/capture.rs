//! Whether an agent wrote down what it has learned.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::memory::file_name;
use super::situation::Situation;
use crate::iteration::learnings_of;
use setting::Settings;

/// Whether an agent left a lesson: a file that is named after it, or one of an agent of its name that was written just before.
pub(super) fn has_captured(situation: &Situation, agent: &str, id: &str, settings: &Settings) -> bool {
    let age = SignedDuration::from_mins(settings.hook.capture_minutes.into());
    let is_own = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .into_iter()
            .any(|entry| is_of(&entry.file_name(), agent, id) || is_recent_of(&entry, agent, situation.turn.time, age))
    };
    let places = [&situation.work, &situation.folder].map(|folder| learnings_of(folder).join("pending"));
    // A job may have taken the file in meanwhile.
    places.iter().any(|pending| is_own(pending) || is_own(&pending.join("archived")))
}

/// Agents are told one order of the names; the original looked for the other.
fn is_of(name: &OsStr, agent: &str, id: &str) -> bool {
    let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { return false };
    // The name that it was asked to use is harmless as a file's, which its own need not be.
    let asked = format!("{}-{}", file_name(agent), file_name(id));
    !id.is_empty() && (stem == asked || stem == format!("{agent}-{id}") || stem == format!("{id}-{agent}"))
}

fn is_recent_of(entry: &fs::DirEntry, agent: &str, now: Timestamp, age: SignedDuration) -> bool {
    let name = entry.file_name();
    let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { return false };
    let written =
        || entry.metadata().ok().filter(fs::Metadata::is_file)?.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    stem.strip_prefix(agent).is_some_and(|rest| rest.starts_with('-'))
        && written().is_some_and(|time| now.duration_since(time) < age)
}
