//! Landing events: checked, redacted, stamped, then appended and synced together, from any number of processes at once.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::workspace::{Workspace, load_settings};
use crate::{clock, durable};
use event::redact::redact;
use event::{Code, Kind, Latest, Parser, Rejection, Stamp};
use setting::RunSettings;
use text::day::Day;
use text::diagnostic::{Diagnostic, Outcome};
use text::limit;

/// How much is gathered before it should be landed.
const FULL_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Events that were taken.
    pub events: u64,
    /// Secrets that were redacted in them.
    pub redacted: u64,
}

/// Lands events of one workspace.
pub struct Recorder<'r> {
    workspace: &'r Workspace,
    parser: Parser,
    /// The kind of events that name none.
    pub kind: Option<Kind>,
    /// The project of events that name none.
    pub project: Option<String>,
    pending: Vec<u8>,
    recorded: Recorded,
}

impl<'r> Recorder<'r> {
    /// A recorder that adds a time to events without one, and nothing else. Runs are taken by the workspace's rules.
    pub fn new(workspace: &'r Workspace) -> Outcome<Self> {
        Ok(Self::with_rules(workspace, load_settings(workspace)?.run))
    }

    /// The same for a caller that has read the settings already.
    pub fn with_rules(workspace: &'r Workspace, rules: RunSettings) -> Self {
        Self {
            workspace,
            parser: Parser::with_rules(Latest::from_clock(clock::now().as_microsecond()), rules),
            kind: None,
            project: None,
            pending: Vec::new(),
            recorded: Recorded::default(),
        }
    }

    /// What was taken so far.
    pub const fn recorded(&self) -> Recorded {
        self.recorded
    }

    /// The events that wait to be landed, without their secrets.
    pub fn pending(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.pending).lines().map(str::to_owned).collect()
    }

    /// Whether nothing waits to be landed.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether so much is pending that it should be landed.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= FULL_BYTES
    }

    /// Takes one event, to be landed with the others.
    pub fn take_line(&mut self, line: &str) -> Result<(), Rejection> {
        self.take(line.as_bytes(), line.len())
    }

    /// The same for bytes, of which only a part was kept where there were too many.
    pub fn take(&mut self, line: &[u8], length: usize) -> Result<(), Rejection> {
        let bytes = line.trim_ascii();
        if bytes.is_empty() && length <= limit::LINE_BYTES {
            return Ok(());
        }
        if length > limit::LINE_BYTES {
            let remedy = format!("send at most {}; put long texts into files and cite them", limit::LINE_BYTES);
            return Err(Rejection::new(Code::TooLarge, format!("the line has {length} bytes"), remedy));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Rejection::new(Code::NotUtf8, "the line is not UTF-8", "write UTF-8"))?;
        let redaction = redact(text);
        let stamp = Stamp { time: clock::now(), kind: self.kind, project: self.project.as_deref() };
        let stamped = stamp.complete(&redaction.text);
        self.parser.parse(&stamped)?;
        // A line break inside of an event is white space to JSON, and the end of it to everybody else.
        self.pending.extend(stamped.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
        self.pending.push(b'\n');
        self.recorded.events += 1;
        self.recorded.redacted += u64::from(redaction.count);
        Ok(())
    }

    /// Takes events that this program made. One that the door refuses is a bug of ours.
    pub fn take_own(&mut self, lines: &[String]) -> Outcome<()> {
        for line in lines {
            self.take_line(line).map_err(|fault| Diagnostic::bug(format!("an internal event is invalid: {fault}")))?;
        }
        Ok(())
    }

    /// Takes an event that was checked before, as it is. What has made it wrong since, the lake finds out and keeps.
    pub fn take_unchecked(&mut self, line: &str) {
        self.pending.extend_from_slice(line.as_bytes());
        self.pending.push(b'\n');
        self.recorded.events += 1;
    }

    /// Lands what is pending. When this returns, it survives a power cut.
    pub fn land(&mut self) -> Outcome<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let today = Day::of_micros(clock::now().as_microsecond());
        append(&self.workspace.inbox(), today, &self.pending)?;
        self.pending.clear();
        Ok(())
    }
}

/// How long a writer waits for others.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a batch of lines went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The inbox file.
    pub file: PathBuf,
    /// The bytes written.
    pub bytes: u64,
}

/// Appends whole lines to the inbox file of the day. When this returns, they survive a power cut.
///
/// The lock covers the write only, not the sync: waiting writers share one journal commit of the file system.
pub fn append(inbox: &Path, day: Day, lines: &[u8]) -> Outcome<Appended> {
    let path = inbox.join(format!("record-{day}.jsonl"));
    let failed = |what: &str, error: &std::io::Error| Diagnostic::io(what, &path, error);
    let (mut file, created) = durable::open_for_append(&path).map_err(|error| failed("cannot open the inbox file", &error))?;
    // Another writer takes no longer than a write; one that never ends is not waited for.
    durable::lock_within(&file, PATIENCE).map_err(|error| failed("cannot lock the inbox file", &error))?;
    let bytes = write_whole(&mut file, lines).map_err(|error| failed("cannot append to the inbox file", &error))?;
    flock(&file, FlockOperation::Unlock).map_err(|error| failed("cannot unlock the inbox file", &error.into()))?;
    durable::sync_file(&file, &path).map_err(unsure)?;
    if created {
        durable::sync_folder(inbox).map_err(unsure)?;
    }
    Ok(Appended { file: path, bytes })
}

/// Writes all of the lines or none of them.
fn write_whole(file: &mut File, lines: &[u8]) -> std::io::Result<u64> {
    let start = file.seek(SeekFrom::End(0))?;
    // A writer that was killed left half a line: end it, so that ours does not become its tail.
    let torn = start > 0 && !ends_in_newline(file, start)?;
    let written = (if torn { file.write_all(b"\n") } else { Ok(()) }).and_then(|()| file.write_all(lines));
    if let Err(error) = written {
        // On a full disk a part of the lines may stand there. Nobody was told that they landed.
        file.set_len(start)?;
        return Err(error);
    }
    Ok(lines.len() as u64)
}

fn ends_in_newline(file: &mut File, end: u64) -> std::io::Result<bool> {
    let mut last = [0];
    file.seek(SeekFrom::Start(end - 1))?;
    file.read_exact(&mut last)?;
    Ok(last[0] == b'\n')
}

/// After a failed sync the bytes may or may not be on the disk. Sending them again is harmless: an id counts once.
fn unsure(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.remedy =
        String::from("the events may not survive a power cut: send them again with the same ids (an id counts once)");
    diagnostic
}
