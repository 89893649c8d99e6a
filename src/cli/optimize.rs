//! `outerloop optimize`: what is known of adapters, applied to a list of tasks. Opens no engine.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::policy::{Asked, Item, read_items, tell_unpublished};
use super::printer::Printer;
use super::require;
use super::table::tabulate;
use crate::args::{OutputArgs, ProjectArgs};
use learn::policy::{Optimized, Task, optimize};
use render::plain_text;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Tasks are a JSON list, or an object that holds it as `tasks`. Each has `id` and `adapterId`, and may
have `title`, `retryLimit` and other fields, which are kept. Limits are only lowered, and a task
without one gets one; tasks of unknown adapters stay unchanged.

  echo '[{\"id\":\"t1\",\"adapterId\":\"github\",\"retryLimit\":5}]' | outerloop optimize
  outerloop optimize plan.json --json > safer.json")]
pub struct OptimizeArgs {
    /// The file of tasks; stdin if none or `-` is given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Prints tasks with limits, and suggestions.
pub(crate) fn run(workspace: &Workspace, options: &OptimizeArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let items = read_items(options.file.as_deref(), &["tasks"])?;
    let tasks = items.iter().map(parse_task).collect::<Outcome<Vec<_>>>()?;
    let asked = Asked::load(workspace, &load_settings(workspace)?, options.project.name.as_deref())?;
    if asked.document.is_none() {
        tell_unpublished(printer);
    }
    let limits: Vec<Option<u32>> = tasks.iter().map(|task| task.retry_limit).collect();
    let optimized = optimize(tasks, asked.rules().map_or(&[][..], |rules| &rules.overlays));
    if options.output.json {
        printer.json(&optimized)?;
    } else {
        tell(&limits, &optimized, printer)?;
    }
    Ok(Exit::Done)
}

fn parse_task(item: &Item) -> Outcome<Task> {
    item.text(&["id"])?;
    item.text(&["adapterId", "adapter", "adapter_id"])?;
    if let Some((name, value)) = item.find(&["title"]).filter(|(_, value)| !value.is_string()) {
        return Err(item.fault(name, value, "write a text, or omit it"));
    }
    let is_limit = |number: u64| u32::try_from(number).is_ok();
    if let Some((name, value)) = item.find(&["retryLimit", "retry_limit"])
        && !value.as_u64().is_some_and(is_limit)
    {
        return Err(item.fault(name, value, "write an integer of at least 0, or omit it"));
    }
    serde_json::from_value(serde_json::Value::Object(item.members.clone())).map_err(|error| item.unfit(error))
}

fn tell(limits: &[Option<u32>], optimized: &Optimized, printer: &Printer) -> Outcome<()> {
    if optimized.tasks.is_empty() {
        printer.note("no tasks");
        return Ok(());
    }
    let rows = limits
        .iter()
        .zip(&optimized.tasks)
        .map(|(before, task)| [plain_text(&task.id, 60), plain_text(&task.adapter_id, 40), change(*before, task.retry_limit)]);
    printer.line(&tabulate(["task", "adapter", "retries"], rows))?;
    if optimized.suggestions.is_empty() {
        printer.note("no suggestions");
        return Ok(());
    }
    printer.heading("\nSuggestions")?;
    let rows = optimized.suggestions.iter().map(|suggestion| {
        [
            plain_text(&suggestion.id, 60),
            suggestion.impact.to_owned(),
            plain_text(&suggestion.summary, 100),
            plain_text(&suggestion.reason, 200),
        ]
    });
    printer.line(&tabulate(["suggestion", "impact", "what", "why"], rows))
}

fn change(before: Option<u32>, after: Option<u32>) -> String {
    let shown = |limit: Option<u32>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    if before == after { shown(before) } else { format!("{} -> {}", shown(before), shown(after)) }
}
