//! The reports of agents that were sent back.
//!
//! The host hands a caller the last message of its agent alone. An agent that is sent back and does not repeat its report would lose
//! it: so the report waits in a file beside the session's notes until the agent has repeated it, or the caller was handed it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::duty::repeats;
use super::memory::{file_name, make_folders};
use event::redact::redact;
use learn::recall::short_name;
use render::plain_text;
use store::durable;
use text::diagnostic::{Diagnostic, Outcome};

/// What the files of reports begin and end with.
const REPORT: &str = "report-";
const ENDING: &str = ".json";
/// No report is longer, written as JSON.
const MOST_BYTES: u64 = 4 << 20;

/// A report that waits for its caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The agent's id.
    pub(super) id: String,
    agent: String,
    /// Its words, without secrets.
    text: String,
}

impl Kept {
    /// What the caller is told.
    pub(super) fn tell(&self) -> String {
        let (agent, id) = (plain_text(short_name(&self.agent), 80), plain_text(&self.id, 80));
        format!(
            "The agent {agent} ({id}) was asked what it learned after it had reported, and did not repeat its report. This is the \
             report:\n\n{}",
            self.text
        )
    }
}

/// Keeps what an agent said before it is sent back. What it has not repeated is not replaced.
pub(super) fn keep_report(folder: &Path, id: &str, agent: &str, said: &str) -> Outcome<()> {
    let path = path_of(folder, id);
    if said.trim().is_empty() || read(&path).is_some_and(|kept| !repeats(said, &kept.text)) {
        return Ok(());
    }
    let kept = Kept { id: id.to_owned(), agent: agent.to_owned(), text: redact(said).text.into_owned() };
    let bytes = serde_json::to_vec(&kept).map_err(|error| Diagnostic::bug(format!("a report cannot be kept: {error}")))?;
    make_folders(&path)?;
    let _ = fs::remove_file(&path);
    let written = durable::open_for_append(&path).and_then(|(mut file, _)| file.write_all(&bytes));
    written.map_err(|error| Diagnostic::io("cannot keep the report of an agent", &path, &error))
}

/// The agent has ended: what it has repeated need not be kept. Tells whether its report waits for the caller.
pub(super) fn settle_report(folder: &Path, id: &str, said: &str) -> bool {
    let path = path_of(folder, id);
    match read(&path) {
        Some(kept) if repeats(said, &kept.text) => {
            let _ = fs::remove_file(path);
            false
        }
        Some(_) => true,
        None => false,
    }
}

/// Takes the report of an agent. Whoever removes its file hands it over, and nobody else.
pub(super) fn take_report(folder: &Path, id: &str) -> Option<Kept> {
    let path = path_of(folder, id);
    let kept = read(&path)?;
    fs::remove_file(path).ok().map(|()| kept)
}

/// Takes all reports but those of some agents.
pub(super) fn take_reports(folder: &Path, without: &[String]) -> Vec<Kept> {
    let ids = list(folder).iter().filter_map(|path| read(path)).map(|kept| kept.id).collect::<Vec<_>>();
    ids.iter().filter(|id| !without.contains(id)).filter_map(|id| take_report(folder, id)).collect()
}

/// Removes the reports that wait: nobody will ask for them any more.
pub(super) fn drop_reports(folder: &Path) {
    for path in list(folder) {
        let _ = fs::remove_file(path);
    }
}

fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{REPORT}{}{ENDING}", file_name(id)))
}

/// The reports that wait, by name. Links are none.
fn list(folder: &Path) -> Vec<PathBuf> {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Vec::new();
    }
    let is_report = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(REPORT) && name.ends_with(ENDING) && fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_report).collect();
    paths.sort_unstable();
    paths
}

fn read(path: &Path) -> Option<Kept> {
    let mut bytes = Vec::new();
    durable::open_regular(path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
