//! `outerloop demo`: the whole way on sample data, in a workspace of its own.

use std::path::PathBuf;

use jiff::Timestamp;

use super::args::{DemoArgs, ExplainArgs, InjectArgs, QueryArgs, ReportArgs, ReportFormat, RowFormat, RunArgs};
use super::printer::{Printer, Tone};
use super::{explain, init, inject, query, report, run};
use crate::clock;
use crate::diagnostic::{Diagnostic, Exit, Outcome};
use crate::durable;
use crate::job;
use crate::workspace::{FOLDER, Workspace};

/// A small sample of all kinds of events; `data/README.md` tells how it was made.
const SAMPLE: &[u8] = include_bytes!("../../data/sample.jsonl");

/// The instant that the demo learns for: just after the last event of the sample, so that it always shows the same.
const AS_OF: &str = "2026-10-08T00:00:00Z";

/// What the demo asks the lake.
const QUESTION: &str = include_str!("../../sql/demo/agents.sql");

/// Lands the sample, runs the hourly job on it, and shows what came of it.
pub fn run(options: &DemoArgs, printer: &Printer) -> Outcome<Exit> {
    let folder = options.keep.clone().unwrap_or_else(temporary);
    let workspace = Workspace::at(std::path::absolute(folder.join(FOLDER)).unwrap_or(folder));
    init::make(&workspace)?;
    durable::replace(&workspace.inbox().join("sample.jsonl"), SAMPLE)?;
    let as_of: Timestamp = AS_OF.parse().map_err(|error| Diagnostic::bug(format!("the demo's instant is no time: {error}")))?;
    step(printer, "1. The sample landed in the inbox; `run hourly` takes it into the lake, learns from it and publishes")?;
    let hourly = RunArgs { job: "hourly".to_owned(), dry_run: false, from: None, as_of: Some(as_of), json: false };
    let exit = run::run(&workspace, &hourly, printer, job::with_engine)?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    step(printer, "\n2. `query`: which agents use what they were taught, and with what evidence?")?;
    let question = QueryArgs { sql: Some(QUESTION.to_owned()), file: None, format: RowFormat::Table, output: None };
    query::run(&workspace, &question, printer)?;
    step(printer, "\n3. `explain P-005`: the events behind a figure")?;
    explain::run(&workspace, &ExplainArgs { id: "P-005".to_owned(), generation: None, limit: 8, json: false }, printer)?;
    step(printer, "\n4. `inject --agent planner`: what an agent is shown of it")?;
    let agent = InjectArgs { agent: Some("planner".to_owned()), at: Some(as_of), ..InjectArgs::default() };
    inject::run(&workspace, &agent, printer, None)?;
    step(printer, "\n5. `report`\n")?;
    report::run(&workspace, &ReportArgs { format: ReportFormat::Md, run_id: None, project: None, generation: None }, printer)?;
    printer.line(&format!("\nThe workspace is kept: outerloop --root {} patterns list", workspace.root().display()))?;
    Ok(Exit::Done)
}

fn step(printer: &Printer, text: &str) -> Outcome<()> {
    printer.line(&printer.toned(Tone::Heading, text))
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("outerloop-demo-{}-{}", clock::now().as_second(), std::process::id()))
}
