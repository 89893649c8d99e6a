//! `outerloop learn`: what recurs in transcripts, and what people decide about it. Opens no engine.

mod configure;
mod decision;
mod list;
mod notice;
mod place;
mod purge;
mod quarantine;
mod removal;
mod reset;
mod review;
mod status;

use super::args::{LearnAction, LearnArgs};
use super::printer::Printer;
use super::report::find_generation;
use super::require;
use agent::published::load_observations;
use learn::observation::ObservationScore;
use store::workspace::Workspace;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// Lists, shows, decides, configures.
pub fn run(workspace: &Workspace, options: &LearnArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    match &options.action {
        LearnAction::Status(options) => status::run(workspace, options, printer),
        LearnAction::List(options) => list::list(workspace, options, printer),
        LearnAction::Show(options) => list::show(workspace, options, printer),
        LearnAction::Review(options) => review::run(workspace, options, printer),
        LearnAction::Deprecate(options) => decision::deprecate(workspace, options, printer),
        LearnAction::Keep(options) => decision::decide(workspace, decision::Verb::Keep, options, printer),
        LearnAction::Restore(options) => decision::decide(workspace, decision::Verb::Restore, options, printer),
        LearnAction::Promote(options) => decision::promote(workspace, options, printer),
        LearnAction::Reject(options) => decision::decide(workspace, decision::Verb::Reject, options, printer),
        LearnAction::Dismiss(options) => notice::dismiss(workspace, options, printer),
        LearnAction::Configure(options) => configure::run(workspace, options, printer),
        LearnAction::Clear(options) => reset::clear(workspace, options, printer),
        LearnAction::Purge(options) => purge::run(workspace, options, printer),
        LearnAction::Reset(options) => reset::reset(workspace, options, printer),
    }
}

/// The published observations, of one project if it is named.
fn load(workspace: &Workspace, project: Option<&str>) -> Outcome<Vec<ObservationScore>> {
    let mut scores = load_observations(&find_generation(workspace, None)?)?;
    scores.retain(|score| project.is_none_or(|project| score.project == project));
    Ok(scores)
}

/// The observation of an id, or the one that an entry of a knowledge file was made from.
fn find<'s>(scores: &'s [ObservationScore], id: &str) -> Outcome<&'s ObservationScore> {
    let is_meant = |score: &&ObservationScore| {
        score.id.eq_ignore_ascii_case(id) || score.anchor.as_deref().is_some_and(|anchor| anchor.eq_ignore_ascii_case(id))
    };
    let mut found = scores.iter().filter(is_meant);
    match (found.next(), found.next()) {
        (Some(score), None) => Ok(score),
        (Some(_), Some(_)) => Err(Diagnostic::edit(
            format!("several observations match `{}`", id.escape_default()),
            "choose the project with --project, and give the id instead of the entry; `outerloop learn list --all` shows them",
        )),
        (None, _) => Err(Diagnostic::edit(
            format!("there is no observation `{}`", id.escape_default()),
            "`outerloop learn list --all` shows all observations with their ids",
        )),
    }
}

/// The letter by which lists tell types apart.
fn letter(observation_type: &str) -> &'static str {
    match observation_type {
        "workflow" => "[W]",
        "procedural" => "[P]",
        "decision" => "[D]",
        "pitfall" => "[F]",
        _ => "[?]",
    }
}

/// How sure an observation is, without decimals.
fn percent(confidence: f64) -> String {
    format!("{:.0}%", confidence * 100.0)
}

/// A number of things.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn to_json(value: &impl serde::Serialize) -> Outcome<String> {
    serde_json::to_string_pretty(value).map_err(|error| Diagnostic::bug(format!("cannot encode the observations: {error}")))
}
