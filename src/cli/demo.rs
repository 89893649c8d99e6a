//! `outerloop demo`: the whole way on sample data, in a workspace of its own.

use std::path::PathBuf;

use super::args::{DemoArgs, QueryArgs, RowFormat, RunArgs, StatusArgs};
use super::printer::{Printer, Tone};
use super::{init, query, run, status};
use crate::clock;
use crate::diagnostic::{Exit, Outcome};
use crate::durable;
use crate::workspace::{FOLDER, Workspace};

/// A small sample of all kinds of events; `data/README.md` tells how it was made.
const SAMPLE: &[u8] = include_bytes!("../../data/sample.jsonl");

/// What the demo asks the lake.
const QUESTION: &str = include_str!("../../sql/demo/agents.sql");

/// Lands the sample, compacts it and asks a question.
pub fn run(options: &DemoArgs, printer: &Printer) -> Outcome<Exit> {
    let folder = options.keep.clone().unwrap_or_else(temporary);
    let workspace = Workspace::at(std::path::absolute(folder.join(FOLDER)).unwrap_or(folder));
    init::make(&workspace)?;
    durable::replace(&workspace.inbox().join("sample.jsonl"), SAMPLE)?;
    step(printer, "1. landed the sample in the inbox; run compact takes it into the lake")?;
    run::run(&workspace, &RunArgs { job: "compact".to_owned(), dry_run: false, from: None, json: false }, printer)?;
    step(printer, "\n2. status")?;
    status::run(&workspace, &StatusArgs { days: false, json: false }, printer)?;
    step(printer, "\n3. query: which agents use what they were taught, and with what evidence?")?;
    let question = QueryArgs { sql: Some(QUESTION.to_owned()), file: None, format: RowFormat::Table, output: None };
    query::run(&workspace, &question, printer)?;
    printer
        .line(&format!("\nThe workspace is kept: outerloop --root {} query \"from run limit 5\"", workspace.root().display()))?;
    Ok(Exit::Done)
}

fn step(printer: &Printer, text: &str) -> Outcome<()> {
    printer.line(&printer.toned(Tone::Heading, text))
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("outerloop-demo-{}-{}", clock::now().as_second(), std::process::id()))
}
