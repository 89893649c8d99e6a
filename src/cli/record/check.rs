//! `outerloop record --check`: what recording would say of lines, and what looks misspelled in them. Nothing is written.

use std::io::BufRead;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{RecordArgs, parse_kind, read_all, read_line};
use crate::printer::Printer;
use event::{ENVELOPE, Event, Kind, Latest, Parser, Rejection, Stamp};
use store::clock;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;
use text::limit;
use text::near::nearest;

/// What was found, for programs.
#[derive(Debug, Default, Serialize)]
struct Checked {
    events: u64,
    refused: Vec<Refused>,
    misspelled: Vec<Misspelled>,
    /// Fields that the kinds do not know and that resemble none. They are kept.
    unknown: u64,
}

#[derive(Debug, Serialize)]
struct Refused {
    place: String,
    code: &'static str,
    reason: String,
}

#[derive(Debug, Serialize)]
struct Misspelled {
    place: String,
    kind: &'static str,
    field: String,
    meant: &'static str,
}

/// Checks lines by the rules of the workspace, or the default ones where there is none.
pub(super) fn run(workspace: &Workspace, options: &RecordArgs, printer: &Printer) -> Outcome<Exit> {
    let rules = if workspace.inbox().is_dir() { load_settings(workspace)?.run } else { setting::Settings::default().run };
    let kind = options.kind.as_deref().map(parse_kind).transpose()?;
    let mut parser = Parser::with_rules(Latest::from_clock(clock::now().as_microsecond()), rules);
    let mut checked = Checked::default();
    read_all(options, |name, input| check(name, input, kind, &mut parser, &mut checked))?;
    if options.json {
        let text =
            serde_json::to_string(&checked).map_err(|error| Diagnostic::bug(format!("cannot encode the result: {error}")))?;
        printer.line(&text)?;
    } else {
        tell(&checked, printer)?;
    }
    Ok(if checked.refused.is_empty() { Exit::Done } else { Exit::Refused })
}

fn check(name: &str, input: &mut dyn BufRead, kind: Option<Kind>, parser: &mut Parser, checked: &mut Checked) -> Outcome<()> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read =
            read_line(input, &mut line).map_err(|error| Diagnostic::io("cannot read the events", Path::new(name), &error))?;
        if read == 0 {
            break;
        }
        let place = format!("{name}:{number}");
        match check_line(&line, read, kind, parser) {
            Ok(None) => {}
            Ok(Some((kind, unknown))) => {
                checked.events += 1;
                checked.sort_out(&place, kind, &unknown);
            }
            Err(fault) => checked.refused.push(Refused { place, code: fault.code.name(), reason: fault.to_string() }),
        }
    }
    Ok(())
}

/// An event that fits, and what it holds beside the fields of its kind.
type Fitting = (Kind, Map<String, Value>);

/// None of a blank line.
fn check_line(line: &[u8], length: usize, kind: Option<Kind>, parser: &mut Parser) -> Result<Option<Fitting>, Rejection> {
    if length > limit::LINE_BYTES {
        return Err(Rejection::too_long(length));
    }
    let text = std::str::from_utf8(line.trim_ascii()).map_err(|_| Rejection::not_utf8())?;
    if text.is_empty() {
        return Ok(None);
    }
    let stamped = Stamp { time: clock::now(), kind, project: None }.complete(text);
    let Event { body, extra, .. } = parser.parse(&stamped)?;
    let unknown = extra.and_then(|extra| serde_json::from_str(&extra).ok()).unwrap_or_default();
    Ok(Some((body.kind(), unknown)))
}

impl Checked {
    fn sort_out(&mut self, place: &str, kind: Kind, unknown: &Map<String, Value>) {
        // What a field cannot hold is kept under its own name too.
        for field in unknown.keys().filter(|field| kind.field(field).is_none()) {
            let fields = kind.fields().iter().chain(&ENVELOPE);
            match nearest(fields.flat_map(|field| field.spellings.iter().copied()), field) {
                Some(meant) => {
                    self.misspelled.push(Misspelled { place: place.to_owned(), kind: kind.name(), field: field.clone(), meant });
                }
                None => self.unknown += 1,
            }
        }
    }
}

fn tell(checked: &Checked, printer: &Printer) -> Outcome<()> {
    for Refused { place, code, reason } in &checked.refused {
        printer.note(&format!("{place}: {code}: {reason}"));
    }
    for Misspelled { place, kind, field, meant } in &checked.misspelled {
        printer.note(&format!("{place}: {} is no field of `{kind}`; did you mean `{meant}`?", quoted(field)));
    }
    let (refused, misspelled) = (checked.refused.len(), checked.misspelled.len());
    printer.line(&format!(
        "{} events fit, {refused} lines would be refused, {misspelled} fields look misspelled, {} other unknown fields; nothing was \
         recorded",
        checked.events, checked.unknown
    ))
}
