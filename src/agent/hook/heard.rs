//! Events that the host tells in several ways: by a plugin and by the project's settings, say.
//!
//! The host calls a hook once for each way that names it, at the same time and with the same words. One of them does the work, all others
//! are silent. Which event a hook was called for is noted in one small file of the workspace, for as long as others may still be called.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use super::host::{Event, Host};
use store::durable;
use text::digest::sha256;

const FILE: &str = "heard.txt";
/// Nobody holds the file for longer than it takes to write some lines.
const PATIENCE: Duration = Duration::from_millis(200);
/// The host calls all hooks of an event at once, and gives none of them longer.
const WINDOW_MICROS: i64 = 60_000_000;
/// No minute holds more.
const MOST_BYTES: u64 = 256 << 10;

/// One call of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    at: i64,
    /// The event: what is told, in which session, of what.
    event: String,
    /// The way by which the host knows the hook.
    way: String,
}

impl Host<'_> {
    /// Whether another hook has this event already. Where that cannot be found out, none has: an event that counts twice is better than
    /// one that is lost.
    pub(super) fn is_heard(&self, event: Event) -> bool {
        let Some(name) = self.name_of(event) else { return false };
        let call = Call { at: self.now().as_microsecond(), event: short(&name), way: short(&self.way) };
        hear(&self.workspace.hooks(), &call).unwrap_or_else(|error| {
            tracing::debug!("cannot tell whether another hook has this event: {error}");
            false
        })
    }

    /// What tells an event from all others that may happen at the same time.
    fn name_of(&self, event: Event) -> Option<String> {
        let about = match event {
            // Tools are used side by side.
            Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure => self.payload.tool_use()?,
            Event::SubagentStart | Event::SubagentStop => self.payload.agent()?,
            Event::SessionStart | Event::UserPromptSubmit | Event::Stop | Event::SessionEnd => "",
        };
        Some(json!([self.payload.session()?, event.name(), about]).to_string())
    }
}

fn short(text: &str) -> String {
    sha256(text.as_bytes())[..16].to_owned()
}

/// Notes a call, and says whether another way has its event already.
fn hear(folder: &Path, call: &Call) -> io::Result<bool> {
    let mut file = open(folder)?;
    let mut bytes = Vec::new();
    (&file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    let mut calls: Vec<Call> = String::from_utf8_lossy(&bytes).lines().filter_map(parse).collect();
    calls.retain(|known| (known.at - call.at).abs() <= WINDOW_MICROS);
    let is_heard = is_behind(&calls, call);
    calls.push(call.clone());
    let lines: Vec<String> = calls.iter().map(|call| format!("{} {} {}\n", call.at, call.event, call.way)).collect();
    file.set_len(0)?;
    file.write_all(lines.concat().as_bytes())?;
    Ok(is_heard)
}

/// Whether another way was called for an event at least as often as this one is now. An agent may begin and end several times, and a
/// session ends many turns: the n-th call of one way and the n-th of another are the same event. Whichever order they come in, exactly
/// one of them is ahead of all others.
fn is_behind(calls: &[Call], call: &Call) -> bool {
    let count = |way: &str| calls.iter().filter(|known| known.event == call.event && known.way == way).count();
    let own = count(&call.way) + 1;
    calls.iter().filter(|known| known.event == call.event && known.way != call.way).any(|known| count(&known.way) >= own)
}

fn parse(line: &str) -> Option<Call> {
    let mut cells = line.split(' ');
    let call = Call { at: cells.next()?.parse().ok()?, event: cells.next()?.to_owned(), way: cells.next()?.to_owned() };
    Timestamp::from_microsecond(call.at).is_ok().then_some(call)
}

/// Opens the file for one hook at a time. A link or a pipe in its place is refused, and so is a link in the place of its folder.
fn open(folder: &Path) -> io::Result<File> {
    durable::create_folder(folder).map_err(io::Error::other)?;
    let path = folder.join(FILE);
    let is_regular = |found: io::Result<fs::Metadata>| found.map_or(true, |found| found.is_file());
    if !fs::symlink_metadata(folder)?.is_dir() || !is_regular(fs::symlink_metadata(&path)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let (file, _) = durable::open_for_append(&path)?;
    durable::lock_within(&file, PATIENCE)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of some calls of one event do the work, by the way that they come.
    fn speakers(before: &str, calls: &str) -> Vec<char> {
        let call = |way: char| Call { at: 0, event: "e".to_owned(), way: way.to_string() };
        let mut known: Vec<Call> = before.chars().map(call).collect();
        let mut speakers = Vec::new();
        for way in calls.chars() {
            if !is_behind(&known, &call(way)) {
                speakers.push(way);
            }
            known.push(call(way));
        }
        speakers
    }

    #[test]
    fn of_all_ways_exactly_one_does_the_work_whatever_came_before() {
        for before in ["", "a", "b", "ab", "aab", "abb", "bbbb", "abcc", "cab"] {
            for event in ["ab", "ba", "abc", "cba", "bca"].into_iter().filter(|event| before.chars().all(|way| event.contains(way)))
            {
                assert_eq!(speakers(before, event).len(), 1, "{event} after {before}");
            }
        }
    }

    #[test]
    fn one_way_alone_is_never_silent() {
        assert_eq!(speakers("", "aaaa"), ['a'; 4]);
        assert_eq!(speakers("aabb", "aa"), ['a'; 2]);
    }

    #[test]
    fn what_is_no_call_counts_for_nothing() {
        for line in ["", "x", "1", "1 e", "nan e w", "9223372036854775807 e w"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
