//! `outerloop learn`: what recurs in transcripts, and what people decide about it. Opens no engine.

mod decision;
mod legacy;
mod list;
mod place;
mod reset;
mod review;
mod status;

pub use list::card;

use std::ffi::OsString;

use clap::{Args as ClapArgs, Subcommand};

use super::args::{OutputArgs, PlaceArgs};
use super::printer::Printer;
use super::report::find_generation;
use super::require;
use super::settings::{SettingsArgs, show_or_change};
use agent::artifact::{Present, find_root, remembered_folders};
use agent::published::load_observations;
use event::field::ObservationType;
use learn::observation::{ObservationScore, Status};
use setting::Settings;
use store::workspace::{Workspace, load_settings};
use text::diagnostic::{Exit, Outcome};

/// The types, in the order of lists, and what each becomes.
const TYPES: [(ObservationType, &str); 4] = [
    (ObservationType::Workflow, "commands"),
    (ObservationType::Procedural, "skills"),
    (ObservationType::Decision, "decisions"),
    (ObservationType::Pitfall, "pitfalls"),
];
const STATUSES: [Status; 4] = [Status::Observing, Status::Ready, Status::Created, Status::Deprecated];

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
An observation from transcripts that reaches enough confidence becomes a command, a skill, a
decision or a pitfall of the project. Decisions are events: they are recorded in the inbox and take
effect with the next run.

  outerloop learn status                           counts, and what is set up
  outerloop learn list --type decision             highest confidence first
  outerloop learn review                           observations to review
  outerloop learn deprecate obs_a1b2c3 --reason 'we moved to another tool'
  outerloop learn review --capacity                entries that could be removed from full files")]
pub struct LearnArgs {
    /// What to do
    #[command(subcommand)]
    action: LearnAction,
}

/// The actions on observations.
#[derive(Debug, Subcommand)]
enum LearnAction {
    /// Count observations by type and status, and show what is set up
    Status(StatusArgs),
    /// List observations, highest confidence first
    List(list::ListArgs),
    /// Show one observation in detail
    Show(list::ShowArgs),
    /// Review flagged observations
    Review(review::ReviewArgs),
    /// Deprecate observations; new sightings do not restore them
    #[command(mut_arg("reason", |reason| reason.required(true)))]
    Deprecate(decision::DecisionArgs),
    /// Keep observations and clear their flags
    Keep(decision::DecisionArgs),
    /// Restore a deprecated observation
    Restore(decision::DecisionArgs),
    /// Turn an observation into an artifact now
    Promote(decision::PromoteArgs),
    /// Reject an observation permanently
    Reject(decision::DecisionArgs),
    /// Hide notices about full knowledge files until they grow
    Dismiss(StatusArgs),
    /// Show settings, or change them in outerloop.toml
    Configure(SettingsArgs),
    /// Forget all sightings of the project; keep rendered files
    Clear(reset::ClearArgs),
    /// Deprecate decayed observations, and list those in quarantine
    Purge(decision::PurgeArgs),
    /// Remove entries of knowledge files that an earlier system wrote, with a backup
    PurgeLegacy(legacy::LegacyArgs),
    /// Forget all sightings, and remove rendered files that nobody edited
    Reset(reset::ClearArgs),
}

/// Arguments of `learn status` and `learn dismiss`.
#[derive(Debug, ClapArgs)]
pub struct StatusArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The flags of the system that `learn` comes from, and the commands that do the same.
const OLD_FLAGS: [(&str, &str); 8] = [
    ("--status", "status"),
    ("--list", "list"),
    ("--review", "review"),
    ("--configure", "configure"),
    ("--purge", "purge"),
    ("--clear", "clear"),
    ("--reset", "reset"),
    ("--dismiss-capacity", "dismiss"),
];

/// Arguments in which the flags that used to stand behind `learn` are commands. Those without a counterpart are answered with what to
/// do instead.
pub(crate) fn modernise(mut words: Vec<OsString>) -> Result<Vec<OsString>, clap::Error> {
    let Some(place) = words.iter().position(|word| word == "learn") else { return Ok(words) };
    let Some(word) = words.get(place + 1).and_then(|word| word.to_str()) else { return Ok(words) };
    let instead = match word {
        "--enable" => "`outerloop init --claude` adds the hooks, `outerloop settings observe.sessions=true` observes sessions",
        "--disable" => {
            "`outerloop settings observe.sessions=false` observes none, `outerloop init --claude --remove` removes the hooks"
        }
        flag => {
            if let Some((_, command)) = OLD_FLAGS.iter().find(|(old, _)| *old == flag) {
                words[place + 1] = OsString::from(command);
            }
            return Ok(words);
        }
    };
    let message = format!("`outerloop learn {word}` is not a command here: {instead}\n");
    Err(clap::Error::raw(clap::error::ErrorKind::UnknownArgument, message))
}

/// The sections of settings that are about observing.
const OWN_SECTIONS: [&str; 2] = ["observe", "observation"];

/// Lists, shows, decides, configures.
pub fn run(workspace: &Workspace, options: &LearnArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    match &options.action {
        LearnAction::Status(options) => status::run(workspace, options, printer),
        LearnAction::List(options) => list::list(workspace, options, printer),
        LearnAction::Show(options) => list::show(workspace, options, printer),
        LearnAction::Review(options) => review::run(workspace, options, printer),
        LearnAction::Deprecate(options) => decision::decide(workspace, decision::Verb::Deprecate, options, printer),
        LearnAction::Keep(options) => decision::decide(workspace, decision::Verb::Keep, options, printer),
        LearnAction::Restore(options) => decision::decide(workspace, decision::Verb::Restore, options, printer),
        LearnAction::Promote(options) => decision::promote(workspace, options, printer),
        LearnAction::Reject(options) => decision::decide(workspace, decision::Verb::Reject, options, printer),
        LearnAction::Dismiss(options) => place::dismiss(workspace, options, printer),
        LearnAction::Configure(options) => show_or_change(workspace, options, &OWN_SECTIONS, printer),
        LearnAction::Clear(options) => reset::clear(workspace, options, printer),
        LearnAction::Purge(options) => decision::run(workspace, options, printer),
        LearnAction::PurgeLegacy(options) => legacy::run(workspace, options, printer),
        LearnAction::Reset(options) => reset::reset(workspace, options, printer),
    }
}

/// The published observations, of one project if it is named.
fn load(workspace: &Workspace, project: Option<&str>) -> Outcome<Vec<ObservationScore>> {
    let mut scores = load_observations(&find_generation(workspace, None)?)?;
    update(workspace, &load_settings(workspace)?, &mut scores);
    scores.retain(|score| project.is_none_or(|project| score.project == project));
    Ok(scores)
}

/// Adds what was rendered or taken away since the observations were published.
fn update(workspace: &Workspace, settings: &Settings, scores: &mut [ObservationScore]) {
    let own = find_root(workspace.root(), &settings.artifact);
    let others = remembered_folders(&workspace.artifacts());
    for folder in std::iter::once(own).chain(others) {
        Present::load(&folder).update(scores);
    }
}

/// The letter by which lists tell types apart.
const fn letter(observation_type: ObservationType) -> &'static str {
    match observation_type {
        ObservationType::Workflow => "[W]",
        ObservationType::Procedural => "[P]",
        ObservationType::Decision => "[D]",
        ObservationType::Pitfall => "[F]",
    }
}

/// How sure an observation is, without decimals.
fn percent(confidence: f64) -> String {
    format!("{:.0}%", confidence * 100.0)
}

/// A number of things.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
