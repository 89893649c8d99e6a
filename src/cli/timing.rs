//! `outerloop timing`: where the time of runs went.

use std::fs;

use serde_json::Value;

use super::args::TimingArgs;
use super::printer::Printer;
use learn::timing::{make_timeline, parse_perf, summarize_timing};
use render::{render_timeline, render_timing};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// How many lines that cannot be read are told of.
const SHOWN: usize = 5;

/// Sums up `perf.jsonl`.
pub fn run(options: &TimingArgs, printer: &Printer) -> Outcome<Exit> {
    let path = options.workdir.join("perf.jsonl");
    let text = fs::read(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Diagnostic::edit("no timings found here", "name the folder that holds perf.jsonl with --workdir").at(&path)
        }
        _ => Diagnostic::io("cannot read the timings", &path, &error),
    })?;
    let (events, bad) = parse_perf(&text);
    for line in bad.iter().take(SHOWN) {
        printer.note(&format!("perf.jsonl:{}: {}", line.line, line.reason));
    }
    if bad.len() > SHOWN {
        printer.note(&format!("{} more lines cannot be read", bad.len() - SHOWN));
    }
    let run = options.run.as_deref();
    if options.timeline {
        let timeline = make_timeline(&events, run);
        printer.line(&if options.json { to_json(&timeline)? } else { render_timeline(&timeline) })?;
    } else {
        let summary = summarize_timing(&events, run);
        if summary.is_empty() && !options.json {
            printer.note("no timings");
            return Ok(Exit::Done);
        }
        printer.line(&if options.json { to_json(&summary)? } else { render_timing(&summary) })?;
    }
    Ok(Exit::Done)
}

fn to_json(value: &impl serde::Serialize) -> Outcome<String> {
    let value: Value =
        serde_json::to_value(value).map_err(|error| Diagnostic::bug(format!("cannot encode the timings: {error}")))?;
    serde_json::to_string_pretty(&value).map_err(|error| Diagnostic::bug(format!("cannot encode the timings: {error}")))
}
