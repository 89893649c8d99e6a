//! `outerloop capture`: the lessons that agents left, or one that is given.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use super::Desk;
use super::TurnArgs;
use crate::landing::unfit;
use crate::printer::Printer;
use crate::require;
use agent::classify::{PendingLesson, judge_quality};
use agent::intake::{Captures, capture_all, workdirs};
use agent::iteration::{Capture, learnings_of};
use agent::repository::Repository;
use event::Draft;
use render::plain_text;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Without --summary or --nothing, it captures and archives the files that agents left in .learnings/pending/.

  outerloop capture --summary 'Close every file that a test opens' --trigger 'too many open files' --agent tester
  outerloop capture --nothing 'a rename, nothing to learn'
  outerloop capture --workdir .closedloop-ai/work

A lesson that is too vague, or holds for one task only, is refused with a reason and exit code 1.")]
pub struct CaptureArgs {
    /// The lesson in a sentence
    #[arg(long, value_name = "TEXT", conflicts_with = "nothing")]
    summary: Option<String>,
    /// What happened
    #[arg(long, value_name = "TEXT", requires = "summary")]
    what: Option<String>,
    /// Why it happened
    #[arg(long, value_name = "TEXT", requires = "summary")]
    why: Option<String>,
    /// What was done about it
    #[arg(long, value_name = "TEXT", requires = "summary")]
    fix: Option<String>,
    /// When the lesson applies, in a few words
    #[arg(long, value_name = "TEXT", requires = "summary")]
    trigger: Option<String>,
    /// The category: mistake, pattern, convention or insight
    #[arg(long, requires = "summary")]
    category: Option<String>,
    /// An agent that the lesson applies to; repeatable
    #[arg(long, value_name = "AGENT", requires = "summary")]
    applies_to: Vec<String>,
    /// A tag; repeatable
    #[arg(long, value_name = "TAG", requires = "summary")]
    tag: Vec<String>,
    /// A location that shows it, as path:line; repeatable
    #[arg(long, value_name = "PLACE", requires = "summary")]
    citation: Vec<String>,
    /// Record that there was nothing to learn, and why
    #[arg(long, value_name = "REASON")]
    nothing: Option<String>,
    /// The agent that learned it
    #[arg(long)]
    agent: Option<String>,
    #[command(flatten)]
    turn: TurnArgs,
}

/// Captures lessons.
pub(crate) fn run(workspace: &Workspace, options: &CaptureArgs, printer: &Printer) -> Outcome<Exit> {
    match (&options.summary, &options.nothing) {
        (Some(summary), _) => capture_one(workspace, options, summary, printer),
        (None, Some(reason)) => {
            let desk = open(workspace, options, printer)?;
            let line = start(&desk, options).with("no_learnings", true).with("reason", &**reason).finish().map_err(unfit)?;
            desk.land(&[line])?;
            Ok(Exit::Done)
        }
        (None, None) => capture_files(workspace, options, printer),
    }
}

fn open<'d>(workspace: &'d Workspace, options: &CaptureArgs, printer: &'d Printer) -> Outcome<Desk<'d>> {
    Desk::open_for(workspace, &options.turn, options.turn.run.clone().unwrap_or_default(), printer)
}

fn start(desk: &Desk<'_>, options: &CaptureArgs) -> Draft {
    let run = Some(&*desk.turn.run_id).filter(|run| !run.trim().is_empty());
    Draft::new("learning", desk.turn.time, &desk.turn.project)
        .with_some("run_id", run)
        .with_some("iteration", desk.turn.iteration)
        .with_some("agent", options.agent.as_deref())
}

/// Takes one lesson, if it is good enough: whoever captures it is still there to say it better.
fn capture_one(workspace: &Workspace, options: &CaptureArgs, summary: &str, printer: &Printer) -> Outcome<Exit> {
    let desk = open(workspace, options, printer)?;
    let lesson =
        PendingLesson { summary: summary.trim().to_owned(), project: desk.turn.project.clone(), ..PendingLesson::default() };
    let faults = judge_quality(&lesson, &desk.settings.capture);
    if !faults.is_empty() {
        for fault in &faults {
            printer.note(&format!("{}: {}\nremedy: {}", fault.gate, plain_text(&fault.reason, 300), fault.remedy));
        }
        printer.note("no lesson was captured");
        return Ok(Exit::Refused);
    }
    let line = start(&desk, options)
        .with("summary", summary.trim())
        .with_some("what", options.what.as_deref())
        .with_some("why", options.why.as_deref())
        .with_some("fix", options.fix.as_deref())
        .with_some("trigger", options.trigger.as_deref())
        .with_some("category", options.category.as_deref())
        .with_items("applies_to", options.applies_to.clone())
        .with_items("tags", options.tag.clone())
        .with_items("citations", options.citation.clone())
        .with("pending", true)
        .with_some("repo_name", repo_name(&desk))
        .finish()
        .map_err(unfit)?;
    desk.land(&[line])?;
    if options.turn.output.json && !options.turn.dry_run {
        printer.line(&json!({"captured": 1}).to_string())?;
    }
    Ok(Exit::Done)
}

/// How the repository around the run's folder is called. Without one a lesson does without.
fn repo_name(desk: &Desk<'_>) -> Option<String> {
    Repository::find(&desk.work).ok().flatten()?.name().ok()
}

/// Takes in the files of a run's folder, or of all folders that the settings name.
fn capture_files(workspace: &Workspace, options: &CaptureArgs, printer: &Printer) -> Outcome<Exit> {
    require(workspace)?;
    if options.turn.dry_run {
        return Err(Diagnostic::edit(
            "--dry-run does not work for files",
            "omit --dry-run; captured files are archived, not deleted",
        ));
    }
    let settings = load_settings(workspace)?;
    let named = &options.turn.workdir;
    let is_default = named.as_os_str() == ".";
    let folders: Vec<PathBuf> = match workdirs(workspace, &settings) {
        configured if is_default && !learnings_of(named).is_dir() && !configured.is_empty() => configured,
        _ => vec![named.clone()],
    };
    let captures = capture_all(workspace, &settings, &folders, options.turn.project.name.as_deref())?;
    if options.turn.output.json {
        printer.line(&to_json(&captures).to_string())?;
    }
    printer.note(&format!("capture: {}", describe(&captures.capture)));
    for (path, reason) in &captures.capture.refused {
        printer.note(&format!("refused {}: {}", plain_text(&path.display().to_string(), 200), plain_text(reason, 300)));
    }
    captures.problems.iter().for_each(|problem| printer.error(problem));
    let is_whole = captures.problems.is_empty() && captures.capture.refused.is_empty();
    Ok(if is_whole { Exit::Done } else { Exit::Refused })
}

/// What was captured, in a sentence.
pub fn describe(capture: &Capture) -> String {
    let Capture { files, lessons, nothing_learned, rescued, refused } = capture;
    let mut text = match (files, lessons, nothing_learned) {
        (0, 0, 0) => "no lessons found".to_owned(),
        _ => format!("{lessons} lessons from {files} files"),
    };
    if *rescued > 0 {
        let _ = write!(text, ", {rescued} of them found outside the work directory");
    }
    if *nothing_learned > 0 {
        let _ = write!(text, "; {nothing_learned} answers report nothing to learn");
    }
    if !refused.is_empty() {
        let _ = write!(text, "; {} could not be read", refused.len());
    }
    text
}

/// What was captured, for programs.
pub(crate) fn to_json(captures: &Captures) -> serde_json::Value {
    let Capture { files, lessons, nothing_learned, rescued, refused } = &captures.capture;
    let refused: Vec<_> =
        refused.iter().map(|(path, reason)| json!({"file": path.display().to_string(), "reason": reason})).collect();
    json!({"files": files, "lessons": lessons, "nothing_learned": nothing_learned, "rescued": rescued, "refused": refused})
}
