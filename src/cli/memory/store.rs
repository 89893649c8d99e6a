//! Role patterns recorded by a pipeline instead of a report.

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;

use super::super::pipeline::{Answer, answer, place_of};
use super::super::pipeline::{PipelineArgs, RoleTurnArgs};
use super::super::printer::Printer;
use super::super::require;
use crate::landing::{land, unfit};
use agent::feedback::Place;
use event::{Draft, name_event};
use render::plain_text;
use store::inbox::Recorder;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};
use text::fit::quoted;
use text::review::{Kind, MOST_SAYINGS, evidence_level, is_saying, plain_saying};

/// The category of a role pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SayingKind {
    /// Something that was noticed.
    Observation,
    /// A cause and its effect.
    Causal,
    /// What must or must not be done.
    Rule,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --run, --issue or --pull-request, the same words of the same role are one sighting, however
often they are recorded. Without any of them, every call counts.

  outerloop memory store --role judge --run r-42 --text 'Validate the signature before parsing'")]
pub(super) struct StoreArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// The text of a pattern, 12 to 400 characters; repeatable up to ten times
    #[arg(long, value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// The category [default: derived from its words]
    #[arg(long, value_enum)]
    category: Option<SayingKind>,
    #[command(flatten)]
    turn: RoleTurnArgs,
    #[command(flatten)]
    pipeline: PipelineArgs,
}

/// Lands patterns of a role.
pub(super) fn run(workspace: &Workspace, options: &StoreArgs, printer: &Printer) -> Outcome<Exit> {
    answer(workspace, "memory store", options.pipeline, printer, || take(workspace, options))
}

fn take(workspace: &Workspace, options: &StoreArgs) -> Outcome<Answer> {
    require(workspace)?;
    let settings = load_settings(workspace)?;
    let place = place_of(workspace, &settings, &options.turn);
    let sayings = options.text.iter().map(|text| read_saying(text, options.category)).collect::<Outcome<Vec<_>>>()?;
    if sayings.len() > MOST_SAYINGS {
        let what = format!("{} patterns are too many for one call", sayings.len());
        return Err(Diagnostic::edit(what, format!("give at most {MOST_SAYINGS} at a time")));
    }
    let role = options.role.trim();
    let (id, event) = draft(role, &place, &sayings);
    land(Recorder::with_rules(workspace, settings.run), &[event.finish().map_err(unfit)?])?;
    let text = format!(
        "{} patterns of {}: recorded; they take effect with the next run (`outerloop run hourly`)",
        sayings.len(),
        plain_text(role, 80)
    );
    Ok(Answer::new(json!({"event": id, "role": role, "project": place.project, "patterns": sayings}), text))
}

/// A saying on one line, with the tag of its kind where one is named.
fn read_saying(text: &str, kind: Option<SayingKind>) -> Outcome<String> {
    let saying = plain_text(text, usize::MAX);
    if !is_saying(&saying) {
        let what = format!("{} cannot be a pattern", quoted(&saying));
        return Err(Diagnostic::edit(what, "write 12 to 400 characters that say one thing"));
    }
    let kind = kind.map(|kind| match kind {
        SayingKind::Observation => Kind::Observation,
        SayingKind::Causal => Kind::Causal,
        SayingKind::Rule => Kind::Rule,
    });
    Ok(kind.map_or_else(|| saying.clone(), |kind| format!("[{}] {}", kind.name(), plain_saying(&saying))))
}

/// The event and its id. Where a turn is named, the same words in it are the same event; otherwise each telling is one.
fn draft(role: &str, place: &Place, sayings: &[String]) -> (String, Draft) {
    let Place { project, run, iteration, issue, pull_request, phase, .. } = place;
    let is_turn = run.is_some() || issue.is_some() || pull_request.is_some();
    let told = (!is_turn).then(|| place.time.to_string());
    let text = sayings.join("\n");
    let id = name_event(&json!(["store", project, role, run, iteration, issue, pull_request, told, text]));
    let event = Draft::new("deliberation", place.time, project)
        .with("id", &*id)
        .with("role", role)
        .with_some("run_id", run.clone())
        .with_some("iteration", *iteration)
        .with_some("issue", issue.clone())
        .with_some("pull_request", pull_request.clone())
        .with_some("phase", phase.clone())
        .with_items("labels", place.labels.clone())
        .with_items("files", place.files.clone())
        .with("evidence_level", evidence_level(&text, &place.files).number())
        .with_items("patterns", sayings.to_vec())
        .with("text", text);
    (id, event)
}
