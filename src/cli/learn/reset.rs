//! `outerloop learn clear` and `reset`: a project's sightings are forgotten, and with `reset` what was rendered from them goes too.

use serde_json::json;

use super::counted;
use super::decision::land;
use super::notice;
use super::place::{PATIENCE, Place};
use super::removal::{Fate, Rendered, remove_artifact, remove_file};
use crate::args::LearnClearArgs;
use crate::printer::Printer;
use agent::artifact::{forget_journal, take_lock};
use event::Draft;
use render::plain_text;
use store::clock;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// What a decision about all observations of a project names.
const ALL: &str = "obs:all";
/// What was rendered into a project.
const MANIFEST: &str = ".memory/.learning-manifest.json";
/// How often its entries were cited.
const USAGE: &str = ".memory/.knowledge-usage.json";

/// Forgets all sightings of a project.
pub fn clear(workspace: &Workspace, options: &LearnClearArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let question = format!("Forget all sightings of {}? Rendered files are kept.", plain_text(&place.project, 80));
    if !is_wanted(&question, options, printer)? {
        return Ok(Exit::Done);
    }
    let lines = land(workspace, [draft(&place, options, "all sightings are forgotten")].into_iter())?;
    if options.json {
        printer.line(&json!({"project": place.project, "landed": lines}).to_string())?;
    }
    tell_cleared(&place, printer);
    Ok(Exit::Done)
}

/// Forgets all sightings of a project, and removes what was rendered and is as it was rendered.
pub fn reset(workspace: &Workspace, options: &LearnClearArgs, printer: &Printer) -> Outcome<Exit> {
    let place = Place::find(workspace, &load_settings(workspace)?, &options.place)?;
    let rendered = load_rendered(&place)?;
    let would = remove_all(&place, &rendered, false);
    printer.note(&format!(
        "{}: {} would be removed, {} kept; .memory/knowledge/ is kept",
        place.folder.display(),
        counted(would.gone.len(), "artifact"),
        would.kept.len()
    ));
    if !options.yes {
        would.gone.iter().for_each(|path| printer.note(&format!("would remove {}", plain_text(path, 200))));
    }
    let question = format!("Forget all sightings of {} and remove these?", plain_text(&place.project, 80));
    if !is_wanted(&question, options, printer)? {
        return Ok(Exit::Done);
    }
    let _lock = take_lock(&place.folder, PATIENCE)?;
    // The decision lands first: files that go without it would count as deleted by a person, which weighs against what they say.
    let mut lines = land(workspace, [draft(&place, options, "everything that was learned is removed")].into_iter())?;
    // What a killed run had decided would bring back what goes.
    forget_journal(&workspace.artifacts(), &place.folder)?;
    let mut done = remove_all(&place, &rendered, true);
    // Sightings are forgotten, and what became of them is not: these artifacts are gone. Until this has landed the manifest tells.
    lines.extend(land(workspace, done.deleted.iter().map(|(id, path)| deletion(&place, options, id, path)))?);
    for file in [MANIFEST, USAGE, notice::FILE] {
        match remove_file(&place.folder, file) {
            Ok(true) => done.gone.push(file.to_owned()),
            Ok(false) => {}
            Err(error) => done.kept.push((file.to_owned(), error.to_string())),
        }
    }
    if options.json {
        let kept: Vec<_> = done.kept.iter().map(|(path, reason)| json!({"path": path, "reason": reason})).collect();
        printer.line(&json!({"project": place.project, "landed": lines, "removed": done.gone, "kept": kept}).to_string())?;
    }
    done.gone.iter().for_each(|path| printer.note(&format!("removed {}", plain_text(path, 200))));
    done.kept
        .iter()
        .for_each(|(path, reason)| printer.note(&format!("left {}: {}", plain_text(path, 200), plain_text(reason, 200))));
    tell_cleared(&place, printer);
    Ok(Exit::Done)
}

/// What became of the files of a project.
#[derive(Default)]
struct Cleaning {
    /// Files that are gone.
    gone: Vec<String>,
    /// The observations whose artifacts are gone, with their paths.
    deleted: Vec<(String, String)>,
    kept: Vec<(String, String)>,
}

fn remove_all(place: &Place, rendered: &Rendered, is_real: bool) -> Cleaning {
    let mut all = Cleaning::default();
    for file in rendered.files() {
        match remove_artifact(&place.folder, file, is_real) {
            Fate::Removed => {
                all.gone.push(file.path.to_owned());
                all.deleted.extend(file.observation.map(|id| (id.to_owned(), file.path.to_owned())));
            }
            Fate::Missing => {}
            Fate::Kept(reason) => all.kept.push((file.path.to_owned(), reason)),
        }
    }
    all
}

/// What was rendered; nothing where nobody wrote it down. What cannot be read is an error: its files would stay without a word.
fn load_rendered(place: &Place) -> Outcome<Rendered> {
    let Some((bytes, _)) = place.read(MANIFEST)? else { return Ok(Rendered::default()) };
    serde_json::from_slice(&bytes).map_err(|error| {
        Diagnostic::edit("cannot read the list of rendered files", "repair the file, or remove it and the artifacts manually")
            .at(&place.folder.join(MANIFEST))
            .because(error)
    })
}

fn draft(place: &Place, options: &LearnClearArgs, reason: &str) -> Draft {
    Draft::new("curation", clock::now(), &place.project)
        .with("action", "clear")
        .with("pattern_id", ALL)
        .with("actor", options.actor.actor.trim())
        .with("reason", reason)
}

fn deletion(place: &Place, options: &LearnClearArgs, id: &str, path: &str) -> Draft {
    let draft = Draft::new("artifact", clock::now(), &place.project).with("action", "deleted").with("observation_id", id);
    draft.with("path", path).with("reason", format!("reset by {}", options.actor.actor.trim()))
}

/// Asks, unless the person has said so already. Where nobody can be asked, nothing is done.
fn is_wanted(question: &str, options: &LearnClearArgs, printer: &Printer) -> Outcome<bool> {
    if options.yes {
        return Ok(true);
    }
    if !printer.can_ask() {
        return Err(Diagnostic::edit("cannot ask for confirmation: there is no terminal", "add --yes"));
    }
    let is_wanted = printer.ask(&format!("{question} [y/N]")).is_some_and(|answer| matches!(&*answer.to_lowercase(), "y" | "yes"));
    if !is_wanted {
        printer.note("nothing was done");
    }
    Ok(is_wanted)
}

fn tell_cleared(place: &Place, printer: &Printer) {
    let project = plain_text(&place.project, 80);
    printer.note(&format!("{project}: recorded; the next run forgets its sightings (`outerloop run hourly`)"));
}
