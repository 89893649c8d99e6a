//! `outerloop changes`: the files and lines that an iteration changed.

use serde_json::{Value, json};

use super::{ChangesArgs, Desk, changes_since};
use crate::printer::Printer;
use crate::table::{grouped, tabulate};
use agent::iteration::change_lines;
use agent::repository::Repository;
use learn::change::{ChangedFile, Changes};
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

/// How many files are shown to people; `--json` lists all.
const SHOWN: usize = 50;

pub(crate) fn run(workspace: &Workspace, options: &ChangesArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let repository = desk.repository()?;
    let changes = changes_since(&repository, &options.since)?;
    record(&desk, &repository, &changes)?;
    if options.turn.output.json && !options.turn.dry_run {
        printer.line(&to_json(&changes).to_string())?;
    } else if !options.turn.dry_run {
        tell(&changes, printer)?;
    }
    Ok(Exit::Done)
}

pub(super) fn record(desk: &Desk<'_>, repository: &Repository, changes: &Changes) -> Outcome<()> {
    desk.land(&change_lines(&desk.turn, &repository.name()?, changes)?)
}

pub(super) fn summary(changes: &Changes) -> String {
    let sum = |of: fn(&ChangedFile) -> u64| changes.files.iter().map(of).sum::<u64>();
    format!(
        "{} files changed, {} lines added, {} removed",
        grouped(changes.files.len() as u64),
        grouped(sum(|file| file.added_lines)),
        grouped(sum(|file| file.removed_lines))
    )
}

fn tell(changes: &Changes, printer: &Printer) -> Outcome<()> {
    if !changes.files.is_empty() {
        let rows = changes.files.iter().take(SHOWN).map(|file| {
            let name = match &file.from {
                Some(from) => format!("{} (was {})", plain_text(&file.path, 200), plain_text(from, 200)),
                None => plain_text(&file.path, 200),
            };
            [file.status.name().to_owned(), file.added_lines.to_string(), file.removed_lines.to_string(), name]
        });
        printer.line(&tabulate(["status", "#added", "#removed", "file"], rows))?;
    }
    if changes.files.len() > SHOWN {
        printer.note(&format!("{} more; `--json` lists all", changes.files.len() - SHOWN));
    }
    printer.note(&summary(changes));
    Ok(())
}

fn to_json(changes: &Changes) -> Value {
    let lines = |file: &ChangedFile| file.added.iter().map(|lines| json!([lines.first, lines.count])).collect::<Vec<_>>();
    let files: Vec<Value> = changes
        .files
        .iter()
        .map(|file| {
            json!({"path": file.path, "status": file.status.name(), "from": file.from, "added_lines": file.added_lines,
                "removed_lines": file.removed_lines, "added": lines(file), "deleted_after": file.deleted_after})
        })
        .collect();
    json!({"base": changes.base, "head": changes.head, "files": files})
}
