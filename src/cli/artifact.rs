//! `outerloop render` and `outerloop reconcile`: observations become artifacts, and what people do to them is noticed. Opens no engine.

use clap::Args as ClapArgs;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::printer::Printer;
use super::require;
use crate::args::{OutputArgs, PlaceArgs};
use agent::artifact::{Placed, Report};
use agent::intake::{ArtifactOptions, reconcile_folder, render_folder};
use render::plain_text;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Observations that are ready become files in the project's folder:

  decision    an entry of .memory/knowledge/decisions.md       ADR-001
  pitfall     an entry of .memory/knowledge/pitfalls.md        PF-001
  workflow    a slash command in .claude/commands/self-learning/
  procedural  a skill in .claude/skills/self-learning-.../

Edit or remove them freely: an edit is never overwritten; removing one lowers its confidence, and it
does not return by itself. Numbers are never reused. A file that nobody edited follows what later
sessions say. Steps are checked: a file, script or target that does not exist is marked in the step,
and `outerloop learn show ID` tells the reason.

`reconcile` detects edits, deletions and the leftovers of a killed run, and reports how many
artifacts were deleted, edited, repaired or unchanged; `render` does the same first. Changes are
recorded as events of the kind `artifact` and take effect with the next run.

  outerloop render --dry-run                       show what would change, line by line
  outerloop render                                 write them
  outerloop reconcile --json                       deletions, edits, unchanged, healed
  outerloop index                                  list the entries, one per line")]
pub struct ArtifactArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Show what would be done, without changing anything
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    /// The instant that files and events are dated with; the demo has one of its own.
    #[arg(skip)]
    pub now: Option<Timestamp>,
}

/// Renders what is ready.
pub fn run_render(workspace: &Workspace, options: &ArtifactArgs, printer: &Printer) -> Outcome<Exit> {
    run(workspace, options, printer, render_folder, tell_rendering)
}

/// Notices what people did.
pub(crate) fn run_reconcile(workspace: &Workspace, options: &ArtifactArgs, printer: &Printer) -> Outcome<Exit> {
    run(workspace, options, printer, reconcile_folder, |report, _, printer| {
        printer.line(&reconciled_line(report))?;
        tell_rest(report, printer);
        Ok(())
    })
}

fn run(
    workspace: &Workspace,
    options: &ArtifactArgs,
    printer: &Printer,
    act: impl Fn(&Workspace, ArtifactOptions<'_>) -> Outcome<Report>,
    tell: impl Fn(&Report, bool, &Printer) -> Outcome<()>,
) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let report = act(
        workspace,
        ArtifactOptions {
            settings: &settings,
            folder: options.place.folder.as_deref(),
            project: options.place.project.name.as_deref(),
            is_dry: options.dry_run,
            now: options.now,
        },
    )?;
    if options.dry_run {
        printer.note("dry run; these changes would be made:");
    }
    if options.output.json {
        printer.line(&to_json(&report).to_string())?;
        tell_rest(&report, printer);
    } else {
        tell(&report, options.dry_run, printer)?;
    }
    Ok(report.problems.first().map_or(Exit::Done, |problem| problem.exit))
}

fn tell_rendering(report: &Report, is_dry: bool, printer: &Printer) -> Outcome<()> {
    for placed in &report.rendered {
        printer.line(&plain_text(&placed.place(), 400))?;
    }
    for placed in &report.refreshed {
        printer.line(&format!("{} (updated)", plain_text(&placed.place(), 400)))?;
    }
    for placed in &report.retired {
        printer.line(&format!("{} (removed: deprecated)", plain_text(&placed.place(), 400)))?;
    }
    for (place, lines) in &report.differences {
        printer.line(&format!("\n{}", plain_text(place, 400)))?;
        lines.lines().try_for_each(|line| printer.line(&shown(line)))?;
    }
    for placed in &report.linked {
        printer.note(&format!("{} repeats {}", plain_text(&placed.observation_id, 80), plain_text(&placed.place(), 200)));
    }
    let is_idle = [&report.rendered, &report.refreshed, &report.linked, &report.retired].iter().all(|placed| placed.is_empty());
    if is_idle && !is_dry {
        printer.note("no observation is ready to render; `outerloop run hourly` updates them");
    }
    printer.note(&describe(report));
    tell_rest(report, printer);
    Ok(())
}

/// What a job says about the step.
pub fn tell(report: &Report, printer: &Printer) {
    if *report != Report::default() {
        printer.note(&format!("render: {}", describe(report)));
    }
    tell_rest(report, printer);
}

/// A line of a difference with its indent, and without what speaks to a terminal.
fn shown(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    format!("{}{}", &line[..indent], plain_text(line, 400))
}

fn describe(report: &Report) -> String {
    let mut parts = vec![format!("{} rendered", report.rendered.len())];
    let others = [
        (report.refreshed.len(), "updated"),
        (report.linked.len(), "duplicates"),
        (report.retired.len(), "removed as deprecated"),
        (report.restated, "with a new status"),
        (report.blocked, "blocked by a full file"),
        (report.skipped.saturating_sub(report.blocked), "skipped"),
        (report.stale, "now stale"),
        (report.fresh, "no longer stale"),
    ];
    parts.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    format!("{}; {}", parts.join(", "), reconciled_line(report))
}

fn reconciled_line(report: &Report) -> String {
    let alone = if report.left_alone > 0 { format!(", {} skipped", report.left_alone) } else { String::new() };
    format!(
        "{} deleted, {} edited, {} unchanged, {} repaired{alone}",
        report.deletions, report.edits, report.unchanged, report.healed
    )
}

fn tell_rest(report: &Report, printer: &Printer) {
    report.remarks.iter().for_each(|remark| printer.note(&plain_text(remark, 500)));
    report.problems.iter().for_each(|problem| printer.error(problem));
}

fn to_json(report: &Report) -> Value {
    let listed = |list: &[Placed]| -> Vec<Value> {
        let item = |placed: &Placed| json!({"observation_id": placed.observation_id, "type": placed.observation_type, "path": placed.path, "anchor": placed.anchor});
        list.iter().map(item).collect()
    };
    json!({
        "deletions": report.deletions, "edits": report.edits, "unchanged": report.unchanged, "healed": report.healed,
        "left_alone": report.left_alone, "stale": report.stale, "fresh": report.fresh,
        "rendered": listed(&report.rendered), "refreshed": listed(&report.refreshed),
        "differences": report.differences.iter().map(|(place, lines)| json!({"place": place, "lines": lines})).collect::<Vec<_>>(),
        "linked": listed(&report.linked),
        "retired": listed(&report.retired), "restated": report.restated, "blocked": report.blocked, "skipped": report.skipped, "events": report.events.len(),
        "remarks": report.remarks, "problems": report.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
