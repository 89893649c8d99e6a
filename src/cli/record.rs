//! `outerloop record`: events from stdin or files into the inbox. On the agents' hot path, so it opens no engine.

mod check;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Serialize;

use super::args::RecordArgs;
use super::pipeline::project_of;
use super::printer::Printer;
use super::require;
use event::Kind;
use store::inbox::{Recorded, Recorder};
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::limit;
use text::near::nearest;

/// Records events.
pub(crate) fn run(workspace: &Workspace, options: &RecordArgs, printer: &Printer) -> Outcome<Exit> {
    if options.check {
        return check::run(workspace, options, printer);
    }
    require(workspace)?;
    let kind = options.kind.as_deref().map(parse_kind).transpose()?;
    let settings = load_settings(workspace)?;
    let mut recorder = Recorder::with_rules(workspace, settings.run);
    recorder.kind = kind;
    recorder.project = Some(project_of(workspace, &settings, options.project.as_deref()));
    let mut reading = Reading { recorder, printer, is_batch: options.batch, refused: 0 };
    read_all(options, |name, input| reading.read(name, input))?;
    reading.recorder.land()?;
    reading.tell(options.json)
}

/// Hands over the files, or else stdin, each with its name.
fn read_all(options: &RecordArgs, mut read: impl FnMut(&str, &mut dyn BufRead) -> Outcome<()>) -> Outcome<()> {
    if options.files.is_empty() {
        return read("stdin", &mut io::stdin().lock());
    }
    for path in &options.files {
        let file = File::open(path).map_err(|error| Diagnostic::io("cannot read the events", path, &error))?;
        read(&path.display().to_string(), &mut BufReader::new(file))?;
    }
    Ok(())
}

pub(crate) fn parse_kind(name: &str) -> Outcome<Kind> {
    Kind::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let hint = nearest(known.iter().copied(), name).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let remedy = format!("{hint}use one of: {}", known.join(", "));
        Diagnostic::edit(format!("there is no kind `{}`", name.escape_default()), remedy)
    })
}

/// What was done, for programs.
#[derive(Debug, Default, Serialize)]
struct Tally {
    recorded: u64,
    refused: u64,
    redacted: u64,
}

/// Reads events, and tells of those that are refused.
struct Reading<'r> {
    recorder: Recorder<'r>,
    printer: &'r Printer,
    is_batch: bool,
    refused: u64,
}

impl Reading<'_> {
    fn read(&mut self, name: &str, input: &mut dyn BufRead) -> Outcome<()> {
        let mut line = Vec::new();
        self.recorder.begin(name);
        let mut number = 0_u64;
        loop {
            line.clear();
            let read =
                read_line(input, &mut line).map_err(|error| Diagnostic::io("cannot read the events", Path::new(name), &error))?;
            if read == 0 {
                return Ok(());
            }
            number += 1;
            if let Err(rejection) = self.recorder.take(&line, read) {
                self.refused += 1;
                self.printer.note(&format!("{name}:{number}: {}: {rejection}", rejection.code.name()));
            }
            if !self.recorder.is_empty() && (!self.is_batch || self.recorder.is_full()) {
                self.recorder.land()?;
            }
        }
    }

    fn tell(&self, as_json: bool) -> Outcome<Exit> {
        let Recorded { events, redacted } = self.recorder.recorded();
        let tally = Tally { recorded: events, refused: self.refused, redacted };
        if as_json {
            let text =
                serde_json::to_string(&tally).map_err(|error| Diagnostic::bug(format!("cannot encode the result: {error}")))?;
            self.printer.line(&text)?;
        } else if self.refused > 0 || redacted > 0 {
            self.printer.note(&format!("recorded {events}, refused {}, redacted {redacted} secrets", self.refused));
            if self.refused > 0 {
                self.printer.note("refused lines are kept in quarantine/; correct them and record them again");
            }
        }
        Ok(if self.refused > 0 { Exit::Refused } else { Exit::Done })
    }
}

/// Reads one line, keeping no more of it than the limit and one byte. Gives its whole length.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
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
