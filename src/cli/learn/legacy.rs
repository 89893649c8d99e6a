//! `outerloop learn purge-legacy`: entries of knowledge files that an earlier system wrote go at a person's word.

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;

use super::counted;
use super::place::Place;
use super::reset::is_wanted;
use crate::args::{OutputArgs, PlaceArgs};
use crate::printer::Printer;
use agent::artifact::{Purged, Rule, Task, purge_legacy};
use render::plain_text;
use store::clock;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
For projects that were imported from Devflow. Its installer removed these entries by itself; here
they go only if you say so, and the files are copied first. Entries that Outerloop wrote, and their
numbers, stay.

  outerloop learn purge-legacy --rule v2 --dry-run      list the entries that Devflow shipped
  outerloop learn purge-legacy --rule v3 --dry-run      list all entries that name no observation")]
pub(super) struct LegacyArgs {
    /// Which entries: those that Devflow shipped, or all that name no observation
    #[arg(long, value_enum, default_value_t = Choice::V2)]
    rule: Choice,
    /// Show what would be removed, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// ADR-002, PF-001, PF-003, PF-005, and PROJECT-PATTERNS.md
    V2,
    /// Every entry without `- **Source**: self-learning:`, hand-written ones included
    V3,
}

/// Removes the entries, or lists them.
pub(super) fn run(workspace: &Workspace, options: &LegacyArgs, printer: &Printer) -> Outcome<Exit> {
    let settings = load_settings(workspace)?;
    let place = Place::find(workspace, &settings, &options.place)?;
    let rule = if options.rule == Choice::V2 { Rule::V2 } else { Rule::V3 };
    let memory = workspace.artifacts();
    let act = |is_dry: bool| {
        let (root, project) = (&*place.folder, &*place.project);
        purge_legacy(Task { root, memory: &memory, project, now: clock::now(), settings: &settings.artifact, is_dry }, rule)
    };
    let mut purged = act(true)?;
    for (entry, title) in &purged.entries {
        printer.note(&format!("{}  {}", plain_text(entry, 60), plain_text(title, 100)));
    }
    let question =
        format!("Remove {} from {}?", counted(purged.entries.len(), "entry").replace("entrys", "entries"), place.folder.display());
    let is_done = !options.dry_run && !purged.entries.is_empty() && is_wanted(&question, options.yes, printer)?;
    if is_done {
        purged = act(false)?;
    }
    tell(&purged, is_done, options.output.json, printer)
}

fn tell(purged: &Purged, is_done: bool, as_json: bool, printer: &Printer) -> Outcome<Exit> {
    if as_json {
        let entries: Vec<_> = purged.entries.iter().map(|(entry, title)| json!({"entry": entry, "title": title})).collect();
        let backups: Vec<_> = purged.backups.iter().map(|(file, copy)| json!({"file": file, "copy": copy})).collect();
        printer.line(&json!({"is_done": is_done, "entries": entries, "backups": backups}).to_string())?;
    }
    let fate = match (purged.entries.len(), is_done) {
        (0, _) => "no such entries".to_owned(),
        (count, true) => format!("{count} removed"),
        (count, false) => format!("{count} would be removed"),
    };
    printer.note(&fate);
    purged.backups.iter().for_each(|(file, copy)| printer.note(&format!("{file} was copied to {copy}")));
    Ok(Exit::Done)
}
