//! `outerloop iteration`, and what it shares with the commands for its single steps.

mod build;
mod capture;
mod change;
mod citation;
mod goal;
mod relevance;
mod shim;

pub(crate) use build::{BuildArgs, run as run_build};
pub use capture::describe as describe_capture;
pub(crate) use capture::{CaptureArgs, run as run_capture};
pub(crate) use change::run as run_changes;
pub(crate) use citation::run as run_citations;
pub(crate) use goal::{GoalArgs, run as run_goal};
pub(crate) use relevance::{RelevanceArgs, run as run_relevance};
pub(crate) use shim::{ClosedloopArgs, run_closedloop};

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use serde_json::json;

use super::inject::parse_unit;
use super::landing::land;
use super::printer::Printer;
use super::require;
use crate::args::{OutputArgs, ProjectArgs};
use agent::hook::unit_of_run;
use agent::intake::capture_all;
use agent::iteration::{Turn, learnings_of, name_project};
use agent::repository::Repository;
use learn::change::{Changes, Reach};
use render::plain_text;
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Exit, Outcome};

/// The run and iteration.
#[derive(Debug, Clone, ClapArgs)]
pub struct TurnArgs {
    /// The working folder of the run
    #[arg(long, env = "CLOSEDLOOP_WORKDIR", value_name = "FOLDER", default_value = ".")]
    workdir: PathBuf,
    /// The run
    #[arg(long, env = "CLOSEDLOOP_RUN_ID", value_name = "RUN")]
    run: Option<String>,
    /// The iteration of the run [default: `CLOSEDLOOP_ITERATION`, where it is a number]
    #[arg(long, value_name = "N")]
    iteration: Option<i64>,
    #[command(flatten)]
    project: ProjectArgs,
    /// Print the events instead of recording them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// The task that the run works on.
#[derive(Debug, Clone, ClapArgs)]
pub struct UnitArgs {
    /// The task or issue that the run works on [default: as hooks are told, by the environment or by the run]
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,
}

impl UnitArgs {
    /// What is named here goes before what hooks are told, and a name that hooks would not take is refused.
    fn resolve(&self, work: &Path) -> Outcome<Option<String>> {
        self.unit.as_deref().map_or_else(|| Ok(unit_of_run(work)), |unit| parse_unit(unit).map(Some))
    }
}

/// The range of changes.
#[derive(Debug, Clone, ClapArgs)]
pub struct SinceArgs {
    /// The commit at which the iteration started; later changes count
    #[arg(long, value_name = "COMMIT")]
    since: String,
    /// Only committed changes [default: uncommitted and untracked files too]
    #[arg(long)]
    committed: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  outerloop changes --since $START_SHA --run r-42 --iteration 2
  outerloop citations --since $START_SHA --run r-42 --iteration 2")]
pub struct ChangesArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    since: SinceArgs,
}

/// What a command about an iteration works on.
struct Desk<'d> {
    workspace: &'d Workspace,
    settings: Settings,
    work: PathBuf,
    turn: Turn,
    is_dry: bool,
    printer: &'d Printer,
}

impl<'d> Desk<'d> {
    /// Reads the arguments. A run must be named.
    fn open(workspace: &'d Workspace, options: &TurnArgs, printer: &'d Printer) -> Outcome<Self> {
        let run = options.run.clone().filter(|run| !run.trim().is_empty());
        let run = run.ok_or_else(|| Diagnostic::edit("no run is named", "name it with --run or CLOSEDLOOP_RUN_ID"))?;
        Self::open_for(workspace, options, run, printer)
    }

    fn open_for(workspace: &'d Workspace, options: &TurnArgs, run_id: String, printer: &'d Printer) -> Outcome<Self> {
        require(workspace)?;
        let settings = load_settings(workspace)?;
        let work = options.workdir.clone();
        if !work.is_dir() {
            return Err(Diagnostic::edit("the folder of the run does not exist", "name it with --workdir").at(&work));
        }
        if options.iteration.is_some_and(|iteration| iteration < 0) {
            return Err(Diagnostic::edit("the iteration is negative", "count iterations from 1"));
        }
        let project = options.project.name.clone().unwrap_or_else(|| name_project(workspace, &settings, &work));
        // A pipeline may set it to nothing, or to a word: ClosedLoop's programs pass over that.
        let told = || std::env::var("CLOSEDLOOP_ITERATION").ok()?.trim().parse().ok().filter(|iteration| *iteration >= 0);
        let iteration = options.iteration.or_else(told);
        let turn = Turn { project, run_id, iteration, time: clock::now() };
        Ok(Self { workspace, settings, work, turn, is_dry: options.dry_run, printer })
    }

    /// The run's `.learnings/`.
    fn learnings(&self) -> PathBuf {
        learnings_of(&self.work)
    }

    /// Lands events, or prints them.
    fn land(&self, lines: &[String]) -> Outcome<()> {
        if self.is_dry {
            return lines.iter().try_for_each(|line| self.printer.line(line));
        }
        land(Recorder::new(self.workspace)?, lines)
    }

    /// The repository around the run's folder.
    fn repository(&self) -> Outcome<Repository> {
        Repository::find(&self.work)?.ok_or_else(|| {
            Diagnostic::edit("the run's folder is not in a git repository", "name a folder in one with --workdir").at(&self.work)
        })
    }
}

/// What the iteration changed.
fn changes_since(repository: &Repository, since: &SinceArgs) -> Outcome<Changes> {
    repository.changes_since(&since.since, if since.committed { Reach::Committed } else { Reach::Worktree })
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Records changes, rates patterns by them, judges the goal, verifies citations, and captures the build
result and the lessons that agents left. A failed step is reported; the others still run.

  outerloop iteration --since $START_SHA --run $RUN --iteration 2 --workdir .closedloop-ai/work")]
pub struct IterationArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    since: SinceArgs,
    #[command(flatten)]
    unit: UnitArgs,
    /// The goal to judge by [default: the active one of goal.yaml]
    #[arg(long)]
    goal: Option<String>,
}

/// Finds out everything about an iteration. A step that fails is told, and the others are done all the same.
pub(crate) fn run_whole(workspace: &Workspace, options: &IterationArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let seen = desk.repository().and_then(|repository| {
        let changes = changes_since(&repository, &options.since)?;
        Ok((repository, changes))
    });
    let known = seen.as_ref().ok();
    let steps: [(&str, Step<'_>); 6] = [
        ("changes", Box::new(|| record_changes(&desk, &seen).map(Some))),
        ("relevance", Box::new(|| known.map(|(_, changes)| rate(&desk, changes)).transpose())),
        ("goal", Box::new(|| judge(&desk, options).map(Some))),
        ("citations", Box::new(|| known.map(|(repository, changes)| check(&desk, repository, changes)).transpose())),
        ("build", Box::new(|| build::take_file(&desk).map(Some))),
        ("capture", Box::new(|| take_lessons(&desk).map(Some))),
    ];
    let mut exit = Exit::Done;
    let mut told = Vec::new();
    for (name, step) in steps {
        let (outcome, text) = match step() {
            Ok(Some(text)) => ("done", text),
            Ok(None) => ("skipped", "skipped: the changes are unknown".to_owned()),
            Err(fault) => {
                printer.error(&fault);
                exit = if exit == Exit::Done { fault.exit } else { exit };
                ("failed", fault.to_string())
            }
        };
        if outcome != "failed" {
            printer.note(&format!("{name}: {text}"));
        }
        told.push(json!({"step": name, "outcome": outcome, "text": text}));
    }
    if options.turn.output.json && !options.turn.dry_run {
        printer.line(&json!({"run": desk.turn.run_id, "iteration": desk.turn.iteration, "steps": told}).to_string())?;
    }
    Ok(exit)
}

/// A step, which says what it did, or nothing if it needs changes that are not known.
type Step<'s> = Box<dyn FnOnce() -> Outcome<Option<String>> + 's>;

fn record_changes(desk: &Desk<'_>, seen: &Outcome<(Repository, Changes)>) -> Outcome<String> {
    let (repository, changes) = seen.as_ref().map_err(Clone::clone)?;
    change::record(desk, repository, changes)?;
    Ok(change::summary(changes))
}

fn rate(desk: &Desk<'_>, changes: &Changes) -> Outcome<String> {
    let patterns = relevance::load_patterns(desk, None)?;
    Ok(relevance::summary(changes, relevance::rate(desk, changes, &patterns)?.len()))
}

fn judge(desk: &Desk<'_>, options: &IterationArgs) -> Outcome<String> {
    let unit = options.unit.resolve(&desk.work)?;
    goal::judge(desk, options.goal.as_deref(), None, unit.as_deref()).map(|outcome| goal::summary(&outcome))
}

fn check(desk: &Desk<'_>, repository: &Repository, changes: &Changes) -> Outcome<String> {
    citation::check(desk, repository, changes).map(|summary| citation::describe(&summary))
}

fn take_lessons(desk: &Desk<'_>) -> Outcome<String> {
    if desk.is_dry {
        return Ok("lessons are not captured".to_owned());
    }
    if desk.settings.capture.beside {
        return Ok("pending lessons stay for ClosedLoop (`capture.beside`); the hourly job imports them".to_owned());
    }
    let captures = capture_all(desk.workspace, &desk.settings, std::slice::from_ref(&desk.work), Some(&desk.turn.project))?;
    for (path, reason) in &captures.capture.refused {
        desk.printer.note(&format!("refused {}: {}", plain_text(&path.display().to_string(), 200), plain_text(reason, 300)));
    }
    match captures.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(capture::describe(&captures.capture)),
    }
}
