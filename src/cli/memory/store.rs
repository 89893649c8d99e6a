//! What a role learned, recorded without a verdict on it: its report, or single patterns.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;

use super::super::pipeline::{Answer, answer, place_of};
use super::super::pipeline::{PipelineArgs, RoleTurnArgs};
use super::super::printer::Printer;
use super::super::require;
use crate::landing::{land, unfit};
use agent::feedback::{Kept, Place, keep, load_speech};
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
often they are recorded. Without any of them, every call of --text counts; a report counts once.

  outerloop memory store --role judge --run r-42 --report review.md
  outerloop memory store --role judge --run r-42 --text 'Validate the signature before parsing'

A verdict may follow: `outerloop feedback` with the same report counts the report once.")]
pub(super) struct StoreArgs {
    /// The role
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// The text of a pattern, 12 to 400 characters; repeatable up to ten times
    #[arg(long, value_name = "TEXT", required_unless_present = "report")]
    text: Vec<String>,
    /// The role's report, text or a JSON record with a `response`: its patterns are those below `Accumulated Patterns`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "category"])]
    report: Option<PathBuf>,
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
    if let Some(path) = &options.report {
        let kept = keep(options.role.trim(), &load_speech(path)?, &place, &|_| true).map_err(unfit)?;
        land(Recorder::with_rules(workspace, settings.run), std::slice::from_ref(&kept.event))?;
        return Ok(tell(options.role.trim(), &place, kept));
    }
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

/// What became of a report.
fn tell(role: &str, place: &Place, kept: Kept) -> Answer {
    let text = format!(
        "the report of {} with {} patterns: recorded; they take effect with the next run (`outerloop run hourly`)",
        plain_text(role, 80),
        kept.patterns.len()
    );
    let value = json!({"event": kept.id, "role": role, "project": place.project, "patterns": kept.patterns,
        "level": kept.evidence.level.number(), "remarks": kept.remarks});
    Answer { remarks: kept.remarks, ..Answer::new(value, text) }
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
