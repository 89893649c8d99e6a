//! Seeing what an agent does: each use of a tool that changes, reads or runs something is noted.

use std::path::Path;

use super::answer::Answer;
use super::host::{Event, Host};
use super::memory::Note;
use super::response::Response;
use super::showing::STARTERS;
use super::touch::Touch;
use crate::repository::top_around;
use event::redact::redact;
use learn::recall::READER;
use text::diagnostic::Outcome;
use text::fit;

/// How many uses of tools are noted of one agent: what it did first tells enough of one that never ends.
const MOST_TOUCHES: usize = 1000;
/// How much of a command is noted.
const MOST_COMMAND_BYTES: usize = 2 << 10;
/// The tools that change a file.
const WRITERS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

impl Host<'_> {
    /// Notes what a tool has done.
    pub(super) fn see_tool(&self, failed: bool) -> Outcome<Answer> {
        // A report that the server refused is none.
        if let Some(report) = self.payload.report().filter(|_| !failed) {
            return self.take_report(report);
        }
        if self.payload.tool().is_some_and(|tool| STARTERS.contains(&tool)) {
            return Ok(self.hand_over(if failed { Event::PostToolUseFailure } else { Event::PostToolUse }));
        }
        if let Some(touch) = self.touch(failed) {
            let mut memory = self.open(self.payload.agent())?;
            if memory.recollection.touches.len() < MOST_TOUCHES {
                memory.note(Note::Touched(touch))?;
            }
        }
        Ok(Answer::Silence)
    }

    /// The use of a tool as it is noted; none of what neither changes, reads nor runs anything.
    fn touch(&self, failed: bool) -> Option<Touch> {
        let tool = self.payload.tool()?;
        let Response { hunks, exit_code, output_hash } = self.payload.response().clone();
        let own = Touch { tool: fit::label(tool)?, at: self.now(), failed, ..Touch::default() };
        if let Some(command) = self.payload.command() {
            let command = redact(fit::cut(command, MOST_COMMAND_BYTES)).text.into_owned();
            return Some(Touch { command: Some(command), exit_code, output_hash, ..own });
        }
        let path = Some(self.inside(self.payload.path()?)?);
        let is_read = tool == READER;
        let is_known = WRITERS.contains(&tool) || !hunks.is_empty() || (is_read && !failed);
        is_known.then_some(Touch { path, is_read, hunks, ..own })
    }

    /// A path from the top of the repository that it lies in, else as it is. An agent may work in a tree of its own.
    pub(super) fn inside(&self, path: &str) -> Option<String> {
        let folders = self.payload.folder().map(Path::new).into_iter().chain([&*self.situation.folder]);
        let tops = folders.map(|folder| top_around(folder).unwrap_or(folder));
        let below = tops.into_iter().find_map(|top| Path::new(path).strip_prefix(top).ok()?.to_str());
        fit::label(below.unwrap_or(path))
    }
}
