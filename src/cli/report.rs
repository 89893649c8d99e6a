//! `outerloop report`: what was learned.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args as ClapArgs, ValueEnum};
use serde::Deserialize;

use super::printer::Printer;
use super::require;
use crate::args::ProjectFilter;
use learn::truth::Verdict;
use render::overview::Overview;
use render::policy::{parse_graph, render_run};
use render::{JobLine, fill_jobs, parse_table, render_terminal, what_if};
use setting::{PAGE_FILE, VERDICT_FILE};
use store::job::{Record, StepRecord, load_history};
use store::publish::{Generation, load_current, load_generation};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;
use text::time::to_minutes;

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Twenty lines for a terminal.
    Text,
    /// The whole report as Markdown.
    Md,
    /// JSON, for programs.
    Json,
    /// One page for a browser, with the step times of jobs.
    Html,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop report                                 the verdict, what to do, what changed
  outerloop report --format md | less              the whole report
  outerloop report --format html > report.html     a page for the browser, with the step times of jobs
  outerloop report --run-id run-42                 the effect of one of the latest runs
  outerloop report --run-id run-42 --format json   the same as a list of events
  outerloop report --what-if P-004,P-011           what dropping these patterns would change, by a model")]
#[command(mut_arg("project", |project| project.requires("run_id")))]
pub struct ReportArgs {
    /// The output format [default: text on a terminal, else md]
    #[arg(long, value_enum)]
    pub format: Option<ReportFormat>,
    /// Show the effect of one run instead of the whole report
    #[arg(long, value_name = "RUN")]
    pub run_id: Option<String>,
    #[command(flatten)]
    pub project: ProjectFilter,
    /// Estimate what dropping these patterns would change: a sum of their pooled lifts, no measurement
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', conflicts_with = "run_id")]
    pub what_if: Vec<String>,
    /// The generation [default: the current one]
    #[arg(long, value_name = "NAME")]
    pub generation: Option<String>,
}

/// Prints the report of a generation, with what changed since the one before.
pub fn run(workspace: &Workspace, options: &ReportArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let generation = find_generation(workspace, options.generation.as_deref())?;
    if let Some(run) = &options.run_id {
        return tell_run(&generation, run, options, printer);
    }
    if !options.what_if.is_empty() {
        return tell_what_if(&generation, options, printer);
    }
    match options.format.unwrap_or_else(|| default_format(printer)) {
        ReportFormat::Text => tell_overview(&generation, printer)?,
        ReportFormat::Md => {
            printer.bytes(&generation.read("report.md")?)?;
            printer.bytes(&generation.read("changes.md")?)?;
        }
        ReportFormat::Html => {
            let page = String::from_utf8_lossy(&generation.read(PAGE_FILE)?).into_owned();
            printer.bytes(fill_jobs(&page, &job_lines(workspace)?).as_bytes())?;
        }
        ReportFormat::Json => {
            let damaged = |error: serde_json::Error| {
                Diagnostic::edit("the published report is damaged", "publish a new one: outerloop run hourly")
                    .at(&generation.folder)
                    .because(error)
            };
            let mut report: serde_json::Value = serde_json::from_slice(&generation.read("report.json")?).map_err(damaged)?;
            report["changes"] = serde_json::from_slice(&generation.read("changes.json")?).map_err(damaged)?;
            report["generation"] = generation.manifest.generation.clone().into();
            printer.json(&report)?;
        }
    }
    Ok(Exit::Done)
}

/// Prints what dropping some patterns would change, by the sum of their pooled lifts.
fn tell_what_if(generation: &Generation, options: &ReportArgs, printer: &Printer) -> Outcome<Exit> {
    let is_measured = generation.manifest.files.iter().any(|file| file.name == VERDICT_FILE);
    let verdicts: Vec<Verdict> = if is_measured { generation.parse(VERDICT_FILE, parse_table)? } else { Vec::new() };
    let dropped: Vec<String> = options.what_if.iter().map(|id| id.trim().to_uppercase()).collect();
    for id in &dropped {
        if !verdicts.iter().any(|verdict| verdict.subject == *id && verdict.pooled.is_some()) {
            return Err(Diagnostic::edit(
                format!("no coin was tossed for the pattern {}", quoted(id)),
                "`outerloop patterns list` shows which patterns have a verdict and a coin",
            )
            .at(&generation.folder));
        }
    }
    let told = what_if(&verdicts, &dropped);
    if options.format == Some(ReportFormat::Json) {
        printer.json(&told)?;
    } else {
        printer.line(&told.sentence)?;
    }
    Ok(Exit::Done)
}

/// People look at a terminal; programs and pagers get all of it.
fn default_format(printer: &Printer) -> ReportFormat {
    if printer.shows_output() { ReportFormat::Text } else { ReportFormat::Md }
}

/// What of the published report the terminal shows.
#[derive(Deserialize)]
struct Shown {
    as_of: String,
    overview: Overview,
}

/// Prints the overview, fitted to the terminal.
fn tell_overview(generation: &Generation, printer: &Printer) -> Outcome<()> {
    let shown: Shown = generation.parse_json("report.json")?;
    for line in render_terminal(&shown.overview, &shown.as_of, printer.width()) {
        let text: String = line.iter().map(|span| printer.styled(span)).collect();
        printer.line(text.trim_end())?;
    }
    printer.note(&format!("the page: {}", generation.folder.join(PAGE_FILE).display()));
    Ok(())
}

/// Prints what one run changed.
fn tell_run(generation: &Generation, run: &str, options: &ReportArgs, printer: &Printer) -> Outcome<Exit> {
    let mut events = parse_graph(&generation.read("graph-events.jsonl")?);
    events.retain(|event| event.run_id == run && options.project.name.as_ref().is_none_or(|project| event.project == *project));
    let projects: BTreeSet<&str> = events.iter().map(|event| &*event.project).collect();
    if projects.len() > 1 {
        let names: Vec<String> = projects.into_iter().map(quoted).collect();
        return Err(Diagnostic::edit(
            format!("several projects have a run {}: {}", quoted(run), names.join(", ")),
            "choose one with --project",
        ));
    }
    if run.is_empty() || events.is_empty() {
        return Err(Diagnostic::edit(
            format!("the run {} is not among the published ones", quoted(run)),
            "the report holds the latest runs, at most the setting `recent.runs`; to include newer runs: \
             outerloop run hourly",
        )
        .at(&generation.folder));
    }
    match options.format.unwrap_or(ReportFormat::Md) {
        ReportFormat::Text | ReportFormat::Md => printer.bytes(render_run(run, &events).as_bytes())?,
        ReportFormat::Json => printer.json(&events)?,
        ReportFormat::Html => {
            return Err(Diagnostic::edit("a page shows the whole report", "leave out --run-id, or choose --format md or json"));
        }
    }
    Ok(Exit::Done)
}

/// The steps of each job's latest run.
fn job_lines(workspace: &Workspace) -> Outcome<Vec<JobLine>> {
    let last: BTreeMap<String, Record> = load_history(workspace)?.into_iter().map(|record| (record.job.clone(), record)).collect();
    let lines = last.into_values().flat_map(|record| {
        let ended = to_minutes(record.ended.as_microsecond());
        let line = move |step: StepRecord| JobLine {
            job: record.job.clone(),
            ended: ended.clone(),
            step: step.step,
            outcome: step.outcome,
            seconds: step.seconds,
            attempts: step.attempts,
        };
        record.steps.clone().into_iter().map(line)
    });
    Ok(lines.collect())
}

/// The generation of a name, or the one that is published.
pub fn find_generation(workspace: &Workspace, name: Option<&str>) -> Outcome<Generation> {
    match name {
        Some(name) => load_generation(workspace, name),
        None => load_current(workspace)?
            .ok_or_else(|| Diagnostic::edit("nothing is published yet", "run `outerloop run hourly`").at(&workspace.published())),
    }
}
