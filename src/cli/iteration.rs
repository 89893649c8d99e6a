//! The commands that find something out about one iteration: what each has to know, and how its events land.

mod build;
mod capture;
mod change;
mod citation;
mod goal;
mod relevance;
mod whole;

pub use build::run as run_build;
pub use capture::{describe as describe_capture, run as run_capture};
pub use change::run as run_changes;
pub use citation::run as run_citations;
pub use goal::run as run_goal;
pub use relevance::run as run_relevance;
pub use whole::run as run_whole;

use std::path::PathBuf;

use super::args::{SinceArgs, TurnArgs};
use super::printer::Printer;
use super::require;
use agent::iteration::{Turn, learnings_of, name_project};
use agent::repository::Repository;
use learn::change::{Changes, Reach};
use setting::Settings;
use store::clock;
use store::inbox::Recorder;
use store::workspace::Workspace;
use store::workspace::load_settings;
use text::diagnostic::{Diagnostic, Outcome};

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
        let project = options.project.clone().unwrap_or_else(|| name_project(workspace, &settings, &work));
        let turn = Turn { project, run_id, iteration: options.iteration, time: clock::now() };
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
        let mut recorder = Recorder::new(self.workspace)?;
        for line in lines {
            recorder.take_line(line).map_err(|rejection| {
                Diagnostic::edit(format!("the event is refused: {}", rejection.message), rejection.remedy.clone())
            })?;
        }
        recorder.land()
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

/// A line that could not be made into an event.
fn unfit(reason: String) -> Diagnostic {
    Diagnostic::edit("the event is too large", "shorten its texts").because(reason)
}
