//! What the commands about lessons, patterns of roles and observations share: finding one, listing, showing and deciding.

use serde::Serialize;
use serde_json::{Value, json};

use super::landing::{self, line_of};
use super::printer::Printer;
use super::table::Columns;
use event::Draft;
use learn::subject::Action;
use store::inbox::Recorder;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Something that was learned, as the command line shows it.
pub(crate) trait Subject: Serialize {
    /// What one is called.
    const NOUN: &'static str;
    /// The command that lists all of them with their ids.
    const LIST: &'static str;
    /// The columns of a list.
    const HEADER: &'static [&'static str];

    /// Whether a person means it by a name.
    fn is_called(&self, name: &str) -> bool;

    /// Its row in a list.
    fn cells(&self) -> Vec<String>;

    /// How many columns a list of these has.
    fn columns(_listed: &[&Self]) -> usize {
        Self::HEADER.len()
    }
}

/// The one that a person means.
pub(crate) fn find<'s, S: Subject>(subjects: &'s [S], name: &str) -> Outcome<&'s S> {
    let (noun, list) = (S::NOUN, S::LIST);
    let mut found = subjects.iter().filter(|subject| subject.is_called(name));
    match (found.next(), found.next()) {
        (Some(subject), None) => Ok(subject),
        (Some(_), Some(_)) => Err(Diagnostic::edit(
            format!("several {noun}s are called `{}`", name.escape_default()),
            format!("say which project with --project, and give the id instead of the entry; `{list}` shows them"),
        )),
        (None, _) => Err(unknown::<S>(name)),
    }
}

/// What is said of a name that none has.
pub(crate) fn unknown<S: Subject>(name: &str) -> Diagnostic {
    let (noun, list) = (S::NOUN, S::LIST);
    Diagnostic::edit(
        format!("there is no {noun} `{}`", name.escape_default()),
        format!("`{list}` shows all {noun}s with their ids"),
    )
}

/// A table of some.
pub(crate) fn table<S: Subject>(subjects: &[&S]) -> String {
    let columns = S::columns(subjects);
    let mut table = Columns::new(&S::HEADER[..columns]);
    for subject in subjects {
        table.row(subject.cells().into_iter().take(columns));
    }
    table.render()
}

/// Prints a list. To people, `none` says what to do where it is empty.
pub(crate) fn list<S: Subject>(subjects: &[&S], as_json: bool, none: &str, printer: &Printer) -> Outcome<Exit> {
    if as_json {
        printer.json(&subjects)?;
    } else if subjects.is_empty() {
        printer.note(none);
    } else {
        printer.line(&table(subjects))?;
    }
    Ok(Exit::Done)
}

/// Prints one.
pub(crate) fn show<S: Subject>(subject: &S, as_json: bool, card: impl FnOnce(&S) -> String, printer: &Printer) -> Outcome<Exit> {
    if as_json {
        printer.json(subject)?;
    } else {
        printer.line(&card(subject))?;
    }
    Ok(Exit::Done)
}

/// A decision about one, behind what its event begins with.
pub(crate) fn decision(begun: Draft, action: Action, id: &str, actor: &str, reason: Option<&str>) -> Draft {
    begun.with("action", action.name()).with("pattern_id", id).with("actor", actor.trim()).with_some("reason", reason)
}

/// What makes a decision hold although its subject has not come far enough.
pub(crate) fn force(is_forced: bool) -> Option<Value> {
    is_forced.then(|| json!({"force": true}))
}

/// Lands events, all or none of them, and gives them as they landed. When this returns, they survive a power cut.
pub(crate) fn land(workspace: &Workspace, drafts: impl Iterator<Item = Draft>) -> Outcome<Vec<Value>> {
    let lines = drafts.map(line_of).collect::<Outcome<Vec<_>>>()?;
    landing::land(Recorder::new(workspace)?, &lines)?;
    let parsed = lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<_, _>>();
    parsed.map_err(|error| Diagnostic::bug(format!("an event of ours is no JSON: {error}")))
}

/// Says that a decision was recorded.
pub(crate) fn tell_decided(verb: &str, id: &str, printer: &Printer) {
    printer.note(&format!("{verb} {id}: recorded; takes effect with the next run (`outerloop run hourly`)"));
}
