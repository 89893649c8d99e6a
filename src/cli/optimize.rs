//! `outerloop optimize`: what is known of adapters, applied to a list of tasks. Opens no engine.

use super::args::OptimizeArgs;
use super::policy::{Item, load_document, read_items, tell_unpublished};
use super::printer::{Printer, Tone};
use super::require;
use super::table::Columns;
use learn::policy::{Optimized, Task, optimize};
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Prints tasks with limits, and suggestions.
pub fn run(workspace: &Workspace, options: &OptimizeArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let items = read_items(options.file.as_deref(), "tasks")?;
    let tasks = items.iter().map(parse_task).collect::<Outcome<Vec<_>>>()?;
    let document = load_document(workspace)?;
    if document.is_none() {
        tell_unpublished(printer);
    }
    let limits: Vec<Option<u32>> = tasks.iter().map(|task| task.retry_limit).collect();
    let optimized = optimize(tasks, document.as_ref().map_or(&[][..], |document| &document.overlays));
    if options.json {
        let text = serde_json::to_string_pretty(&optimized);
        printer.line(&text.map_err(|error| Diagnostic::bug(format!("cannot encode the tasks: {error}")))?)?;
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
    let mut table = Columns::new(&["task", "adapter", "retries"]);
    for (before, task) in limits.iter().zip(&optimized.tasks) {
        table.row([plain_text(&task.id, 60), plain_text(&task.adapter_id, 40), change(*before, task.retry_limit)]);
    }
    printer.line(&table.render())?;
    if optimized.suggestions.is_empty() {
        printer.note("no suggestions");
        return Ok(());
    }
    printer.line(&printer.toned(Tone::Heading, "\nSuggestions"))?;
    let mut table = Columns::new(&["suggestion", "impact", "what", "why"]);
    for suggestion in &optimized.suggestions {
        table.row([
            plain_text(&suggestion.id, 60),
            suggestion.impact.to_owned(),
            plain_text(&suggestion.summary, 100),
            plain_text(&suggestion.reason, 200),
        ]);
    }
    printer.line(&table.render())
}

fn change(before: Option<u32>, after: Option<u32>) -> String {
    let shown = |limit: Option<u32>| limit.map_or_else(|| "-".to_owned(), |limit| limit.to_string());
    if before == after { shown(before) } else { format!("{} -> {}", shown(before), shown(after)) }
}
