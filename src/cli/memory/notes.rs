//! Advice about notes. Nothing is moved or written: that is for people to do.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;

use super::super::patterns::{is_role_pattern, toned_health};
use super::super::printer::{Printer, Tone};
use super::super::require;
use super::super::table::{Columns, tabulate};
use super::NotesArgs;
use super::shelf::Shelf;
use learn::memory::{Figures, NoteStatus, NotesReview, advise, review_notes, sum_up_notes, weigh_note};
use render::plain_text;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The score is a weighted sum of five figures from 0 to 1: not yet documented (0.30), supported by
published patterns (0.20), concrete (0.20), recent and naming files that exist (0.15), and unique
among the notes (0.15). From 0.70 the advice is to promote, below 0.40 to archive. Nothing is moved
or written.

  outerloop memory promote notes/testing.md --docs CLAUDE.md,README.md")]
pub(super) struct PromoteArgs {
    /// The note
    file: PathBuf,
    #[command(flatten)]
    notes: NotesArgs,
}

#[derive(Debug, ClapArgs)]
pub(super) struct ReviewArgs {
    /// Age in days from which notes are stale [default: the setting `memory.stale_days`]
    #[arg(long, value_name = "DAYS")]
    stale_days: Option<u32>,
    #[command(flatten)]
    notes: NotesArgs,
}

/// How much of a name is shown.
const SHOWN: usize = 80;

/// Advises about one note.
pub(super) fn promote(workspace: &Workspace, options: &PromoteArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let path = &options.file;
    if !path.exists() && path.to_str().is_some_and(is_role_pattern) {
        return Err(Diagnostic::edit(
            "this is a role pattern, not a note",
            format!("promote it with `outerloop patterns promote {} --reason ...`", path.display()),
        ));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shelf = Shelf::load(workspace, &settings, &options.notes, Some(folder))?;
    let note = shelf.read(path)?;
    let figures = shelf.with_surroundings(|around| weigh_note(&note, &shelf.notes, around, &settings.memory));
    let sum = figures.weigh(&settings.memory.weights);
    let advice = advise(sum, &settings.memory);
    if options.notes.output.json {
        let value = json!({"note": note.name, "figures": figures, "weights": settings.memory.weights, "sum": sum,
            "advice": advice.name(), "documents": names(&shelf)});
        printer.line(&value.to_string())?;
        return Ok(Exit::Done);
    }
    printer.line(&figure_table(&figures, &settings.memory.weights))?;
    let tone = if advice.name() == "archive" { Tone::Warning } else { Tone::Good };
    printer.line(&format!("{sum:.3}: {}", printer.toned(tone, advice.name())))?;
    if shelf.documents.is_empty() {
        printer.note("no documents found to compare with: name them with --docs");
    }
    printer.note("nothing was changed; this is a recommendation");
    Ok(Exit::Done)
}

fn figure_table(figures: &Figures, weights: &[f64; 5]) -> String {
    let Figures { undocumented, borne_out, specificity, relevance, uniqueness } = *figures;
    let told = [
        ("not yet documented", undocumented),
        ("supported by published patterns", borne_out),
        ("concrete", specificity),
        ("recent, and the files it names exist", relevance),
        ("unique among the notes", uniqueness),
    ];
    let rows = told.into_iter().zip(weights).map(|((name, figure), weight)| {
        [name.to_owned(), format!("{figure:.2}"), format!("{weight:.2}"), format!("{:.3}", figure * weight)]
    });
    tabulate(["figure", "#value", "#weight", "#counts"], rows)
}

/// Lists which notes people should look at.
pub(super) fn review(workspace: &Workspace, options: &ReviewArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let mut settings = load_settings(workspace)?;
    if let Some(days) = options.stale_days {
        if days == 0 {
            return Err(Diagnostic::edit("notes cannot be stale immediately", "name at least one day with --stale-days"));
        }
        settings.memory.stale_days = days;
    }
    let shelf = Shelf::load(workspace, &settings, &options.notes, None)?;
    let review = shelf.with_surroundings(|around| review_notes(&shelf.notes, around, &settings.memory, &settings.deliberation));
    if options.notes.output.json {
        let value = json!({"folder": shelf.folder.to_string_lossy(), "documents": names(&shelf), "passed_over": passed_over(&shelf),
            "review": review});
        printer.line(&value.to_string())?;
        return Ok(Exit::Done);
    }
    tell_review(&review, settings.memory.stale_days, printer)?;
    tell_passed_over(&shelf, printer);
    Ok(Exit::Done)
}

fn tell_review(review: &NotesReview, stale_days: u32, printer: &Printer) -> Outcome<()> {
    let section = |heading: String, header: &[&str], rows: Vec<Vec<String>>| {
        printer.heading(&heading)?;
        if rows.is_empty() {
            return printer.line("  none\n");
        }
        let mut table = Columns::new(header);
        for row in rows {
            table.row(row);
        }
        printer.line(&format!("{}\n", table.render()))
    };
    let name = |name: &str| plain_text(name, SHOWN);
    let stale =
        review.stale.iter().map(|note| vec![name(&note.name), format!("{:.0}", note.age_days.floor()), note.source.clone()]);
    section(format!("1. Stale: older than {stale_days} days"), &["note", "#days", "known by"], stale.collect())?;
    let pairs =
        review.overlapping.iter().map(|pair| vec![name(&pair.first), name(&pair.second), format!("{:.2}", pair.similarity)]);
    section("2. Overlapping".to_owned(), &["note", "note", "#alike"], pairs.collect())?;
    let covered =
        review.redundancy.iter().map(|note| vec![name(&note.name), note.class.to_owned(), format!("{:.2}", note.documented)]);
    section("3. Redundancy with the documents".to_owned(), &["note", "class", "#documented"], covered.collect())?;
    let lacking = review.needs_rewrite.iter().map(|note| vec![name(&note.name), note.lacks.join(", ")]);
    section("4. Needs rewrite".to_owned(), &["note", "does not say"], lacking.collect())?;
    let best = review.promotion.iter().map(|note| vec![name(&note.name), format!("{:.3}", note.sum)]);
    section("5. Promotion candidates".to_owned(), &["note", "#sum"], best.collect())?;
    printer.heading("6. Stats")?;
    tell_status(&review.stats, printer)
}

/// Says how the notes fare.
pub(super) fn status(workspace: &Workspace, notes: &NotesArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let shelf = Shelf::load(workspace, &settings, notes, None)?;
    let status = sum_up_notes(&shelf.notes, shelf.now.as_microsecond(), &settings.memory, &settings.deliberation);
    if notes.output.json {
        let mut value =
            serde_json::to_value(&status).map_err(|error| Diagnostic::bug(format!("cannot encode the status: {error}")))?;
        value["passed_over"] = passed_over(&shelf);
        printer.line(&value.to_string())?;
        return Ok(Exit::Done);
    }
    tell_status(&status, printer)?;
    tell_passed_over(&shelf, printer);
    Ok(Exit::Done)
}

fn tell_status(status: &NoteStatus, printer: &Printer) -> Outcome<()> {
    let NoteStatus { notes, stale, pairs, .. } = status;
    printer.line(&format!("health: {}", toned_health(status.health, printer)))?;
    printer.line(&format!("{notes} notes, {stale} stale, {pairs} overlapping pairs"))?;
    let kinds: Vec<String> = status.by_type.iter().map(|(kind, count)| format!("{count} {}", plain_text(kind, 40))).collect();
    if kinds.is_empty() { Ok(()) } else { printer.line(&format!("by type: {}", kinds.join(", "))) }
}

fn tell_passed_over(shelf: &Shelf, printer: &Printer) {
    for (path, why) in &shelf.passed_over {
        printer.note(&format!("skipped {}: {}", plain_text(&path.display().to_string(), 200), plain_text(why, 200)));
    }
}

fn passed_over(shelf: &Shelf) -> serde_json::Value {
    shelf.passed_over.iter().map(|(path, why)| json!({"file": path.to_string_lossy(), "why": why})).collect()
}

fn names(shelf: &Shelf) -> Vec<String> {
    shelf.documents.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}
