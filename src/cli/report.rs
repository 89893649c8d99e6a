//! `outerloop report`: what was learned.

use std::collections::BTreeSet;

use clap::{Args as ClapArgs, ValueEnum};

use super::printer::Printer;
use super::require;
use crate::args::ProjectFilter;
use learn::truth::Verdict;
use render::policy::{parse_graph, render_run};
use render::{parse_table, what_if};
use setting::VERDICT_FILE;
use store::publish::{Generation, load_current, load_generation};
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Markdown, for people.
    Md,
    /// JSON, for programs.
    Json,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop report                                 the whole report
  outerloop report --run-id run-42                 the effect of one of the latest runs
  outerloop report --run-id run-42 --format json   the same as a list of events
  outerloop report --what-if P-004,P-011           what dropping these patterns would change, by a model")]
#[command(mut_arg("project", |project| project.requires("run_id")))]
pub struct ReportArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t = ReportFormat::Md)]
    pub format: ReportFormat,
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
    match options.format {
        ReportFormat::Md => {
            printer.bytes(&generation.read("report.md")?)?;
            printer.bytes(&generation.read("changes.md")?)?;
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
    match options.format {
        ReportFormat::Md => printer.line(&told.sentence)?,
        ReportFormat::Json => printer.json(&told)?,
    }
    Ok(Exit::Done)
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
    match options.format {
        ReportFormat::Md => printer.bytes(render_run(run, &events).as_bytes())?,
        ReportFormat::Json => printer.json(&events)?,
    }
    Ok(Exit::Done)
}

/// The generation of a name, or the one that is published.
pub fn find_generation(workspace: &Workspace, name: Option<&str>) -> Outcome<Generation> {
    match name {
        Some(name) => load_generation(workspace, name),
        None => load_current(workspace)?
            .ok_or_else(|| Diagnostic::edit("nothing is published yet", "run `outerloop run hourly`").at(&workspace.published())),
    }
}
