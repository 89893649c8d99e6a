//! Landing events: checked, redacted, stamped, then appended and synced together.

use super::append::append;
use crate::clock;
use crate::lake::{Place, Quarantined, keep_refused};
use crate::workspace::Workspace;
use crate::workspace::load_settings;
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

/// A record of another tool that was refused.
#[derive(Debug, Clone, Copy)]
pub struct RefusedRecord<'r> {
    /// The file it stands in.
    pub source: &'r str,
    /// Its line there, from 1.
    pub line: u64,
    /// The record, as far as it is known.
    pub text: &'r str,
    pub reason: &'r str,
    /// The project whose run it reports, if it reports one.
    pub run_of: Option<&'r str>,
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
    /// Lines that were refused, to be kept with the others.
    refused: Vec<Quarantined>,
    /// Where lines come from, and how many came from there.
    source: String,
    lines: u64,
    recorded: Recorded,
}

impl<'r> Recorder<'r> {
    /// A recorder that adds a time to events without one, and nothing else. Runs are taken by the workspace's rules.
    pub fn new(workspace: &'r Workspace) -> Outcome<Self> {
        Ok(Self::with_rules(workspace, load_settings(workspace)?.run))
    }

    /// The same for a caller that has read the settings already.
    #[must_use]
    pub fn with_rules(workspace: &'r Workspace, rules: RunSettings) -> Self {
        Self {
            workspace,
            parser: Parser::with_rules(Latest::from_clock(clock::now().as_microsecond()), rules),
            kind: None,
            project: None,
            pending: Vec::new(),
            refused: Vec::new(),
            source: "record".to_owned(),
            lines: 0,
            recorded: Recorded::default(),
        }
    }

    /// What was taken so far.
    #[must_use]
    pub const fn recorded(&self) -> Recorded {
        self.recorded
    }

    /// The events that wait to be landed, without their secrets.
    #[must_use]
    pub fn pending(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.pending).lines().map(str::to_owned).collect()
    }

    /// Says where the next lines come from.
    pub fn begin(&mut self, source: &str) {
        (self.source, self.lines) = (source.to_owned(), 0);
    }

    /// Whether nothing waits to be landed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.refused.is_empty()
    }

    /// Whether so much is pending that it should be landed.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.pending.len() >= FULL_BYTES
    }

    /// Takes one event, to be landed with the others.
    pub fn take_line(&mut self, line: &str) -> Result<(), Rejection> {
        self.take(line.as_bytes(), line.len())
    }

    /// The same for bytes, of which only a part was kept where there were too many. A line that is refused is kept in quarantine when
    /// the others land: what is missing is counted.
    pub fn take(&mut self, line: &[u8], length: usize) -> Result<(), Rejection> {
        self.lines += 1;
        let (kind, project) = (self.kind, self.project.clone());
        let stamp = Stamp { time: clock::now(), kind, project: project.as_deref() };
        self.take_stamped(line, length, stamp).inspect_err(|rejection| {
            let text = std::str::from_utf8(line).map(|text| stamp.complete(text.trim()));
            let bytes = text.as_ref().map_or(line, |text| text.as_bytes());
            let place = Place { file: &self.source, line: self.lines, offset: 0, length: length as u64 };
            self.refused.push(Quarantined::new(place, bytes, rejection, &stamp.time.to_string()).at_once());
        })
    }

    /// Keeps a record of another tool that an importer refused.
    pub fn refuse(&mut self, record: RefusedRecord<'_>) {
        let RefusedRecord { source, line, text, reason, run_of } = record;
        let rejection = Rejection::new(Code::NotTaken, reason, "correct the record and import it again");
        let place = Place { file: source, line, offset: 0, length: text.len() as u64 };
        let entry = Quarantined::new(place, text.as_bytes(), &rejection, &clock::now().to_string());
        self.refused.push(match run_of {
            Some(project) => entry.of_run(project),
            None => entry,
        });
    }

    fn take_stamped(&mut self, line: &[u8], length: usize, stamp: Stamp<'_>) -> Result<(), Rejection> {
        let bytes = line.trim_ascii();
        if bytes.is_empty() && length <= limit::LINE_BYTES {
            return Ok(());
        }
        if length > limit::LINE_BYTES {
            return Err(Rejection::too_long(length));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Rejection::not_utf8())?;
        let redaction = redact(text);
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
        let today = Day::of_micros(clock::now().as_microsecond());
        if !self.pending.is_empty() {
            append(&self.workspace.inbox(), today, &self.pending)?;
            self.pending.clear();
        }
        if !self.refused.is_empty() {
            keep_refused(self.workspace, today, &self.refused)?;
            self.refused.clear();
        }
        Ok(())
    }
}
