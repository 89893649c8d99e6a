//! `outerloop timing`: where the time of runs went.

use std::fs;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::printer::Printer;
use crate::args::OutputArgs;
use learn::timing::{TimingEvent, make_timeline, parse_perf, summarize_timing};
use render::{render_timeline, render_timing};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop timing --workdir .closedloop-ai/work   seconds per phase, over all runs
  outerloop timing --run r-42 --timeline           when each phase of one run started and ended")]
pub struct TimingArgs {
    /// The folder that holds perf.jsonl; where it holds none, the lake is asked
    #[arg(long, env = "CLOSEDLOOP_WORKDIR", value_name = "FOLDER", default_value = ".")]
    workdir: PathBuf,
    /// Only this run
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Show the start and end of each phase
    #[arg(long)]
    timeline: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// How many lines that cannot be read are told of.
const SHOWN: usize = 5;

impl TimingArgs {
    /// Whether the folder has no timings of its own, and the lake may.
    #[must_use]
    pub(crate) fn needs_lake(&self, workspace: &Workspace) -> bool {
        !self.workdir.join("perf.jsonl").exists() && workspace.inbox().is_dir()
    }
}

/// Sums up `perf.jsonl`.
pub(crate) fn run(options: &TimingArgs, printer: &Printer) -> Outcome<Exit> {
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
    show(&events, options, printer)
}

/// Shows timings, those of the folder or those of the lake.
pub fn show(events: &[TimingEvent], options: &TimingArgs, printer: &Printer) -> Outcome<Exit> {
    let run = options.run.as_deref();
    if options.timeline {
        let timeline = make_timeline(events, run);
        if options.output.json { printer.json(&timeline)? } else { printer.line(&render_timeline(&timeline))? }
    } else {
        let summary = summarize_timing(events, run);
        if summary.is_empty() && !options.output.json {
            printer.note("no timings");
            return Ok(Exit::Done);
        }
        if options.output.json { printer.json(&summary)? } else { printer.line(&render_timing(&summary))? }
    }
    Ok(Exit::Done)
}
