//! `outerloop prune`: what is no longer needed goes.

use serde_json::{Value, json};

use crate::job::{PruneTask, Prunings, prune_all};
use agent::intake::own_workdirs;
use cli::args::PruneArgs;
use cli::printer::Printer;
use cli::require;
use cli::table::{grouped, sized};
use render::plain_text;
use store::clock;
use store::deadline::Deadline;
use store::lock::take_lock;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

pub(crate) fn run(workspace: &Workspace, options: &PruneArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let folders = if options.workdir.is_empty() { own_workdirs(workspace, &settings) } else { options.workdir.clone() };
    let _lock = take_lock(workspace, &clock::now().to_string())?;
    let task =
        PruneTask { workdirs: &folders, keep_run: options.keep_run.as_deref(), is_dry: options.dry_run, deadline: Deadline::NEVER };
    let prunings = prune_all(workspace, &settings, task)?;
    if options.output.json {
        printer.line(&to_json(&prunings).to_string())?;
    }
    if options.dry_run {
        printer.note("dry run; this would be removed:");
    }
    tell(&prunings, printer);
    Ok(if prunings.problems.is_empty() { Exit::Done } else { Exit::Edit })
}

/// What was pruned, line by line.
pub(crate) fn tell(prunings: &Prunings, printer: &Printer) {
    for (work, pruned) in &prunings.workdirs {
        let work = plain_text(&work.display().to_string(), 200);
        if let Some(reason) = &pruned.skipped {
            printer.note(&format!("prune: skipped {work}: {}", plain_text(reason, 300)));
            continue;
        }
        let lines: u64 = pruned.rotated.iter().map(|rotated| rotated.dropped_lines).sum();
        printer.note(&format!(
            "prune: {work}: {} sessions, {} log lines, {} archived files",
            grouped(pruned.sessions_removed),
            grouped(lines),
            grouped(pruned.archived_removed)
        ));
        for note in &pruned.notes {
            printer.note(&format!("note: {}", plain_text(note, 300)));
        }
    }
    let (inbox, lake) = (&prunings.inbox, &prunings.lake);
    printer.note(&format!("prune: {} inbox files ({})", grouped(inbox.files), sized(inbox.bytes)));
    if let Some(before) = &lake.before {
        printer.note(&format!(
            "prune: replaced {} events before {before} by sums; removed {} files ({})",
            grouped(lake.events.unsigned_abs()),
            grouped(lake.files),
            sized(lake.bytes)
        ));
    }
    prunings.problems.iter().for_each(|problem| printer.error(problem));
}

fn to_json(prunings: &Prunings) -> Value {
    let workdirs: Vec<Value> = prunings
        .workdirs
        .iter()
        .map(|(work, pruned)| {
            let rotated: Vec<Value> = pruned
                .rotated
                .iter()
                .map(|log| json!({"log": log.log.name(), "kept_lines": log.kept_lines, "dropped_lines": log.dropped_lines}))
                .collect();
            json!({"workdir": work.display().to_string(), "skipped": pruned.skipped, "sessions": pruned.sessions_removed,
                "rotated": rotated, "archived": pruned.archived_removed, "notes": pruned.notes})
        })
        .collect();
    json!({"workdirs": workdirs,
        "inbox": {"files": prunings.inbox.files, "bytes": prunings.inbox.bytes},
        "lake": {"before": prunings.lake.before, "events": prunings.lake.events, "files": prunings.lake.files, "bytes": prunings.lake.bytes},
        "problems": prunings.problems.iter().map(ToString::to_string).collect::<Vec<_>>()})
}
