//! `outerloop demo`: the whole way on sample data, in a workspace of its own.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::{explain, query};
use cli::args::{
    DemoArgs, ExplainArgs, InstantArgs, OutputArgs, PlaceArgs, ProjectArgs, ProjectFilter, QueryArgs, RowFormat, RunArgs,
};
use cli::artifact::ArtifactArgs;
use cli::inject::InjectArgs;
use cli::printer::Printer;
use cli::report::ReportArgs;
use cli::{artifact, init, inject, report};
use setting::PAGE_FILE;
use store::workspace::{FOLDER, Workspace};
use store::{clock, durable};
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Small samples: events of most kinds at random, and a story of roles and sessions. `data/README.md` tells how they were made.
const SAMPLES: [(&str, &[u8]); 2] =
    [("sample.jsonl", include_bytes!("../../data/sample.jsonl")), ("story.jsonl", include_bytes!("../../data/story.jsonl"))];

const PROJECT: &str = "checkout";

/// The instant that the demo learns for: just after the last event of the sample, so that it always shows the same.
const AS_OF: &str = "2026-10-08T00:00:00Z";

/// What the demo asks the lake.
const QUESTION: &str = include_str!("../../sql/demo/agents.sql");

/// Lands the sample, runs the hourly job on it, and shows what came of it.
pub(crate) fn run(options: &DemoArgs, printer: &Printer) -> Outcome<Exit> {
    let folder = options.keep.clone().unwrap_or_else(temporary);
    let workspace = Workspace::at(std::path::absolute(folder.join(FOLDER)).unwrap_or(folder));
    init::make(&workspace)?;
    for (name, bytes) in SAMPLES {
        durable::replace(&workspace.inbox().join(name), bytes)?;
    }
    let as_of: Timestamp = AS_OF.parse().map_err(|error| Diagnostic::bug(format!("the demo's instant is not a time: {error}")))?;
    let (output, instant) = (OutputArgs::default(), InstantArgs { at: Some(as_of) });
    let project = ProjectArgs { name: Some(PROJECT.to_owned()) };
    printer.heading("1. The samples are in the inbox; `run hourly` ingests them, learns and publishes")?;
    let hourly =
        RunArgs { job: "hourly".to_owned(), dry_run: false, from: None, as_of: Some(as_of), only: None, full: false, output };
    let exit = crate::run::run(&workspace, &hourly, printer)?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    printer.heading("\n2. `query`: which agents use the patterns they are shown, and with what evidence?")?;
    let question = QueryArgs { sql: Some(QUESTION.to_owned()), file: None, format: Some(RowFormat::Table), output: None };
    query::run(&workspace, &question, printer)?;
    printer.heading("\n3. `explain P-005`: the events behind a figure")?;
    explain::run(&workspace, &ExplainArgs { id: "P-005".to_owned(), generation: None, limit: 8, output }, printer)?;
    printer.heading("\n4. `inject --agent planner`: the patterns that an agent is shown")?;
    let agent = InjectArgs { agent: Some("planner".to_owned()), instant, ..InjectArgs::default() };
    inject::run(&workspace, &agent, printer, None)?;
    printer.heading("\n5. `inject --role judge`: a reviewing role's patterns, with their track records")?;
    let role = InjectArgs { role: Some("judge".to_owned()), project: project.clone(), instant, ..InjectArgs::default() };
    inject::run(&workspace, &role, printer, None)?;
    printer.heading("\n6. `render`: recurring observations become a command, a skill, a decision and a pitfall")?;
    let ready = ArtifactArgs {
        place: PlaceArgs { project, folder: workspace.root().parent().map(PathBuf::from) },
        dry_run: false,
        output,
        now: Some(as_of),
    };
    artifact::run_render(&workspace, &ready, printer)?;
    printer.heading("\n7. `report`\n")?;
    report::run(
        &workspace,
        &ReportArgs { format: None, run_id: None, project: ProjectFilter::default(), what_if: Vec::new(), generation: None },
        printer,
    )?;
    printer.line(&format!("\nThe report as a page: {}", workspace.current().join(PAGE_FILE).display()))?;
    printer.line(&format!("The workspace is kept: outerloop --root {} patterns list", workspace.root().display()))?;
    Ok(Exit::Done)
}

fn temporary() -> PathBuf {
    std::env::temp_dir().join(format!("outerloop-demo-{}-{}", clock::now().as_second(), std::process::id()))
}
