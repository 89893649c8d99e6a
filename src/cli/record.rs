//! `outerloop record`: events from stdin or files into the inbox. On the agents' hot path, so it opens no engine.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Serialize;

use super::args::RecordArgs;
use super::printer::Printer;
use super::require;
use crate::clock;
use crate::day::Day;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::event::redact::redact;
use crate::event::{Code, Kind, Latest, Parser, Rejection, limit};
use crate::inbox;
use crate::setting::load_settings;
use crate::workspace::Workspace;

/// How much is gathered before it is synced, with `--batch`.
const BATCH_BYTES: usize = 1 << 20;

/// Records events.
pub fn run(workspace: &Workspace, options: &RecordArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    if let Some(kind) = &options.kind
        && Kind::from_name(kind).is_none()
    {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        return Err(Diagnostic::edit(
            format!("there is no kind `{}`", kind.escape_default()),
            format!("use one of: {}", known.join(", ")),
        ));
    }
    let project = match &options.project {
        Some(project) => Some(project.clone()),
        None => load_settings(workspace)?.project,
    };
    let mut recorder = Recorder::new(workspace, printer);
    recorder.kind = options.kind.as_deref();
    recorder.project = project;
    recorder.is_batch = options.batch;
    if options.files.is_empty() {
        recorder.read("stdin", &mut io::stdin().lock())?;
    }
    for path in &options.files {
        let file = File::open(path).map_err(|error| Diagnostic::io("cannot read the events", path, &error))?;
        recorder.read(&path.display().to_string(), &mut BufReader::new(file))?;
    }
    recorder.land()?;
    recorder.tell(options.json)
}

/// What was done, for programs.
#[derive(Debug, Default, Serialize)]
struct Tally {
    recorded: u64,
    refused: u64,
    redacted: u64,
}

/// Lands events: checked, redacted, stamped, then appended and synced together.
pub(super) struct Recorder<'r> {
    workspace: &'r Workspace,
    printer: &'r Printer,
    parser: Parser,
    kind: Option<&'r str>,
    project: Option<String>,
    is_batch: bool,
    pending: Vec<u8>,
    done: Tally,
}

impl<'r> Recorder<'r> {
    /// A recorder that adds a time to events without one, and nothing else.
    pub(super) fn new(workspace: &'r Workspace, printer: &'r Printer) -> Self {
        Self {
            workspace,
            printer,
            parser: Parser::new(Latest::from_clock(clock::now().as_microsecond())),
            kind: None,
            project: None,
            is_batch: true,
            pending: Vec::new(),
            done: Tally::default(),
        }
    }

    /// Takes one event, to be landed with the others.
    pub(super) fn take_line(&mut self, line: &str) -> Result<(), Rejection> {
        self.take(line.as_bytes(), line.len())?;
        Ok(())
    }

    /// Whether so much is pending that it should be landed.
    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= BATCH_BYTES
    }

    fn read(&mut self, name: &str, input: &mut impl BufRead) -> Outcome<()> {
        let mut line = Vec::new();
        let mut number = 0_u64;
        loop {
            line.clear();
            let read =
                read_line(input, &mut line).map_err(|error| Diagnostic::io("cannot read the events", Path::new(name), &error))?;
            if read == 0 {
                return Ok(());
            }
            number += 1;
            if let Err(rejection) = self.take(&line, read) {
                self.done.refused += 1;
                self.printer.note(&format!("{name}:{number}: {}: {rejection}", rejection.code.name()));
            }
            if !self.pending.is_empty() && (!self.is_batch || self.is_full()) {
                self.land()?;
            }
        }
    }

    fn take(&mut self, line: &[u8], length: usize) -> Result<(), Rejection> {
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
        let stamped = self.stamp(&redaction.text);
        self.parser.parse(&stamped)?;
        // A line break inside of an event is white space to JSON, and the end of it to everybody else.
        self.pending.extend(stamped.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { b' ' } else { byte }));
        self.pending.push(b'\n');
        self.done.recorded += 1;
        self.done.redacted += u64::from(redaction.count);
        Ok(())
    }

    /// Adds the kind, the time and the project where an event names none. What is not an object is left for the parser.
    fn stamp<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(inside) = text.strip_prefix('{') else { return Cow::Borrowed(text) };
        let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(text) else { return Cow::Borrowed(text) };
        let has = |names: &[&str]| names.iter().any(|name| fields.get(*name).is_some_and(|value| !value.is_null()));
        let mut added = Vec::new();
        if let Some(kind) = self.kind.filter(|_| !has(&["kind"])) {
            added.push(format!("\"kind\":\"{kind}\""));
        }
        if !has(&["ts", "timestamp", "createdAt", "created_at", "captured_at", "evaluated_at"]) {
            added.push(format!("\"ts\":\"{}\"", clock::now()));
        }
        if let Some(project) = self.project.as_ref().filter(|_| !has(&["project", "project_id", "projectId"])) {
            added.push(format!("\"project\":{}", serde_json::Value::from(project.as_str())));
        }
        if added.is_empty() {
            return Cow::Borrowed(text);
        }
        let comma = if fields.is_empty() { "" } else { "," };
        Cow::Owned(format!("{{{}{comma}{inside}", added.join(",")))
    }

    /// Lands what is pending. When this returns, it survives a power cut.
    pub(super) fn land(&mut self) -> Outcome<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let today = Day::of_micros(clock::now().as_microsecond());
        inbox::append(&self.workspace.inbox(), today, &self.pending)?;
        self.pending.clear();
        Ok(())
    }

    fn tell(&self, as_json: bool) -> Outcome<Exit> {
        let Tally { recorded, refused, redacted } = self.done;
        if as_json {
            let text =
                serde_json::to_string(&self.done).map_err(|error| Diagnostic::bug(format!("cannot encode the result: {error}")))?;
            self.printer.line(&text)?;
        } else if refused > 0 || redacted > 0 {
            self.printer.note(&format!("recorded {recorded}, refused {refused}, redacted {redacted} secrets"));
        }
        Ok(if refused > 0 { Exit::Refused } else { Exit::Done })
    }
}

/// Reads one line, keeping no more of it than the limit and one byte. Gives its whole length.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut length = 0;
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        let (used, is_end) = match memchr::memchr(b'\n', available) {
            Some(at) => (at + 1, true),
            None => (available.len(), available.is_empty()),
        };
        let room = (limit::LINE_BYTES + 1).saturating_sub(line.len());
        line.extend_from_slice(&available[..used.min(room)]);
        input.consume(used);
        length += used;
        if is_end {
            return Ok(length);
        }
    }
}
