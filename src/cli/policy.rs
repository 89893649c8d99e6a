//! `outerloop policy`: the rules that finished runs make, and what people decide about them. Opens no engine, except to explain.

mod decision;
mod document;
mod history;
mod input;
mod landing;
mod overlay;
mod suggestion;

pub use document::{load_document, parse_adapter, tell_unpublished};
pub use input::{Item, read_items};
pub use landing::{draft, land};

use super::args::{PolicyAction, PolicyArgs};
use super::printer::Printer;
use super::require;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Lists policies, shows one, or lands a decision about one.
pub fn run(workspace: &Workspace, options: &PolicyArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    let as_json = options.json;
    match options.action.as_ref().unwrap_or(&PolicyAction::List) {
        PolicyAction::List => overlay::list(workspace, as_json, printer),
        PolicyAction::Show(options) => overlay::show(workspace, options, as_json, printer),
        PolicyAction::Check(options) => overlay::check(workspace, options, as_json, printer),
        PolicyAction::Annotate(options) => decision::annotate(workspace, options, as_json, printer),
        PolicyAction::Clear(options) => decision::clear(workspace, options, as_json, printer),
        PolicyAction::Suggestions => suggestion::list(workspace, as_json, printer),
        PolicyAction::Accept(options) => decision::decide(workspace, "accept", options, as_json, printer),
        PolicyAction::Dismiss(options) => decision::decide(workspace, "dismiss", options, as_json, printer),
        PolicyAction::Reopen(options) => decision::decide(workspace, "reopen", options, as_json, printer),
        PolicyAction::History(options) => history::list(workspace, options, as_json, printer),
        PolicyAction::Explain(_) => Err(Diagnostic::bug("an explanation needs outerloop-engine")),
    }
}

/// A number for people: six decimals at most, and no zeros at the end.
pub fn trimmed(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Results for programs.
pub fn to_json(value: &impl serde::Serialize) -> Outcome<String> {
    serde_json::to_string_pretty(value).map_err(|error| Diagnostic::bug(format!("cannot encode the policies: {error}")))
}
