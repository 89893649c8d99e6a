//! `outerloop goal`: whether a run reached its goal.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args as ClapArgs;

use super::Desk;
use super::{TurnArgs, UnitArgs};
use crate::landing::unfit;
use crate::printer::Printer;
use agent::goal::{GoalOutcome, Situation, evaluate, find_start, load_goals};
use render::plain_text;
use store::workspace::Workspace;
use text::diagnostic::{Exit, Outcome};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Goals are defined in goal.yaml: in the run's .learnings/, in the workspace, or in the file of
--config or the setting `goal.file`. Without any, the goal is reduce-failures: at most 3 iterations.")]
pub struct GoalArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    unit: UnitArgs,
    /// The goal to judge by [default: the active one]
    #[arg(long, env = "CLOSEDLOOP_ACTIVE_GOAL")]
    goal: Option<String>,
    /// The file of goals
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Exit with 1 when the goal is missed; one that cannot be measured is not
    #[arg(long)]
    exit_code: bool,
}

/// Judges a run.
pub(crate) fn run(workspace: &Workspace, options: &GoalArgs, printer: &Printer) -> Outcome<Exit> {
    let desk = Desk::open(workspace, &options.turn, printer)?;
    let unit = options.unit.resolve(&desk.work)?;
    let outcome = judge(&desk, options.goal.as_deref(), options.config.as_deref(), unit.as_deref())?;
    if options.turn.output.json && !options.turn.dry_run {
        printer.line(&outcome.json(&desk.turn.run_id, desk.turn.time))?;
    }
    printer.note(&format!("goal {}", summary(&outcome)));
    let is_missed = options.exit_code && outcome.is_measured && !outcome.success;
    Ok(if is_missed { Exit::Refused } else { Exit::Done })
}

/// The outcome in a sentence.
pub(super) fn summary(outcome: &GoalOutcome) -> String {
    let score = outcome.score.map_or_else(|| "no score".to_owned(), |score| format!("score {score:.2}"));
    let mut text =
        format!("{} {}, {score}; {}", plain_text(&outcome.goal, 100), outcome.verdict(), plain_text(&outcome.details, 300));
    for note in &outcome.notes {
        text.push_str("\nnote: ");
        text.push_str(&plain_text(note, 300));
    }
    text
}

/// Judges a run and lands the judgement. It is about the task where the run works on one.
pub(super) fn judge(desk: &Desk<'_>, name: Option<&str>, config: Option<&Path>, unit: Option<&str>) -> Outcome<GoalOutcome> {
    let file = config.map(Path::to_path_buf).or_else(|| find_goals(desk));
    let goal = load_goals(file.as_deref())?.choose(name.filter(|name| !name.is_empty()))?;
    let outcome = evaluate(&goal, &situation(desk))?;
    let line = outcome.event(desk.turn.draft("goal")).with_some("unit", unit).finish().map_err(unfit)?;
    desk.land(&[line])?;
    Ok(outcome)
}

/// The file of goals: the one that the settings name, else the run's, else the workspace's.
fn find_goals(desk: &Desk<'_>) -> Option<PathBuf> {
    if let Some(file) = &desk.settings.goal.file {
        return Some(desk.workspace.root().join(file));
    }
    [desk.learnings().join("goal.yaml"), desk.workspace.root().join("goal.yaml")].into_iter().find(|path| path.is_file())
}

fn situation(desk: &Desk<'_>) -> Situation {
    let settings = &desk.settings.goal;
    let work = std::path::absolute(&desk.work).unwrap_or_else(|_| desk.work.clone());
    let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    Situation {
        iteration: desk.turn.iteration,
        session_id: text("CLOSEDLOOP_SESSION_ID"),
        run_started: find_start(&work, &desk.turn.run_id),
        sessions: settings.sessions.as_ref().map(|sessions| desk.workspace.root().join(sessions)),
        home: env::home_dir(),
        evaluator: text("GOAL_EVALUATOR_SCRIPT").map(PathBuf::from),
        test_limit: Duration::from_secs(settings.test_timeout_seconds),
        evaluator_limit: Duration::from_secs(settings.evaluator_timeout_seconds),
        ..Situation::new(desk.turn.run_id.clone(), work)
    }
}
